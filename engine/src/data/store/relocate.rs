//! Moving buffers into memory that their owner touches first.
//!
//! A page of memory comes to lie on the node of the thread that writes it first. So a buffer is moved in three steps: new
//! pages are mapped, which nobody has touched; the *owner's* thread copies the contents there; the slot is pointed to
//! them. Tasks hold the slot's address and notice nothing.
//!
//! Buffers of one owner lie side by side in common pages, those of another owner never in the same ones. An object of
//! some size gets pages of its own, which are given back when it leaves; small ones share a block.
#![allow(unsafe_code, reason = "copies the contents of slots between steps")]

use std::sync::Mutex;

use super::{ALIGN, Slot, Store};
use crate::data::DataId;
use crate::data::block::Block;

/// Objects with that many bytes get pages of their own.
const LARGE_OBJECT: usize = 64 << 10;

/// A buffer that is to lie in its owner's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// The worker that owns it and copies it.
    pub worker: u32,
    /// The buffer.
    pub data: DataId,
    /// The node of that worker.
    pub node: u32,
}

/// Contents on their way: bytes are copied from one address to another.
struct Copy {
    from: *const u8,
    to: *mut u8,
    bytes: usize,
}
// SAFETY: the source is only read, the target is used by nobody else until all copies are done (`Store::relocate`).
unsafe impl Send for Copy {}

/// Where a buffer will be.
struct Target {
    data: DataId,
    node: u32,
    block: usize,
    offset: usize,
}

impl Store {
    /// The node that buffer `id` was moved to by [`Self::relocate`]; none if it never was, or got other memory since.
    pub fn home(&self, id: DataId) -> Option<u32> {
        // SAFETY: slots change only under `&mut Store`.
        let owned = unsafe { (*self.slot(id)).owned };
        self.info[id as usize].home.filter(|_| !owned)
    }

    /// Whether [`Self::relocate`] moves buffer `id`: it has memory, and does not lie where its use wants it (partial sums,
    /// logs).
    pub fn is_movable(&self, id: DataId) -> bool {
        let info = &self.info[id as usize];
        // SAFETY: slots change only under `&mut Store`.
        let has_memory = unsafe { (*self.slot(id)).capacity } > 0;
        has_memory && info.size > 0 && !info.stays
    }

    /// Moves buffers into memory that their workers touch first.
    ///
    /// `run` is to call the function that it gets once for each worker number, on the worker's thread; what it leaves out is
    /// copied by the caller's thread. Each buffer may be moved once in a call.
    ///
    /// # Cost
    /// Maps pages, copies all contents, and looks at every buffer once.
    pub fn relocate(&mut self, moves: &[Move], run: impl FnOnce(&(dyn Fn(u32) + Sync))) {
        let mut moves: Vec<Move> = moves.iter().copied().filter(|m| self.is_movable(m.data)).collect();
        if moves.is_empty() {
            return;
        }
        moves.sort_unstable_by_key(|m| (m.worker, self.info[m.data as usize].object, m.data));
        let (blocks, targets) = self.lay_out(&moves);
        let address = |target: &Target| blocks[target.block].address.as_ptr().wrapping_add(target.offset);
        let mut parts: Vec<Vec<Copy>> = Vec::new();
        parts.resize_with(moves.iter().map(|m| m.worker as usize + 1).max().unwrap_or(0), Vec::new);
        for (m, target) in moves.iter().zip(&targets) {
            // SAFETY: slots change only under `&mut Store`.
            let from = unsafe { (*self.slot(m.data)).ptr };
            let bytes = self.bytes_of(m.data);
            parts[m.worker as usize].push(Copy { from, to: address(target), bytes });
        }
        // Whoever comes first takes a part: no part is copied twice, whatever `run` does.
        let parts: Vec<Mutex<Vec<Copy>>> = parts.into_iter().map(Mutex::new).collect();
        let copy = |worker: u32| {
            let Some(part) = parts.get(worker as usize) else { return };
            let part = part.lock().map(|mut p| std::mem::take(&mut *p)).unwrap_or_default();
            for Copy { from, to, bytes } in part {
                // SAFETY: the source has so many bytes and does not change while `&mut self` is held; the target is a part of
                // its own of a new block, with room for the slot's capacity.
                unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
            }
        };
        run(&copy);
        (0..parts.len() as u32).for_each(copy);
        for target in &targets {
            self.release(target.data);
            let slot = self.slot(target.data);
            // SAFETY: `&mut self` excludes all users; the contents have been copied, and the old memory is released.
            unsafe {
                let Slot { len, capacity, .. } = *slot;
                *slot = Slot { ptr: address(target), len, capacity, owned: false };
            }
            self.info[target.data as usize].home = Some(target.node);
        }
        self.blocks.extend(blocks);
        self.drop_unused_blocks();
    }

