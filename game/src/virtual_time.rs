//! A scheduler whose workers live in a time of their own, so that there may be more of them than cores, and a task lasts exactly what
//! its cost says.
//!
//! The workers take the same steps as those with threads (`worker.rs`) with the same queues, one step after the other in the order of
//! their clocks. Each step takes what [`Overheads`] say. Where a step is at the supply, other workers find it taken until it is over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use animation::game::schedule::{
    Alone, Body, Context, Cycle, Edits, Group, Outcome, Supply, TaskId, TaskInfo, Workers,
};

use crate::core::said;
use crate::failure::{CycleFailure, LockError};
use crate::item::{Ended, Item, Report};
use crate::options::Options;
use crate::overheads::Overheads;
use crate::profile::{CycleReport, Profile, State};
use crate::shared::Shared;
use crate::worker::{Operation, Step, Worker};

/// What a worker is at.
enum Doing {
    Steps,
    /// A step at the supply, whose effect comes at its end.
    AtSupply,
    /// It waits until no other worker is at the supply.
    AtDoor,
    Task(Item),
    Rest,
    /// The main worker between cycles.
    Host,
}

struct Seat {
    worker: Worker,
    /// When it goes on.
    at: Duration,
    doing: Doing,
}

/// Loops in order: what they take is part of the task's cost.
struct InOrder(usize);

impl Workers for InOrder {
    fn count(&self) -> usize {
        self.0
    }

    fn parallel_for(&self, context: &Context<'_>, n: usize, grain: usize, body: Body<'_>) {
        Alone.parallel_for(context, n, grain, body);
    }

    fn is_ending(&self) -> bool {
        false
    }
}

/// As [`CycleScheduler`](crate::CycleScheduler), in virtual time: a task lasts what its [`TaskInfo::cost`] says. It is executed at its end.
///
/// ```
/// use std::time::Duration;
/// use weft_game::{Options, Outcome, Overheads, TaskInfo, VirtualScheduler};
///
/// // Steps that take no time, and eight workers, on whatever machine.
/// let mut scheduler = VirtualScheduler::new(Options::new(8), Overheads::default());
/// for _ in 0..16 {
///     scheduler.submit(TaskInfo::new("work", Duration::from_millis(5)), |_| Outcome::Progress);
/// }
/// assert_eq!(scheduler.cycle(Duration::ZERO)?.lasted, Duration::from_millis(10));
/// # Ok::<(), weft_game::CycleFailure>(())
/// ```
pub struct VirtualScheduler {
    shared: Shared,
    seats: Vec<Seat>,
    overheads: Overheads,
    now: Duration,
    /// Whether a worker is at the supply.
    supply_is_taken: bool,
    /// The cycle that began last.
    last: Option<Cycle>,
    cycles: u64,
    cycle_time: Duration,
}

impl VirtualScheduler {
    /// With workers as the options say, whose steps take time.
    pub fn new(options: Options, overheads: Overheads) -> Self {
        let options = Options { workers: options.workers.max(1), watchdog: None, ..options };
        let seat = |me| Seat {
            worker: Worker::new(me),
            at: Duration::ZERO,
            doing: if me == 0 { Doing::Host } else { Doing::Steps },
        };
        let shared = Shared::new(options, options.workers);
        (1..options.workers).for_each(|me| {
            shared.desks[me].enter(State::Search, Duration::ZERO);
        });
        shared.desks[0].enter(State::Exit, Duration::ZERO);
        Self {
            shared,
            seats: (0..options.workers).map(seat).collect(),
            overheads,
            now: Duration::ZERO,
            supply_is_taken: false,
            last: None,
            cycles: 0,
            cycle_time: Duration::ZERO,
        }
    }

