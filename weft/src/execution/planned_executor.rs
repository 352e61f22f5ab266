//! The executor of a simulation with its planners: one for collision detection, one for integration, since the two phases
//! have different costs per object and a barrier between them anyhow.

use std::sync::Arc;

use engine::data::{ObjectId, Scalar, ScalarValue, Store};
use engine::exec::{Costs, Executor, LoadError, PlanId, RunFailure, RunReport, WorkerReport};
use engine::graph::schedule::PlanCounts;
use engine::graph::splice::SpliceOp;
use engine::graph::validate::validate;
use engine::graph::{GroupId, Place, Program, Recording};
use partition::control::{Ledger, Splice, lower};
use partition::{Accumulation, Partitioner, Planner, PlannerOptions};

use super::observer::Plans;
use super::options::{AccumulateMode, PartitionerKind, SimulationOptions};
use super::placement::MemoryPlacement;
use super::team::{executor, team, topology};

/// Which planner places the objects of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Bounds and narrow phase.
    Collision,
    /// Integration.
    Integration,
}

/// An executor, loaded with the graphs of a step.
pub(crate) struct PlannedExecutor {
    executor: Box<dyn Executor>,
    collision: Planner,
    integration: Planner,
    /// By plan: what is needed to update its schedule in parts, if that is possible.
    ledgers: Vec<Option<Ledger>>,
    /// By plan: how often it was changed.
    versions: Vec<u64>,
    /// By plan: whose assignment its schedule follows. Objects with tasks in several plans of a phase are on the same worker
    /// in all of them.
    phases: Vec<Phase>,
    notes: Vec<String>,
    threads: usize,
    workers: usize,
    placement: MemoryPlacement,
}

