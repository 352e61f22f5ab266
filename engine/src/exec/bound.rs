//! Objects whose tasks run on a given worker's thread: what a device, a window or an interpreter asks for.

use crate::data::{ObjectId, Store};
use crate::graph::{Assignment, Place, Program};

use super::LoadError;

/// The objects of a program that are bound and have tasks of their own, with their workers, of `workers`.
pub fn bound_objects(program: &Program, store: &Store, workers: u32) -> Vec<(ObjectId, u32)> {
    if !store.has_bound_objects() {
        return Vec::new();
    }
    let objects = program.tasks().filter_map(|(_, task)| match task.place {
        Place::Own(object) => store.bound_worker(object, workers).map(|worker| (object, worker)),
        Place::Joint(..) | Place::Replicated => None,
    });
    let mut objects: Vec<(ObjectId, u32)> = objects.collect();
    objects.sort_unstable();
    objects.dedup();
    objects
}

/// Refuses an assignment that puts a bound object elsewhere.
///
/// # Errors
/// [`LoadError::Bound`].
pub fn check_bound_objects(
    program: &Program,
    assignment: &Assignment,
    store: &Store,
) -> Result<(), LoadError> {
    let bound = bound_objects(program, store, assignment.workers());
    match bound.into_iter().find(|&(object, worker)| assignment.worker(object) != worker) {
        None => Ok(()),
        Some((object, to)) => Err(LoadError::Bound { object, to, on: assignment.worker(object) }),
    }
}
