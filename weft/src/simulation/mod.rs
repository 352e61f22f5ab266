//! A running simulation: a scene taken in, its three graphs per step, and what it reports.

mod attributes;
mod change;
mod energy;
mod execution;
mod facts;
mod force;
mod memory;
mod objects;
mod observe;
mod options;
mod parameters;
mod placement;
mod planned_executor;
mod report;
mod sample;
mod states;

use std::sync::Arc;
use std::time::Instant;

use engine::data::ObjectId;
use engine::exec::{LoadError, PlanId, RunFailure, RunReport, Sequential, WorkerReport};
use engine::graph::splice::SpliceOp;
use engine::graph::{ComponentTag, GroupId, Place, Recorder, RecorderMemory, Recording};
use sim_core::component::collision::{CollisionPipeline, ContactStatistics};
use sim_core::scene::{ComponentId, Scene};
use sim_core::step::{Integration, record_propagation};
use sim_core::visitor::visit::Visit;
use sim_core::visitor::world::World;

pub use change::ChangeError;
pub use energy::{Energy, EnergyMeter};
pub use facts::default_workers;
pub use memory::ObjectMemory;
pub use objects::AddedObject;
use observe::{Mark, Observer};
pub use options::{AccumulateMode, Execution, ExecutorKind, NumaMode, PartitionerKind, SimulationOptions};
use planned_executor::{Phase, PlannedExecutor};
pub use report::{Census, PlanChange, PlanCounts, SimulationError, StateView, StepFailure, StepReport};

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
    groups: Integration,
    recorder_memory: RecorderMemory,
    /// The integration's plan was changed since the last step.
    is_changed: bool,
    step: u64,
    /// Memory of each step's clock.
    worker_times: Vec<(u64, u64)>,
    /// What the last step's clock has seen.
    marks: Vec<Mark>,
    observer: Option<Box<Observer>>,
}

/// Steps between two looks at the balance of the workers; executors sample costs as often, just before.
pub const REBALANCE_EVERY: u64 = 64;
/// The first step, modulo [`REBALANCE_EVERY`], in which the balance is looked at: executors know costs by then.
pub const REBALANCE_AT: u64 = 5;

/// Time spent in a step so far, by phase.
#[derive(Default)]
struct Clock {
    collision_ns: u64,
    graph_ns: u64,
    integrate_ns: u64,
    workers: Vec<(u64, u64)>,
    marks: Vec<Mark>,
}

impl Clock {
    /// Adds plan work from `start` until now.
    fn add_plan(&mut self, start: Instant) {
        let duration_ns = since(start);
        self.graph_ns += duration_ns;
        self.marks.push(Mark { run: None, start, duration_ns });
    }

    /// Adds a run that began at `start`.
    fn add_run(&mut self, run: PlanId, start: Instant, report: RunReport, workers: &[WorkerReport]) {
        self.marks.push(Mark { run: Some(run), start, duration_ns: report.wall_ns });
        self.workers.resize(self.workers.len().max(workers.len()), (0, 0));
        for (sum, w) in self.workers.iter_mut().zip(workers) {
            sum.0 += w.busy_ns;
            sum.1 += w.wait_ns;
        }
    }
}

fn check_dt(dt: f64) -> Result<(), SimulationError> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    Err(SimulationError::Scene(format!("the time step dt is {dt}; it must be positive")))
}

fn since(start: Instant) -> u64 {
    start.elapsed().as_nanos() as u64
}

impl Simulation {
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
        let collision =
            components::collision::pipeline(&scene).map_err(|e| SimulationError::Scene(e.to_string()))?;
        let world = World::new(scene).map_err(|e| SimulationError::Scene(e.to_string()))?;
        world.check_solvers().map_err(|e| SimulationError::Scene(e.to_string()))?;
        let engine = PlannedExecutor::new(&options);
        let merge = collision.as_ref().is_some_and(|c| c.merges_groups());
        let pipeline = collision.as_ref().map(|c| c.node());
        let groups = Integration::new(&world, pipeline, merge, options.sums);
        let mut simulation = Self {
            world,
            options,
            engine,
            collision,
            bounds: None,
            narrow: None,
            integration: None,
            groups,
            recorder_memory: RecorderMemory::default(),
            is_changed: false,
            step: 0,
            worker_times: Vec::new(),
            marks: Vec::new(),
            observer: None,
        };
        let all: Vec<ObjectId> = simulation.world.objects.iter().map(|o| o.id).collect();
        simulation.propagate(&all).map_err(|f| SimulationError::Scene(f.to_string()))?;
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
            let World { store, vectors, parameters, .. } = &mut self.world;
            let mut rec = Recorder::new(store);
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

