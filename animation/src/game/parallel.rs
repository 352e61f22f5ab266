//! A loop whose turns may run at the same time.

use super::schedule::Context;

/// Runs the turns of a loop, at the same time if it can: the light parallel loop of a scheduler, say.
pub trait ParallelFor {
    /// Runs the body for each number below n, in any order, and returns when all have ended.
    fn for_each(&self, n: usize, body: &(dyn Fn(usize) + Sync));
}

/// Runs one turn after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTurn;

impl ParallelFor for InTurn {
    fn for_each(&self, n: usize, body: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(body);
    }
}

/// On the worker that executes a task and on those that are idle.
impl ParallelFor for Context<'_> {
    fn for_each(&self, n: usize, body: &(dyn Fn(usize) + Sync)) {
        self.parallel_for(n, 1, |_, turns| turns.for_each(body));
    }
}
