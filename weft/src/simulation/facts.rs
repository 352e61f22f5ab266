//! What a simulation says of its engine: workers, plan, trace.

use sim_core::graph::StageKind;

use super::{PlanCounts, Simulation, TraceEvent};

/// Number of workers if nobody says: one per physical core that the process may use.
pub fn default_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Simulation {
    /// Number of workers.
    pub fn workers(&self) -> usize {
        1
    }

    /// Threads of the operating system that compute, the caller's included.
    pub fn threads_started(&self) -> usize {
        1
    }

    /// What a user should know of how the simulation is run, a line each.
    pub fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Tasks of the integration's plan by kind; all zero before the first step.
    pub fn plan_counts(&self) -> PlanCounts {
        let Some(plan) = self.integration else { return PlanCounts::default() };
        let recording = self.engine.recording(plan);
        let stages = &recording.program.stages;
        let is_loop =
            |kind: &StageKind| !matches!(kind, StageKind::Own | StageKind::Joint | StageKind::Replicated);
        PlanCounts {
            compute: recording.program.tasks.len(),
            loops: stages.iter().filter(|s| is_loop(&s.kind)).count(),
            ..PlanCounts::default()
        }
    }

    /// Begins to trace.
    pub fn start_trace(&mut self) {}

    /// Ends tracing.
    pub fn stop_trace(&mut self) {}

    /// What was traced since the last call.
    pub fn take_trace(&mut self) -> Vec<TraceEvent> {
        Vec::new()
    }
}
