//! What a task is given when it runs: the cycle, helpers for loops, and a way to submit more.

use std::any::Any;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::cycle::Cycle;

/// A change of what is supplied, made between executions of tasks. What it is given is the `Supply`, whose type a task does not know.
pub(super) type Edit = Box<dyn FnOnce(&mut dyn Any) + Send>;

/// The body of a parallel loop: a range of its indices.
pub type Body<'b> = &'b (dyn Fn(&Context<'_>, Range<usize>) + Sync);

/// What runs tasks, as seen from a task.
pub trait Workers: Sync {
    /// Number of workers.
    fn count(&self) -> usize;

    /// Runs the body on all of `0..n` in ranges of at most `grain` indices, on the calling worker and on those that are idle. It returns
    /// when all of it is done. A panic of the body goes on in the caller.
    fn parallel_for(&self, context: &Context<'_>, n: usize, grain: usize, body: Body<'_>);

    /// Whether the scheduler is about to end: tasks that last long should return.
    fn is_ending(&self) -> bool;
}

/// One worker, the caller: loops run in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Workers for Alone {
    fn count(&self) -> usize {
        1
    }

    fn parallel_for(&self, context: &Context<'_>, n: usize, grain: usize, body: Body<'_>) {
        let grain = grain.max(1);
        for begin in (0..n).step_by(grain) {
            body(context, begin..n.min(begin.saturating_add(grain)));
        }
    }

    fn is_ending(&self) -> bool {
        false
    }
}

/// What a task submits while it runs; `Supply::apply` does it.
#[derive(Default)]
pub struct Edits(Mutex<Vec<Edit>>);

impl Edits {
    /// Adds one.
    pub(super) fn push(&self, edit: Edit) {
        // A panic while the lock is held is one of the list's growth, which leaves it as it was.
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(edit);
    }

    /// Takes all, in order.
    pub(super) fn take(&self) -> Vec<Edit> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One execution of a task: the cycle, the worker, and what the task may ask of both.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use weft_animation::game::schedule::{Alone, Context, Cycle, Edits};
///
/// let (cycle, edits, sum) = (Cycle::default(), Edits::default(), AtomicUsize::new(0));
/// let context = Context::new(&cycle, 0, &edits, &Alone);
/// context.parallel_for(100, 10, |_, range| {
///     sum.fetch_add(range.sum(), Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 4950);
/// ```
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The cycle in which it began.
    pub cycle: &'a Cycle,
    worker: usize,
    edits: &'a Edits,
    workers: &'a dyn Workers,
}

impl<'a> Context<'a> {
    /// An execution in a cycle, by a worker among others.
    pub fn new(cycle: &'a Cycle, worker: usize, edits: &'a Edits, workers: &'a dyn Workers) -> Self {
        Self { cycle, worker, edits, workers }
    }

    /// The same execution seen from another worker, which helps with a loop.
    pub fn seen_from(self, worker: usize) -> Self {
        Self { worker, ..self }
    }

    /// The number of the worker that runs this, from 0 (the main worker) on. No two run at the same time under the same number.
    pub fn worker(&self) -> usize {
        self.worker
    }

    /// Number of workers.
    pub fn n_workers(&self) -> usize {
        self.workers.count()
    }

    /// Runs a loop over `0..n` on this worker and on those that are idle, in ranges of at most `grain` indices; which worker runs which
    /// range is not determined. Loops may be nested. A worker that helps sees its own number in the context that it is given.
    ///
    /// **Source:** the light-weight parallel for of Zettersten 2010, section 3.1.4.
    ///
    /// # Panics
    /// If the body panics.
    pub fn parallel_for(&self, n: usize, grain: usize, body: impl Fn(&Context<'_>, Range<usize>) + Sync) {
        if n > 0 {
            self.workers.parallel_for(self, n, grain, &body);
        }
    }

    pub(super) fn edits(&self) -> &Edits {
        self.edits
    }

    /// Whether the scheduler is about to end: tasks that last long should return.
    pub fn is_ending(&self) -> bool {
        self.workers.is_ending()
    }
}