impl PlannedExecutor {
    pub(crate) fn new(options: &SimulationOptions) -> Self {
        let team = team(options);
        let workers = team.workers;
        let placement = MemoryPlacement::new(options, topology(options), &team);
        let executor = executor(options.executor, &team);
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
            ledgers: Vec::new(),
            versions: Vec::new(),
            phases: Vec::new(),
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
    pub(crate) fn load(
        &mut self,
        phase: Phase,
        replaced: Option<PlanId>,
        recording: Arc<Recording>,
        store: &mut Store,
    ) -> Result<PlanId, LoadError> {
        let (schedule, ledger) = self.planner(phase).plan(&recording.program, store);
        let plan = self.executor.load_plan(replaced, recording, Arc::new(schedule), store)?;
        if self.ledgers.len() <= plan.0 {
            self.ledgers.resize_with(plan.0 + 1, || None);
            self.versions.resize(plan.0 + 1, 0);
            self.phases.resize(plan.0 + 1, phase);
        }
        self.ledgers[plan.0] = ledger;
        self.versions[plan.0] += 1;
        self.phases[plan.0] = phase;
        self.place(phase, true, store);
        Ok(plan)
    }

    /// Changes a plan in parts; its schedule is made anew only where parts cannot be updated.
    pub(crate) fn update(
        &mut self,
        phase: Phase,
        plan: PlanId,
        ops: &[SpliceOp],
        parts: &Recording,
        store: &mut Store,
    ) -> Result<(), LoadError> {
        let placed = self.planner(phase).place(&parts.program, store);
        self.splice(phase, plan, store, |splice| {
            splice.assign(&placed);
            splice.apply(ops, parts);
        })
    }

    /// An object has left the simulation.
    pub(crate) fn forget(&mut self, object: ObjectId) {
        self.collision.forget(object);
        self.integration.forget(object);
    }

    fn splice(
        &mut self,
        phase: Phase,
        plan: PlanId,
        store: &mut Store,
        change: impl Fn(&mut Splice<'_>),
    ) -> Result<(), LoadError> {
        let mode = self.planner(phase).accumulation();
        let mut ledger = self.ledgers[plan.0].take();
        let mut needs_lowering = false;
        self.executor.update_plan(plan, store, &mut |recording, schedule, delta| {
            let mut splice = Splice::new(recording, schedule, ledger.as_mut(), delta, mode);
            change(&mut splice);
            needs_lowering = splice.finish().is_err();
        })?;
        if needs_lowering {
            let recording = self.executor.recording(plan).clone();
            self.load(phase, Some(plan), recording, store)?;
        } else {
            self.ledgers[plan.0] = ledger;
            self.versions[plan.0] += 1;
        }
        Ok(())
    }

    /// Compares the schedule of a plan with one made anew for `program` and the same placement, which must be that of the
    /// planner, and looks for races.
    pub(crate) fn check_schedule(
        &mut self,
        phase: Phase,
        plan: PlanId,
        program: &Program,
    ) -> Result<(), String> {
        let mode = self.planner(phase).accumulation();
        let schedule = self.executor.schedule(plan);
        let anew = lower(program, &schedule.assignment, mode);
        validate(&self.executor.recording(plan).program, schedule)?;
        let planned = match phase {
            Phase::Collision => self.collision.assignment(),
            Phase::Integration => self.integration.assignment(),
        };
        for object in program.tasks().flat_map(|(_, task)| task.place.objects()) {
            let (is, should) = (schedule.assignment.worker(object), planned.worker(object));
            if is != should {
                return Err(format!("object {} is on worker {is}, planned on {should}", object.0));
            }
        }
        match schedule.difference(&anew) {
            None => Ok(()),
            Some(difference) => Err(format!("updated and made anew: {difference}")),
        }
    }

    /// Moves objects if the measured costs of a plan say that it pays; returns whether any moved.
    pub(crate) fn rebalance(
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
        let moves = self.planner(phase).rebalance(&recording.program, &costs, store);
        drop(recording);
        let moved = !moves.is_empty();
        if moved {
            for plan in (0..self.phases.len()).map(PlanId) {
                if self.phases[plan.0] == phase {
                    self.reassign(phase, plan, &moves, store)?;
                }
            }
        }
        self.place(phase, true, store);
        Ok(moved)
    }

    /// The measured costs of a plan.
    pub(crate) fn costs(&mut self, plan: PlanId) -> Costs {
        self.executor.costs(plan)
    }

    /// Moves objects to other workers in one plan.
    fn reassign(
        &mut self,
        phase: Phase,
        plan: PlanId,
        moves: &[(ObjectId, u32)],
        store: &mut Store,
    ) -> Result<(), LoadError> {
        let recording = self.executor.recording(plan).clone();
        let is_moved = |o: &ObjectId| moves.iter().any(|m| m.0 == *o);
        let mut affected: Vec<(GroupId, Place)> = Vec::new();
        for (group, info) in recording.program.groups() {
            let places = info.tasks().map(|t| recording.program.task(t).place);
            affected.extend(places.filter(|p| p.objects().iter().any(is_moved)).map(|p| (group, p)));
        }
        affected.sort_unstable();
        affected.dedup();
        drop(recording);
        self.splice(phase, plan, store, |splice| splice.reassign(moves, &affected))
    }

    /// Has memory follow the objects: those of the integration, where most of a step's time goes.
    fn place(&mut self, phase: Phase, look: bool, store: &mut Store) {
        if phase == Phase::Integration {
            self.placement.apply(look, self.integration.assignment(), &mut *self.executor, store);
        }
    }

    /// The worker of an object in the integration, and the system's number of its node if the worker stays on one.
    pub(crate) fn owner(&self, object: ObjectId) -> (u32, Option<u32>) {
        let worker = self.integration.assignment().worker(object);
        (worker, self.placement.real_node(worker))
    }

    pub(crate) fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        self.executor.run(plan, store)
    }

    /// How each worker spent the last run.
    pub(crate) fn workers(&self) -> &[WorkerReport] {
        self.executor.workers()
    }

    pub(crate) fn scalar<T: ScalarValue>(&self, plan: PlanId, scalar: Scalar<T>) -> T {
        self.executor.scalar(plan, scalar)
    }

    pub(crate) fn recording(&self, plan: PlanId) -> Arc<Recording> {
        self.executor.recording(plan).clone()
    }

    /// The program of a plan.
    pub(crate) fn program(&self, plan: PlanId) -> &Program {
        &self.executor.recording(plan).program
    }

    /// Tasks of a plan by kind.
    pub(crate) fn counts(&self, plan: PlanId) -> PlanCounts {
        self.executor.schedule(plan).counts(self.program(plan))
    }

    /// What the user should know, such as fewer threads than workers.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Number of workers.
    pub(crate) fn n_workers(&self) -> usize {
        self.workers
    }

    /// OS threads, the caller's included.
    pub(crate) fn n_threads(&self) -> usize {
        self.threads
    }

    pub(crate) fn observe(&mut self, on: bool) {
        self.executor.observe(on);
    }
}

impl Plans for PlannedExecutor {
    fn executor(&self) -> &dyn Executor {
        &*self.executor
    }
    fn n_workers(&self) -> usize {
        self.workers
    }
    fn version(&self, plan: PlanId) -> u64 {
        self.versions.get(plan.0).copied().unwrap_or(0)
    }
}
