//! The stealing executor.
#![allow(unsafe_code, reason = "runs ops; the counts of predecessors order conflicting ones")]

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crossbeam::deque::{Steal, Stealer, Worker};
use crossbeam::queue::SegQueue;
use engine::data::{EnvArena, Frame, Instances, Keeper, Op, Store};
use engine::exec::{
    Activity, Bank, Deed, Executor, FailureKind, LoadError, Observation, ObservedWait, PlanId, RunFailure,
    RunReport, WaitCause, WorkerReport, edit_plan, pass_control,
};
use engine::graph::chain::Key;
use engine::graph::{Delta, GroupId, LoopId, Place, Program, Recording, Schedule, TaskId};

use super::network::{Network, NodeKind, TaskNode};
use crate::alone::Alone;
use crate::background;
use crate::checks::Checks;
use crate::options::Options;
use crate::pace::Pace;
use crate::sync::{AtomicU32, Countdown, Ordering, Poison, relax};
use crate::team::Team;

/// What one thread keeps.
struct Seat {
    queue: Worker<u32>,
    busy_ns: u64,
    activities: Vec<Activity>,
}

/// A seat that its thread alone uses during a run.
struct SeatCell(UnsafeCell<Seat>);
// SAFETY: thread t uses seat t only; between runs the caller's `&mut` excludes all threads.
unsafe impl Sync for SeatCell {}

struct Plan {
    recording: Arc<Recording>,
    /// Not looked at.
    schedule: Arc<Schedule>,
    network: Network,
    keeper: Keeper,
    ops: Vec<Op>,
    _arena: EnvArena,
    _checks: Checks,
    /// By unit.
    frames: Vec<Frame>,
    /// By node: the thread that it is bound to, if any is bound.
    threads: Vec<Option<u32>>,
    /// Some nodes are bound to other threads than the caller's.
    needs_all_threads: bool,
    /// Per node: predecessors that are not done.
    pending: Vec<Countdown>,
    /// Per unit: predecessors that are not done; tasks of the present segment that are not done; the stage behind it.
    units: Vec<(Countdown, Countdown, AtomicU32)>,
    units_left: Countdown,
    /// What was observed of its last run.
    seen: Vec<Activity>,
}

/// Runs tasks wherever a thread is free. It ignores schedules.
pub struct Stealing {
    team: Team,
    seats: Vec<SeatCell>,
    stealers: Vec<Stealer<u32>>,
    /// By thread: nodes that no other one may run.
    bound: Vec<SegQueue<u32>>,
    plans: Vec<Option<Box<Plan>>>,
    runs: Vec<u64>,
    paces: Vec<Pace>,
    alone: Vec<Alone>,
    /// For tests: plans are laid out for one thread at once.
    at_once: bool,
    reports: Vec<WorkerReport>,
    observes: bool,
    checked: bool,
}

/// What all threads of a run share.
struct Run<'a> {
    plan: &'a Plan,
    seats: &'a [SeatCell],
    stealers: &'a [Stealer<u32>],
    bound: &'a [SegQueue<u32>],
    poison: Poison,
    trouble: Mutex<Option<(FailureKind, Option<TaskId>, String)>>,
    /// Since when the run is observed.
    observed: Option<Instant>,
}

impl Stealing {
    /// An executor with its threads.
    pub fn new(options: &Options) -> Self {
        let team = Team::new(options);
        let queues: Vec<Worker<u32>> = (0..team.len()).map(|_| Worker::new_lifo()).collect();
        let stealers: Vec<_> = queues.iter().map(Worker::stealer).collect();
        let seat = |queue| SeatCell(UnsafeCell::new(Seat { queue, busy_ns: 0, activities: Vec::new() }));
        Self {
            seats: queues.into_iter().map(seat).collect(),
            bound: stealers.iter().map(|_| SegQueue::new()).collect(),
            stealers,
            plans: Vec::new(),
            runs: Vec::new(),
            paces: Vec::new(),
            alone: Vec::new(),
            at_once: options.switch_seed.is_some(),
            reports: vec![WorkerReport::default(); team.len()],
            observes: false,
            checked: options.checked,
            team,
        }
    }

