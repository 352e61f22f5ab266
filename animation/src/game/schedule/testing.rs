//! What tests of suppliers share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Alone, Context, Cycle, Edits, Outcome, TaskId, TaskInfo, TaskSupplier, Tasks};

/// Names of the tasks that ran, in order.
pub(super) type Log = Arc<Mutex<Vec<String>>>;

/// A task that writes its name down and ends as told, one outcome an execution; the last one holds on.
pub(super) fn told(tasks: &mut Tasks, log: &Log, name: &str, cost: u64, outcomes: &[Outcome]) -> TaskId {
    let (log, outcomes, own) = (log.clone(), outcomes.to_vec(), name.to_owned());
    let mut at = 0;
    let info = TaskInfo::new(name, Duration::from_millis(cost));
    tasks.add(info, move |_| {
        log.lock().unwrap().push(own.clone());
        at += 1;
        outcomes[(at - 1).min(outcomes.len() - 1)]
    })
}

/// One cycle with one worker that asks for one task at a time; the names of what ran, with blanks between.
pub(super) fn cycle(tasks: &mut Tasks, supplier: &mut dyn TaskSupplier, log: &Log, now: Cycle) -> String {
    supplier.begin_cycle(&now);
    run(tasks, supplier, log, now)
}

/// What is left of a cycle that has begun.
pub(super) fn run(tasks: &mut Tasks, supplier: &mut dyn TaskSupplier, log: &Log, now: Cycle) -> String {
    log.lock().unwrap().clear();
    let mut list = Vec::new();
    loop {
        supplier.query_one(&mut list);
        let Some(released) = list.pop() else { break };
        let edits = Edits::default();
        let outcome = tasks.execute(released.task, &Context::new(&now, 0, &edits, &Alone));
        supplier.report(released, outcome);
    }
    supplier.end_cycle();
    log.lock().unwrap().join(" ")
}

/// The cycle of a number, one second each.
pub(super) fn second(number: u64) -> Cycle {
    Cycle { number, time: Duration::from_secs(number), dt: Duration::from_secs(1) }
}