    /// Gives sorted moves their places: whole pages per worker, objects of some size in pages of their own.
    fn lay_out(&self, moves: &[Move]) -> (Vec<Block>, Vec<Target>) {
        let object = |m: &Move| self.info[m.data as usize].object;
        let room = |m: &Move| {
            // SAFETY: slots change only under `&mut Store`.
            let capacity = unsafe { (*self.slot(m.data)).capacity };
            (capacity * self.info[m.data as usize].size).next_multiple_of(ALIGN)
        };
        let mut targets: Vec<Target> = Vec::with_capacity(moves.len());
        let mut sizes: Vec<usize> = Vec::new();
        for of_worker in moves.chunk_by(|a, b| a.worker == b.worker) {
            // The block of small objects, once there is one.
            let mut common = None;
            for of_object in of_worker.chunk_by(|a, b| object(a) == object(b)) {
                let total: usize = of_object.iter().map(room).sum();
                let mut new = || {
                    sizes.push(0);
                    sizes.len() - 1
                };
                let block = if total >= LARGE_OBJECT { new() } else { *common.get_or_insert_with(new) };
                for m in of_object {
                    targets.push(Target { data: m.data, node: m.node, block, offset: sizes[block] });
                    sizes[block] += room(m);
                }
            }
        }
        (sizes.into_iter().map(Block::of_pages).collect(), targets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Data, ObjectId, Role};

    fn pages(store: &Store, id: DataId) -> std::ops::RangeInclusive<usize> {
        let (address, bytes) = store.place_of(id);
        address / Block::page()..=(address + bytes.max(1) - 1) / Block::page()
    }

    /// Objects on workers `object % workers`, each with small buffers, a state and, if `large`, one above a page.
    fn populated(n: u32, large: bool) -> (Store, Vec<Data<f64>>) {
        let mut store = Store::new();
        let mut all = Vec::new();
        for object in 0..n {
            let value = f64::from(object);
            all.push(store.create("a", ObjectId(object), Role::Scratch, vec![value; 3]));
            let (x, next) = store.create_state("x", ObjectId(object), vec![value; 5]);
            all.extend([x, next]);
            if large {
                all.push(store.create("b", ObjectId(object), Role::Scratch, vec![value; 20_000]));
            }
        }
        (store, all)
    }

    fn moves(store: &Store, workers: u32, shift: u32) -> Vec<Move> {
        let worker = |id: DataId| (store.info(id).object.0 + shift) % workers;
        (0..store.n_data() as DataId)
            .map(|data| Move { worker: worker(data), data, node: worker(data) })
            .collect()
    }

    #[test]
    fn contents_survive_and_owners_share_no_page() {
        for large in [false, true] {
            let (mut store, all) = populated(7, large);
            for shift in 0..3 {
                let to = moves(&store, 2, shift);
                store.relocate(&to, |copy| (0..2).for_each(copy));
                for data in &all {
                    let value = f64::from(store.info(data.id()).object.0);
                    assert!(store.read(*data).iter().all(|v| *v == value));
                    assert_eq!(store.home(data.id()), Some((store.info(data.id()).object.0 + shift) % 2));
                }
                for a in &to {
                    for b in to.iter().filter(|b| b.worker != a.worker) {
                        let (a, b) = (pages(&store, a.data), pages(&store, b.data));
                        assert!(a.end() < b.start() || b.end() < a.start(), "{a:?} and {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_are_given_back_when_the_last_buffer_leaves() {
        let (mut store, _) = populated(4, true);
        for shift in 0..6 {
            let to = moves(&store, 2, shift);
            store.relocate(&to, |copy| copy(1));
            // Each object has a block of its own: it is large.
            assert_eq!(store.blocks.len(), 4);
        }
        let one: Vec<Move> = moves(&store, 2, 0).into_iter().filter(|m| m.data < 4).collect();
        store.relocate(&one, |_| {});
        assert_eq!(store.blocks.len(), 4);
    }

    #[test]
    fn relocated_states_are_swapped_grown_and_replaced() {
        let (mut store, all) = populated(2, false);
        let to = moves(&store, 2, 0);
        store.relocate(&to, |copy| (0..2).for_each(copy));
        let (x, next) = (all[1], all[2]);
        store.replace(x, vec![1.0; 1000]);
        assert_eq!((store.home(x.id()), store.home(next.id())), (None, Some(0)));
        store.write(next).fill(2.0);
        store.mark_written(&[next.id()]);
        store.swap_states();
        // The memory goes along with the contents.
        assert_eq!((store.home(x.id()), store.home(next.id())), (Some(0), None));
        assert_eq!((store.read(x), store.read(next)), (&[2.0; 5][..], &[1.0; 1000][..]));
        store.replace(x, vec![3.0; 4]);
        assert_eq!((store.home(x.id()), store.len(x)), (Some(0), 4), "it fits where it is");
        let snapshot = store.snapshot();
        let to = moves(&store, 2, 1);
        store.relocate(&to, |copy| (0..2).for_each(copy));
        store.write(x).fill(0.0);
        store.restore(&snapshot);
        assert_eq!(store.read(x), [3.0; 4]);
    }

    #[test]
    fn partial_sums_stay_side_by_side() {
        let mut store = Store::new();
        let many: Vec<_> = (0..5).map(|i| store.partial(ObjectId(i), 0, 2)).collect();
        let ids: Vec<DataId> = many.iter().map(|d| d.id()).collect();
        store.make_contiguous(&ids);
        let before = store.generation();
        let to = moves(&store, 2, 0);
        store.relocate(&to, |_| panic!("nothing is to be copied"));
        assert!(store.is_contiguous(&ids) && store.generation() == before);
    }
}
