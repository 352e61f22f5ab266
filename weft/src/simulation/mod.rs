//! A running simulation: a scene taken in, the graphs of its steps, and what it reports.

mod animated;
mod attributes;
mod blame;
mod change;
mod collide;
mod controlled;
mod convergence;
mod correct;
mod cutting;
mod driving;
mod energy;
mod execution;
mod facts;
mod force;
mod greatest;
mod integrate;
mod islands;
mod links;
mod memory;
mod object_graph;
mod objects;
mod observe;
mod parameters;
mod playback;
mod prescribed;
mod report;
mod rest;
mod sleep;
mod states;
mod step;
mod stepped;
mod topology;

use components::topology::changes::{BoundingTrasher, DueChanges};
use engine::data::ObjectId;
use engine::exec::{PlanId, RunFailure, Sequential};
use engine::graph::{Recorder, RecorderMemory, Recording};
use sim_core::component::animation_loop::StepStage;
use sim_core::component::collision::CollisionPipeline;
use sim_core::scene::{ComponentId, Scene};
use sim_core::step::{Integration, record_propagation};
use sim_core::visitor::visit::Visit;
use sim_core::visitor::world::World;

use crate::execution::clock::Stretch;
use crate::execution::observer::Observer;
use crate::execution::planned_executor::{Phase, PlannedExecutor};
pub use crate::execution::{
    AccumulateMode, Execution, ExecutorKind, NumaMode, PartitionerKind, SimulationOptions,
};
pub use change::ChangeError;
pub use driving::Walking;
pub use energy::{Energy, EnergyMeter};
pub use facts::default_workers;
pub use memory::ObjectMemory;
pub use objects::AddedObject;
pub(crate) use playback::due_time;
pub use report::{
    Census, ConstraintError, LinearEnd, Multipliers, NewtonEnd, PlanChange, PlanCounts, SimulationError,
    SolverEnd, StateView, StepFailure, StepReport,
};

/// A simulation.
pub struct Simulation {
    world: World,
    /// How it is run at present; `dt` is that of the beginning.
    options: SimulationOptions,
    engine: PlannedExecutor,
    collision: Option<Box<dyn CollisionPipeline>>,
    bounds: Option<PlanId>,
    narrow: Option<PlanId>,
    integration: Option<PlanId>,
    correction: correct::Correction,
    /// What a step consists of.
    stages: Vec<StepStage>,
    groups: Integration,
    sleep: Option<sleep::Sleep>,
    /// What components of the scene change of topologies at which times.
    due_changes: Vec<DueChanges>,
    /// What removes elements that leave a box.
    trashers: Vec<(ComponentId, BoundingTrasher)>,
    /// Scratch: elements outside of such a box.
    outside: Vec<u32>,
    /// Which components give states what files hold.
    readers: playback::Readers,
    /// What constraints move without a solver.
    prescribed: object_graph::ObjectGraph,
    /// What constraints project where a step begins.
    controlled: object_graph::ObjectGraph,
    /// Graphs that are not physics, and the states that follow them.
    animated: animated::Animated,
    /// Engines that compute again, and what follows them.
    links: links::Links,
    /// How many times topologies have changed.
    topology_changes: u64,
    recorder_memory: RecorderMemory,
    /// The integration's plan was changed since the last step.
    is_changed: bool,
    /// What a component said of the attribute that was changed last.
    edit_notice: Option<String>,
    step: u64,
    /// Memory of each step's clock.
    worker_times: Vec<(u64, u64)>,
    /// What the last step's clock has seen.
    marks: Vec<Stretch>,
    observer: Option<Box<Observer>>,
    /// Which solvers' troubles were warned of.
    warned: convergence::Warned,
}

/// Steps between two looks at the balance of the workers; executors sample costs as often, just before.
pub const REBALANCE_EVERY: u64 = 64;
/// The first step, modulo [`REBALANCE_EVERY`], in which the balance is looked at: executors know costs by then.
pub const REBALANCE_AT: u64 = 5;

fn check_dt(dt: f64) -> Result<(), SimulationError> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    Err(SimulationError::Scene(format!("the time step dt is {dt}; it must be positive")))
}

impl Drop for Simulation {
    /// The run ends: Scripts of event graphs are shut down.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.animated.end(&mut self.world.store);
        }
    }
}

impl Simulation {
    /// The lamps of X3D files that run in the scene, as they shine now.
    pub fn lamps(&self) -> Vec<x3d::shape::Lamp> {
        self.animated.lamps(&self.world.store)
    }

