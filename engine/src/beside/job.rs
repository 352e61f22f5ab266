//! What does work beside the steps.

use std::fmt::Debug;
use std::sync::Arc;

/// A piece of work that any thread may do.
pub trait Job: Send + Sync {
    /// Does it, unless it was done or taken back meanwhile.
    fn run(&self);
}

/// Threads beside those of an executor.
///
/// They are a convenience: work that they have not begun when its result is needed is done by who needs it.
pub trait Beside: Debug + Send + Sync {
    /// Has a job done soon, on another thread. Called within steps, so it waits for nothing.
    fn take_over(&self, job: Arc<dyn Job>);
}
