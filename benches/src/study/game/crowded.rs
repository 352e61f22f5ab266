//! More workers than cores.

use std::fmt::Write;
use std::time::Duration;

use ::game::{Options, WorkerKind};

use super::runs::{Load, busy_work, for_real};
use super::{Outcome, Size};

/// What more workers than cores cost.
///
/// # Errors
/// If a cycle fails or executes another number of tasks.
pub fn part(size: Size) -> Outcome<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let many = 4 * cores;
    let mut page = format!("## {many} workers on {cores} cores\n\n");
    page += "Tasks of a fixed number of operations, so that a worker that waits for a core does none. Ratios of runs that alternate; the \
             median of all rounds. At most 1.2 is asked for.\n\n";
    writeln!(page, "| kind | tasks in a cycle | {many} workers : {cores} workers |\n|---|---|---|")?;
    for kind in WorkerKind::ALL {
        for tasks in [16, 400] {
            let load = Load { tasks, length: Duration::ZERO, cycles: 20, host: Duration::ZERO };
            let mut ratios = Vec::new();
            for _ in 0..if size.shorter > 1 { 3 } else { 15 } {
                let few = for_real(Options::new(cores).kind(kind), load, busy_work(load))?;
                let crowd = for_real(Options::new(many).kind(kind), load, busy_work(load))?;
                ratios.push(crowd.time.as_secs_f64() / few.time.as_secs_f64());
            }
            ratios.sort_by(f64::total_cmp);
            writeln!(page, "| {} | {tasks} | {:.3} |", kind.name(), ratios[ratios.len() / 2])?;
        }
    }
    Ok(page)
}
