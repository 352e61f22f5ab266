//! The tasks of a game, each under a handle.

use super::task::{Cycle, Outcome, Task, TaskInfo};

/// The handle of a task in its [`Tasks`]. It is that of no other task, even after the task is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId {
    slot: u32,
    generation: u32,
}

struct Slot {
    generation: u32,
    held: Option<(TaskInfo, Box<dyn Task>)>,
}

/// The tasks of a game. Suppliers hold their handles.
#[derive(Default)]
pub struct Tasks {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Tasks {
    /// No tasks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a task in and gives its handle.
    pub fn add(&mut self, info: TaskInfo, task: impl Task + 'static) -> TaskId {
        let held = Some((info, Box::new(task) as Box<dyn Task>));
        if let Some(slot) = self.free.pop() {
            let place = &mut self.slots[slot as usize];
            place.held = held;
            return TaskId { slot, generation: place.generation };
        }
        self.slots.push(Slot { generation: 0, held });
        TaskId { slot: self.slots.len() as u32 - 1, generation: 0 }
    }

    /// Lets a task go; whether it was there.
    pub fn remove(&mut self, id: TaskId) -> bool {
        let Some(slot) = self.slots.get_mut(id.slot as usize).filter(|slot| slot.generation == id.generation)
        else {
            return false;
        };
        let there = slot.held.take().is_some();
        if there && slot.generation < u32::MAX {
            slot.generation += 1;
            self.free.push(id.slot);
        }
        there
    }

    /// What is known of a task; none if it was removed.
    pub fn info(&self, id: TaskId) -> Option<&TaskInfo> {
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.generation == id.generation)?;
        slot.held.as_ref().map(|(info, _)| info)
    }

    /// Executes a task; a task that was removed fails.
    pub fn execute(&mut self, id: TaskId, cycle: &Cycle) -> Outcome {
        let slot = self.slots.get_mut(id.slot as usize).filter(|slot| slot.generation == id.generation);
        match slot.and_then(|slot| slot.held.as_mut()) {
            Some((_, task)) => task.execute(cycle),
            None => Outcome::Failure,
        }
    }

    /// All tasks in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = (TaskId, &TaskInfo)> {
        self.slots.iter().enumerate().filter_map(|(at, slot)| {
            let id = TaskId { slot: at as u32, generation: slot.generation };
            slot.held.as_ref().map(|(info, _)| (id, info))
        })
    }
}
