//! What a simulated run gives.

/// How a worker spent the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WorkerTime {
    /// In stages [ns].
    pub busy_ns: f64,
    /// Waiting for others [ns].
    pub wait_ns: f64,
}

/// What a stage cost, over all workers and iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTime {
    /// Its tasks, with what they read of others [ns].
    pub busy_ns: f64,
    /// Of that, reading what others wrote [ns].
    pub remote_ns: f64,
    /// Waiting at its beginning [ns].
    pub wait_ns: f64,
}

/// A simulated run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// From the start of the run to the end of its last thread, as the caller sees it [ns].
    pub ns: f64,
    /// Each worker.
    pub workers: Vec<WorkerTime>,
    /// Each stage of the plan.
    pub stages: Vec<StageTime>,
    /// What happened, in order of time for each worker; empty unless asked for.
    pub events: Vec<Event>,
}

/// Something that a worker did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// The worker.
    pub worker: u32,
    /// The stage.
    pub stage: u32,
    /// Iterations of the stage's region that began before this one, over all visits.
    pub iteration: u32,
    /// What.
    pub deed: Deed,
    /// Its end [ns].
    pub at_ns: f64,
}

/// What a worker did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It has passed the wait with this number among those of the stage.
    Waited(u32),
    /// It has run its tasks of the stage, or its loop control.
    Ran,
}

/// A plan whose streams wait for each other in a circle, or for what nobody publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the plan does not end: worker {worker} waits for worker {other} for ever, in stage {stage}")]
pub struct Stuck {
    /// Who waits.
    pub worker: u32,
    /// For whom.
    pub other: u32,
    /// The stage that waits.
    pub stage: u32,
}
