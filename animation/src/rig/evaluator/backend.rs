//! What runs recordings: an executor, and what makes schedules for it.

use engine::data::Store;
use engine::exec::{Costs, Executor, Sequential};
use engine::graph::{Program, Schedule};

/// Makes a schedule for a program, given what its objects take.
pub type Scheduler = Box<dyn FnMut(&Program, &Store, &Costs) -> Schedule + Send>;

/// An executor, and what makes schedules for it.
pub struct Backend {
    /// Runs programs.
    pub executor: Box<dyn Executor>,
    /// Makes their schedules.
    pub schedule: Scheduler,
    /// Number of workers that frames are spread over.
    pub workers: u32,
}

impl Backend {
    /// One node after the other on the caller's thread: the specification of all others.
    pub fn sequential() -> Self {
        let schedule: Scheduler = Box::new(|_, _, _| Schedule::default());
        Self { executor: Box::new(Sequential::new()), schedule, workers: 1 }
    }
}
