//! What runs recordings: an executor, and what makes schedules for it.

use engine::exec::{Executor, Sequential};
use engine::graph::{Assignment, Program, Schedule};

/// Makes a schedule for a program whose objects are placed on workers: `partition::control::lower`, say.
pub type Lower = Box<dyn FnMut(&Program, &Assignment) -> Schedule + Send>;

/// An executor, and what makes schedules for it.
pub struct Backend {
    /// Runs programs.
    pub executor: Box<dyn Executor>,
    /// Makes their schedules.
    pub lower: Lower,
    /// Number of workers that tasks are placed on.
    pub workers: u32,
}

impl Backend {
    /// One node after the other on the caller's thread: the specification of all others.
    pub fn sequential() -> Self {
        let lower: Lower = Box::new(|_, _| Schedule::default());
        Self { executor: Box::new(Sequential::new()), lower, workers: 1 }
    }
}
