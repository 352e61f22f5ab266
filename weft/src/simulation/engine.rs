//! The executor of a simulation with its planners: one for collision detection, one for integration, since the two phases
//! have different costs per object and a barrier between them anyhow.

use std::sync::Arc;

use executors::topology::Topology;
use executors::{ForkJoin, Options, Replay, Stealing};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};
use sim_core::data::{ObjectId, Scalar, ScalarValue, Store};
use sim_core::exec::{
    Executor, LoadError, Observation, PlanId, RunFailure, RunReport, Sequential, WorkerReport,
};
use sim_core::graph::schedule::PlanCounts;
use sim_core::graph::{GroupId, Recording, Schedule};

use super::options::{AccumulateMode, ExecutorKind, PartitionerKind, SimulationOptions};
use super::placement::Placement;

/// Which planner places the objects of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Bounds and narrow phase.
    Collision,
    /// Integration.
    Integration,
}

/// An executor, loaded with the graphs of a step.
pub(super) struct Engine {
    executor: Box<dyn Executor>,
    collision: Planner,
    integration: Planner,
    schedules: Vec<Arc<Schedule>>,
    notes: Vec<String>,
    threads: usize,
    workers: usize,
    placement: Placement,
}

impl Engine {
    pub(super) fn new(options: &SimulationOptions) -> Self {
        let workers = if options.executor == ExecutorKind::Sequential { 1 } else { options.threads as u32 };
        let topology = options.topology.as_ref().unwrap_or_else(|| Topology::system());
        let cores = topology.places().iter().map(|place| place.thread as usize).collect();
        let (pin, spin_us, adapt) = (options.pin && workers > 1, options.spin_us, options.adapt);
        let team = Options { pin, cores, spin_us, adapt, ..Options::new(workers) };
        let placement = Placement::new(options, topology, &team);
        let executor: Box<dyn Executor> = match options.executor {
            ExecutorKind::Sequential => Box::new(Sequential::new()),
            ExecutorKind::Replay => Box::new(Replay::new(&team)),
            ExecutorKind::Stealing => Box::new(Stealing::new(&team)),
            ExecutorKind::ForkJoin => Box::new(ForkJoin::new(&team)),
        };
        let planner = PlannerOptions {
            workers,
            partitioner: match options.partitioner {
                PartitionerKind::Owner => Partitioner::Owner,
                PartitionerKind::Metis => Partitioner::Metis,
            },
            accumulation: match options.accumulate {
                AccumulateMode::Auto => Accumulation::Auto,
                AccumulateMode::Mirror => Accumulation::Mirror,
                AccumulateMode::Reduce => Accumulation::Reduce,
            },
        };
        Self {
            executor,
            collision: Planner::new(planner).on_nodes(placement.planned_nodes()),
            integration: Planner::new(planner).on_nodes(placement.planned_nodes()),
            schedules: Vec::new(),
            notes: team.notice().into_iter().chain(placement.notice()).collect(),
            threads: team.n_threads(),
            workers: workers as usize,
            placement,
        }
    }

    fn planner(&mut self, phase: Phase) -> &mut Planner {
        match phase {
            Phase::Collision => &mut self.collision,
            Phase::Integration => &mut self.integration,
        }
    }

    /// Plans and loads a program, in place of `replaced` if given; objects that are placed stay where they are.
    pub(super) fn load(
        &mut self,
        phase: Phase,
        replaced: Option<PlanId>,
        recording: Arc<Recording>,
        store: &mut Store,
    ) -> Result<PlanId, LoadError> {
        let schedule = Arc::new(self.planner(phase).plan(&recording.program, store));
        let plan = self.executor.load_plan(replaced, recording, schedule.clone(), store)?;
        if self.schedules.len() <= plan.0 {
            self.schedules.resize_with(plan.0 + 1, Default::default);
        }
        self.schedules[plan.0] = schedule;
        self.place(phase, false, store);
        Ok(plan)
    }

    /// Moves objects if the measured costs of a plan say that it pays; returns whether any moved.
    pub(super) fn rebalance(
        &mut self,
        phase: Phase,
        plan: PlanId,
        store: &mut Store,
    ) -> Result<bool, LoadError> {
        if self.workers == 1 {
            return Ok(false);
        }
        let costs = self.executor.costs(plan);
        let recording = self.executor.recording(plan).clone();
        let moved = self.planner(phase).rebalance(&recording.program, &costs, store);
        if moved {
            self.load(phase, Some(plan), recording, store)?;
        }
        self.place(phase, true, store);
        Ok(moved)
    }

    /// Has memory follow the objects: those of the integration, where most of a step's time goes.
    fn place(&mut self, phase: Phase, look: bool, store: &mut Store) {
        if phase == Phase::Integration {
            self.placement.apply(look, self.integration.assignment(), &mut *self.executor, store);
        }
    }

    /// The worker of an object in the integration, and the system's number of its node if the worker stays on one.
    pub(super) fn owner(&self, object: ObjectId) -> (u32, Option<u32>) {
        let worker = self.integration.assignment().worker(object);
        (worker, self.placement.real_node(worker))
    }

    pub(super) fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        self.executor.run(plan, store)
    }

    /// How each worker spent the last run.
    pub(super) fn workers(&self) -> &[WorkerReport] {
        self.executor.workers()
    }

    pub(super) fn scalar<T: ScalarValue>(&self, plan: PlanId, scalar: Scalar<T>) -> T {
        self.executor.scalar(plan, scalar)
    }

    pub(super) fn recording(&self, plan: PlanId) -> Arc<Recording> {
        self.executor.recording(plan).clone()
    }

    /// The schedule of a plan.
    pub(super) fn schedule(&self, plan: PlanId) -> Arc<Schedule> {
        self.schedules.get(plan.0).cloned().unwrap_or_default()
    }

    /// The word of a scalar after the last run.
    pub(super) fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64 {
        self.executor.word(plan, group, index)
    }

    /// Tasks of a plan by kind.
    pub(super) fn counts(&self, plan: PlanId) -> PlanCounts {
        self.schedules.get(plan.0).map(|s| s.counts).unwrap_or_default()
    }

    /// What the user should know, such as fewer threads than workers.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Number of workers.
    pub(super) fn n_workers(&self) -> usize {
        self.workers
    }

    /// OS threads, the caller's included.
    pub(super) fn n_threads(&self) -> usize {
        self.threads
    }

    pub(super) fn observe(&mut self, on: bool) {
        self.executor.observe(on);
    }

    /// What was observed of a plan's last run.
    pub(super) fn observation(&self, plan: PlanId, into: &mut Observation) {
        self.executor.observation(plan, into);
    }
}
