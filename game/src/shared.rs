//! What the workers of a scheduler share: the supply, queues, groups, who sleeps.
//!
//! Two locks guard it beside those of the workers' own queues: the *supply*'s, under which suppliers are asked and told, and the
//! *groups*'. The groups' lock is the inner one. A worker that must not wait for the supply ([`Parsing::NonBlocking`]) leaves its
//! reports in the inbox, for whoever has the lock: that worker looks into the inbox once more after it has let go, so that none is left
//! ([`Delegated`], which has a model for loom).
//! So do threads that submit, and what is itself asked under the lock (a behaviour that submits).
//!
//! Who makes work that others may do says so ([`Sleepers::announce`]) and wakes one of them, who wakes the next one if more is left: see
//! `waking.rs`.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use animation::game::schedule::{Body, Context, Cycle, Group, Supply, Workers};
use executors::cycles::Loops;
use executors::sync::{Delegated, Poison, Shelf, Sleepers};

use crate::core::{Core, Way};
use crate::failure::{CycleFailure, LockError, TaskFailure};
use crate::groups::Groups;
use crate::item::{Item, Report};
use crate::options::{Options, Parsing, WorkerKind};
use crate::profile::{CycleReport, Desk};

/// The answer to a worker that asks for tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The cycle goes on, whether or not there was anything.
    Open,
    /// As [`Self::Open`], and while this worker was at the supply others may have become ready: it is to ask once more.
    Again,
    /// The cycle is over.
    Over,
    /// Another worker is at the supply.
    Contended,
}

/// What is left for whoever is at the supply.
enum Letter {
    Report(Report),
    /// A change from outside of tasks.
    Edit(Box<dyn FnOnce(&mut Supply) + Send>),
}

/// What the workers of a scheduler share.
pub(crate) struct Shared {
    pub options: Options,
    /// How many threads can have a core.
    pub cores: usize,
    supply: Delegated<Core, Letter>,
    pub shelves: Vec<Shelf<Item>>,
    groups: Mutex<Groups>,
    pub sleepers: Sleepers,
    /// The thread that looks for tasks that do not return.
    pub watch: Sleepers,
    pub loops: Loops,
    pub desks: Vec<Desk>,
    /// Whether the scheduler is about to end.
    pub ending: Poison,
}

impl Shared {
    /// For workers that share so many cores.
    pub fn new(options: Options, cores: usize) -> Self {
        let n = options.workers;
        Self {
            options,
            cores: cores.max(1),
            supply: Delegated::new(Core::default()),
            shelves: (0..n).map(|_| Shelf::default()).collect(),
            groups: Mutex::new(Groups::new(n)),
            sleepers: Sleepers::new(n),
            watch: Sleepers::new(1),
            loops: Loops::default(),
            desks: (0..n).map(|_| Desk::default()).collect(),
            ending: Poison::default(),
        }
    }