    fn plan(&self, plan: PlanId) -> &Plan {
        self.plans[plan.0].as_deref().expect("a loaded plan")
    }

    /// The threads that nodes are bound to; empty if none is.
    fn threads_of(&self, network: &Network, program: &Program, store: &Store) -> Vec<Option<u32>> {
        if !store.has_bound_objects() {
            return Vec::new();
        }
        let n_threads = self.team.len() as u32;
        let thread = |node: &TaskNode| match node.kind {
            NodeKind::Task(task) => match program.task(TaskId(task)).place {
                Place::Own(object) => store.bound_worker(object, n_threads),
                Place::Joint(..) | Place::Replicated => None,
            },
            NodeKind::Reducer(_) => None,
        };
        network.nodes.iter().map(thread).collect()
    }
}

impl Executor for Stealing {
    fn name(&self) -> &'static str {
        "stealing"
    }

    fn load_plan(
        &mut self,
        replaced: Option<PlanId>,
        recording: Arc<Recording>,
        schedule: Arc<Schedule>,
        store: &mut Store,
    ) -> Result<PlanId, LoadError> {
        if !recording.table.belongs_to(store) {
            return Err(LoadError::OtherStore);
        }
        background::attend(store);
        let network = Network::new(&recording.program);
        let mut arena = EnvArena::default();
        let mut instances = Instances::new(&recording.table, store);
        let mut checks = Checks::new(self.checked);
        let ops = network.instantiate(&recording.program, &mut instances, &mut arena, &mut checks);
        let keeper = instances.keep();
        let frames = network.units.iter().map(|u| recording.frame(u.group, store)).collect();
        let pending = network.nodes.iter().map(|n| Countdown::new(n.waits_for)).collect();
        let unit = |waits_for| (Countdown::new(waits_for), Countdown::default(), AtomicU32::new(0));
        let units = network.units.iter().map(|u| unit(u.waits_for)).collect();
        let id = replaced.unwrap_or(PlanId(self.plans.len()));
        if id.0 >= self.plans.len() {
            self.plans.resize_with(id.0 + 1, || None);
            self.runs.resize(id.0 + 1, 0);
            self.paces.resize(id.0 + 1, Pace::default());
            self.alone.resize_with(id.0 + 1, Alone::default);
        }
        self.alone[id.0].forget();
        let (units_left, seen) = (Countdown::default(), Vec::new());
        let threads = self.threads_of(&network, &recording.program, store);
        let plan = Plan {
            recording,
            schedule,
            network,
            keeper,
            ops,
            _arena: arena,
            _checks: checks,
            frames,
            needs_all_threads: threads.iter().flatten().any(|&thread| thread > 0),
            threads,
            pending,
            units,
            units_left,
            seen,
        };
        self.plans[id.0] = Some(Box::new(plan));
        Ok(id)
    }

    /// The network is built anew: it follows no updates.
    fn update_plan(
        &mut self,
        id: PlanId,
        store: &mut Store,
        edit: &mut dyn FnMut(&mut Recording, &mut Schedule, &mut Delta),
    ) -> Result<(), LoadError> {
        let plan = self.plans[id.0].as_deref_mut().expect("a loaded plan");
        edit_plan(&mut plan.recording, &mut plan.schedule, &mut Delta::default(), edit)?;
        let (recording, schedule) = (plan.recording.clone(), plan.schedule.clone());
        self.load_plan(Some(id), recording, schedule, store).map(|_| ())
    }

    fn unload(&mut self, plan: PlanId) {
        self.plans[plan.0] = None;
        self.alone[plan.0].forget();
        self.paces[plan.0] = Pace::default();
        self.runs[plan.0] = 0;
    }

    fn run(&mut self, id: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        let step = self.runs[id.0];
        self.runs[id.0] += 1;
        let plan = self.plans[id.0].as_deref_mut().expect("a loaded plan");
        assert!(plan.keeper.is_of(store), "a plan of another store");
        let begin = Instant::now();
        let (alone, pace) = (&mut self.alone[id.0], &mut self.paces[id.0]);
        let has_pace = !plan.needs_all_threads;
        alone.pass();
        if !self.observes && has_pace && self.team.len() > 1 && self.team.n_active(Some(pace)) == 1 {
            let how = (self.at_once, self.checked);
            if let Some(outcome) = alone.run(&plan.recording, store, how, step, &mut self.reports) {
                plan.seen.clear();
                let report = outcome?;
                self.team.book(pace, report.wall_ns, None);
                return Ok(report);
            }
        }
        for (unit, frame) in plan.network.units.iter().zip(&mut plan.frames) {
            frame.clear();
            plan.recording.refresh(unit.group, frame, store);
        }
        let n_units = plan.network.units.len() as u32;
        plan.units_left.rearm(n_units);
        let run = Run {
            plan,
            seats: &self.seats,
            stealers: &self.stealers,
            bound: &self.bound,
            poison: Poison::default(),
            trouble: Mutex::new(None),
            observed: self.observes.then_some(begin),
        };
        run.begin();
        let outcome = self.team.run_paced(has_pace.then_some(&self.paces[id.0]), &|| 1.0, &|thread| {
            let guard = run.poison.guard();
            let busy = run.thread(thread);
            guard.done();
            busy
        });
        let (work_ns, unwound) = match outcome {
            Ok(work_ns) => (work_ns, None),
            Err(payload) => (None, Some((FailureKind::Internal, None, RunFailure::panic_message(&*payload)))),
        };
        let trouble = run.trouble.into_inner().unwrap_or_else(PoisonError::into_inner).or(unwound);
        let wall_ns = begin.elapsed().as_nanos() as u64;
        for (seat, report) in self.seats.iter_mut().zip(&mut self.reports) {
            let seat = seat.0.get_mut();
            *report = WorkerReport { busy_ns: seat.busy_ns, wait_ns: wall_ns.saturating_sub(seat.busy_ns) };
            seat.busy_ns = 0;
        }
        let plan = self.plans[id.0].as_deref_mut().expect("a loaded plan");
        plan.seen.clear();
        for seat in &mut self.seats {
            plan.seen.append(&mut seat.0.get_mut().activities);
        }
        if let Some((kind, task, message)) = trouble {
            for seat in &mut self.seats {
                while seat.0.get_mut().queue.pop().is_some() {}
            }
            for queue in &self.bound {
                while queue.pop().is_some() {}
            }
            plan.rearm();
            return Err(RunFailure::of_task(&plan.recording.program, kind, step, task, message));
        }
        if !self.observes && has_pace {
            self.team.book(&mut self.paces[id.0], wall_ns, work_ns);
        }
        store.mark_written(&plan.recording.program.written_states);
        Ok(RunReport { step, wall_ns })
    }

    fn recording(&self, plan: PlanId) -> &Arc<Recording> {
        &self.plan(plan).recording
    }

    fn schedule(&self, plan: PlanId) -> &Arc<Schedule> {
        &self.plan(plan).schedule
    }

    fn workers(&self) -> &[WorkerReport] {
        &self.reports
    }

    fn observe(&mut self, on: bool) {
        self.observes = on;
    }

    fn observation(&self, plan: PlanId, into: &mut Observation) {
        into.clear();
        into.activities.extend_from_slice(&self.plan(plan).seen);
    }

    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64 {
        if let Some(word) = self.alone[plan.0].word(group, index) {
            return word;
        }
        let plan = self.plan(plan);
        let unit = plan.network.units.iter().position(|u| u.group == group);
        unit.map_or(0, |unit| plan.frames[unit].word(index))
    }
}

