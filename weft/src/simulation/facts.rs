//! What a simulation says of its engine: workers, plan, trace.

use std::time::Instant;

use executors::topology::Topology;
use sim_core::scene::ComponentId;

use super::{PlanCounts, Simulation, TraceEvent};

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

    /// Begins to trace.
    pub fn start_trace(&mut self) {
        self.traced_since.get_or_insert_with(Instant::now);
        self.trace_offset_ns = self.traced_since.map_or(0, |t| t.elapsed().as_nanos() as u64);
        self.engine.start_trace();
    }

    /// Ends tracing.
    pub fn stop_trace(&mut self) {
        self.traced_since = None;
        self.engine.stop_trace();
    }

    /// What was traced since the last call; tracing goes on.
    pub fn take_trace(&mut self) -> Vec<TraceEvent> {
        if self.traced_since.is_none() {
            return Vec::new();
        }
        let (offset, step) = (self.trace_offset_ns, self.step.saturating_sub(1));
        let events = self.engine.stop_trace();
        self.start_trace();
        let n_components = self.world.scene.all_components().count();
        let known = |tag: u32| (tag as usize) < n_components;
        events
            .into_iter()
            .map(|e| {
                let component = e.component.map(|c| c.0).filter(|c| known(*c));
                TraceEvent {
                    worker: e.worker as usize,
                    name: e.name.to_owned(),
                    component,
                    path: component.map(|c| self.world.scene.path(ComponentId(c))).unwrap_or_default(),
                    step,
                    begin_ns: offset + e.start_ns,
                    duration_ns: e.duration_ns,
                }
            })
            .collect()
    }
}
