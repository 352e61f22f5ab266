//! What a simulation says of its engine: workers, plan.

use executors::topology::Topology;

use super::{PlanCounts, Simulation};

/// Number of workers if nobody says: one per physical core, as far as the process may use them.
pub fn default_workers() -> usize {
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    Topology::system().cores.len().clamp(1, available)
}

impl Simulation {
    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.engine.n_workers()
    }

    /// Threads of the operating system that compute, the caller's included.
    pub fn threads_started(&self) -> usize {
        self.engine.n_threads()
    }

    /// What a user should know of how the simulation is run, a line each.
    pub fn notes(&self) -> Vec<String> {
        self.engine.notes().to_vec()
    }

    /// Tasks of the integration's plan by kind; all zero before the first step.
    pub fn plan_counts(&self) -> PlanCounts {
        let counts = self.integration.map(|p| self.engine.counts(p)).unwrap_or_default();
        PlanCounts {
            compute: counts.compute,
            mirrored: counts.mirrored,
            signal: counts.signal,
            wait: counts.wait,
            reducer: counts.reducer,
            loops: counts.loops,
        }
    }
}
