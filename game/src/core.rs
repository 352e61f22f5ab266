//! What is under the supply's lock: suppliers, the present cycle, and an account of what is out.

use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use animation::game::schedule::{Cycle, Given, Group, NotTaken, Outcome, Query, Released, Supply};

use crate::failure::TaskFailure;
use crate::item::{Ended, Item, Report};
use crate::options::{Options, WhenAlone, WorkerKind};

/// Where a task goes that a supplier has given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// To the worker that asked, or who steals it from there.
    Free,
    /// To the workers of its group.
    Grouped,
    /// To a worker that no cycle waits for meanwhile.
    Long,
}

/// What follows from a task that came back.
pub(crate) struct Back {
    /// Others may be ready.
    pub is_news: bool,
    /// Cycles had ceased to wait for it.
    pub was_overdue: bool,
}

/// What is under the supply's lock.
#[derive(Default)]
pub(crate) struct Core {
    pub supply: Supply,
    pub cycle: Cycle,
    /// Whether a cycle runs.
    pub is_open: bool,
    /// Tasks that were given out and that the cycle waits for.
    pub out: usize,
    /// How many tasks of the cycle have come back.
    pub executed: u64,
    /// How many the cycle left for a later one.
    pub postponed: usize,
    pub failures: Vec<TaskFailure>,
    serial: u64,
    /// What was given out while its task was with a worker: a task runs once at a time.
    parked: VecDeque<Given>,
    /// Executions that are overdue, for which cycles no longer wait.
    excused: BTreeSet<u64>,
    /// Memory for queries.
    given: Vec<Given>,
    released: Vec<Released>,
}

impl Core {
    /// Begins a cycle.
    pub fn begin(&mut self, cycle: Cycle) {
        (self.cycle, self.is_open, self.executed, self.postponed) = (cycle, true, 0, 0);
        self.guarded((), |core| core.supply.begin_cycle(&cycle));
    }

    /// Runs what a game may have written itself: its panics are failures of the cycle.
    fn guarded<R>(&mut self, otherwise: R, run: impl FnOnce(&mut Self) -> R) -> R {
        match catch_unwind(AssertUnwindSafe(|| run(self))) {
            Ok(value) => value,
            Err(payload) => {
                self.failures.push(TaskFailure::Supply { message: said(&*payload) });
                otherwise
            }
        }
    }

    /// Asks the suppliers for one task or all, until there is one that the asking worker may run, or none. Tasks are added to the list
    /// with where they go.
    pub fn query(&mut self, many: bool, options: &Options, into: &mut Vec<(Item, Way)>) {
        if !self.parked.is_empty() {
            for given in std::mem::take(&mut self.parked) {
                self.give(given, options, into);
            }
        }
        while many || !into.iter().any(|(_, way)| *way == Way::Free) {
            let (mut given, mut released) =
                (std::mem::take(&mut self.given), std::mem::take(&mut self.released));
            given.clear();
            let said = self.guarded(Query::Empty, |core| core.supply.query(many, &mut given, &mut released));
            for one in given.drain(..) {
                self.give(one, options, into);
            }
            (self.given, self.released) = (given, released);
            // Tasks that were refused may have made others ready: it is asked until it has nothing.
            if said != Query::Success {
                return;
            }
        }
    }

    fn give(&mut self, given: Given, options: &Options, into: &mut Vec<(Item, Way)>) {
        let taken = match self.supply.tasks.take(given.released.task) {
            Ok(taken) => taken,
            Err(NotTaken::Out) => return self.parked.push_back(given),
            Err(NotTaken::Removed) => {
                self.guarded(false, |core| core.supply.report(given, Outcome::Failure));
                return;
            }
        };
        let (info, alone) = (&taken.info, options.workers <= 1);
        let runs_anyway = alone && options.when_alone == WhenAlone::RunOnMain;
        let knows_groups = options.kind == WorkerKind::Locking;
        let wrong = if !matches!(info.group, Group::Any) && !knows_groups {
            Some(TaskFailure::Groups { task: info.name.clone(), group: info.group, kind: options.kind })
        } else if alone && !runs_anyway && (info.long_term || info.group == Group::NonMain) {
            Some(TaskFailure::NoOtherWorker { task: info.name.clone() })
        } else {
            None
        };
        let is_long = info.long_term && !alone;
        let way = match info.group {
            _ if is_long => Way::Long,
            Group::Any => Way::Free,
            _ if alone => Way::Free,
            _ => Way::Grouped,
        };
        self.serial += 1;
        let item = Item {
            given,
            info: taken.info,
            task: taken.task,
            serial: self.serial,
            cycle: self.cycle,
            is_long,
        };
        match wrong {
            Some(failure) => self.refuse(item, failure),
            None => {
                self.out += usize::from(!is_long);
                into.push((item, way));
            }
        }
    }

    /// Takes back a task that is not to run.
    pub fn refuse(&mut self, item: Item, failure: TaskFailure) {
        self.failures.push(failure);
        let Item { given, task, .. } = item;
        self.supply.tasks.bring_back(given.released.task, task);
        self.guarded(false, |core| core.supply.report(given, Outcome::Failure));
    }

    /// Takes a task back.
    pub fn take_back(&mut self, report: Report) -> Back {
        let Report { item, ended, edits, .. } = report;
        let was_changed = self.guarded(true, |core| core.supply.apply(&edits));
        let Item { given, info, task, serial, is_long, .. } = item;
        self.supply.tasks.bring_back(given.released.task, task);
        let was_overdue = !self.excused.is_empty() && self.excused.remove(&serial);
        if !is_long && !was_overdue {
            self.out -= 1;
        }
        self.executed += u64::from(!is_long);
        let outcome = match ended {
            Ended::Outcome(outcome) => outcome,
            Ended::Panicked(message) => {
                self.failures.push(TaskFailure::Panicked { task: info.name.clone(), message });
                Outcome::Failure
            }
        };
        let made_ready = self.guarded(false, |core| core.supply.report(given, outcome));
        Back { is_news: made_ready || was_changed || !self.parked.is_empty(), was_overdue }
    }

    /// Makes a change from outside of tasks.
    pub fn edit(&mut self, edit: Box<dyn FnOnce(&mut Supply) + Send>) {
        self.guarded((), |core| edit(&mut core.supply));
    }

    /// Lets no cycle wait any longer for an execution; whether one did.
    pub fn excuse(&mut self, serial: u64) -> bool {
        let is_new = self.excused.insert(serial);
        if is_new {
            self.out = self.out.saturating_sub(1);
        }
        is_new
    }
}

/// What a panic said.
pub(crate) fn said(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}
