//! Table 6: tasks that last longer than cycles.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::game::{CycleScheduler, Options, Outcome as Ended, Supply, TaskInfo, VirtualScheduler};

use super::runs::{Load, Ran, exact, overheads, spin};
use super::{Outcome, Size};

/// The workers on which long tasks ran.
type Seen = Arc<Mutex<Vec<usize>>>;

const LONG: Duration = Duration::from_millis(300);

fn supply(load: Load, long: usize, seen: Seen, is_busy: bool) -> impl Fn(&mut Supply) {
    move |supply| {
        for _ in 0..long {
            let seen = seen.clone();
            let task = supply.tasks.add(TaskInfo::new("load", LONG).long_term(), move |context| {
                if let Ok(mut seen) = seen.lock() {
                    seen.push(context.worker());
                }
                if is_busy {
                    std::thread::sleep(LONG);
                }
                Ended::Success
            });
            supply.queue.submit(task);
        }
        for _ in 0..load.tasks {
            let task = supply.tasks.add(TaskInfo::new("frame", load.length), move |_| {
                if is_busy {
                    spin(load.length);
                }
                Ended::Progress
            });
            supply.queue.submit(task);
        }
    }
}

/// Table 6.
///
/// # Errors
/// If a cycle fails, or a long task runs on the main worker.
pub fn part(size: Size) -> Outcome<String> {
    let mut page = "## Table 6: tasks that last longer than cycles\n\n".to_owned();
    page += "Cycles of tasks of 1 ms with 2 ms of the host's between, and tasks of 300 ms for which no cycle waits.\n\n";
    page +=
        "| run | | search | tasks | long | idle | cycle [s] | all [s] |\n|---|---|---|---|---|---|---|---|\n";
    let cycles = (100 / size.shorter).max(1);
    let rows = [
        (0, 4, "#1: 4 tasks", "1.61 % | 29.60 % | 0 % | 68.79 % | 0.0032 | 0.308"),
        (2, 2, "#2: 2 tasks, 2 long ones", "0.18 % | 15.01 % | 44.98 % | 39.3 % | 0.0033 | 0.304"),
    ];
    for (long, tasks, name, thesis) in rows {
        let load = Load { tasks, length: Duration::from_millis(1), cycles, host: Duration::from_millis(2) };
        let (options, seen) = (Options::new(4), Seen::default());
        let measured = overheads(options, supply(load, 0, Seen::default(), false));
        let mut scheduler = VirtualScheduler::new(options, measured);
        scheduler.edit(|all| supply(load, long, seen.clone(), false)(all));
        for number in 0..cycles {
            let report = scheduler.cycle(Duration::from_millis(3) * number as u32)?;
            exact("tasks in a cycle", report.executed, tasks as u64)?;
            scheduler.host(load.host);
        }
        let ran = Ran { time: scheduler.now(), cycles, profile: scheduler.profile() };
        writeln!(page, "| {name} | thesis | {thesis} |\n| | virtual time, 4 workers | {} |", cells(&ran))?;
        if size.shorter == 1 {
            check(&seen, long)?;
        }
        // Long enough for the long tasks to end.
        let (mut scheduler, seen) = (CycleScheduler::new(Options::new(2)), Seen::default());
        scheduler.edit(|all| supply(load, long, seen.clone(), true)(all));
        let began = std::time::Instant::now();
        let (mut number, mut left) = (0, long);
        while left > 0 || number < cycles {
            let report = scheduler.cycle(Duration::from_millis(3) * number as u32)?;
            exact("tasks in a cycle", report.executed, tasks as u64)?;
            spin(load.host);
            number += 1;
            left = scheduler.edit(|all| all.queue.len()) - tasks;
        }
        let ran = Ran { time: began.elapsed(), cycles: number, profile: scheduler.profile() };
        writeln!(page, "| | for real, 2 workers, {number} cycles | {} |", cells(&ran))?;
        let seen = seen.lock().map_err(|_| "a task panicked")?;
        exact("long tasks", seen.len() as u64, long as u64)?;
        exact("long tasks on the main worker", seen.iter().filter(|worker| **worker == 0).count() as u64, 0)?;
    }
    page += "\nNo long task ran on the main worker, and on four workers each had one of its own (counted).\n";
    Ok(page)
}

fn cells(ran: &Ran) -> String {
    format!(
        "{:.2} % | {:.2} % | {:.2} % | {:.2} % | {:.4} | {:.3}",
        ran.percent(|w| w.search),
        ran.percent(|w| w.cycle_tasks),
        ran.percent(|w| w.long_term),
        ran.idle(),
        ran.cycle(),
        ran.time.as_secs_f64()
    )
}

fn check(seen: &Seen, long: usize) -> Outcome<()> {
    let seen = seen.lock().map_err(|_| "a task panicked")?;
    exact("long tasks", seen.len() as u64, long as u64)?;
    let workers: BTreeSet<_> = seen.iter().filter(|worker| **worker > 0).collect();
    exact("workers other than the main one that ran them", workers.len() as u64, long as u64)
}
