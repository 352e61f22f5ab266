//! Executors: what runs programs. The sequential one is the specification; parallel ones live in the crate `executors`.

mod bound;
mod control;
mod observation;
mod plan_cache;
mod report;
mod sequential;
mod threads;

pub use crate::beside::{Beside, Job, Meeting};
pub use bound::{bound_objects, check_bound_objects};
pub use control::{Bank, enters, goes_on, leaves, pass_control};
pub use observation::{Activity, Deed, Observation, ObservedWait, WaitCause};
pub use plan_cache::PlanCache;
pub use report::{Costs, FailureKind, LoadError, PlanId, RunFailure, RunReport, WorkerReport};
pub use sequential::Sequential;
pub use threads::thread_of;

use std::sync::Arc;

use crate::data::{Scalar, ScalarValue, Store};
use crate::graph::{Delta, GroupId, Recording, Schedule};

/// Runs loaded programs, any number of times each.
pub trait Executor: Send {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Loads a program with its schedule, in place of `replaced` if given.
    ///
    /// # Errors
    /// If the schedule does not fit the executor, or the program is of another store.
    fn load_plan(
        &mut self,
        replaced: Option<PlanId>,
        recording: Arc<Recording>,
        schedule: Arc<Schedule>,
        store: &mut Store,
    ) -> Result<PlanId, LoadError>;

    /// Changes a loaded plan in place: `edit` splices program and schedule and notes in the delta what it changed, and the
    /// executor follows.
    ///
    /// # Errors
    /// If somebody else still holds the recording or the schedule, or the plan no longer fits the executor.
    fn update_plan(
        &mut self,
        plan: PlanId,
        store: &mut Store,
        edit: &mut dyn FnMut(&mut Recording, &mut Schedule, &mut Delta),
    ) -> Result<(), LoadError>;

    /// Forgets a loaded program.
    fn unload(&mut self, plan: PlanId);

    /// Runs a loaded program once. On success the states that it wrote are marked for [`Store::swap_states`].
    fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure>;

    /// The program behind a plan.
    fn recording(&self, plan: PlanId) -> &Arc<Recording>;

    /// The schedule of a plan.
    fn schedule(&self, plan: PlanId) -> &Arc<Schedule>;

    /// How each worker spent the last run.
    fn workers(&self) -> &[WorkerReport];

    /// Calls `job` once for each worker's number, on the thread that runs the worker's tasks, so that memory which it
    /// touches first is near to them. Here: on the caller's thread, in order.
    fn on_workers(&mut self, job: &(dyn Fn(u32) + Sync)) {
        (0..self.workers().len() as u32).for_each(job);
    }

    /// Measured time of a plan's kernels: empty until a run was sampled, or where none ever is.
    fn costs(&self, _: PlanId) -> Costs {
        Costs::default()
    }

    /// Observes runs from now on, or no longer.
    fn observe(&mut self, on: bool);

    /// What was observed of a plan's last run, in place of what `into` holds; nothing if it was not observed.
    fn observation(&self, plan: PlanId, into: &mut Observation);

    /// The word of a scalar after the last run.
    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64;
}

impl dyn Executor + '_ {
    /// The value of a scalar after the last run (equal on all workers).
    pub fn scalar<T: ScalarValue>(&self, plan: PlanId, scalar: Scalar<T>) -> T {
        T::from_word(self.word(plan, GroupId(scalar.group()), scalar.index()))
    }
}

/// Lets `edit` change a plan that an executor keeps, and note in `delta` what it changed.
///
/// # Errors
/// If somebody else still holds the recording or the schedule.
pub fn edit_plan(
    recording: &mut Arc<Recording>,
    schedule: &mut Arc<Schedule>,
    delta: &mut Delta,
    edit: &mut dyn FnMut(&mut Recording, &mut Schedule, &mut Delta),
) -> Result<(), LoadError> {
    let recording = Arc::get_mut(recording).ok_or(LoadError::Shared)?;
    let schedule = Arc::get_mut(schedule).ok_or(LoadError::Shared)?;
    edit(recording, schedule, delta);
    Ok(())
}