impl Plan {
    /// Sets all counts as before a run, after one that did not end.
    fn rearm(&mut self) {
        for (pending, node) in self.pending.iter().zip(&self.network.nodes) {
            pending.rearm(node.waits_for);
        }
        for ((pending, ..), unit) in self.units.iter().zip(&self.network.units) {
            pending.rearm(unit.waits_for);
        }
    }

    /// Runs a unit's control flow from `stage` on, to the next segment, whose first nodes it hands out; at the end of
    /// the unit, goes on with those that waited for it.
    fn advance(&self, unit: usize, stage: u32, hand_out: &mut dyn FnMut(u32)) {
        let mut todo = vec![(unit, stage)];
        while let Some((unit, stage)) = todo.pop() {
            let info = &self.network.units[unit];
            let Some((nodes, behind)) = self.next_segment(unit, stage) else {
                let (pending, ..) = &self.units[unit];
                // Nobody looks at it before the next run.
                pending.rearm(info.waits_for);
                for &next in &info.successors {
                    // What this unit wrote is visible to whoever starts the next one.
                    if self.units[next as usize].0.arrive() {
                        todo.push((next as usize, 0));
                    }
                }
                // Partner is the look in `Run::thread`.
                self.units_left.arrive();
                continue;
            };
            let (_, remaining, after) = &self.units[unit];
            // Relaxed: handing a node out (a queue, or this very thread) orders these before its end.
            after.store(behind, Ordering::Relaxed);
            remaining.rearm(nodes.len() as u32);
            for node in nodes {
                if self.network.nodes[node as usize].waits_for == 0 {
                    hand_out(node);
                }
            }
        }
    }

