//! The replay executor: loaded plans, and a team of threads that runs their streams.
#![allow(unsafe_code, reason = "streams are handed out to threads, each to one")]

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::code::{MAX_STEPS, Words, check_stamps, compile};
use super::observe::{Watch, collect};
use super::stream::{Outcome, Sample, Scene, Stream};
use crate::checks::Checks;
use crate::clock::Clock;
use crate::costs::CostBook;
use crate::options::Options;
use crate::pace::PlanTime;
use crate::sync::{Poison, Progress, relax};
use crate::team::Team;
use sim_core::data::{Instances, Keeper, Store};
use sim_core::exec::{
    Costs, Executor, FailureKind, LoadError, Observation, PlanId, RunFailure, RunReport, WorkerReport,
};
use sim_core::graph::schedule::ItemKind;
use sim_core::graph::{GroupId, Recording, Schedule, TaskId};

/// A stream that one thread at a time may use.
#[repr(align(128))]
struct Seat(UnsafeCell<Stream>);
// SAFETY: during a run, thread t uses the streams of the workers w with w % n_threads == t only; between runs the
// caller's `&mut` excludes all threads.
unsafe impl Sync for Seat {}

struct Plan {
    recording: Arc<Recording>,
    schedule: Arc<Schedule>,
    /// Keeps the slots alive that the streams point to.
    keeper: Keeper,
    seats: Vec<Seat>,
    /// Outlives the streams, whose ops it checks.
    _checks: Checks,
    words: Vec<Progress>,
    /// At most one worker has tasks.
    is_lonely: bool,
    /// Runs since the words were zero.
    step: u64,
    /// How the last run was watched.
    watch: Option<Watch>,
}

/// What belongs to a plan's number, and outlives its rebuilding.
#[derive(Default)]
struct Account {
    plan: Option<Box<Plan>>,
    book: CostBook,
    time: PlanTime,
    runs: u64,
}

/// Runs schedules: one stream per worker, on no more threads than cores.
pub struct Replay {
    team: Team,
    workers: u32,
    switch_seed: Option<u64>,
    checked: bool,
    accounts: Vec<Account>,
    reports: Vec<WorkerReport>,
    clock: Clock,
    observes: bool,
}

/// Why a stream did not end.
struct Trouble {
    worker: u32,
    kind: FailureKind,
    message: String,
}

impl Replay {
    /// An executor with its threads.
    pub fn new(options: &Options) -> Self {
        if let Some(notice) = options.notice() {
            log::info!("{notice}");
        }
        Self {
            team: Team::new(options),
            workers: options.workers,
            switch_seed: options.switch_seed,
            checked: options.checked,
            accounts: Vec::new(),
            reports: vec![WorkerReport::default(); options.workers as usize],
            clock: Clock::new(),
            observes: false,
        }
    }

    /// Number of OS threads, the caller's included.
    pub fn n_threads(&self) -> usize {
        self.team.len()
    }

    /// The schedule of a plan.
    pub fn schedule(&self, plan: PlanId) -> &Arc<Schedule> {
        &self.plan(plan).schedule
    }

    fn plan(&self, plan: PlanId) -> &Plan {
        self.accounts[plan.0].plan.as_deref().expect("a loaded plan")
    }
}