    /// The virtual time since it was made.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// As [`CycleScheduler::submit`](crate::CycleScheduler::submit).
    pub fn submit(
        &mut self,
        info: TaskInfo,
        task: impl FnMut(&Context<'_>) -> Outcome + Send + 'static,
    ) -> TaskId {
        self.edit(|supply| supply.submit(info, task))
    }

    /// Changes what is supplied.
    pub fn edit<R>(&mut self, edit: impl FnOnce(&mut Supply) -> R) -> R {
        let value = self.shared.edit(edit);
        self.notice_wakes();
        value
    }

    /// As [`CycleScheduler::lock_group`](crate::CycleScheduler::lock_group).
    ///
    /// # Errors
    /// As there.
    pub fn lock_group(&mut self, group: Group, workers: &[usize]) -> Result<(), LockError> {
        self.shared.lock_group(group, workers)
    }

    /// Lets time pass in which the main worker is the host's; the others go on.
    pub fn host(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(me) = self.earliest().filter(|me| self.seats[*me].at <= until) {
            self.go_on(me);
        }
        self.now = until;
    }

    /// Runs a cycle. `time` is that of the game.
    ///
    /// # Errors
    /// As [`CycleScheduler::cycle`](crate::CycleScheduler::cycle).
    ///
    /// # Panics
    /// If all workers rest before the cycle is over, which would be a fault of the protocol.
    pub fn cycle(&mut self, time: Duration) -> Result<CycleReport, CycleFailure> {
        let began = self.now;
        let cycle = self.last.map_or(Cycle { time, ..Cycle::default() }, |last| last.next(time));
        self.last = Some(cycle);
        self.shared.begin_cycle(cycle);
        self.shared.desks[0].enter(State::Search, began);
        (self.seats[0].doing, self.seats[0].at) = (Doing::Steps, began);
        self.seats[0].worker.begin();
        self.notice_wakes();
        while !matches!(self.seats[0].doing, Doing::Host) {
            let Some(me) = self.earliest() else { panic!("all workers rest, and {cycle:?} is not over") };
            self.now = self.seats[me].at;
            self.go_on(me);
        }
        let lasted = self.now - began;
        self.cycles += 1;
        self.cycle_time += lasted;
        self.shared.cycle_result(cycle, lasted)
    }

    /// What the workers have done with their time.
    pub fn profile(&self) -> Profile {
        let workers = self.shared.desks.iter().map(|desk| desk.profile(self.now)).collect();
        Profile { workers, cycles: self.cycles, cycle_time: self.cycle_time }
    }

    /// The worker that goes on first.
    fn earliest(&self) -> Option<usize> {
        let goes_on = |seat: &Seat| matches!(seat.doing, Doing::Steps | Doing::AtSupply | Doing::Task(_));
        let those = self.seats.iter().enumerate().filter(|(_, seat)| goes_on(seat));
        those.min_by_key(|(me, seat)| (seat.at, *me)).map(|(me, _)| me)
    }

    fn go_on(&mut self, me: usize) {
        let now = self.seats[me].at;
        self.now = self.now.max(now);
        match std::mem::replace(&mut self.seats[me].doing, Doing::Steps) {
            Doing::Task(item) => self.end_task(me, item),
            Doing::AtSupply => {
                self.supply_is_taken = false;
                self.take_step(me, now, Duration::ZERO);
                for seat in self.seats.iter_mut().filter(|seat| matches!(seat.doing, Doing::AtDoor)) {
                    (seat.doing, seat.at) = (Doing::Steps, now);
                }
            }
            _ => self.begin_step(me, now),
        }
        self.notice_wakes();
    }

    /// Takes a step, or goes to the supply, which others find taken until the step is over.
    fn begin_step(&mut self, me: usize, now: Duration) {
        let (shared, seat) = (&self.shared, &mut self.seats[me]);
        match seat.worker.at_supply() {
            Some(operation) if !self.supply_is_taken => {
                self.supply_is_taken = true;
                seat.at = now + self.overheads.of(operation);
                seat.doing = Doing::AtSupply;
            }
            Some(_) if seat.worker.waits_for_supply(shared) => seat.doing = Doing::AtDoor,
            at_supply => {
                let cost = if at_supply == Some(Operation::Report) {
                    // It leaves its report there.
                    self.overheads.look
                } else {
                    Duration::ZERO
                };
                self.take_step(me, now, cost);
            }
        }
    }

    fn end_task(&mut self, me: usize, mut item: Item) {
        let (edits, workers) = (Edits::default(), InOrder(self.seats.len()));
        let context = Context::new(&item.cycle, me, &edits, &workers);
        let ended = match catch_unwind(AssertUnwindSafe(|| item.task.execute(&context))) {
            Ok(outcome) => Ended::Outcome(outcome),
            Err(payload) => Ended::Panicked(said(&*payload)),
        };
        self.shared.desks[me].enter(State::Search, self.seats[me].at);
        self.seats[me].worker.bring_back(Report { item, ended, edits, worker: me });
    }

    /// Takes a step. What it takes beyond what has passed at the supply comes after it.
    fn take_step(&mut self, me: usize, now: Duration, left_at_supply: Duration) {
        let (shared, seat) = (&self.shared, &mut self.seats[me]);
        let at_supply = seat.worker.at_supply();
        // Who is at the supply holds its lock.
        let held = (at_supply.is_some() && self.supply_is_taken).then(|| shared.core());
        let step = seat.worker.step(shared);
        drop(held);
        let operation = match &step {
            Step::Next(operation) | Step::Run(operation, _) => *operation,
            Step::Help(_) => Operation::Loops,
            Step::Rest | Step::Leave => Operation::LieDown,
        };
        seat.at = now
            + match (operation, at_supply) {
                (Operation::Query { got }, _) => self.overheads.query_task * got as u32,
                (Operation::Report, _) => left_at_supply,
                // It asked, and heard that the cycle is over.
                (Operation::LieDown, Some(_)) => Duration::ZERO,
                (operation, _) => self.overheads.of(operation),
            };
        match step {
            Step::Next(_) | Step::Help(_) => {}
            Step::Run(_, item) => {
                seat.at += self.overheads.run;
                shared.desks[me].run(item.info.clone(), item.serial, item.is_long, seat.at);
                seat.at += item.info.cost;
                seat.doing = Doing::Task(item);
            }
            Step::Rest => {
                shared.desks[me].enter(State::Idle, seat.at);
                seat.doing = Doing::Rest;
            }
            Step::Leave => {
                shared.desks[me].enter(State::Exit, seat.at);
                seat.doing = Doing::Host;
                self.now = seat.at;
            }
        }
    }

    /// Workers that were woken go on after a while.
    fn notice_wakes(&mut self) {
        for (me, seat) in self.seats.iter_mut().enumerate() {
            if matches!(seat.doing, Doing::Rest) && !self.shared.sleepers.is_asleep(me) {
                seat.doing = Doing::Steps;
                seat.at = seat.at.max(self.now + self.overheads.wake);
                self.shared.desks[me].enter(State::Search, seat.at);
            }
        }
    }
}