    /// The next segment with nodes, from `stage` on, and the stage behind it.
    fn next_segment(&self, unit: usize, mut stage: u32) -> Option<(std::ops::Range<u32>, u32)> {
        let (frame, unit) = (&self.frames[unit], &self.network.units[unit]);
        let group = self.recording.program.group(unit.group);
        while stage < unit.n_stages {
            if group.stages[stage as usize].kind.is_control() {
                stage = pass_control(group, stage as usize, &mut BetweenSegments(frame)) as u32;
                continue;
            }
            let (nodes, behind) = unit.segments[stage as usize].clone();
            if !nodes.is_empty() {
                return Some((nodes, behind));
            }
            stage = behind.max(stage + 1);
        }
        None
    }
}

/// The scalars of a unit between two segments, when none of its tasks runs.
struct BetweenSegments<'a>(&'a Frame);

impl Bank for BetweenSegments<'_> {
    fn word(&self, index: u32) -> u64 {
        self.0.word(index)
    }
    fn set_count(&mut self, index: u32, count: u32) {
        // SAFETY: no task of the group runs between two segments, and one thread at a time is there.
        unsafe { *self.0.word_address(index) = u64::from(count) };
    }
}

impl Run<'_> {
    /// Hands out the first tasks, before the threads start.
    fn begin(&self) {
        // SAFETY: no thread runs yet, so seat 0 is the caller's.
        let queue = unsafe { &(*self.seats[0].0.get()).queue };
        for (number, unit) in self.plan.network.units.iter().enumerate() {
            if unit.waits_for == 0 {
                self.plan.advance(number, 0, &mut |node| self.hand_out(node, queue));
            }
        }
    }

    /// One thread's share of a run; returns for how long it was busy [ns].
    fn thread(&self, me: usize) -> u64 {
        // SAFETY: see `SeatCell`.
        let seat = unsafe { &mut *self.seats[me].0.get() };
        let mut polls = 0;
        let mut busy_since: Option<Instant> = None;
        let mut idle_since = None;
        loop {
            if let Some(node) = self.next_node(me, seat) {
                polls = 0;
                if let Some(start) = idle_since.take() {
                    seat.activities.extend(self.observed.map(|since| idle(me, since, start)));
                }
                busy_since.get_or_insert_with(Instant::now);
                let mut next = Some(node);
                while let Some(node) = next.filter(|_| !self.poison.is_set()) {
                    next = self.node(me, node, seat);
                }
                continue;
            }
            if let Some(since) = busy_since.take() {
                seat.busy_ns += since.elapsed().as_nanos() as u64;
                idle_since = self.observed.map(|_| Instant::now());
            }
            // Partner is the arrival in `advance`; all results are visible.
            if self.plan.units_left.is_over() || self.poison.is_set() {
                return seat.busy_ns;
            }
            relax(&mut polls);
        }
    }

    fn next_node(&self, me: usize, seat: &Seat) -> Option<u32> {
        let bound = || if self.plan.threads.is_empty() { None } else { self.bound[me].pop() };
        bound().or_else(|| seat.queue.pop()).or_else(|| self.steal(me))
    }

    /// Puts a node that is ready into this thread's queue, or into that of the thread that it is bound to.
    fn hand_out(&self, node: u32, queue: &Worker<u32>) {
        match self.plan.threads.get(node as usize).copied().flatten() {
            Some(thread) => self.bound[thread as usize].push(node),
            None => queue.push(node),
        }
    }

    fn steal(&self, me: usize) -> Option<u32> {
        let n = self.stealers.len();
        (1..n).map(|i| &self.stealers[(me + i) % n]).find_map(|stealer| {
            loop {
                match stealer.steal() {
                    Steal::Success(node) => return Some(node),
                    Steal::Empty => return None,
                    Steal::Retry => {}
                }
            }
        })
    }

    /// Runs a node; gives back one that is ready now, and queues the others.
    fn node(&self, me: usize, number: u32, seat: &mut Seat) -> Option<u32> {
        let plan = self.plan;
        let node = &plan.network.nodes[number as usize];
        // Its predecessors are done, and touch it again in the next run of this segment only, which the segment's end orders
        // behind this.
        plan.pending[number as usize].rearm(node.waits_for);
        let before =
            self.observed.map(|since| (since, since.elapsed(), self.iteration(node.unit, node.kind)));
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the frame is of the node's group; all conflicting nodes are predecessors that are done,
            // successors, or in other segments or units, which the counts keep apart.
            unsafe { plan.ops[number as usize].run(plan.frames[node.unit as usize].ctx()) }
        }));
        if let Err(payload) = outcome {
            let task = match node.kind {
                NodeKind::Task(task) => task,
                NodeKind::Reducer(reducer) => plan.network.reducers[reducer as usize].1[0].0 as u32,
            };
            let failure = (FailureKind::Panic, Some(TaskId(task)), RunFailure::panic_message(&*payload));
            self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
            self.poison.set();
            return None;
        }
        if let Some((since, start, iteration)) = before {
            seat.activities.push(Activity {
                worker: me as u32,
                deed: self.deed(node.kind),
                iteration,
                start_ns: start.as_nanos() as u64,
                duration_ns: (since.elapsed() - start).as_nanos() as u64,
            });
        }
        let mut next = None;
        let mut hand_out = |node: u32| {
            if plan.threads.get(node as usize).is_some_and(Option::is_some) {
                self.hand_out(node, &seat.queue);
            } else if let Some(other) = next.replace(node) {
                seat.queue.push(other);
            }
        };
        for &after in &plan.network.successors[node.successors.start as usize..node.successors.end as usize] {
            // What this node wrote is visible to whoever takes the count to zero.
            if plan.pending[after as usize].arrive() {
                hand_out(after);
            }
        }
        let (_, remaining, behind) = &plan.units[node.unit as usize];
        // The last one sees everything that the segment wrote.
        if remaining.arrive() {
            plan.advance(node.unit as usize, behind.load(Ordering::Relaxed), &mut hand_out);
        }
        next
    }

    fn deed(&self, kind: NodeKind) -> Deed {
        match kind {
            NodeKind::Task(task) => Deed::Task { task: TaskId(task), timed: true },
            NodeKind::Reducer(reducer) => {
                let (task, position, _) = self.plan.network.reducers[reducer as usize].1[0];
                let first = TaskId(task as u32);
                let object = self.plan.recording.program.accesses_of(first)[position].object;
                Deed::Reducer { first, object }
            }
        }
    }

    /// Iterations of the innermost loop around a node that are over.
    fn iteration(&self, unit: u32, kind: NodeKind) -> u32 {
        let NodeKind::Task(task) = kind else { return 0 };
        let (id, program) = (TaskId(task), &self.plan.recording.program);
        let group = program.group(self.plan.network.units[unit as usize].group);
        let key = Key::of(program.task(id));
        let stage = group.stages.iter().find(|s| s.tasks.get(key) == Some(&id));
        let Some(LoopId(id)) = stage.and_then(|s| s.in_loop) else { return 0 };
        self.plan.frames[unit as usize].word(group.loops[id as usize].count) as u32
    }
}

/// No task was ready from `start` until now.
fn idle(me: usize, since: Instant, start: Instant) -> Activity {
    let wait = ObservedWait { cause: WaitCause::Dependence, at: "", worker: None, stage: "" };
    Activity {
        worker: me as u32,
        deed: Deed::Wait(wait),
        iteration: 0,
        start_ns: start.duration_since(since).as_nanos() as u64,
        duration_ns: start.elapsed().as_nanos() as u64,
    }
}