impl Executor for Replay {
    fn name(&self) -> &'static str {
        "replay"
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
        if schedule.assignment.workers() > self.workers {
            return Err(LoadError::Workers {
                schedule: schedule.assignment.workers(),
                executor: self.workers,
            });
        }
        check_stamps(&schedule)?;
        for line in schedule.partial_lines(&recording.program) {
            store.make_contiguous(&line);
        }
        let words = Words::new(&schedule);
        let mut checks = Checks::new(self.checked);
        let codes = compile(&recording, &schedule, &words, store, &mut checks);
        let codes_with_tasks = codes.iter().filter(|c| c.n_ops > 0).count();
        let keeper = Instances::new(&recording.table, store).keep();
        let id = replaced.unwrap_or(PlanId(self.accounts.len()));
        if id.0 >= self.accounts.len() {
            self.accounts.resize_with(id.0 + 1, Account::default);
        }
        let account = &mut self.accounts[id.0];
        account.book.prepare(&recording.program);
        let mut seats: Vec<Seat> = codes.into_iter().map(|c| Seat(UnsafeCell::new(Stream::new(c)))).collect();
        if let Some(seed) = self.switch_seed {
            for seat in &mut seats {
                let stream = seat.0.get_mut();
                stream.random = Some(seed ^ (u64::from(stream.code.worker) << 32));
            }
        }
        let words = (0..words.len).map(|_| Progress::default()).collect();
        let is_lonely = codes_with_tasks <= 1;
        account.plan = Some(Box::new(Plan {
            recording,
            schedule,
            keeper,
            seats,
            _checks: checks,
            words,
            is_lonely,
            step: 0,
            watch: None,
        }));
        Ok(id)
    }

    fn unload(&mut self, plan: PlanId) {
        self.accounts[plan.0].plan = None;
    }

    fn run(&mut self, id: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        let account = &mut self.accounts[id.0];
        let runs = account.runs;
        account.runs += 1;
        let sampled = account.book.is_due();
        let plan = account.plan.as_deref_mut().expect("a loaded plan");
        assert!(plan.keeper.is_of(store), "a plan of another store");
        let begin = Instant::now();
        plan.watch = Watch::begin(self.clock, sampled, self.observes);
        plan.prepare(store);
        let trouble = plan.run(&mut self.team);
        let wall_ns = begin.elapsed().as_nanos() as u64;
        let mut work_ns = 0;
        for (seat, report) in plan.seats.iter_mut().zip(&mut self.reports) {
            let busy_ns = seat.0.get_mut().busy_ns;
            work_ns += busy_ns;
            *report = WorkerReport { busy_ns, wait_ns: wall_ns.saturating_sub(busy_ns) };
        }
        if plan.watch.is_none() && trouble.is_none() && !plan.is_lonely {
            self.team.book(&mut account.time, wall_ns, work_ns);
        }
        if sampled {
            plan.settle(&mut account.book);
        }
        if let Some(trouble) = trouble {
            return Err(plan.failure(trouble, runs));
        }
        store.mark_written(&plan.recording.program.written_states);
        Ok(RunReport { step: runs, wall_ns })
    }

    fn recording(&self, plan: PlanId) -> &Arc<Recording> {
        &self.plan(plan).recording
    }

    fn workers(&self) -> &[WorkerReport] {
        &self.reports
    }

    fn on_workers(&mut self, job: &(dyn Fn(u32) + Sync)) {
        let (workers, n_threads) = (self.workers as usize, self.team.len());
        self.team.run_at_home(&|thread| (thread..workers).step_by(n_threads).for_each(|w| job(w as u32)));
    }

    fn costs(&self, plan: PlanId) -> Costs {
        self.accounts[plan.0].book.costs()
    }

    fn observe(&mut self, on: bool) {
        self.observes = on;
    }

    fn observation(&self, plan: PlanId, into: &mut Observation) {
        into.clear();
        let plan = self.plan(plan);
        let Some(watch) = plan.watch.filter(|w| w.observed) else { return };
        let watch = watch.after_run();
        for seat in &plan.seats {
            // SAFETY: no run is in progress while the caller holds `&self` (runs take `&mut self`).
            let stream = unsafe { &*seat.0.get() };
            collect(stream, &plan.recording, &plan.schedule, &watch, into);
        }
    }

    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64 {
        let plan = self.plan(plan);
        let worker = plan.schedule.participants[group.0 as usize][0];
        // SAFETY: no run is in progress while the caller holds `&self` (runs take `&mut self`).
        let stream = unsafe { &*plan.seats[worker as usize].0.get() };
        let (_, frame) =
            stream.code.frames.iter().find(|f| f.0 == group).expect("a frame per group of a worker");
        frame.word(index)
    }
}

impl Plan {
    /// Before a run: counts it, and renews what has moved.
    fn prepare(&mut self, store: &Store) {
        self.step += 1;
        if self.step == MAX_STEPS {
            // The stamps are used up: no stream runs, so words and what was seen of them can start again.
            self.step = 1;
            self.words.iter_mut().for_each(|w| *w = Progress::default());
            self.seats.iter_mut().for_each(|s| s.0.get_mut().forget());
        }
        for seat in &mut self.seats {
            let stream = seat.0.get_mut();
            for (group, frame) in &mut stream.code.frames {
                self.recording.refresh(*group, frame, store);
            }
            let observed = self.watch.is_some_and(|w| w.observed);
            stream.log.begin(observed, stream.code.entries.len(), stream.code.n_ops);
            if self.watch.is_some_and(|w| w.sampled) {
                stream.samples.fill(Sample::default());
            }
        }
    }

