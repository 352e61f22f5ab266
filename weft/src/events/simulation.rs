//! An event graph with an executor.

use std::sync::Arc;
use std::time::Instant;

use animation::event::behaviour::Behaviours;
use animation::event::field::Value;
use animation::event::graph_access::FragmentLoader;
use animation::event::host::Key;
use animation::event::nodes::binding::BindingStacks;
use animation::event::runtime::{EventGraph, EventLog, EventOptions, Player};
use animation::event::scene::EventScene;
use animation::event::{FieldId, NodeId};
use engine::data::Store;
use engine::exec::PlanId;
use engine::graph::Recording;
use viewer::viewpoint::Wants;
use x3d::shape::Viewer;

use super::bodies::Bodies;
use super::environment::Environment;
use super::printed::Printed;
use crate::execution::clock::{Clock, since};
use crate::execution::observer::Observer;
use crate::execution::planned_executor::{Phase, PlannedExecutor};
use crate::execution::{FRAME_TIME, FrameFailure, FrameReport, SimulationOptions};
use crate::simulation::{REBALANCE_AT, REBALANCE_EVERY};

/// A running event graph.
pub struct EventSimulation {
    pub(super) graph: EventGraph,
    pub(super) store: Store,
    pub(super) engine: Driver,
    dt: f64,
    frames: u64,
    last: FrameReport,
    pub(super) printed: Printed,
    /// Who looks at it; none where nothing says which viewpoints are bound.
    pub(super) environment: Option<Environment>,
    /// Its rigid bodies.
    pub(super) bodies: Bodies,
}

/// The executor, and what its clock has seen.
pub(super) struct Driver {
    pub engine: PlannedExecutor,
    pub plan: Option<PlanId>,
    pub clock: Clock,
    pub observer: Option<Box<Observer>>,
    run_ns: u64,
}

impl Player for Driver {
    type Error = String;

    fn load(&mut self, recording: Recording, store: &mut Store) -> Result<(), String> {
        let start = Instant::now();
        let plan = self.engine.load(Phase::Integration, self.plan, Arc::new(recording), store);
        self.plan = Some(plan.map_err(|e| e.to_string())?);
        self.clock.add_plan(start);
        Ok(())
    }

    fn run(&mut self, store: &mut Store) -> Result<(), String> {
        let Some(plan) = self.plan else { return Err("nothing was recorded".to_owned()) };
        let start = Instant::now();
        let report = self.engine.run(plan, store).map_err(|e| e.to_string())?;
        self.run_ns += report.wall_ns;
        self.clock.add_run(plan, start, report, self.engine.workers());
        Ok(())
    }
}

impl EventSimulation {
    /// Of a graph; `behaviours` says what its nodes do, `dt` is the time from frame to frame \[s\].
    pub fn new(
        mut scene: EventScene,
        behaviours: Box<dyn Behaviours>,
        loader: Box<dyn FragmentLoader>,
        events: EventOptions,
        options: &SimulationOptions,
    ) -> Self {
        let bodies = Bodies::of(&mut scene, options);
        let engine = PlannedExecutor::new(options);
        let events = EventOptions { workers: engine.n_workers() as u32, ..events };
        let mut graph = EventGraph::new(scene, behaviours, events);
        graph.set_loader(loader);
        let engine = Driver { engine, plan: None, clock: Clock::default(), observer: None, run_ns: 0 };
        let dt = options.dt.unwrap_or(FRAME_TIME);
        Self {
            graph,
            store: Store::new(),
            engine,
            dt,
            frames: 0,
            last: FrameReport::default(),
            printed: Printed::default(),
            environment: None,
            bodies,
        }
    }

    /// Has it looked at from the viewpoint that is bound, by these stacks: what nodes sense of the viewer, they are told from now on.
    pub fn look_from(&mut self, stacks: BindingStacks) {
        self.environment = Some(Environment::new(stacks));
    }

    /// Somebody looks at it from another place than the viewpoint that is bound.
    pub(super) fn look(&mut self, viewer: Viewer) {
        if let Some(environment) = &mut self.environment {
            environment.viewer = Some(viewer);
        }
    }

    /// From where the bound viewpoint looks; none where the scene has none.
    pub(super) fn viewpoint(&mut self) -> Option<Viewer> {
        let mut environment = self.environment.take()?;
        let viewpoint = environment.viewpoint(&self.graph, self);
        self.environment = Some(environment);
        viewpoint
    }

    /// A key went down or up.
    pub(super) fn press(&mut self, key: Key, pressed: bool) {
        if let Some(environment) = &mut self.environment {
            environment.press(key, pressed);
        }
    }

