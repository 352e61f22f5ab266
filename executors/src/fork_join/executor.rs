//! The fork-join executor.
#![allow(unsafe_code, reason = "runs ops; bundles of one stage do not conflict, and stages are joined")]

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use engine::data::{EnvArena, Frame, Instances, Keeper, Store};
use engine::exec::{
    Activity, Deed, Executor, FailureKind, LoadError, Observation, PlanId, RunFailure, RunReport,
    WorkerReport, edit_plan, pass_control,
};
use engine::graph::chain::Key;
use engine::graph::{Delta, Group, GroupId, LoopId, Recording, Schedule, Stage, TaskId};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::stages::{Bundle, Stages, TaskOp};
use crate::affinity;
use crate::background;
use crate::checks::Checks;
use crate::options::Options;
use crate::sync::Poison;

/// Parts of a parallel loop for each thread, at most.
const PARTS_OF_LOOP: usize = 32;

/// What one thread notes of a run.
#[derive(Default)]
struct Seat {
    /// Time in bundles of forked stages [ns].
    busy_ns: u64,
    activities: Vec<Activity>,
}

struct Plan {
    recording: Arc<Recording>,
    /// Not looked at.
    schedule: Arc<Schedule>,
    /// By group, in the order of execution; so are the frames.
    stages: Vec<(GroupId, Stages)>,
    frames: Vec<Frame>,
    keeper: Keeper,
    _arena: EnvArena,
    _checks: Checks,
    runs: u64,
    /// What was observed of its last run.
    seen: Vec<Activity>,
}

/// Runs every stage as a parallel loop over objects, and joins its threads after it. It ignores schedules.
pub struct ForkJoin {
    /// Its threads; none for a single one, which is the caller's.
    pool: Option<ThreadPool>,
    seats: Vec<Mutex<Seat>>,
    plans: Vec<Option<Box<Plan>>>,
    reports: Vec<WorkerReport>,
    observes: bool,
    checked: bool,
}

/// What all threads of a run share.
struct Run<'a> {
    recording: &'a Recording,
    stages: &'a [(GroupId, Stages)],
    seats: &'a [Mutex<Seat>],
    /// Whether there is anybody to share with.
    forks: bool,
    /// The pool, where some bundles are bound to threads: then the caller's thread walks the stages.
    outside: Option<&'a ThreadPool>,
    poison: Poison,
    /// The first task in recorded order among those that panicked, with the message.
    trouble: Mutex<Option<(TaskId, String)>>,
    /// Since when the run is observed.
    observed: Option<Instant>,
}

impl ForkJoin {
    /// An executor with its own pool of threads.
    pub fn new(options: &Options) -> Self {
        let n = options.n_threads();
        let cores = if options.pin { options.pinned_cores() } else { Vec::new() };
        let pool = if n > 1 { pool(n, cores) } else { None };
        let n = pool.as_ref().map_or(1, ThreadPool::current_num_threads);
        Self {
            pool,
            seats: (0..n).map(|_| Mutex::default()).collect(),
            plans: Vec::new(),
            reports: vec![WorkerReport::default(); n],
            observes: false,
            checked: options.checked,
        }
    }

    fn plan(&self, plan: PlanId) -> &Plan {
        self.plans[plan.0].as_deref().expect("a loaded plan")
    }
}

/// A pool, pinned to cores if there are any; none where the system gives no threads: the caller's will do.
fn pool(n: usize, cores: Vec<usize>) -> Option<ThreadPool> {
    let pool = ThreadPoolBuilder::new()
        .num_threads(n)
        .thread_name(|k| format!("weft fork-join {k}"))
        .start_handler(move |k| {
            if cores.get(k).is_some_and(|core| !affinity::pin_to(&[*core])) {
                log::warn!("fork-join thread {k} could not be pinned");
            }
        })
        .build();
    pool.inspect_err(|e| log::warn!("no threads for fork-join: {e}")).ok()
}

