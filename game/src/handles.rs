//! What other threads have of a scheduler.

use std::sync::Arc;
use std::time::Duration;

use animation::game::schedule::{Context, Outcome, Supply, TaskInfo};
use executors::cycles::Stopwatch;

use crate::failure::TaskFailure;
use crate::shared::Shared;
use crate::watch;

/// Changes what a scheduler supplies, from any thread and at any time. Tasks submit by their [`Context`] instead, which orders what they
/// submit before their own end.
///
/// ```
/// use std::time::Duration;
/// use weft_game::{CycleScheduler, Options, Outcome, TaskInfo};
///
/// let mut scheduler = CycleScheduler::new(Options::new(2));
/// let submitter = scheduler.submitter();
/// std::thread::scope(|scope| {
///     scope.spawn(move || submitter.submit(TaskInfo::new("message", Duration::ZERO), |_| Outcome::Success));
/// });
/// assert_eq!(scheduler.cycle(Duration::ZERO)?.executed, 1);
/// # Ok::<(), weft_game::CycleFailure>(())
/// ```
#[derive(Clone)]
pub struct Submitter {
    shared: Arc<Shared>,
}

impl Submitter {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Changes what is supplied, without waiting for workers that are at it; what is released by it runs in the present cycle, or in the
    /// next one. A panic of the change is a failure of the cycle.
    pub fn edit(&self, edit: impl FnOnce(&mut Supply) + Send + 'static) {
        self.shared.submit(Box::new(edit));
    }

    /// Adds a task and submits it to the queue, as [`CycleScheduler::submit`](crate::CycleScheduler::submit).
    pub fn submit(&self, info: TaskInfo, task: impl FnMut(&Context<'_>) -> Outcome + Send + 'static) {
        self.edit(|supply| {
            supply.submit(info, task);
        });
    }
}

/// Sees from any thread which tasks of cycles do not return.
///
/// ```
/// use std::time::Duration;
/// use weft_game::{CycleScheduler, Options};
///
/// let monitor = CycleScheduler::new(Options::new(2)).monitor();
/// assert!(monitor.overdue(Duration::from_millis(100)).is_empty());
/// ```
#[derive(Clone)]
pub struct Monitor {
    shared: Arc<Shared>,
    clock: Stopwatch,
}

impl Monitor {
    pub(crate) fn new(shared: Arc<Shared>, clock: Stopwatch) -> Self {
        Self { shared, clock }
    }

    /// The tasks of cycles that have been running for so long or longer: as [`TaskFailure::Overdue`], by worker.
    pub fn overdue(&self, limit: Duration) -> Vec<TaskFailure> {
        let all = watch::overdue(&self.shared, limit, self.clock.now());
        all.map(|(worker, task, running, _)| TaskFailure::Overdue { task, worker, running }).collect()
    }
}