    /// Computes one time step.
    ///
    /// # Errors
    /// A kernel that panicked or a state that is not finite; the state before the step is kept.
    pub fn step(&mut self) -> Result<StepReport, StepFailure> {
        let mut report = StepReport::default();
        self.step_into(&mut report)?;
        Ok(report)
    }

    /// Computes one time step and writes over `report`, whose lists keep their memory: a step that replays its plans allocates nothing.
    ///
    /// # Errors
    /// As [`Self::step`]; the report is then left as it was.
    pub fn step_into(&mut self, report: &mut StepReport) -> Result<(), StepFailure> {
        let start = Instant::now();
        let (workers, marks) = (std::mem::take(&mut self.worker_times), std::mem::take(&mut self.marks));
        let mut clock = Clock { workers, marks, ..Clock::default() };
        clock.workers.clear();
        clock.marks.clear();
        let pairs_changed = self.collide(&mut clock)?;
        let plan = self.plan(pairs_changed, &mut clock)?;

        let begin = Instant::now();
        let integration = self.integration.expect("planned just above");
        let run = self.engine.run(integration, &mut self.world.store);
        let run = run.map_err(|f| self.blame(integration, Some(f)))?;
        clock.add_run(integration, begin, run, self.engine.workers());
        self.check_finite(integration)?;
        self.world.store.swap_states();
        clock.integrate_ns += since(begin);

        self.step += 1;
        let World { store, parameters, .. } = &mut self.world;
        let time = store.parameter_value(parameters.time) + store.parameter_value(parameters.dt);
        store.set_parameter(parameters.time, time);
        store.set_parameter(parameters.step, self.step);
        let contacts = self.contact_statistics();
        report.cg_iterations.clear();
        let iterations = self.groups.records().filter_map(|r| r.solve.iterations);
        report.cg_iterations.extend(iterations.map(|i| self.engine.scalar(integration, i)));
        report.worker_busy.clear();
        report.worker_busy.extend(
            clock
                .workers
                .iter()
                .map(|(busy, wait)| if busy + wait == 0 { 0.0 } else { *busy as f64 / (busy + wait) as f64 }),
        );
        report.contacts = contacts.points;
        report.max_penetration = contacts.max_penetration;
        report.plan = plan;
        report.pairs_changed = pairs_changed;
        report.groups = self.groups.n_groups();
        report.collision_ns = clock.collision_ns;
        report.graph_ns = clock.graph_ns;
        report.integrate_ns = clock.integrate_ns;
        report.total_ns = since(start);
        report.other_ns =
            report.total_ns.saturating_sub(clock.collision_ns + clock.graph_ns + clock.integrate_ns);
        (self.worker_times, self.marks) = (clock.workers, clock.marks);
        if let Some(observer) = &mut self.observer {
            observer.end_step(start, report.total_ns);
        }
        Ok(())
    }

    /// Bounds, broad phase, narrow phase; returns how many contacts came or went.
    fn collide(&mut self, clock: &mut Clock) -> Result<usize, StepFailure> {
        let Some(mut collision) = self.collision.take() else { return Ok(0) };
        let result = self.collide_with(&mut *collision, clock);
        self.collision = Some(collision);
        result
    }

