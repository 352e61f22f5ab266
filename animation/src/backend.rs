//! What runs recordings: an executor, and what makes schedules for it.

use engine::exec::{Executor, Sequential};
use engine::graph::{Assignment, Lowering, Program, Schedule};

/// Makes a schedule for a program whose objects are placed on workers: `partition::control::lower`, say, or
/// `partition::control::Upkeep`, which follows changes in proportion to what changes.
pub type Lower = Box<dyn Lowering>;

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
        let lower: Lower = Box::new(|_: &Program, _: &Assignment| Schedule::default());
        Self { executor: Box::new(Sequential::new()), lower, workers: 1 }
    }
}
