//! Which workers may run what, and tasks that wait for those.

use std::collections::{BTreeMap, VecDeque};

use animation::game::schedule::Group;
use executors::sync::Ranked;

use crate::failure::LockError;
use crate::item::Item;

/// Groups, the workers that they are locked to, and tasks that wait for these.
///
/// A task that not every worker may run waits here, and not with the worker that happened to take it from the supplier. So nobody goes
/// through others' queues for what it may run.
///
/// **Source:** Zettersten 2010, section 3.1.4.3, where each worker has a queue of what it may not run itself.
pub(crate) struct Groups {
    workers: usize,
    /// By named group.
    owners: BTreeMap<u32, Vec<usize>>,
    /// By worker, how many named groups are locked to it.
    owned: Vec<usize>,
    waiting: BTreeMap<Group, VecDeque<Item>>,
    n_waiting: usize,
    long: VecDeque<Item>,
    /// Workers that run what no cycle waits for.
    away: Vec<bool>,
    is_open: bool,
}

impl Groups {
    pub fn new(workers: usize) -> Self {
        Self {
            workers,
            owners: BTreeMap::new(),
            owned: vec![0; workers],
            waiting: BTreeMap::new(),
            n_waiting: 0,
            long: VecDeque::new(),
            away: vec![false; workers],
            is_open: false,
        }
    }

    /// Locks a named group to workers, in the place of those that it had.
    pub fn lock(&mut self, group: Group, workers: &[usize]) -> Result<(), LockError> {
        let Group::Named(name) = group else { return Err(LockError::Fixed { group }) };
        if let Some(worker) = workers.iter().find(|worker| **worker >= self.workers) {
            return Err(LockError::Worker { worker: *worker, workers: self.workers });
        }
        if workers.is_empty() {
            return Err(LockError::NoWorker);
        }
        let mut list = workers.to_vec();
        list.sort_unstable();
        list.dedup();
        self.set_owners(name, list);
        Ok(())
    }

    fn set_owners(&mut self, name: u32, list: Vec<usize>) {
        list.iter().for_each(|worker| self.owned[*worker] += 1);
        let before = self.owners.insert(name, list);
        before.iter().flatten().for_each(|worker| self.owned[*worker] -= 1);
    }

    /// Finds the workers of a named group that has none: from `first` on, the one with the fewest groups, the first of those.
    fn resolve(&mut self, name: u32, first: usize) {
        if self.owners.contains_key(&name) {
            return;
        }
        let fewest = (first..self.workers).min_by_key(|worker| self.owned[*worker]).unwrap_or(0);
        self.set_owners(name, vec![fewest]);
    }

    /// Whether a worker may run tasks of a group.
    pub fn may_run(&self, group: Group, worker: usize) -> bool {
        match group {
            Group::Any => true,
            Group::Main => worker == 0,
            Group::NonMain => worker > 0,
            Group::Named(name) => self.owners.get(&name).is_some_and(|owners| owners.contains(&worker)),
        }
    }

    /// Lets a task of the cycle wait for a worker that may run it.
    pub fn push(&mut self, item: Item) {
        if let Group::Named(name) = item.info.group {
            self.resolve(name, 0);
        }
        let queue = self.waiting.entry(item.info.group).or_default();
        let at = queue.partition_point(|other| other.rank() >= item.rank());
        queue.insert(at, item);
        self.n_waiting += 1;
    }

    /// Lets a task that no cycle waits for wait for a worker; gives it back if the main worker alone may run its group.
    pub fn push_long(&mut self, item: Item) -> Option<Item> {
        if let Group::Named(name) = item.info.group {
            self.resolve(name, 1);
        }
        if !(1..self.workers).any(|worker| self.may_run_long(item.info.group, worker)) {
            return Some(item);
        }
        self.long.push_back(item);
        None
    }

    /// The most urgent task of the cycle that a worker may run and others may not; and whether its group has another one.
    pub fn take(&mut self, worker: usize) -> Option<(Item, bool)> {
        if self.n_waiting == 0 || !self.is_open {
            return None;
        }
        let fits = |group: &Group, queue: &VecDeque<Item>| !queue.is_empty() && self.may_run(*group, worker);
        let of = self.waiting.iter().filter(|(group, queue)| fits(group, queue));
        let group = *of.max_by_key(|(_, queue)| queue.front().map(Ranked::rank))?.0;
        let queue = self.waiting.get_mut(&group)?;
        let item = queue.pop_front()?;
        self.n_waiting -= 1;
        Some((item, !queue.is_empty()))
    }

    /// A task that no cycle waits for, for a worker that is not the main one. From now on until [`Self::back`] no cycle waits for the
    /// worker.
    pub fn take_long(&mut self, worker: usize) -> Option<Item> {
        let at = self.long.iter().position(|item| self.takes_long(item.info.group, worker))?;
        let item = self.long.remove(at)?;
        self.away[worker] = true;
        Some(item)
    }

    /// A task that no cycle waits for and that no worker may run.
    pub fn take_impossible(&mut self) -> Option<Item> {
        let runs = |item: &Item| (1..self.workers).any(|w| self.may_run_long(item.info.group, w));
        let at = self.long.iter().position(|item| !runs(item))?;
        self.long.remove(at)
    }

    /// Whether a worker may run a task of a group that no cycle waits for.
    pub fn may_run_long(&self, group: Group, worker: usize) -> bool {
        match group {
            Group::Any | Group::NonMain => worker > 0,
            Group::Main | Group::Named(_) => worker > 0 && self.may_run(group, worker),
        }
    }

    /// Whether a worker takes a task of a group that no cycle waits for, as things are: one that groups are locked to, which would wait for
    /// it, leaves what others may run to those to whom none are, as long as one of these is here.
    pub fn takes_long(&self, group: Group, worker: usize) -> bool {
        if !self.may_run_long(group, worker) {
            return false;
        }
        let is_free = |other: usize| self.owned[other] == 0 && !self.away[other];
        self.owned[worker] == 0
            || !(1..self.workers).any(|other| is_free(other) && self.may_run_long(group, other))
    }

    /// The groups of tasks that no cycle waits for and that wait for a worker.
    pub fn waiting_long(&self) -> impl Iterator<Item = Group> {
        self.long.iter().map(|item| item.info.group)
    }

    /// No cycle waits for a worker any more.
    pub fn away(&mut self, worker: usize) {
        self.away[worker] = true;
    }

    /// Cycles wait for a worker again.
    pub fn back(&mut self, worker: usize) {
        self.away[worker] = false;
    }

    /// Tasks of the cycle all of whose workers are away.
    pub fn n_blocked(&self) -> usize {
        if self.n_waiting == 0 {
            return 0;
        }
        let here = |group: Group| (0..self.workers).any(|w| !self.away[w] && self.may_run(group, w));
        self.waiting.iter().filter(|(group, _)| !here(**group)).map(|(_, queue)| queue.len()).sum()
    }

    /// Begins or ends a cycle: between cycles no task of one is taken.
    pub fn set_open(&mut self, is_open: bool) {
        self.is_open = is_open;
    }

    /// Groups of which tasks wait.
    pub fn waiting_groups(&self) -> impl Iterator<Item = Group> {
        self.waiting.iter().filter(|(_, queue)| !queue.is_empty()).map(|(group, _)| *group)
    }
}