    /// Takes a scene in and brings mapped states up to date.
    ///
    /// # Errors
    /// A scene that lacks a solver's needs, a time step that is not positive, no workers.
    pub fn new(mut scene: Scene, options: SimulationOptions) -> Result<Self, SimulationError> {
        if options.threads == 0 {
            return Err(SimulationError::Option(
                "the number of workers is 0; at least 1 is needed".to_owned(),
            ));
        }
        if let Some(dt) = options.dt {
            scene.dt = dt;
        }
        check_dt(scene.dt)?;
        let places: Vec<_> = scene.all_components().map(|c| scene.component(c).location.clone()).collect();
        let found = |e| SimulationError::found(&e, &places);
        let collision = components::collision::pipeline(&scene).map_err(found)?;
        let mut world = World::new(scene).map_err(found)?;
        world.check_solvers().map_err(found)?;
        let stages = world.scene.animation_loop.stages();
        let animated = animated::Animated::of(&mut world, &stages, collision.is_some(), &options.stop);
        let links = links::Links::begin(&mut world);
        let engine = PlannedExecutor::new(&options);
        let merge = collision.as_ref().is_some_and(|c| c.merges_groups());
        let pipeline = collision.as_ref().map(|c| c.node());
        let groups = Integration::new(&world, pipeline, merge, options.sums);
        let sleep = world.scene.sleeping().map(sleep::Sleep::new);
        let due_changes = topology::processors(&world.scene);
        let trashers = cutting::trashers(&world.scene);
        let readers = playback::Readers::of(&world.scene);
        let mut simulation = Self {
            world,
            options,
            engine,
            collision,
            bounds: None,
            narrow: None,
            integration: None,
            correction: correct::Correction::default(),
            stages,
            groups,
            sleep,
            due_changes,
            trashers,
            outside: Vec::new(),
            readers,
            prescribed: object_graph::ObjectGraph::default(),
            controlled: object_graph::ObjectGraph::default(),
            animated,
            links,
            topology_changes: 0,
            recorder_memory: RecorderMemory::default(),
            is_changed: false,
            edit_notice: None,
            step: 0,
            worker_times: Vec::new(),
            marks: Vec::new(),
            observer: None,
            warned: convergence::Warned::default(),
        };
        let all: Vec<ObjectId> = simulation.world.objects.iter().map(|o| o.id).collect();
        simulation.propagate(&all).map_err(|f| SimulationError::Scene(f.to_string()))?;
        simulation.check_readers();
        simulation.read_states().map_err(|f| SimulationError::Scene(f.to_string()))?;
        simulation.begin_animation().map_err(|f| SimulationError::Scene(f.to_string()))?;
        if let Some(c) = &mut simulation.collision {
            c.freeze(&mut simulation.world.store, &simulation.world.vectors);
        }
        Ok(simulation)
    }

    /// Number of completed steps.
    pub fn step_index(&self) -> u64 {
        self.step
    }

    /// Present time [s].
    pub fn time(&self) -> f64 {
        self.world.store.parameter_value(self.world.parameters.time)
    }

    /// Time step [s].
    pub fn dt(&self) -> f64 {
        self.world.store.parameter_value(self.world.parameters.dt)
    }

    /// Changes the time step from the next step on.
    ///
    /// # Errors
    /// A time step that is not positive.
    pub fn set_dt(&mut self, dt: f64) -> Result<(), SimulationError> {
        check_dt(dt)?;
        let World { store, parameters, .. } = &mut self.world;
        store.set_parameter(parameters.dt, dt);
        store.set_parameter(parameters.whole_dt, dt);
        Ok(())
    }

    /// The scene and its data.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Compares programs and schedules, which are updated as contacts and components come and go, with ones made anew for what
    /// is there now and the same placement.
    ///
    /// # Errors
    /// What differs. That would be a defect of Weft; tests look for it.
    pub fn check_plan(&mut self) -> Result<(), String> {
        for (name, plan) in [("bounds", self.bounds), ("narrow phase", self.narrow)] {
            let (Some(plan), Some(collision)) = (plan, &self.collision) else { continue };
            let World { scene, store, vectors, objects, parameters, .. } = &mut self.world;
            let mut rec = Recorder::new(store);
            if Some(plan) == self.bounds && self.animated.joins_detection() {
                self.animated.emit(&mut rec, scene, vectors, objects, *parameters);
            }
            let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
            if Some(plan) == self.bounds {
                collision.record_bounds(&mut visit, None);
            } else {
                collision.record_narrow_phase(&mut visit, None);
            }
            let anew = rec.finish();
            self.compare(Phase::Collision, plan, &anew).map_err(|e| format!("{name}, {e}"))?;
        }
        let Some(plan) = self.integration else { return Ok(()) };
        let contacts = self.collision.as_ref().map_or(&[][..], |c| c.contacts());
        let anew = self.groups.record_anew(&mut self.world, contacts);
        self.compare(Phase::Integration, plan, &anew)
    }

    /// Compares a plan with what was recorded anew.
    fn compare(&mut self, phase: Phase, plan: PlanId, anew: &Recording) -> Result<(), String> {
        if let Some(difference) = self.engine.program(plan).difference(&anew.program) {
            return Err(format!("step {}: updated and recorded anew: {difference}", self.step));
        }
        let checked = self.engine.check_schedule(phase, plan, &anew.program);
        checked.map_err(|e| format!("step {}: {e}", self.step))
    }

    /// Applies the mappings of some objects to their present states.
    fn propagate(&mut self, objects: &[ObjectId]) -> Result<(), RunFailure> {
        let recording = record_propagation(&mut self.world, objects);
        Sequential::run_once(&recording, &mut self.world.store)?;
        self.world.store.discard_states();
        Ok(())
    }
}
