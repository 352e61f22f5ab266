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
    page += "Tasks of a fixed number of operations, some ten microseconds, so that a worker that waits for a core does none. Ratios of runs \
             that alternate, the median of all rounds: of the time on the wall, which tells where nothing else runs on the machine, and of \
             the processor's time, which tells everywhere what the additional workers cost. At most 1.2 is asked for.\n\n";
    writeln!(
        page,
        "| kind | tasks in a cycle | time, {many} : {cores} workers | processor's time |\n|---|---|---|---|"
    )?;
    for kind in WorkerKind::ALL {
        for (tasks, cycles) in [(16, 800), (400, 50)] {
            let cycles = (cycles / size.shorter).max(1);
            let load = Load { tasks, length: Duration::ZERO, cycles, host: Duration::ZERO };
            let (mut wall, mut processor) = (Vec::new(), Vec::new());
            for _ in 0..if size.shorter > 1 { 3 } else { 15 } {
                let run = |workers| -> Outcome<(f64, Option<f64>)> {
                    let before = processor_time();
                    let ran = for_real(Options::new(workers).kind(kind), load, busy_work(load))?;
                    let used = processor_time().zip(before).map(|(now, before)| now - before);
                    Ok((ran.time.as_secs_f64(), used))
                };
                let (few, crowd) = (run(cores)?, run(many)?);
                wall.push(crowd.0 / few.0);
                processor
                    .extend(crowd.1.zip(few.1).filter(|(_, few)| *few > 0.0).map(|(crowd, few)| crowd / few));
            }
            let of_processor =
                median(&mut processor).map_or("unknown".to_owned(), |ratio| format!("{ratio:.2}"));
            let of_wall = median(&mut wall).unwrap_or(f64::NAN);
            writeln!(page, "| {} | {tasks} | {of_wall:.2} | {of_processor} |", kind.name())?;
        }
    }
    Ok(page)
}

fn median(ratios: &mut [f64]) -> Option<f64> {
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

/// The time that all threads of this process have had a processor, those that have ended too [1/100 s]; where the system tells it.
///
/// **Source:** Linux, proc(5): fields 14 and 15 of `stat`.
fn processor_time() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may hold blanks.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |k: usize| fields.get(k)?.parse::<f64>().ok();
    Some(ticks(11)? + ticks(12)?)
}