    /// Runs all streams on the team; gives back the first trouble.
    fn run(&self, team: &mut Team) -> Option<Trouble> {
        let poison = Poison::default();
        let trouble: Mutex<Option<Trouble>> = Mutex::new(None);
        let scene = Scene { words: &self.words, poison: &poison, step: self.step, watch: self.watch };
        let note = |worker: u32, kind: FailureKind, message: String| {
            // The lock cannot be poisoned: nothing panics while it is held.
            if let Ok(mut first) = trouble.lock() {
                first.get_or_insert(Trouble { worker, kind, message });
            }
            poison.set();
        };
        if self.is_lonely {
            // Nobody to share the work with: waking the team would only cost.
            self.run_thread(0, 1, &scene, &note);
        } else {
            let n_threads = team.n_active();
            team.run_active(&|thread| self.run_thread(thread, n_threads, &scene, &note));
        }
        trouble.into_inner().ok().flatten()
    }

    /// Runs the streams of one thread, in turns if there are several.
    fn run_thread(
        &self,
        thread: usize,
        n_threads: usize,
        scene: &Scene<'_>,
        note: &dyn Fn(u32, FailureKind, String),
    ) {
        let mine = || (thread..self.seats.len()).step_by(n_threads);
        // SAFETY: see `Seat`: these streams are this thread's during the run.
        mine().for_each(|w| unsafe { (*self.seats[w].0.get()).rewind() });
        let mut left = mine().count();
        let mut polls = 0;
        while left > 0 {
            let mut moved = false;
            for w in mine() {
                // SAFETY: as above.
                let stream = unsafe { &mut *self.seats[w].0.get() };
                if stream.is_over {
                    continue;
                }
                let outcome = catch_unwind(AssertUnwindSafe(|| stream.run(scene, left == 1)));
                match outcome {
                    Ok(Outcome::Blocked) => continue,
                    Ok(Outcome::Done | Outcome::Left) => {}
                    Ok(Outcome::TooManyIterations) => {
                        note(w as u32, FailureKind::Internal, "a loop with too many iterations".into());
                    }
                    Err(payload) => note(w as u32, FailureKind::Panic, RunFailure::panic_message(&*payload)),
                }
                stream.is_over = true;
                left -= 1;
                moved = true;
            }
            if scene.poison.is_set() {
                return;
            }
            if !moved {
                relax(&mut polls);
            }
        }
    }

    /// Books what was sampled.
    fn settle(&mut self, book: &mut CostBook) {
        book.begin();
        let program = &self.recording.program;
        for seat in &mut self.seats {
            let stream = seat.0.get_mut();
            for entry in &stream.code.entries {
                let stage = &self.schedule.stages[entry.stage as usize];
                let items = stage.workers[entry.part as usize].chain.iter();
                for ((_, item), sample) in items.zip(&stream.samples[entry.first_op as usize..]) {
                    if item.kind == ItemKind::Task {
                        book.add(program.tasks[item.index as usize].place, sample.ns());
                    }
                }
            }
        }
    }

    /// Names the task to blame.
    fn failure(&mut self, trouble: Trouble, step: u64) -> RunFailure {
        let stream = self.seats[trouble.worker as usize].0.get_mut();
        let blamed = stream.blamed().filter(|_| trouble.kind == FailureKind::Panic);
        let item = blamed.map(|(entry, block, index)| {
            let entry = &stream.code.entries[entry];
            let stage = &self.schedule.stages[entry.stage as usize];
            stage.workers[entry.part as usize].chain.block(block)[index]
        });
        let task = item.map(|item| match item.kind {
            ItemKind::Task => TaskId(item.index),
            ItemKind::Reducer => TaskId(self.schedule.reducers[item.index as usize].logs[0].0),
        });
        RunFailure::of_task(&self.recording.program, trouble.kind, step, task, trouble.message)
    }
}
