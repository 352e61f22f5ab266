//! The tasks of a program with their accesses: numbers are used again when tasks go.

use std::ops::Range;

use super::task::{Task, TaskId};
use crate::data::AccessDecl;

/// Tasks by number, with the accesses of all in one array.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskPool {
    tasks: Vec<Task>,
    free: Vec<u32>,
    accesses: Vec<AccessDecl>,
    /// Beginnings of unused ranges of accesses, by length.
    free_accesses: Vec<Vec<u32>>,
}

impl TaskPool {
    pub fn n_ids(&self) -> usize {
        self.tasks.len()
    }

    pub fn task(&self, id: TaskId) -> &Task {
        &self.tasks[id.0 as usize]
    }

    pub fn task_mut(&mut self, id: TaskId) -> &mut Task {
        &mut self.tasks[id.0 as usize]
    }

    pub fn accesses_of(&self, id: TaskId) -> &[AccessDecl] {
        self.accesses_in(self.task(id).accesses.clone())
    }

    /// Number of all accesses so far: where the next task's begin while it is being recorded.
    pub fn n_accesses(&self) -> usize {
        self.accesses.len()
    }

    /// The accesses, for a recorder to append a task's.
    pub fn take_accesses(&mut self) -> Vec<AccessDecl> {
        std::mem::take(&mut self.accesses)
    }

    /// Puts back what was taken.
    pub fn put_accesses(&mut self, accesses: Vec<AccessDecl>) {
        self.accesses = accesses;
    }

    /// The accesses from `begin` on.
    pub fn accesses_from(&self, begin: usize) -> &[AccessDecl] {
        &self.accesses[begin..]
    }

    /// The accesses of a task that is being recorded.
    pub fn accesses_in(&self, range: Range<u32>) -> &[AccessDecl] {
        &self.accesses[range.start as usize..range.end as usize]
    }

    /// Forgets the accesses from `begin` on.
    pub fn truncate_accesses(&mut self, begin: usize) {
        self.accesses.truncate(begin);
    }

    /// All accesses, those of tasks that went included.
    pub fn all_accesses(&self) -> &[AccessDecl] {
        &self.accesses
    }

    /// Adds a task whose accesses are in place.
    pub fn push(&mut self, task: Task) -> TaskId {
        self.tasks.push(task);
        TaskId(self.tasks.len() as u32 - 1)
    }

    /// Adds a copy of a task of another pool.
    pub fn adopt(&mut self, task: &Task, accesses: &[AccessDecl]) -> TaskId {
        let spare = self.free_accesses.get_mut(accesses.len()).and_then(Vec::pop);
        let begin = match spare {
            Some(begin) => {
                self.accesses[begin as usize..begin as usize + accesses.len()].copy_from_slice(accesses);
                begin
            }
            None => {
                let begin = self.accesses.len() as u32;
                self.accesses.extend_from_slice(accesses);
                begin
            }
        };
        let task = Task { accesses: begin..begin + accesses.len() as u32, ..task.clone() };
        match self.free.pop() {
            Some(number) => {
                self.tasks[number as usize] = task;
                TaskId(number)
            }
            None => self.push(task),
        }
    }

    /// Forgets all tasks; the memory is kept.
    pub fn clear(&mut self) {
        self.tasks.clear();
        self.free.clear();
        self.accesses.clear();
        self.free_accesses.iter_mut().for_each(Vec::clear);
    }

    /// Forgets a task.
    pub fn release(&mut self, id: TaskId) {
        let range = self.task(id).accesses.clone();
        let length = range.len();
        if self.free_accesses.len() <= length {
            self.free_accesses.resize_with(length + 1, Vec::new);
        }
        self.free_accesses[length].push(range.start);
        self.free.push(id.0);
    }
}
