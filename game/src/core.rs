//! What is under the supply's lock: suppliers, the present cycle, and an account of what is out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};

use animation::game::schedule::{
    Cycle, Given, Group, NotTaken, Outcome, Panicked, Query, Released, Supply, Task, TaskId,
};

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
    /// By task, what was given out while the task was with a worker: a task runs once at a time. Each has a number, in the order of coming.
    parked: BTreeMap<TaskId, VecDeque<(u64, Given)>>,
    /// How many were parked so far.
    n_parked: u64,
    /// The first of each task that has come back since, by that number.
    again: BTreeMap<u64, Given>,
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
        let value = catch_unwind(AssertUnwindSafe(|| run(self))).unwrap_or_else(|payload| {
            self.failures.push(TaskFailure::Supply { message: said(&*payload) });
            otherwise
        });
        self.hear_panics();
        value
    }

    /// Takes what panicked in the supply, which went on, among the failures.
    pub fn hear_panics(&mut self) {
        for Panicked { what, payload } in self.supply.take_panicked() {
            let said = said(&*payload);
            let message = what.map_or_else(|| said.clone(), |what| format!("{what}: {said}"));
            self.failures.push(TaskFailure::Supply { message });
        }
    }

    /// Ends a cycle that leaves so many tasks for a later one.
    pub fn end(&mut self, postponed: usize) {
        (self.is_open, self.postponed) = (false, postponed);
        self.guarded((), |core| core.supply.end_cycle());
    }

    /// Asks the suppliers for one task or all, until there is one that the asking worker may run, or none. Tasks are added to the list
    /// with where they go.
    pub fn query(&mut self, many: bool, options: &Options, into: &mut Vec<(Item, Way)>) {
        while let Some((_, given)) = self.again.pop_first() {
            self.give(given, options, into);
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
            Err(NotTaken::Out) => {
                self.n_parked += 1;
                let list = self.parked.entry(given.released.task).or_default();
                return list.push_back((self.n_parked, given));
            }
            Err(NotTaken::Removed) => {
                self.guarded(false, |core| core.supply.report(given, Outcome::Failure));
                // None of a task that has gone waits for it.
                return self.unpark(given.released.task);
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

    /// A task has come back: what was parked for it first is next.
    fn unpark(&mut self, task: TaskId) {
        let Some(list) = self.parked.get_mut(&task) else { return };
        self.again.extend(list.pop_front());
        if list.is_empty() {
            self.parked.remove(&task);
        }
    }

    /// Takes back a task that is not to run.
    pub fn refuse(&mut self, item: Item, failure: TaskFailure) {
        self.failures.push(failure);
        let Item { given, task, .. } = item;
        self.bring_back(given, task);
        self.guarded(false, |core| core.supply.report(given, Outcome::Failure));
    }

    fn bring_back(&mut self, given: Given, task: Box<dyn Task>) {
        // What a task that was removed meanwhile holds is let go with it, and may panic.
        self.guarded((), |core| core.supply.tasks.bring_back(given.released.task, task));
        if !self.parked.is_empty() {
            self.unpark(given.released.task);
        }
    }

    /// Takes a task back.
    pub fn take_back(&mut self, report: Report) -> Back {
        let Report { item, ended, edits, .. } = report;
        let was_changed = self.guarded(true, |core| core.supply.apply(&edits));
        let Item { given, info, task, serial, is_long, .. } = item;
        self.bring_back(given, task);
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
        Back { is_news: made_ready || was_changed || !self.again.is_empty(), was_overdue }
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
