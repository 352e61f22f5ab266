//! The scheduler that a host's loop calls once a frame.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use animation::game::schedule::{Context, Cycle, Edits, Group, Outcome, Supply, Task, TaskId, TaskInfo};
use executors::cycles::{Crew, Stopwatch};
use executors::sync::relax;

use crate::core::said;
use crate::failure::{CycleFailure, LockError};
use crate::handles::{Monitor, Submitter};
use crate::item::{Ended, Item, Report};
use crate::options::Options;
use crate::profile::{CycleReport, Profile, State};
use crate::shared::Shared;
use crate::watch;
use crate::worker::{Operation, Step, Worker};

/// Runs the tasks of a game in cycles, on the thread that calls [`Self::cycle`] and on threads of its own.
///
/// ```
/// use std::time::Duration;
/// use weft_game::{CycleScheduler, Options, Outcome, TaskInfo};
///
/// let mut scheduler = CycleScheduler::new(Options::new(2));
/// let physics = TaskInfo::new("physics", Duration::from_millis(2));
/// scheduler.submit(physics, |context| {
///     context.parallel_for(1000, 100, |_, range| drop(range));
///     Outcome::Progress // again in the next cycle
/// });
/// for frame in 0..3 {
///     let report = scheduler.cycle(Duration::from_millis(16) * frame)?;
///     assert_eq!(report.executed, 1);
/// }
/// # Ok::<(), weft_game::CycleFailure>(())
/// ```
///
/// **Source:** Zettersten 2010, sections 3.1.2 and 3.1.3.
pub struct CycleScheduler {
    shared: Arc<Shared>,
    main: Worker,
    crew: Crew,
    clock: Stopwatch,
    /// The cycle that began last.
    last: Option<Cycle>,
    cycles: u64,
    cycle_time: Duration,
}

impl CycleScheduler {
    /// With workers as the options say; fewer where the system gives no more threads.
    pub fn new(options: Options) -> Self {
        let options = Options { workers: options.workers.max(1), ..options };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (shared, clock) = (Arc::new(Shared::new(options, cores)), Stopwatch::default());
        let pinned = if options.pin { Crew::cores(options.workers) } else { Vec::new() };
        let mut crew = Crew::default();
        for me in 1..options.workers {
            let its = shared.clone();
            let serve = move || serve(&its, me, clock);
            if !crew.start(format!("weft game {me}"), pinned.get(me).copied(), serve) {
                return Self::with_fewer(Options { workers: me, ..options }, crew, &shared);
            }
        }
        if options.watchdog.is_some() {
            watch::start(&mut crew, &shared, clock);
        }
        Self { shared, main: Worker::new(0), crew, clock, last: None, cycles: 0, cycle_time: Duration::ZERO }
    }

    /// Anew with as many workers as there are threads for.
    fn with_fewer(options: Options, mut crew: Crew, shared: &Shared) -> Self {
        end(shared, &mut crew);
        Self::new(options)
    }

