//! Tasks that know no order.

use std::collections::BTreeMap;
use std::time::Duration;

use super::cycle::Cycle;
use super::supplier::{Query, Released, TaskSupplier};
use super::task::Outcome;
use super::tasks::TaskId;

#[cfg(test)]
mod tests;

/// What becomes of a task in a queue that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It leaves the queue.
    #[default]
    Remove,
    /// It runs again in the next cycle.
    Retry,
    /// It leaves the queue, and the queue releases nothing until [`UnorderedQueue::resume`].
    Halt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Waiting,
    Out,
    NextCycle,
    /// Done; the place is taken by the next task submitted.
    Free,
}

/// Tasks that are all independent, released in the order in which they were submitted.
///
/// What succeeds leaves the queue, what makes progress is released again in the next cycle. A task that is submitted while a cycle runs
/// is released in that cycle.
///
/// ```
/// use std::time::Duration;
/// use weft_animation::game::schedule::{Cycle, Outcome, Query, TaskInfo, TaskSupplier, Tasks, UnorderedQueue};
///
/// let (mut tasks, mut queue) = (Tasks::new(), UnorderedQueue::default());
/// queue.submit(tasks.add(TaskInfo::new("blink", Duration::ZERO), |_| Outcome::Success));
/// // What a scheduler does.
/// queue.begin_cycle(&Cycle::default());
/// let mut released = Vec::new();
/// assert_eq!(queue.query_many(&mut released), Query::Success);
/// queue.report(released[0], Outcome::Success);
/// assert!(queue.is_empty());
/// ```
///
/// **Source:** Zettersten 2010, section 3.1.5.1.
#[derive(Clone, Debug, Default)]
pub struct UnorderedQueue {
    places: Vec<(TaskId, Status)>,
    free: Vec<u32>,
    /// Places that wait, in the order of release, from `next` on.
    waiting: Vec<u32>,
    next: usize,
    /// Places of tasks that stay, in the order of submission.
    order: Vec<u32>,
    on_failure: OnFailure,
    halted: Option<TaskId>,
    /// Tasks that are to go when they leave the queue, and how often each is in it.
    passing: BTreeMap<TaskId, u32>,
    /// Those of them that have left it.
    gone: Vec<TaskId>,
}

impl UnorderedQueue {
    /// An empty queue with what becomes of tasks that fail.
    pub fn new(on_failure: OnFailure) -> Self {
        Self { on_failure, ..Self::default() }
    }

    /// Adds a task. One that is submitted twice runs twice.
    pub fn submit(&mut self, task: TaskId) {
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.places.push((task, Status::Free));
                self.places.len() as u32 - 1
            }
        };
        self.places[place as usize] = (task, Status::Waiting);
        self.waiting.push(place);
        self.order.push(place);
        if let Some(times) = self.passing.get_mut(&task) {
            *times += 1;
        }
    }

    /// Adds a task that is nobody's: when it has left the queue, [`Self::take_gone`] tells it.
    pub(super) fn submit_passing(&mut self, task: TaskId) {
        self.passing.entry(task).or_default();
        self.submit(task);
    }

    /// A task that is nobody's and has left the queue for good.
    pub(super) fn take_gone(&mut self) -> Option<TaskId> {
        self.gone.pop()
    }

    fn leave(&mut self, task: TaskId) {
        if let Some(times) = self.passing.get_mut(&task) {
            *times -= 1;
            if *times == 0 {
                self.passing.remove(&task);
                self.gone.push(task);
            }
        }
    }

    /// The task whose failure halted the queue.
    pub fn halted(&self) -> Option<TaskId> {
        self.halted
    }

    /// Releases tasks again after a failure that halted the queue.
    pub fn resume(&mut self) {
        self.halted = None;
    }

    /// How many tasks are in the queue, those that are out counted.
    pub fn len(&self) -> usize {
        self.places.len() - self.free.len() - self.ended()
    }

    /// Whether no task is in the queue.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tasks that ended since the cycle began; their places are free from the next cycle on.
    fn ended(&self) -> usize {
        self.order.iter().filter(|place| self.places[**place as usize].1 == Status::Free).count()
    }

    fn release(&mut self) -> Option<Released> {
        if self.halted.is_some() {
            return None;
        }
        let place = *self.waiting.get(self.next)?;
        self.next += 1;
        let (task, status) = &mut self.places[place as usize];
        *status = Status::Out;
        Some(Released { task: *task, path: Duration::ZERO, place })
    }
}

impl TaskSupplier for UnorderedQueue {
    fn begin_cycle(&mut self, _: &Cycle) {
        let Self { places, free, waiting, next, order, .. } = self;
        waiting.clear();
        *next = 0;
        order.retain(|place| {
            let status = &mut places[*place as usize].1;
            match status {
                Status::Free => {
                    free.push(*place);
                    return false;
                }
                Status::Out => return true,
                Status::Waiting | Status::NextCycle => *status = Status::Waiting,
            }
            waiting.push(*place);
            true
        });
    }

    fn query_one(&mut self, into: &mut Vec<Released>) -> Query {
        match self.release() {
            Some(released) => {
                into.push(released);
                Query::Success
            }
            None => Query::Empty,
        }
    }

    fn query_many(&mut self, into: &mut Vec<Released>) -> Query {
        let before = into.len();
        while let Some(released) = self.release() {
            into.push(released);
        }
        if into.len() > before { Query::Success } else { Query::Empty }
    }

    fn report(&mut self, released: Released, outcome: Outcome) -> bool {
        let Some((task, status)) = self.places.get_mut(released.place as usize) else { return false };
        if *task != released.task || *status != Status::Out {
            return false;
        }
        *status = match (outcome, self.on_failure) {
            (Outcome::Progress, _) | (Outcome::Failure, OnFailure::Retry) => Status::NextCycle,
            (Outcome::Success, _) | (Outcome::Failure, OnFailure::Remove) => Status::Free,
            (Outcome::Failure, OnFailure::Halt) => {
                self.halted = Some(*task);
                Status::Free
            }
        };
        if *status == Status::Free {
            self.leave(released.task);
        }
        false
    }
}