    /// The supply, waited for. Who changes it calls [`Self::tell`] afterwards.
    pub fn core(&self) -> MutexGuard<'_, Core> {
        // What may panic while the lock is held is caught inside.
        self.supply.lock()
    }

    /// The groups. Who has them must not ask for the supply.
    pub fn groups(&self) -> MutexGuard<'_, Groups> {
        // Nothing panics while the lock is held but the growth of lists, which leaves them as they were.
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_core(&self, waits: bool) -> Option<MutexGuard<'_, Core>> {
        if waits || self.options.parsing == Parsing::Blocking {
            return Some(self.core());
        }
        self.supply.try_lock()
    }

    /// Takes a task back; whether that made others ready.
    fn take_back(&self, core: &mut Core, report: Report) -> bool {
        let worker = report.worker;
        let back = core.take_back(report);
        if back.was_overdue {
            self.desks[worker].look().is_overdue = false;
            self.groups().back(worker);
            self.sleepers.come_back(worker);
        }
        back.is_news
    }

    /// Takes in what workers have left in the inbox; whether that made tasks ready, or ended what a cycle may wait for.
    fn take_in(&self, core: &mut Core) -> bool {
        let mut is_news = false;
        self.supply.read(|letter| {
            is_news |= match letter {
                Letter::Report(report) => self.take_back(core, report),
                Letter::Edit(edit) => {
                    core.edit(edit);
                    true
                }
            };
        });
        is_news || core.out == 0
    }

    /// Takes in what was left in the inbox while this worker was at the supply; whether that made tasks ready.
    pub fn take_in_late(&self) -> bool {
        let mut is_news = false;
        self.supply.look_late(|core| is_news |= self.take_in(core));
        is_news
    }

    /// As [`Self::take_in_late`], for who does not ask for tasks afterwards.
    fn take_in_for_others(&self, me: usize) {
        if self.take_in_late() {
            self.tell(me);
        }
    }

    /// Brings a task back. Whether the worker should ask for tasks before it goes on with its own.
    pub fn report(&self, me: usize, report: Report) -> bool {
        if report.item.is_long {
            self.groups().back(me);
            self.sleepers.come_back(me);
        }
        if self.options.parsing == Parsing::Blocking {
            let mut core = self.core();
            let is_news = self.take_back(&mut core, report) || core.out == 0;
            drop(core);
            return is_news | self.take_in_late();
        }
        self.supply.leave(Letter::Report(report));
        let Some(mut core) = self.try_core(false) else { return false };
        let is_news = self.take_in(&mut core);
        drop(core);
        is_news | self.take_in_late()
    }

    /// Asks for tasks: those that this worker may run are added to the list, others go to those who may. Waits for other workers at the
    /// supply if told so, or if that is how the scheduler works.
    pub fn query(&self, me: usize, many: bool, waits: bool, sorted: &mut Vec<(Item, Way)>) -> Answer {
        let Some(mut core) = self.try_core(waits) else { return Answer::Contended };
        self.take_in(&mut core);
        if !core.is_open {
            drop(core);
            self.take_in_for_others(me);
            return Answer::Over;
        }
        core.query(many, &self.options, sorted);
        let mut is_over = false;
        if sorted.iter().any(|(_, way)| *way != Way::Free) {
            self.sort(&mut core, sorted);
        }
        if sorted.is_empty() {
            let mut groups = self.groups();
            let blocked = groups.n_blocked();
            if core.out == blocked {
                is_over = true;
                groups.set_open(false);
                drop(groups);
                core.end(blocked);
            }
        }
        drop(core);
        let is_news = self.take_in_late();
        if is_over {
            self.sleepers.announce();
            self.sleepers.wake(0);
            return Answer::Over;
        }
        if is_news { Answer::Again } else { Answer::Open }
    }

    /// Gives those tasks to their workers that not every worker may run.
    fn sort(&self, core: &mut Core, sorted: &mut Vec<(Item, Way)>) {
        let mut groups = self.groups();
        for (item, way) in std::mem::take(sorted) {
            match way {
                Way::Free => sorted.push((item, way)),
                Way::Grouped => groups.push(item),
                Way::Long => {
                    if let Some(item) = groups.push_long(item) {
                        let task = item.info.name.clone();
                        core.refuse(item, TaskFailure::NoOtherWorker { task });
                    }
                }
            }
        }
        self.sleepers.announce();
        self.wake_for(&groups);
    }

    /// Begins a cycle.
    pub fn begin_cycle(&self, cycle: Cycle) {
        let mut core = self.core();
        self.take_in(&mut core);
        core.begin(cycle);
        let mut groups = self.groups();
        // Their group was locked to the main worker meanwhile.
        while let Some(item) = groups.take_impossible() {
            let task = item.info.name.clone();
            core.refuse(item, TaskFailure::NoOtherWorker { task });
        }
        groups.set_open(true);
        // The others find what the main worker does not take; what waits for one of them from an earlier cycle is told now.
        self.sleepers.announce();
        self.wake_for(&groups);
        drop((core, groups));
        self.take_in_for_others(0);
    }

    /// What is known of a cycle that is over.
    pub fn cycle_result(&self, cycle: Cycle, lasted: Duration) -> Result<CycleReport, CycleFailure> {
        let mut core = self.core();
        // A change from outside of tasks may have asked behaviours.
        core.hear_panics();
        let report = CycleReport { cycle, lasted, executed: core.executed, postponed: core.postponed };
        let failures = std::mem::take(&mut core.failures);
        if failures.is_empty() { Ok(report) } else { Err(CycleFailure { report, failures }) }
    }

    /// Locks a group to workers.
    pub fn lock_group(&self, group: Group, workers: &[usize]) -> Result<(), LockError> {
        let kind = self.options.kind;
        if kind != WorkerKind::Locking {
            return Err(LockError::Kind { kind });
        }
        let mut groups = self.groups();
        groups.lock(group, workers)?;
        // Who owns groups leaves long tasks to others.
        self.sleepers.announce();
        self.wake_for(&groups);
        Ok(())
    }

    /// Changes the supply from any thread, without waiting: when nobody is at it.
    pub fn submit(&self, edit: Box<dyn FnOnce(&mut Supply) + Send>) {
        self.supply.leave(Letter::Edit(edit));
        self.take_in_for_others(usize::MAX);
    }

    /// Changes the supply from outside of tasks.
    pub fn edit<R>(&self, edit: impl FnOnce(&mut Supply) -> R) -> R {
        let mut core = self.core();
        let value = edit(&mut core.supply);
        drop(core);
        self.take_in_late();
        self.tell(usize::MAX);
        value
    }
}

impl Workers for Shared {
    fn count(&self) -> usize {
        self.options.workers
    }

    fn parallel_for(&self, context: &Context<'_>, n: usize, grain: usize, body: Body<'_>) {
        let me = context.worker();
        let main_helps = self.desks[me].look().main_helps;
        let run = |worker: usize, range: Range<usize>| body(&context.seen_from(worker), range);
        self.loops.run(me, n, grain, main_helps, &run, |helpers| {
            self.tell_those(helpers, |worker| worker != me && (worker > 0 || main_helps));
        });
    }

    fn is_ending(&self) -> bool {
        self.ending.is_set()
    }
}
