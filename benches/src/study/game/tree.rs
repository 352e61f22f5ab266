//! Table 7: a behaviour tree, half of whose tasks follow each other.

use std::fmt::Write;
use std::time::Duration;

use ::game::tree::{Parallel, Repeat, Sequence};
use ::game::{Options, Outcome as Ended, Supply, TaskInfo, WorkerKind};

use super::runs::{Load, for_real, in_virtual_time, overheads, said, spin};
use super::{Outcome, Size};

/// Two roots that are repeated each cycle: tasks beside each other, and tasks one after the other.
fn roots(parallel: usize, sequence: usize, length: Duration, is_busy: bool) -> impl Fn(&mut Supply) + Copy {
    move |supply| {
        let leaf = |supply: &mut Supply| {
            let task = supply.tasks.add(TaskInfo::new("task", length), move |_| {
                if is_busy {
                    spin(length);
                }
                Ended::Success
            });
            supply.tree.task(task)
        };
        let beside: Vec<_> = (0..parallel).map(|_| leaf(supply)).collect();
        let after: Vec<_> = (0..sequence).map(|_| leaf(supply)).collect();
        let tree = &mut supply.tree;
        // The nodes are new and their children have no parents yet: nothing fails.
        let roots = [tree.node(Parallel::default(), &beside), tree.node(Sequence, &after)];
        for root in roots.into_iter().flatten() {
            if let Ok(root) = supply.tree.node(Repeat::forever(), &[root]) {
                let _ = supply.tree.submit(root, &supply.tasks);
            }
        }
    }
}

/// Table 7.
///
/// # Errors
/// If a cycle fails or executes another number of tasks.
pub fn part(size: Size) -> Outcome<String> {
    let mut page = "## Table 7: a behaviour tree\n\n".to_owned();
    page += "A sequence of 2,000 tasks of 1 ms cannot take less than 2 s a cycle. What has the longest chain behind it runs first.\n\n";
    page += "| run | | search | tasks | idle | cycle [s] | all [s] |\n|---|---|---|---|---|---|---|\n";
    let cycles = (100 / size.shorter).max(1);
    let load = Load { tasks: 4000, length: Duration::from_millis(1), cycles, host: Duration::ZERO };
    let rows = [
        (4000, 0, "#1: 4,000 beside each other", "0.59 % | 99.16 % | 0.25 % | 1.0124 | 101.202"),
        (
            2000,
            2000,
            "#2: 2,000 beside, 2,000 after each other",
            "63.86 % | 36.05 % | 0.09 % | 2.7892 | 278.854",
        ),
    ];
    let mut notes = String::new();
    for (parallel, sequence, name, thesis) in rows {
        writeln!(page, "| {name} | thesis | {thesis} |")?;
        for kind in [WorkerKind::Stealing, WorkerKind::Locking] {
            let options = Options::new(4).kind(kind);
            let measured = overheads(options, roots(parallel, sequence, load.length, false));
            let ran =
                in_virtual_time(options, measured, load, roots(parallel, sequence, load.length, false))?;
            writeln!(page, "| | virtual time, 4 {} workers | {} |", kind.name(), ran.cells())?;
            if kind == WorkerKind::Stealing {
                writeln!(notes, "- Steps of {name}, measured: {}.", said(&measured))?;
            }
        }
        let (beside, after) = (parallel / 10, sequence / 10);
        let short = Load { tasks: beside + after, cycles: size.real_cycles, ..load };
        let ran = for_real(Options::new(2), short, roots(beside, after, load.length, true))?;
        let what = format!("for real, 2 workers, a tenth of the tasks, {} cycles", short.cycles);
        writeln!(page, "| | {what} | {} |", ran.cells())?;
    }
    writeln!(page, "\n{notes}")?;
    Ok(page)
}
