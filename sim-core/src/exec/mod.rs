//! Executors: what runs programs. The sequential one is the specification; parallel ones live in the crate `executors`.

mod report;
mod sequential;

pub use report::{FailureKind, PlanId, RunFailure, RunReport, WorkerReport};
pub use sequential::Sequential;

use std::sync::Arc;

use crate::data::{Scalar, ScalarValue, Store};
use crate::graph::{GroupId, Recording};

/// Runs loaded programs, any number of times each.
pub trait Executor: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Forgets a loaded program.
    fn unload(&mut self, plan: PlanId);

    /// Runs a loaded program once. On success the states that it wrote are marked for [`Store::swap_states`].
    fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure>;

    /// The program behind a plan.
    fn recording(&self, plan: PlanId) -> &Arc<Recording>;

    /// The word of a scalar after the last run.
    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64;
}

impl dyn Executor + '_ {
    /// The value of a scalar after the last run (equal on all workers).
    pub fn scalar<T: ScalarValue>(&self, plan: PlanId, scalar: Scalar<T>) -> T {
        T::from_word(self.word(plan, GroupId(scalar.group()), scalar.index()))
    }
}
