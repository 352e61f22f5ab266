//! What keeps slots alive for those who hold their addresses.

use std::sync::{Arc, Mutex};

use super::{ParameterPage, SlotChunk, Store};
use crate::data::list::ListOfSlots;

/// Keeps the memory of slots alive for those who hold their addresses, and identifies the store.
#[derive(Clone)]
pub(crate) struct SlotKeeper {
    identity: Arc<()>,
    chunks: Vec<Arc<SlotChunk>>,
    pub(crate) page: Arc<ParameterPage>,
    locks: Vec<Arc<Mutex<()>>>,
    lists: Vec<Arc<ListOfSlots>>,
}

impl SlotKeeper {
    /// Whether it keeps more than another one of the same store: things only come, so more are newer.
    pub(crate) fn is_ahead_of(&self, other: &Self) -> bool {
        let counts = |k: &Self| [k.chunks.len(), k.locks.len(), k.lists.len()];
        counts(self).iter().zip(counts(other)).any(|(own, others)| *own > others)
    }

    /// Whether both keep slots of one store.
    pub(crate) fn is_of_same_store(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.identity, &other.identity)
    }

    /// Keeps all slots of a store as it is now.
    pub(crate) fn follow(&mut self, store: &Store) {
        if !store.is_kept_by(self) {
            *self = store.keeper();
            return;
        }
        fn extend<T: Clone>(kept: &mut Vec<T>, all: &[T]) {
            kept.extend_from_slice(all.get(kept.len()..).unwrap_or_default());
        }
        extend(&mut self.chunks, &store.chunks);
        extend(&mut self.locks, &store.locks);
        extend(&mut self.lists, &store.lists);
    }
}

impl Store {
    pub(crate) fn keeper(&self) -> SlotKeeper {
        SlotKeeper {
            identity: self.identity.clone(),
            chunks: self.chunks.clone(),
            page: self.page.clone(),
            locks: self.locks.clone(),
            lists: self.lists.clone(),
        }
    }

    pub(crate) fn is_kept_by(&self, keeper: &SlotKeeper) -> bool {
        Arc::ptr_eq(&self.identity, &keeper.identity)
    }
}
