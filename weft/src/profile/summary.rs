//! A profile: what the steps of a run have in common. As JSON it is what `weft profile --json` writes.

use serde::{Deserialize, Serialize};

use super::amdahl::Amdahl;
use super::cause::Cause;
use crate::output::statistics::Spread;
use crate::record::Serial;

/// Name and version of the JSON form.
pub const FORMAT: &str = "weft-profile-1";

/// What was run, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The scene, as on the command line.
    pub scene: String,
    /// The executor.
    pub executor: String,
    /// The partitioner.
    pub partitioner: String,
    /// How joint additions were carried out.
    pub accumulate: String,
    /// Number of workers.
    pub workers: usize,
    /// Threads of the operating system.
    pub threads: usize,
    /// Number of objects.
    pub objects: usize,
    /// Steps that were run.
    pub steps: u64,
    /// The first step that was looked at.
    pub report_from: u64,
}

/// A worker's time per step, on average over the steps [ms].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerRow {
    /// In tasks.
    pub tasks: f64,
    /// In reducers.
    pub reducers: f64,
    /// In serial work between the graphs.
    pub serial: f64,
    /// In loops, on the way from task to task, and at the clock.
    pub control: f64,
    /// Waiting, by the order of the causes in `waiting`.
    pub waiting: Vec<f64>,
}

/// All workers' waiting for one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitingRow {
    /// The cause.
    pub cause: Cause,
    /// Time per step, all workers together [ms].
    pub ms: f64,
    /// Share of the time of all workers.
    pub share: f64,
}

/// Serial work of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SerialRow {
    /// The kind.
    pub kind: Serial,
    /// Time per step [ms].
    pub ms: f64,
}

/// Work of one kind that a thread beside the workers has done while steps went on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideRow {
    /// What it is called.
    pub name: String,
    /// How often it was done.
    pub count: usize,
    /// Mean time of one [ms].
    pub ms: f64,
}

/// Tasks that have something in common: a component, a class of components, an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Its path or name.
    pub name: String,
    /// Class of the component, or of all; empty for objects.
    pub class: String,
    /// How many components or objects these are.
    pub members: usize,
    /// Time per step, all workers together [ms].
    pub ms: f64,
    /// Share of the time of all tasks.
    pub share: f64,
    /// Executions per step.
    pub count: f64,
    /// Time on the critical path per step [ms].
    pub path_ms: f64,
    /// Share of the critical path.
    pub path_share: f64,
}

/// Part of a critical path: tasks that follow each other, or one line of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathRow {
    /// The graph, or the serial work.
    pub phase: String,
    /// Iterations of the loop that it is in, on the path; none outside of loops.
    pub iterations: Option<u32>,
    /// Name of the task.
    pub task: String,
    /// Path of the component; of several, their class.
    pub component: String,
    /// How many components these are.
    pub components: usize,
    /// Executions on the path.
    pub count: u32,
    /// Time on the path [ms].
    pub ms: f64,
    /// Share of the path.
    pub share: f64,
}

/// The critical path of one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathOfStep {
    /// The step.
    pub step: u64,
    /// Its length [ms].
    pub ms: f64,
    /// Its parts, in order.
    pub rows: Vec<PathRow>,
}

/// A profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// [`FORMAT`].
    pub format: String,
    /// What was run.
    pub setting: Setting,
    /// Steps that were analyzed.
    pub steps: usize,
    /// Time of a step [ms].
    pub step_ms: Spread,
    /// Tasks (each execution once) and serial work of a step [ms].
    pub work_ms: Spread,
    /// Longest chain of dependent tasks, with the serial work, of a step [ms].
    pub critical_path_ms: Spread,
    /// Workers that worked at the same time, on average; median of the steps.
    pub concurrency: f64,
    /// Work / critical path: a bound on the speedup for any number of workers; median of the steps.
    pub dependence_bound: f64,
    /// Work / largest load: a bound on the speedup of this placement; median of the steps.
    pub placement_bound: f64,
    /// Share of executions whose time was taken one by one (the others': divided among the tasks of a stage).
    pub timed_share: f64,
    /// How each worker spent its time.
    pub workers: Vec<WorkerRow>,
    /// Waiting by cause.
    pub waiting: Vec<WaitingRow>,
    /// Serial work by kind.
    pub serial: Vec<SerialRow>,
    /// Work beside the steps; nothing where there was none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<BesideRow>,
    /// Amdahl's bound, of an event graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amdahl: Option<Amdahl>,
    /// The critical path of the step in the middle.
    pub critical_path: PathOfStep,
    /// By class of component, by decreasing time.
    pub classes: Vec<TaskRow>,
    /// By component, by decreasing time.
    pub components: Vec<TaskRow>,
    /// By object, by decreasing time; a task of two objects counts half for each.
    pub objects: Vec<TaskRow>,
}
