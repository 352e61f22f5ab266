//! What a simulation says of its engine: workers, plan.

use executors::topology::Topology;
use sim_core::scene::{ComponentId, NodeId, StateId};

use super::{PlanCounts, Simulation};

/// Number of workers if nobody says: one per physical core, as far as the process may use them.
pub fn default_workers() -> usize {
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    Topology::system().cores.len().clamp(1, available)
}

impl Simulation {
    /// The component that has this path, such as `/Chain/FEM/MechanicalObject1`; the first, if several have it.
    pub fn find_component(&self, path: &str) -> Option<ComponentId> {
        self.find_components(path).next()
    }

    /// All components that have this path. Several may: names can be given twice, and nodes without a name leave none in it.
    pub fn find_components(&self, path: &str) -> impl Iterator<Item = ComponentId> {
        let scene = &self.world.scene;
        let all = scene.depth_first().into_iter().flat_map(|n| scene.components_of(n));
        all.filter(move |c| scene.path(*c) == path)
    }

    /// The node that has this path; the root is `/`. The first, if several have it.
    pub fn find_node(&self, path: &str) -> Option<NodeId> {
        let scene = &self.world.scene;
        scene.depth_first().into_iter().find(|n| scene.node_path(*n) == path)
    }

    /// The mechanical state that has this path.
    pub fn find_state(&self, path: &str) -> Option<StateId> {
        self.world.scene.state_of_component(self.find_component(path)?)
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.engine.n_workers()
    }

    /// Threads of the operating system that compute, the caller's included.
    pub fn threads_started(&self) -> usize {
        self.engine.n_threads()
    }

    /// The worker of each object that a solver moves, in the order of `World::objects`, written over `out`; it keeps its memory.
    pub fn owners(&self, out: &mut Vec<Option<u32>>) {
        out.clear();
        out.extend(self.world.objects.iter().map(|o| o.solver.map(|_| self.engine.owner(o.id).0)));
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