    /// How it works.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Adds a task and submits it to the queue. It is dropped when it leaves the queue, as by [`Supply::submit`].
    pub fn submit(
        &mut self,
        info: TaskInfo,
        task: impl FnMut(&Context<'_>) -> Outcome + Send + 'static,
    ) -> TaskId {
        self.submit_task(info, Box::new(task))
    }

    /// The same for a task of any type.
    pub fn submit_task(&mut self, info: TaskInfo, task: Box<dyn Task>) -> TaskId {
        self.edit(|supply| supply.submit_task(info, task))
    }

    /// Changes what is supplied: tasks, the queue, trees, suppliers of a game's own.
    pub fn edit<R>(&mut self, edit: impl FnOnce(&mut Supply) -> R) -> R {
        self.shared.edit(edit)
    }

    /// A handle by which other threads change what is supplied, at any time.
    pub fn submitter(&self) -> Submitter {
        Submitter::new(self.shared.clone())
    }

    /// A handle by which other threads see which tasks do not return, those of the main worker too.
    pub fn monitor(&self) -> Monitor {
        Monitor::new(self.shared.clone(), self.clock)
    }

    /// Locks a group to workers, in the place of those that it had: its tasks run on these alone. Without this, a group is locked to the
    /// worker with the fewest groups, when the first of its tasks comes.
    ///
    /// # Errors
    /// There is no such worker, none was given, the group is not a named one, or workers of this kind know no groups.
    pub fn lock_group(&mut self, group: Group, workers: &[usize]) -> Result<(), LockError> {
        self.shared.lock_group(group, workers)
    }

    /// Runs a cycle: all tasks that suppliers release in it, once each. It returns when all have come back but those that may last longer.
    /// `time` is that of the game, not of a clock on the wall.
    ///
    /// # Errors
    /// Tasks panicked, were refused, or are overdue. All others ran, and the next cycle can begin.
    pub fn cycle(&mut self, time: Duration) -> Result<CycleReport, CycleFailure> {
        let (shared, began) = (&*self.shared, self.clock.now());
        let cycle = self.last.map_or(Cycle { time, ..Cycle::default() }, |last| last.next(time));
        self.last = Some(cycle);
        shared.sleepers.attend(0, std::thread::current());
        shared.begin_cycle(cycle);
        shared.desks[0].enter(State::Search, began);
        self.main.begin();
        let mut polls = 0;
        loop {
            match self.main.step(shared) {
                Step::Next(Operation::Contended) => relax(&mut polls),
                Step::Next(_) => polls = 0,
                Step::Run(_, item) => run(shared, &mut self.main, 0, item, self.clock),
                Step::Help(one) => {
                    help(shared, 0, &one, self.clock);
                }
                Step::Rest => {
                    shared.desks[0].enter(State::Idle, self.clock.now());
                    if !rest(shared, 0, self.clock, shared.options.watchdog) {
                        watch::excuse(shared, self.clock.now());
                    }
                    shared.desks[0].enter(State::Search, self.clock.now());
                }
                Step::Leave => break,
            }
        }
        let now = self.clock.now();
        shared.desks[0].enter(State::Exit, now);
        let lasted = now.saturating_sub(began);
        self.cycles += 1;
        self.cycle_time += lasted;
        self.shared.cycle_result(cycle, lasted)
    }

    /// What the workers have done with their time since the scheduler was made, or since [`Self::reset_profile`].
    pub fn profile(&self) -> Profile {
        let now = self.clock.now();
        let workers = self.shared.desks.iter().map(|desk| desk.profile(now)).collect();
        Profile { workers, cycles: self.cycles, cycle_time: self.cycle_time }
    }

    /// Begins the profile anew.
    pub fn reset_profile(&mut self) {
        let now = self.clock.now();
        self.shared.desks.iter().for_each(|desk| desk.reset(now));
        (self.cycles, self.cycle_time) = (0, Duration::ZERO);
    }
}

impl Drop for CycleScheduler {
    /// Tells tasks that last long (see [`Context::is_ending`]) and waits for those that run, but for overdue ones, whose threads are left.
    fn drop(&mut self) {
        end(&self.shared, &mut self.crew);
    }
}

fn end(shared: &Shared, crew: &mut Crew) {
    shared.ending.set();
    shared.sleepers.announce();
    shared.sleepers.wake_all();
    shared.watch.announce();
    shared.watch.wake_all();
    let overdue = |thread: usize| shared.desks.get(thread + 1).is_some_and(|desk| desk.look().is_overdue);
    crew.leave(overdue);
}

/// The life of a worker that is not the main one.
fn serve(shared: &Shared, me: usize, clock: Stopwatch) {
    let (mut worker, mut polls) = (Worker::new(me), 0);
    shared.sleepers.attend(me, std::thread::current());
    shared.desks[me].enter(State::Search, clock.now());
    while !shared.ending.is_set() {
        match worker.step(shared) {
            Step::Next(Operation::Contended) => relax(&mut polls),
            Step::Next(_) => polls = 0,
            Step::Run(_, item) => run(shared, &mut worker, me, item, clock),
            Step::Help(one) => help(shared, me, &one, clock),
            Step::Rest => {
                shared.desks[me].enter(State::Idle, clock.now());
                if shared.ending.is_set() {
                    break;
                }
                rest(shared, me, clock, None);
                shared.desks[me].enter(State::Search, clock.now());
            }
            Step::Leave => break,
        }
    }
    shared.desks[me].enter(State::Exit, clock.now());
}

/// Runs a task, and has it brought back in the worker's next step.
fn run(shared: &Shared, worker: &mut Worker, me: usize, mut item: Item, clock: Stopwatch) {
    shared.desks[me].run(item.info.clone(), item.serial, item.is_long, clock.now());
    let edits = Edits::default();
    let context = Context::new(&item.cycle, me, &edits, shared);
    let ended = match catch_unwind(AssertUnwindSafe(|| item.task.execute(&context))) {
        Ok(outcome) => Ended::Outcome(outcome),
        Err(payload) => Ended::Panicked(said(&*payload)),
    };
    shared.desks[me].enter(State::Search, clock.now());
    worker.bring_back(Report { item, ended, edits, worker: me });
}

fn help(shared: &Shared, me: usize, one: &executors::cycles::Loop, clock: Stopwatch) {
    shared.desks[me].help(one.main_helps(), clock.now());
    one.help(me);
    shared.desks[me].enter(State::Search, clock.now());
}

/// Waits until somebody wakes this worker, polling first; for so long at most. Whether it was woken.
fn rest(shared: &Shared, me: usize, clock: Stopwatch, at_most: Option<Duration>) -> bool {
    if !shared.options.spin.is_zero() && shared.may_poll(me) {
        let until = clock.now() + shared.options.spin;
        while clock.now() < until {
            if !shared.sleepers.is_asleep(me) {
                return true;
            }
            std::hint::spin_loop();
        }
    }
    match at_most {
        None => shared.sleepers.sleep(me),
        Some(at_most) => return shared.sleepers.sleep_for(me, at_most),
    }
    true
}