    /// What its nodes want to know of who looks at it.
    pub(super) fn wants(&self) -> Wants {
        self.environment.as_ref().map(Environment::wants).unwrap_or_default()
    }

    /// Tells nodes what they sense before a frame.
    fn tell_environment(&mut self) {
        if let Some(mut environment) = self.environment.take() {
            for (node, event) in environment.told(&self.graph, self) {
                self.graph.tell(node, event);
            }
            self.environment = Some(environment);
        }
    }

    /// Plays the next frame.
    ///
    /// # Errors
    /// A node panicked, or the executor does not take the graph; the graph stays usable.
    pub fn step(&mut self) -> Result<FrameReport, FrameFailure> {
        let start = Instant::now();
        let (frame, time) = (self.frames, self.time());
        self.tell_environment();
        let moved = self.bodies.before_frame(&mut self.graph, &self.store, (self.frames, self.dt));
        moved.map_err(|message| FrameFailure { frame, time, message })?;
        self.engine.clock.marks.clear();
        self.engine.clock.workers.clear();
        (self.engine.clock.graph_ns, self.engine.run_ns) = (0, 0);
        if let Err(message) = self.graph.frame(&mut self.store, &mut self.engine, time) {
            return Err(FrameFailure { frame, time, message });
        }
        self.frames += 1;
        self.look_at_costs().map_err(|message| FrameFailure { frame, time, message })?;
        let total_ns = since(start);
        if let Some(observer) = &mut self.engine.observer {
            observer.end_step(start, total_ns);
        }
        let plan_ns = self.engine.clock.graph_ns;
        self.last = FrameReport { frame, time, total_ns, run_ns: self.engine.run_ns, plan_ns };
        Ok(self.last)
    }

    /// The run ends: Scripts are shut down, and may have something to say ([`Self::take_said`]). No frame is to follow.
    pub fn end(&mut self) {
        self.graph.end(&mut self.store);
    }

    /// Once in a while: nodes that cost much more or less than was thought are put together anew, and tasks go to other workers if
    /// that pays. Nothing that is computed depends on it.
    fn look_at_costs(&mut self) -> Result<(), String> {
        let Some(plan) = self.engine.plan.filter(|_| self.frames % REBALANCE_EVERY == REBALANCE_AT) else {
            return Ok(());
        };
        if self.frames == REBALANCE_AT {
            let costs = self.engine.engine.costs(plan);
            if self.graph.calibrate(&costs) {
                return Ok(());
            }
        }
        let start = Instant::now();
        let moved = self.engine.engine.rebalance(Phase::Integration, plan, &mut self.store);
        if moved.map_err(|e| e.to_string())? {
            self.engine.clock.add_plan(start);
        }
        Ok(())
    }

    /// Makes the graph's tasks, if that is still to be done.
    pub fn prepare(&mut self) {
        self.graph.prepare(&mut self.store);
    }

    /// Makes the mechanics of its rigid bodies, if that is still to be done; [`Self::take_said`] then says what of them is not done here.
    ///
    /// # Errors
    /// They cannot be made, in words.
    pub fn begin_bodies(&mut self) -> Result<(), String> {
        if self.frames > 0 {
            return Ok(());
        }
        self.bodies.before_frame(&mut self.graph, &self.store, (self.frames, self.dt))
    }

    /// Number of workers.
    pub fn n_workers(&self) -> usize {
        self.engine.engine.n_workers()
    }

    /// Number of frames that were played.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The time stamp of the next frame \[s\].
    pub fn time(&self) -> f64 {
        self.frames as f64 * self.dt
    }

    /// Time from frame to frame \[s\].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The graph.
    pub fn graph(&self) -> &EventGraph {
        &self.graph
    }

    /// The graph, to send events to its nodes or to change it between frames.
    pub fn graph_mut(&mut self) -> &mut EventGraph {
        &mut self.graph
    }

    /// What was delivered in the last frame, if the log is on.
    pub fn log(&self) -> &EventLog {
        self.graph.frame_log()
    }

    /// How many deliveries there were in the last frame.
    pub fn n_deliveries(&self) -> u64 {
        self.graph.n_deliveries(&self.store)
    }

    /// The present value of a field; none if there is no such node or field.
    pub fn value(&self, node: NodeId, field: FieldId) -> Option<Value> {
        self.graph.value(&self.store, node, field)
    }

    /// How the workers shared the last frame: busy and waiting \[ns\].
    pub fn worker_times(&self) -> &[(u64, u64)] {
        &self.engine.clock.workers
    }
}
