//! Looks for tasks that do not return.

use std::sync::Arc;
use std::time::Duration;

use executors::cycles::{Crew, Stopwatch};

use crate::failure::TaskFailure;
use crate::profile::State;
use crate::shared::Shared;

/// Starts a thread that names overdue tasks in the log, the main worker's too.
pub(crate) fn start(crew: &mut Crew, shared: &Arc<Shared>, clock: Stopwatch) {
    let Some(limit) = shared.options.watchdog else { return };
    let shared = shared.clone();
    let watch = move || {
        let mut named = Vec::new();
        shared.watch.attend(0, std::thread::current());
        loop {
            let seen = shared.watch.epoch();
            if shared.ending.is_set() {
                return;
            }
            if shared.watch.lie_down(0, seen) {
                shared.watch.sleep_for(0, limit / 2);
            }
            let now = clock.now();
            for (worker, task, running, serial) in overdue(&shared, limit, now) {
                if !named.contains(&serial) {
                    log::warn!("the task `{task}` has been running for {running:?} on worker {worker}");
                    named.push(serial);
                }
            }
        }
    };
    crew.start("weft game watch".to_owned(), None, watch);
}

/// Executions of tasks of cycles that last longer than a limit: worker, name, for how long, number.
pub(crate) fn overdue(
    shared: &Shared,
    limit: Duration,
    now: Duration,
) -> impl Iterator<Item = (usize, String, Duration, u64)> {
    shared.desks.iter().enumerate().filter_map(move |(worker, desk)| {
        let desk = desk.look();
        let running = now.saturating_sub(desk.since);
        let (info, serial) = desk.running.as_ref().filter(|_| desk.state == State::RunCycle)?;
        (running >= limit).then(|| (worker, info.name.clone(), running, *serial))
    })
}

/// Lets the present cycle, and later ones, wait no longer for executions that are overdue.
pub(crate) fn excuse(shared: &Shared, now: Duration) {
    let Some(limit) = shared.options.watchdog else { return };
    let mut core = shared.core();
    for (worker, task, running, serial) in overdue(shared, limit, now) {
        if core.excuse(serial) {
            core.failures.push(TaskFailure::Overdue { task, worker, running });
            shared.desks[worker].look().is_overdue = true;
            let mut groups = shared.groups();
            groups.away(worker);
            shared.sleepers.announce();
            // A long task may have been left to it.
            shared.wake_for(&groups);
            drop(groups);
            // Whatever was announced, the main worker, which calls this, searches now.
            shared.go_away(worker, shared.sleepers.epoch());
        }
    }
}