impl Executor for ForkJoin {
    fn name(&self) -> &'static str {
        "fork-join"
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
        let mut arena = EnvArena::default();
        let mut instances = Instances::new(&recording.table, store);
        let (program, mut n_logs) = (&recording.program, 0);
        let mut checks = Checks::new(self.checked);
        let stages: Vec<(GroupId, Stages)> = program
            .groups()
            .map(|(id, group)| {
                let threads = self.seats.len();
                let arenas = (&mut arena, &mut checks);
                (id, Stages::new(program, (id, group), threads, &mut n_logs, &mut instances, arenas))
            })
            .collect();
        let keeper = instances.keep();
        let frames = stages.iter().map(|(id, _)| recording.frame(*id, store)).collect();
        let id = replaced.unwrap_or(PlanId(self.plans.len()));
        if id.0 >= self.plans.len() {
            self.plans.resize_with(id.0 + 1, || None);
        }
        let runs = self.plans[id.0].as_ref().map_or(0, |p| p.runs);
        let seen = Vec::new();
        let plan =
            Plan { recording, schedule, stages, frames, keeper, _arena: arena, _checks: checks, runs, seen };
        self.plans[id.0] = Some(Box::new(plan));
        Ok(id)
    }

    /// The bundles are made anew: it follows no updates.
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
    }

    fn run(&mut self, id: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        let begin = Instant::now();
        let plan = self.plans[id.0].as_deref_mut().expect("a loaded plan");
        assert!(plan.keeper.is_of(store), "a plan of another store");
        let step = plan.runs;
        plan.runs += 1;
        for ((group, _), frame) in plan.stages.iter().zip(&mut plan.frames) {
            frame.clear();
            plan.recording.refresh(*group, frame, store);
        }
        let is_bound = plan.stages.iter().any(|(_, s)| s.threads.iter().any(Option::is_some));
        let run = Run {
            recording: &plan.recording,
            stages: &plan.stages,
            seats: &self.seats,
            forks: self.pool.is_some(),
            outside: self.pool.as_ref().filter(|_| is_bound),
            poison: Poison::default(),
            trouble: Mutex::new(None),
            observed: self.observes.then_some(begin),
        };
        let frames = &mut plan.frames;
        // Inside the pool the loops over stages are one of its threads' own business: to fork costs it no hand-over.
        let outcome = catch_unwind(AssertUnwindSafe(|| match &self.pool {
            Some(pool) if !is_bound => pool.install(|| run.all(frames)),
            _ => run.all(frames),
        }));
        let (leader, alone_ns) = *outcome.as_ref().unwrap_or(&(0, 0));
        let trouble = run.trouble.into_inner().unwrap_or_else(PoisonError::into_inner);
        let wall_ns = begin.elapsed().as_nanos() as u64;
        for (k, (seat, report)) in self.seats.iter_mut().zip(&mut self.reports).enumerate() {
            let seat = seat.get_mut().unwrap_or_else(PoisonError::into_inner);
            let busy_ns = std::mem::take(&mut seat.busy_ns) + if k == leader { alone_ns } else { 0 };
            *report = WorkerReport { busy_ns, wait_ns: wall_ns.saturating_sub(busy_ns) };
            if k == 0 {
                plan.seen.clear();
            }
            plan.seen.append(&mut seat.activities);
        }
        if let Some((task, message)) = trouble {
            let program = &plan.recording.program;
            return Err(RunFailure::of_task(program, FailureKind::Panic, step, Some(task), message));
        }
        if let Err(payload) = outcome {
            let message = RunFailure::panic_message(&*payload);
            return Err(RunFailure::of_task(
                &plan.recording.program,
                FailureKind::Internal,
                step,
                None,
                message,
            ));
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
        let plan = self.plan(plan);
        let at = plan.stages.iter().position(|(id, _)| *id == group);
        at.map_or(0, |at| plan.frames[at].word(index))
    }
}

/// A stage that is being run.
#[derive(Clone, Copy)]
struct Forked<'a> {
    group: &'a Group,
    stage: &'a Stage,
    stages: &'a Stages,
}