    fn collide_with(
        &mut self,
        collision: &mut dyn CollisionPipeline,
        clock: &mut Clock,
    ) -> Result<usize, StepFailure> {
        let bounds = match self.bounds {
            Some(plan) => plan,
            None => {
                let begin = Instant::now();
                let plan = self.load(None, |visit| collision.record_bounds(visit, None))?;
                self.bounds = Some(plan);
                clock.add_plan(begin);
                plan
            }
        };
        let mut begin = Instant::now();
        let run = self.engine.run(bounds, &mut self.world.store);
        let run = run.map_err(|f| self.blame(bounds, Some(f)))?;
        clock.add_run(bounds, begin, run, self.engine.workers());
        collision.broad_phase(&mut self.world.store);
        clock.collision_ns += since(begin);
        begin = Instant::now();
        let changed = collision.narrow_phase_changes();
        let is_new = self.narrow.is_none();
        match self.narrow {
            None => {
                self.narrow = Some(self.load(None, |visit| collision.record_narrow_phase(visit, None))?);
            }
            Some(plan) if !changed.is_empty() => {
                let updated = self.update_narrow_phase(plan, collision, changed);
                updated.map_err(|e| self.not_loaded(&e))?;
            }
            Some(_) => {}
        }
        if is_new || !changed.is_empty() {
            clock.add_plan(begin);
            begin = Instant::now();
        }
        if let Some(narrow) = self.narrow {
            let run = self.engine.run(narrow, &mut self.world.store);
            let run = run.map_err(|f| self.blame(narrow, Some(f)))?;
            clock.add_run(narrow, begin, run, self.engine.workers());
        }
        let changed = collision.update_contacts(&self.world.store);
        clock.collision_ns += since(begin);
        Ok(changed)
    }

    /// Records and loads a program.
    fn load(
        &mut self,
        replaced: Option<PlanId>,
        record: impl FnOnce(&mut Visit<'_, '_>),
    ) -> Result<PlanId, StepFailure> {
        let World { store, vectors, parameters, .. } = &mut self.world;
        let mut rec = Recorder::new(store);
        record(&mut Visit { rec: &mut rec, vectors, parameters: *parameters });
        let recording = Arc::new(rec.finish());
        let loaded = self.engine.load(Phase::Collision, replaced, recording, &mut self.world.store);
        loaded.map_err(|e| self.not_loaded(&e))
    }

    /// Records the narrow phase of some objects anew.
    fn update_narrow_phase(
        &mut self,
        plan: PlanId,
        collision: &dyn CollisionPipeline,
        changed: &[ObjectId],
    ) -> Result<(), LoadError> {
        let World { store, vectors, parameters, .. } = &mut self.world;
        let mut rec = Recorder::with_memory(store, std::mem::take(&mut self.recorder_memory));
        let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
        collision.record_narrow_phase(&mut visit, Some(changed));
        let (parts, memory) = rec.finish_with_memory();
        self.recorder_memory = memory;
        let updated = self.replace_parts(plan, changed, &parts);
        self.recorder_memory.take_back(parts);
        updated
    }

    /// Takes over the parts of some objects in a graph of the collision detection.
    fn replace_parts(
        &mut self,
        plan: PlanId,
        objects: &[ObjectId],
        parts: &Recording,
    ) -> Result<(), LoadError> {
        let group = GroupId(0);
        let places = || objects.iter().map(|&o| Place::Own(o));
        let ops: Vec<SpliceOp> = places()
            .map(|place| SpliceOp::Remove { group, place })
            .chain(places().map(|place| SpliceOp::Adopt { group, place }))
            .collect();
        self.engine.update(Phase::Collision, plan, &ops, parts, &mut self.world.store)
    }

    fn not_loaded(&self, error: &LoadError) -> StepFailure {
        StepFailure {
            step: self.step,
            task: "plan".to_owned(),
            component: "/".to_owned(),
            file: String::new(),
            line: 0,
            message: error.to_string(),
        }
    }

