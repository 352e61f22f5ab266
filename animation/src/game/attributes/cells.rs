//! A lock for each pair of an entity and an attribute.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Cells of the first chunk. Each further chunk has twice as many as the one before.
const FIRST: usize = 64;
/// Chunks that all 2^32 slots of entities need.
const CHUNKS: usize = 27;

/// A locked cell for each slot of entities. Cells come into being when they are first used, and none ever moves, so that many threads may
/// use them while others are made.
pub(super) struct Cells<T>([OnceLock<Box<[Mutex<T>]>>; CHUNKS]);

impl<T: Default> Cells<T> {
    pub fn new() -> Self {
        Self(std::array::from_fn(|_| OnceLock::new()))
    }

    /// The cell of a slot, locked.
    pub fn lock(&self, slot: usize) -> MutexGuard<'_, T> {
        let (chunk, at) = place(slot);
        let cells = self.0[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| Mutex::default()).collect());
        cells[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cell of a slot, if it is there: cells come into being when they are first locked.
    pub fn get_mut(&mut self, slot: usize) -> Option<&mut T> {
        let (chunk, at) = place(slot);
        let cell = self.0[chunk].get_mut()?.get_mut(at)?;
        Some(cell.get_mut().unwrap_or_else(PoisonError::into_inner))
    }

    /// All cells that were ever used and some beside them, by slot.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        let chunks = (0..).zip(&mut self.0).filter_map(|(k, chunk)| Some((k, chunk.get_mut()?)));
        chunks.flat_map(|(k, cells)| {
            let first = (FIRST << k) - FIRST;
            (first..).zip(cells.iter_mut().map(|cell| cell.get_mut().unwrap_or_else(PoisonError::into_inner)))
        })
    }
}

/// The chunk of a slot, and its place there.
fn place(slot: usize) -> (usize, usize) {
    let at = slot + FIRST;
    let chunk = (at / FIRST).ilog2() as usize;
    (chunk, at - (FIRST << chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slot_has_a_cell_of_its_own() {
        let mut cells = Cells::<usize>::new();
        for slot in (0..300).chain([100_000]) {
            assert_eq!(*cells.lock(slot), 0, "{slot}");
            *cells.lock(slot) = slot + 1;
            assert_eq!(cells.get_mut(slot), Some(&mut (slot + 1)));
        }
        assert_eq!(cells.get_mut(1 << 20), None);
        let found: Vec<_> = cells.iter_mut().filter(|(_, v)| **v > 0).map(|(k, v)| (k, *v)).collect();
        assert!(found.iter().all(|(k, v)| *v == k + 1));
        assert_eq!(found.len(), 301);
        assert_eq!(place(u32::MAX as usize).0, CHUNKS - 1);
    }
}