impl Run<'_> {
    /// Walks the stages; the number of the thread that did, and its time outside forked stages [ns].
    fn all(&self, frames: &mut [Frame]) -> (usize, u64) {
        let begin = Instant::now();
        let mut forked_ns = 0;
        let program = &self.recording.program;
        for ((id, forks_of), frame) in self.stages.iter().zip(frames) {
            let group = program.group(*id);
            let mut at = 0;
            while let Some(stage) = group.stages.get(at) {
                let forks = &forks_of.forks[at];
                for bundles in [&forks.bundles, &forks.reducers] {
                    let place = Forked { group, stage, stages: forks_of };
                    forked_ns += self.fork(place, bundles.clone(), frame);
                    if self.poison.is_set() {
                        return (this_thread(), 0);
                    }
                }
                at = pass_control(group, at, frame);
            }
        }
        (this_thread(), (begin.elapsed().as_nanos() as u64).saturating_sub(forked_ns))
    }

    /// Runs bundles side by side and waits for all; how long that took, if more than this thread took part [ns].
    fn fork(&self, place: Forked<'_>, range: Range<usize>, frame: &Frame) -> u64 {
        if let Some(pool) = self.outside {
            return self.fork_outside(pool, place, range, frame);
        }
        let bundles = &place.stages.bundles[range];
        if !self.forks || bundles.len() < 2 {
            bundles.iter().for_each(|bundle| self.bundle(place, bundle, frame));
            return 0;
        }
        let begin = Instant::now();
        // Bundles may be very uneven: what a thread has not begun must be there for others, however few they are.
        let longest = bundles.len().div_ceil(PARTS_OF_LOOP * rayon::current_num_threads());
        // One clock per part of the loop that rayon hands to a thread.
        bundles.par_iter().with_max_len(longest).for_each_init(
            || Clock { seats: self.seats, begin: Instant::now() },
            |_, bundle| self.bundle(place, bundle, frame),
        );
        begin.elapsed().as_nanos() as u64
    }

    /// The same from the caller's thread, each bundle on the thread that it is bound to, if it is.
    fn fork_outside(&self, pool: &ThreadPool, place: Forked<'_>, range: Range<usize>, frame: &Frame) -> u64 {
        let begin = Instant::now();
        let of_thread = |thread: Option<u32>| {
            let bundles = range.clone().filter(move |&k| place.stages.threads[k] == thread);
            bundles.map(|k| &place.stages.bundles[k])
        };
        pool.in_place_scope(|scope| {
            let run = |bundle| {
                let _clock = Clock { seats: self.seats, begin: Instant::now() };
                self.bundle(place, bundle, frame);
            };
            for bundle in of_thread(None) {
                scope.spawn(move |_| run(bundle));
            }
            if range.clone().any(|k| place.stages.threads[k].is_some_and(|thread| thread > 0)) {
                scope.spawn_broadcast(move |_, context| {
                    if context.index() > 0 {
                        of_thread(Some(context.index() as u32)).for_each(run);
                    }
                });
            }
            of_thread(Some(0)).for_each(run);
        });
        begin.elapsed().as_nanos() as u64
    }

    fn bundle(&self, place: Forked<'_>, bundle: &Bundle, frame: &Frame) {
        let ops = &place.stages.ops[bundle.clone()];
        let mut current = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            for (k, op) in ops.iter().enumerate() {
                if self.poison.is_set() {
                    return;
                }
                current = k;
                if self.observed.is_some() {
                    self.observe(place, op, frame);
                } else {
                    // SAFETY: the frame is of the stage's group. Conflicting tasks of the stage are in this bundle,
                    // since the recorder splits sweeps and `stages` splits additions; all others are joined.
                    unsafe { op.0.run(frame.ctx()) }
                }
            }
        }));
        if let Err(payload) = outcome {
            let task = ops[current].1;
            let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            let rank = |task: TaskId| (Key::of(self.recording.program.task(task)), task);
            if trouble.as_ref().is_none_or(|(known, _)| rank(task) < rank(*known)) {
                *trouble = Some((task, RunFailure::panic_message(&*payload)));
            }
            self.poison.set();
        }
    }

    /// Runs an op and notes its time.
    fn observe(&self, place: Forked<'_>, (op, task, target): &TaskOp, frame: &Frame) {
        let Some(since) = self.observed else { return };
        let start = since.elapsed();
        // SAFETY: as in `bundle`.
        unsafe { op.run(frame.ctx()) }
        let duration = since.elapsed() - start;
        let count = |LoopId(id): LoopId| frame.word(place.group.loops[id as usize].count) as u32;
        let worker = this_thread();
        let mut seat = self.seats[worker].lock().unwrap_or_else(PoisonError::into_inner);
        seat.activities.push(Activity {
            worker: worker as u32,
            deed: target.map_or(Deed::Task { task: *task, timed: true }, |object| Deed::Reducer {
                first: *task,
                object,
            }),
            iteration: place.stage.in_loop.map_or(0, count),
            start_ns: start.as_nanos() as u64,
            duration_ns: duration.as_nanos() as u64,
        });
    }
}

/// Number of this thread in the pool; the caller's, where there is none, is the first.
fn this_thread() -> usize {
    rayon::current_thread_index().unwrap_or(0)
}

/// Adds its lifetime to the busy time of the thread that ends it.
struct Clock<'a> {
    seats: &'a [Mutex<Seat>],
    begin: Instant,
}

impl Drop for Clock<'_> {
    fn drop(&mut self) {
        let elapsed = self.begin.elapsed().as_nanos() as u64;
        // Nothing panics while a seat is locked.
        self.seats[this_thread()].lock().unwrap_or_else(PoisonError::into_inner).busy_ns += elapsed;
    }
}