    /// Brings the integration's plan up to date with the contacts.
    fn plan(&mut self, pairs_changed: usize, clock: &mut Clock) -> Result<PlanChange, StepFailure> {
        if self.integration.is_some() {
            let change = self.rebalance(clock)?;
            if pairs_changed == 0 {
                return Ok(if std::mem::take(&mut self.is_changed) { PlanChange::Updated } else { change });
            }
        }
        self.is_changed = false;
        let begin = Instant::now();
        let change = if self.integration.is_some() {
            self.update_integration(true).map_err(|e| self.not_loaded(&e))?;
            PlanChange::Updated
        } else {
            let (contacts, changes) = match &self.collision {
                Some(c) => (c.contacts(), c.contact_changes()),
                None => (&[][..], &[][..]),
            };
            let recording = Arc::new(self.groups.record(&mut self.world, contacts, changes));
            let store = &mut self.world.store;
            let loaded = self.engine.load(Phase::Integration, None, recording, store);
            self.integration = Some(loaded.map_err(|e| self.not_loaded(&e))?);
            PlanChange::Built
        };
        clock.add_plan(begin);
        Ok(change)
    }

    /// Now and then, moves objects between workers as measured costs say.
    fn rebalance(&mut self, clock: &mut Clock) -> Result<PlanChange, StepFailure> {
        if self.step % REBALANCE_EVERY != REBALANCE_AT {
            return Ok(PlanChange::Replayed);
        }
        let begin = Instant::now();
        let mut moved = false;
        let plans = [(Phase::Collision, self.narrow), (Phase::Integration, self.integration)];
        for (phase, plan) in plans {
            if let Some(plan) = plan {
                let result = self.engine.rebalance(phase, plan, &mut self.world.store);
                moved |= result.map_err(|e| self.not_loaded(&e))?;
            }
        }
        clock.add_plan(begin);
        Ok(if moved { PlanChange::Updated } else { PlanChange::Replayed })
    }

    /// Applies the mappings of some objects to their present states.
    fn propagate(&mut self, objects: &[ObjectId]) -> Result<(), RunFailure> {
        let recording = record_propagation(&mut self.world, objects);
        Sequential::run_once(&recording, &mut self.world.store)?;
        self.world.store.discard_states();
        Ok(())
    }

    fn check_finite(&mut self, integration: PlanId) -> Result<(), StepFailure> {
        let solvers_failed =
            self.groups.records().filter_map(|r| r.solve.failed).any(|f| self.engine.scalar(integration, f));
        let World { store, vectors, objects, .. } = &self.world;
        let states_finite = objects
            .iter()
            .filter(|o| o.solver.is_some())
            .all(|o| store.read(vectors[o.root.0 as usize].finite())[0] == 1);
        if solvers_failed || !states_finite { Err(self.blame(integration, None)) } else { Ok(()) }
    }

    /// Finds the task to blame by running the step again in recorded order with a check after each task.
    fn blame(&mut self, plan: PlanId, failure: Option<RunFailure>) -> StepFailure {
        self.world.store.discard_states();
        let all: Vec<ObjectId> = self.world.objects.iter().map(|o| o.id).collect();
        let restored = self.propagate(&all);
        let recording = self.engine.recording(plan);
        let mut checker = Sequential::new();
        checker.set_check(true);
        let id = checker.load(None, recording, &self.world.store);
        let again = engine::exec::Executor::run(&mut checker, id, &mut self.world.store);
        self.world.store.discard_states();
        // Mapped states were overwritten once more.
        let restored = restored.and_then(|()| self.propagate(&all));
        let found = again.err().or(failure);
        let mut out = StepFailure {
            step: self.step,
            task: String::new(),
            component: String::new(),
            file: String::new(),
            line: 0,
            message: "the state is not finite".to_owned(),
        };
        if let Some(f) = found {
            out.task = f.task_name.to_owned();
            out.message = f.message;
            if let Some(ComponentTag(tag)) = f.component
                && (tag as usize) < self.world.scene.all_components().count()
            {
                let id = ComponentId(tag);
                let location = &self.world.scene.component(id).location;
                out.component = self.world.scene.path(id);
                out.file = location.file.to_string();
                out.line = location.line;
            }
        }
        if let Err(f) = restored {
            out.message.push_str(&format!("; the mapped states could not be restored: {f}"));
        }
        out
    }

    fn contact_statistics(&self) -> ContactStatistics {
        self.collision.as_ref().map(|c| c.statistics(&self.world.store)).unwrap_or_default()
    }
}
