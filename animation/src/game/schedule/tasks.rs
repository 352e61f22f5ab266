//! The tasks of a game, each under a handle.

use std::sync::Arc;

use super::context::Context;
use super::task::{Outcome, Task, TaskInfo};

/// The handle of a task in its [`Tasks`]. It is that of no other task, even after the task is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId {
    slot: u32,
    generation: u32,
}

/// A task that a worker has, with what is known of it.
pub struct Taken {
    /// What is known of it.
    pub info: Arc<TaskInfo>,
    /// The task.
    pub task: Box<dyn Task>,
}

/// Why a task cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// A worker has it.
    Out,
    /// It was removed.
    Removed,
}

#[derive(Default)]
struct Slot {
    generation: u32,
    info: Option<Arc<TaskInfo>>,
    /// None while a worker has it.
    task: Option<Box<dyn Task>>,
}

/// The tasks of a game. Suppliers hold their handles.
///
/// ```
/// use std::time::Duration;
/// use weft_animation::game::schedule::{Outcome, TaskInfo, Tasks};
///
/// let mut tasks = Tasks::new();
/// let jump = tasks.add(TaskInfo::new("jump", Duration::from_micros(20)), |_| Outcome::Success);
/// assert_eq!(tasks.info(jump).map(|info| info.name.as_str()), Some("jump"));
/// assert!(tasks.remove(jump) && tasks.info(jump).is_none());
/// ```
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

    /// Takes a closure in as a task and gives its handle.
    pub fn add(
        &mut self,
        info: TaskInfo,
        task: impl FnMut(&Context<'_>) -> Outcome + Send + 'static,
    ) -> TaskId {
        self.add_task(info, Box::new(task))
    }

    /// Takes a task in and gives its handle.
    pub fn add_task(&mut self, info: TaskInfo, task: Box<dyn Task>) -> TaskId {
        let (info, task) = (Some(Arc::new(info)), Some(task));
        if let Some(slot) = self.free.pop() {
            let place = &mut self.slots[slot as usize];
            (place.info, place.task) = (info, task);
            return TaskId { slot, generation: place.generation };
        }
        self.slots.push(Slot { generation: 0, info, task });
        TaskId { slot: self.slots.len() as u32 - 1, generation: 0 }
    }

    fn slot(&mut self, id: TaskId) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(id.slot as usize)?;
        (slot.generation == id.generation && slot.info.is_some()).then_some(slot)
    }

    /// Lets a task go; whether it was there. One that a worker has ends first.
    pub fn remove(&mut self, id: TaskId) -> bool {
        let Some(slot) = self.slot(id) else { return false };
        (slot.info, slot.task) = (None, None);
        if slot.generation < u32::MAX {
            slot.generation += 1;
            self.free.push(id.slot);
        }
        true
    }

    /// What is known of a task; none if it was removed.
    pub fn info(&self, id: TaskId) -> Option<&TaskInfo> {
        let slot = self.slots.get(id.slot as usize).filter(|slot| slot.generation == id.generation)?;
        slot.info.as_deref()
    }

    /// Gives a task to a worker, who is to bring it back.
    ///
    /// # Errors
    /// A worker has it already, or it was removed.
    pub fn take(&mut self, id: TaskId) -> Result<Taken, NotTaken> {
        let slot = self.slot(id).ok_or(NotTaken::Removed)?;
        match (&slot.info, slot.task.take()) {
            (Some(info), Some(task)) => Ok(Taken { info: info.clone(), task }),
            _ => Err(NotTaken::Out),
        }
    }

    /// Takes a task back from a worker; one that was removed meanwhile is dropped.
    pub fn bring_back(&mut self, id: TaskId, task: Box<dyn Task>) {
        if let Some(slot) = self.slot(id) {
            slot.task = Some(task);
        }
    }

    /// Executes a task at once; one that was removed, or that a worker has, fails.
    pub fn execute(&mut self, id: TaskId, context: &Context<'_>) -> Outcome {
        match self.slot(id).and_then(|slot| slot.task.as_mut()) {
            Some(task) => task.execute(context),
            None => Outcome::Failure,
        }
    }

    /// All tasks in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = (TaskId, &TaskInfo)> {
        self.slots.iter().enumerate().filter_map(|(at, slot)| {
            let id = TaskId { slot: at as u32, generation: slot.generation };
            slot.info.as_deref().map(|info| (id, info))
        })
    }
}
