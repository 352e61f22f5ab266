//! What is known of objects when they are placed: the worker that one is bound to, and the phase of the work that it has a part in.

use super::Store;
use crate::data::handle::ObjectId;

impl Store {
    /// Binds an object to a worker: its own tasks always run on this worker's thread, under executors too that place other
    /// tasks freely. Worker 0 is the caller's thread; where there are fewer workers, the last one takes its place.
    /// It holds for plans that are made from now on.
    pub fn bind_to_worker(&mut self, object: ObjectId, worker: u32) {
        self.bound.insert(object, worker);
    }

    /// Whether any object is bound to a worker.
    pub fn has_bound_objects(&self) -> bool {
        !self.bound.is_empty()
    }

    /// The worker that an object is bound to, of so many.
    pub fn bound_worker(&self, object: ObjectId, workers: u32) -> Option<u32> {
        self.bound.get(&object).map(|worker| (*worker).min(workers.saturating_sub(1)))
    }

    /// Says in which phase of the work an object's tasks are, for plans that are made from now on. Phases come one after the other, or
    /// nearly so: the objects of each are spread over the workers by themselves. It is 0 of all objects that nothing is said of.
    pub fn set_phase(&mut self, object: ObjectId, phase: u32) {
        self.phases.insert(object, phase);
    }

    /// The phase of the work in which an object's tasks are.
    pub fn phase_of(&self, object: ObjectId) -> u32 {
        self.phases.get(&object).copied().unwrap_or_default()
    }
}
