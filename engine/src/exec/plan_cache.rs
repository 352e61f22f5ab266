//! Several programs over one store, kept for when they are wanted again.

use std::sync::Arc;

use super::{Executor, LoadError, PlanId};
use crate::data::Store;
use crate::graph::{Recording, Schedule};

/// Loaded programs by a key of the caller's. Where there are too many, the one that was not wanted for longest is unloaded.
///
/// What an emitter of tasks records for each of a few situations (which events arrived, which rigs are seen) is found
/// again at the cost of a search among these.
#[derive(Debug)]
pub struct PlanCache<K> {
    capacity: usize,
    /// The most recently wanted one is the last.
    entries: Vec<(K, PlanId)>,
    /// Numbers of plans that were unloaded.
    free: Vec<PlanId>,
}

impl<K: PartialEq> PlanCache<K> {
    /// For at most so many programs (at least one).
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), entries: Vec::new(), free: Vec::new() }
    }

    /// Number of programs that are kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no program is kept.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The program of a key, if it is kept; it is now the most recently wanted one.
    pub fn find(&mut self, key: &K) -> Option<PlanId> {
        let at = self.entries.iter().rposition(|(known, _)| known == key)?;
        self.entries[at..].rotate_left(1);
        self.entries.last().map(|(_, plan)| *plan)
    }

    /// The program of a key, made and loaded if it is not kept.
    ///
    /// # Errors
    /// As [`Executor::load_plan`].
    pub fn find_or_load(
        &mut self,
        key: K,
        executor: &mut dyn Executor,
        store: &mut Store,
        make: impl FnOnce(&mut Store) -> (Arc<Recording>, Arc<Schedule>),
    ) -> Result<PlanId, LoadError> {
        if let Some(plan) = self.find(&key) {
            return Ok(plan);
        }
        if self.entries.len() == self.capacity {
            let (_, evicted) = self.entries.remove(0);
            executor.unload(evicted);
            self.free.push(evicted);
        }
        let (recording, schedule) = make(store);
        let plan = executor.load_plan(self.free.last().copied(), recording, schedule, store)?;
        self.free.pop();
        self.entries.push((key, plan));
        Ok(plan)
    }

    /// Unloads all programs.
    pub fn clear(&mut self, executor: &mut dyn Executor) {
        for (_, plan) in self.entries.drain(..) {
            executor.unload(plan);
            self.free.push(plan);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ObjectId, Role, update};
    use crate::exec::Sequential;
    use crate::graph::{ComponentTag, Recorder};

    #[test]
    fn the_program_that_was_not_wanted_for_longest_goes() {
        let (mut store, mut executor) = (Store::new(), Sequential::new());
        let x = store.create("x", ObjectId(0), Role::Scratch, vec![0.0]);
        let mut cache = PlanCache::new(2);
        let mut made = Vec::new();
        for key in [1_u32, 2, 1, 3, 1, 2, 3] {
            let plan = cache.find_or_load(key, &mut executor, &mut store, |store| {
                made.push(key);
                let mut rec = Recorder::new(store);
                rec.own("add", ComponentTag(0), ObjectId(0), (update(x),), move |(x,)| {
                    x[0] += f64::from(key)
                });
                (Arc::new(rec.finish()), Arc::default())
            });
            let before = store.read(x)[0];
            executor.run(plan.unwrap(), &mut store).unwrap();
            assert_eq!(store.read(x)[0] - before, f64::from(key));
            assert!(cache.len() <= 2);
        }
        assert_eq!(made, [1, 2, 3, 2, 3]);
        cache.clear(&mut executor);
        assert!(cache.is_empty() && cache.find(&3).is_none());
    }
}
