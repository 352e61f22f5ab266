//! What is run step by step and can be watched, whatever emits its tasks.

use engine::data::Store;

use crate::predict::{GraphSample, StepTiming};
use crate::record::{Names, StepRecord};

/// A simulation, an event graph: what a profile and a prediction are made of.
pub trait Stepped {
    /// One step, and when its graphs ran.
    ///
    /// # Errors
    /// What failed, in a line.
    fn step_timed(&mut self) -> Result<StepTiming, String>;
    /// Number of completed steps.
    fn steps_done(&self) -> u64;
    /// Time step \[s\].
    fn time_step(&self) -> f64;
    /// Observes steps from now on, or no longer. No bit of the state depends on it.
    fn observe(&mut self, on: bool);
    /// The last step, if it was observed.
    fn record(&mut self) -> Option<StepRecord>;
    /// The graphs of the last step, which must have been observed, in order; those that were not seen whole are left out.
    fn graph_samples(&self) -> Vec<GraphSample>;
    /// Whether something is drawn beside its tasks, so that a trace has a row for it.
    fn draws(&self) -> bool {
        false
    }
    /// When something was drawn beside the tasks of the last step, which must have been observed: since the step began, and for how long
    /// \[ns\].
    fn drawing(&self) -> Option<(u64, u64)> {
        None
    }
    /// Whether each object sleeps, written over `out`; it is empty where nothing does.
    fn sleepers(&self, out: &mut Vec<bool>) {
        out.clear();
    }
    /// What the numbers in records are called.
    fn names(&self) -> Names;
    /// What a user should know of how it is run, a line each.
    fn notes(&self) -> Vec<String>;
    /// What a profile shows beside its tasks, as a table.
    fn further_table(&self) -> Option<String> {
        None
    }
    /// Why a node runs alone or with others, and why tasks were made anew, a line each.
    ///
    /// # Errors
    /// There is no such node, or nothing that answers.
    fn why(&self, _node: &str) -> Result<Vec<String>, String> {
        Err("only nodes of rigs say why they run alone or with others".to_owned())
    }
    /// Whether a step of it may bring events from level to level, which is what Amdahl's bound is about.
    fn has_cascade(&self) -> bool {
        false
    }
    /// Number of workers.
    fn workers(&self) -> usize;
    /// Threads of the operating system that compute, the caller's included.
    fn threads_started(&self) -> usize;
    /// Number of objects: what is placed on workers as a whole.
    fn n_objects(&self) -> usize;
    /// The data.
    fn store(&self) -> &Store;
}
