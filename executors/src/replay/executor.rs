//! The replay executor: loaded plans, and a team of threads that runs their streams.
#![allow(unsafe_code, reason = "streams are handed out to threads, each to one")]

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::observe::collect;
use super::plan::{Listed, Plan, Priority};
use super::stream::{Outcome, RunContext, Stream};
use super::watch::Watch;
use crate::alone::Alone;
use crate::background;
use crate::clock::Clock;
use crate::costs::CostBook;
use crate::options::Options;
use crate::pace::Pace;
use crate::sync::{Poison, relax};
use crate::team::Team;
use engine::data::{AccessDecl, AccessKind, Store};
use engine::exec::{
    Costs, Executor, FailureKind, LoadError, Observation, PlanId, RunFailure, RunReport, WorkerReport,
    thread_of,
};
use engine::graph::schedule::{Item, ItemKind};
use engine::graph::{Assignment, Delta, GroupId, Recording, Schedule, TaskId};

/// What belongs to a plan's number, and outlives its rebuilding.
#[derive(Default)]
struct Account {
    plan: Option<Box<Plan>>,
    book: CostBook,
    pace: Pace,
    alone: Alone,
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
    /// The memory of the last update's changes.
    delta: Delta,
}

/// Why a stream did not end.
struct Trouble {
    /// The stream's; none has the largest number.
    seat: u32,
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
            delta: Delta::default(),
        }
    }

    /// Number of OS threads, the caller's included.
    pub fn n_threads(&self) -> usize {
        self.team.len()
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
        background::attend(store);
        if schedule.assignment.workers() > self.workers {
            return Err(LoadError::Workers {
                schedule: schedule.assignment.workers(),
                executor: self.workers,
            });
        }
        let tests = (self.switch_seed, self.checked);
        let plan = Plan::new(recording, schedule, store, self.team.len(), tests)?;
        let id = replaced.unwrap_or(PlanId(self.accounts.len()));
        if id.0 >= self.accounts.len() {
            self.accounts.resize_with(id.0 + 1, Account::default);
        }
        self.accounts[id.0].plan = Some(Box::new(plan));
        self.accounts[id.0].alone.forget();
        Ok(id)
    }

    fn update_plan(
        &mut self,
        id: PlanId,
        store: &mut Store,
        edit: &mut dyn FnMut(&mut Recording, &mut Schedule, &mut Delta),
    ) -> Result<(), LoadError> {
        let Account { plan, book, alone, .. } = &mut self.accounts[id.0];
        alone.forget();
        background::attend(store);
        let plan = plan.as_deref_mut().expect("a loaded plan");
        self.delta.clear();
        plan.update(store, edit, &mut self.delta)?;
        for item in self.delta.inserted.values().filter(|i| i.kind == ItemKind::Task) {
            book.expect(plan.recording.program.task(TaskId(item.index)).place);
        }
        Ok(())
    }

    fn unload(&mut self, plan: PlanId) {
        self.accounts[plan.0] = Account::default();
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
        account.alone.pass();
        let has_pace = !plan.is_lonely && !plan.needs_all_threads;
        let pace = has_pace.then_some(&account.pace);
        if plan.watch.is_none() && pace.is_some() && self.team.n_active(pace) == 1 {
            let how = (self.switch_seed.is_some(), self.checked);
            if let Some(outcome) = account.alone.run(&plan.recording, store, how, runs, &mut self.reports) {
                let report = outcome?;
                self.team.book(&mut account.pace, report.wall_ns, None);
                return Ok(report);
            }
        }
        plan.prepare(store);
        let (trouble, work_ns) = plan.run(&mut self.team, pace, self.clock);
        let wall_ns = begin.elapsed().as_nanos() as u64;
        self.reports.fill(WorkerReport::default());
        let tick_ns = self.clock.tick_ns();
        for stream in plan.streams() {
            let busy_ns = (stream.busy_ticks as f64 * tick_ns) as u64;
            self.reports[stream.code.worker as usize].busy_ns += busy_ns;
        }
        for report in &mut self.reports {
            report.wait_ns = wall_ns.saturating_sub(report.busy_ns);
        }
        if plan.watch.is_none() && trouble.is_none() && has_pace {
            self.team.book(&mut account.pace, wall_ns, work_ns);
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

    fn schedule(&self, plan: PlanId) -> &Arc<Schedule> {
        &self.plan(plan).schedule
    }

    fn workers(&self) -> &[WorkerReport] {
        &self.reports
    }

    fn on_workers(&mut self, job: &(dyn Fn(u32) + Sync)) {
        let (workers, n_threads) = (self.workers, self.team.len());
        self.team.run_at_home(&|thread| {
            (0..workers).filter(|w| thread_of(*w, workers, n_threads) == thread).for_each(job);
        });
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
        for listed in plan.everything.values() {
            // SAFETY: no run is in progress while the caller holds `&self` (runs take `&mut self`).
            let stream = unsafe { &*plan.address(listed) };
            collect(stream, &plan.recording, &plan.schedule, &watch, into);
        }
    }

    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64 {
        if let Some(word) = self.accounts[plan.0].alone.word(group, index) {
            return word;
        }
        let plan = self.plan(plan);
        let worker = plan.schedule.group(group).participants[0];
        let Some(stream) = plan.stream_address(group, worker) else { return 0 };
        // SAFETY: no run is in progress while the caller holds `&self` (runs take `&mut self`).
        unsafe { (*stream).code.frame.word(index) }
    }
}

/// The number of workers that own what a task adds to.
fn n_owners(assignment: &Assignment, accesses: &[AccessDecl]) -> u32 {
    let owners = |accesses: &[AccessDecl], worker| {
        accesses.iter().any(|a| a.kind == AccessKind::Accumulate && assignment.worker(a.object) == worker)
    };
    let is_first = |k: &usize| {
        let access = &accesses[*k];
        access.kind == AccessKind::Accumulate && !owners(&accesses[..*k], assignment.worker(access.object))
    };
    (0..accesses.len()).filter(is_first).count() as u32
}

impl Plan {
    /// Runs all streams on the team; gives back the first trouble, and the work if the pace looks [ns].
    fn run(&self, team: &mut Team, pace: Option<&Pace>, clock: Clock) -> (Option<Trouble>, Option<u64>) {
        let poison = Poison::default();
        let trouble: Mutex<Option<Trouble>> = Mutex::new(None);
        let (words, step, watch) = (self.words.words(), self.step, self.watch);
        let context = RunContext { words, poison: &poison, step, clock, watch };
        let note = |seat: u32, kind: FailureKind, message: String| {
            let mut first = trouble.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(Trouble { seat, kind, message });
            poison.set();
        };
        let run = |list| {
            let guard = poison.guard();
            let busy = self.run_thread(list, &context, &note);
            guard.done();
            busy
        };
        let is_alone = self.is_lonely && !self.needs_all_threads;
        let outcome = if is_alone || team.n_active(pace) == 1 {
            // Nobody to share the work with: waking the team would only cost.
            catch_unwind(AssertUnwindSafe(|| run(&self.everything))).map(|_| None)
        } else {
            let tick_ns = || clock.tick_ns();
            team.run_paced(pace, &tick_ns, &|thread| run(&self.lists[thread]))
        };
        let (work_ns, unwound) = match outcome {
            Ok(work_ns) => (work_ns, None),
            Err(payload) => {
                let message = RunFailure::panic_message(&*payload);
                (None, Some(Trouble { seat: u32::MAX, kind: FailureKind::Internal, message }))
            }
        };
        (trouble.into_inner().unwrap_or_else(PoisonError::into_inner).or(unwound), work_ns)
    }

    /// Runs the streams of one thread, in turns if there are several: whenever one makes way, those before it in the list
    /// are tried again first. Returns for how long they were busy [ticks].
    fn run_thread(
        &self,
        list: &BTreeMap<Priority, Listed>,
        context: &RunContext<'_>,
        note: &dyn Fn(u32, FailureKind, String),
    ) -> u64 {
        // SAFETY: see `Seat`: these streams are this thread's during the run.
        let stream = |l: &Listed| unsafe { &mut *self.address(l) };
        list.values().for_each(|l| stream(l).rewind());
        let mut left = list.len();
        let mut polls = 0;
        while left > 0 {
            let mut moved = false;
            let mut unfinished_before = 0;
            for listed in list.values() {
                if stream(listed).is_over {
                    continue;
                }
                if unfinished_before > 0 && self.must_wait(listed, list.values(), |l| stream(l).is_over) {
                    unfinished_before += 1;
                    continue;
                }
                let (alone, polite) = (left == 1, unfinished_before > 0);
                let outcome = catch_unwind(AssertUnwindSafe(|| stream(listed).run(context, alone, polite)));
                match outcome {
                    Ok(Outcome::Blocked { moved: further }) => {
                        moved |= further;
                        unfinished_before += 1;
                        continue;
                    }
                    Ok(Outcome::Yielded) => {
                        moved = true;
                        break;
                    }
                    Ok(Outcome::Done | Outcome::Left) => {}
                    Ok(Outcome::TooManyIterations) => {
                        let message = "a loop with too many iterations".into();
                        note(listed.seat, FailureKind::Internal, message);
                    }
                    Err(payload) => {
                        let message = RunFailure::panic_message(&*payload);
                        note(listed.seat, FailureKind::Panic, message);
                    }
                }
                stream(listed).is_over = true;
                left -= 1;
                moved = true;
                if unfinished_before > 0 {
                    break;
                }
            }
            if context.poison.is_set() {
                break;
            }
            if moved {
                polls = 0;
            } else {
                relax(&mut polls);
            }
        }
        list.values().map(|l| stream(l).busy_ticks).sum()
    }

    fn address(&self, listed: &Listed) -> *mut Stream {
        self.seats[listed.seat as usize].as_ref().expect("a listed stream has a seat").address()
    }

    /// Whether a stream needs the results of an unfinished one of the same worker.
    fn must_wait<'a>(
        &self,
        listed: &Listed,
        before: impl Iterator<Item = &'a Listed>,
        is_over: impl Fn(&Listed) -> bool,
    ) -> bool {
        let comes_first = |l: &&Listed| self.schedule.in_order || l.is_first_group;
        before
            .take_while(|l| l.seat != listed.seat && comes_first(l))
            .any(|l| l.worker == listed.worker && !is_over(l))
    }

    /// Books what was sampled.
    fn settle(&mut self, book: &mut CostBook) {
        book.begin();
        let (recording, schedule) = (self.recording.clone(), self.schedule.clone());
        for stream in self.streams() {
            let group = schedule.group(stream.code.group);
            for entry in &stream.code.entries {
                let part = group.stage(entry.position).and_then(|s| s.of(stream.code.worker));
                let items = part.into_iter().flat_map(|part| part.chain.iter());
                for ((_, item), sample) in items.zip(&stream.samples[entry.first_op as usize..]) {
                    if item.kind == ItemKind::Task {
                        let task = TaskId(item.index);
                        // Whoever discards additions computes one side only; each owner of a target computes its own.
                        let n_instances = match item.discard {
                            0 => 1,
                            _ => n_owners(&schedule.assignment, recording.program.accesses_of(task)),
                        };
                        book.add(recording.program.task(task).place, sample.ns(), n_instances);
                    }
                }
            }
        }
    }

    /// Names the task to blame.
    fn failure(&mut self, trouble: Trouble, step: u64) -> RunFailure {
        let (recording, schedule) = (self.recording.clone(), self.schedule.clone());
        let seat = self.seats.get_mut(trouble.seat as usize).and_then(Option::as_mut);
        let stream = seat.map(|s| s.stream());
        let blamed = stream.filter(|_| trouble.kind == FailureKind::Panic).and_then(|s| {
            let (position, key) = s.blamed()?;
            let stage = schedule.group(s.code.group).stage(position)?;
            stage.of(s.code.worker)?.chain.get(key).copied()
        });
        let task = blamed.map(|item: Item| match item.kind {
            ItemKind::Task => TaskId(item.index),
            ItemKind::Reducer => TaskId(schedule.reducers[item.index as usize].logs[0].0),
        });
        RunFailure::of_task(&recording.program, trouble.kind, step, task, trouble.message)
    }
}
