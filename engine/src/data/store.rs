//! The store: all buffers of a simulation, each behind a slot with a stable address.
#![allow(
    unsafe_code,
    reason = "buffers are reached through slots from several workers; the plan orders conflicting tasks"
)]

mod bound;
mod fixtures;
mod floats;
mod free;
mod keeper;
mod relocate;

pub(crate) use keeper::SlotKeeper;
pub use relocate::Move;

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::cell::UnsafeCell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use super::block::Block;
use super::handle::{Data, DataId, Datum, ObjectId, Role, ScalarValue, StepParameter};
use super::list::ListOfSlots;
use super::long_work::{LongWorks, Saved};
use super::workspace::Workspaces;

/// Buffers begin at cache-line pairs, so that no two share a line.
const ALIGN: usize = 128;
const SLOTS_PER_CHUNK: usize = 512;
const MAX_PARAMETERS: usize = 1024;

/// Where a buffer is now. Tasks hold the slot's address, so buffers move without touching a task.
#[repr(C)]
#[derive(Debug)]
pub struct Slot {
    pub(crate) ptr: *mut u8,
    pub(crate) len: usize,
    pub(crate) capacity: usize,
    /// Whether the memory is the slot's own; else it is part of a block of the store.
    pub(crate) owned: bool,
}

impl Slot {
    /// A slot without memory.
    fn empty() -> Self {
        Self { ptr: no_memory(), len: 0, capacity: 0, owned: true }
    }
}

/// A block of slots with a stable address.
struct SlotChunk(Box<[UnsafeCell<Slot>]>);
// SAFETY: slots are written only through `&mut Store` between steps, or by the task that holds exclusive access
// (upheld by the plan).
unsafe impl Send for SlotChunk {}
// SAFETY: as above.
unsafe impl Sync for SlotChunk {}

/// The read-only page of step parameters.
pub(crate) struct ParameterPage(Box<[UnsafeCell<u64>]>);
// SAFETY: written only through `&mut Store`, while no task runs.
unsafe impl Send for ParameterPage {}
// SAFETY: as above.
unsafe impl Sync for ParameterPage {}

impl ParameterPage {
    pub(crate) fn address(&self) -> *const u64 {
        self.0.as_ptr().cast()
    }
}

/// What is known about a buffer.
#[derive(Clone, Debug)]
pub struct DataInfo {
    /// Its name, for messages.
    pub name: String,
    /// The object it belongs to.
    pub object: ObjectId,
    /// Its meaning between steps.
    pub role: Role,
    /// Its element type, for messages.
    pub type_name: &'static str,
    /// Whether its elements consist of `f64` alone, so that non-finite values can be looked for.
    pub floats: bool,
    type_id: TypeId,
    size: usize,
    /// Index of the state pair, if it is one of two.
    pair: Option<u32>,
    /// Whether the buffer lies where its use wants it, so that it is not relocated: partial sums, logs.
    stays: bool,
    /// The node that its memory was moved to last.
    home: Option<u32>,
}

impl DataInfo {
    /// Size of an element in bytes.
    pub fn element_size(&self) -> usize {
        self.size
    }
}

#[derive(Clone, Copy)]
struct StatePair {
    current: DataId,
    next: DataId,
    written: bool,
}

/// A copy of all state, for checkpoints.
#[derive(Clone)]
pub struct Snapshot {
    /// The store that it is of: what its bytes mean.
    identity: Arc<()>,
    states: Vec<(DataId, usize, Vec<MaybeUninit<u8>>)>,
    long_works: Vec<Saved>,
}

/// All buffers of a simulation.
pub struct Store {
    identity: Arc<()>,
    chunks: Vec<Arc<SlotChunk>>,
    info: Vec<DataInfo>,
    /// The buffers of each object, but logs, which belong to plans.
    of_object: Vec<Vec<DataId>>,
    pairs: Vec<StatePair>,
    page: Arc<ParameterPage>,
    parameters: Vec<String>,
    /// Buffers of partial sums: per object, in the order in which a recording asks for them.
    partials: Vec<Vec<Vec<DataId>>>,
    /// Logs of additions, per element type in the order in which a plan asks for them.
    logs: Vec<(TypeId, Vec<DataId>)>,
    blocks: Vec<Block>,
    /// Counts the moves of contiguous buffers, whose addresses executors keep.
    generation: u64,
    /// How many recorders there were.
    n_recorders: u32,
    /// Element types that consist of `f64` alone, beside those that [`is_floats`] knows.
    floats: Vec<TypeId>,
    locks: Vec<Arc<Mutex<()>>>,
    lists: Vec<Arc<ListOfSlots>>,
    known_lists: BTreeMap<Vec<DataId>, usize>,
    /// The workers of objects that are bound to one.
    bound: BTreeMap<ObjectId, u32>,
    /// The phases of objects that have another than 0.
    phases: BTreeMap<ObjectId, u32>,
    workspaces: Workspaces,
    long_works: LongWorks,
}

// SAFETY: all contents are `Send + Sync` values (`Datum`), reached through `&Store` or `&mut Store`.
unsafe impl Send for Store {}
// SAFETY: `&Store` gives shared references to `Sync` values only.
unsafe impl Sync for Store {}

impl Default for Store {
    fn default() -> Self {
        Self::new()
    }
}

impl Store {
    /// An empty store.
    pub fn new() -> Self {
        let page = (0..MAX_PARAMETERS).map(|_| UnsafeCell::new(0)).collect();
        Self {
            identity: Arc::new(()),
            chunks: Vec::new(),
            info: Vec::new(),
            of_object: Vec::new(),
            pairs: Vec::new(),
            page: Arc::new(ParameterPage(page)),
            parameters: Vec::new(),
            partials: Vec::new(),
            logs: Vec::new(),
            blocks: Vec::new(),
            generation: 0,
            n_recorders: 0,
            floats: Vec::new(),
            locks: Vec::new(),
            lists: Vec::new(),
            known_lists: BTreeMap::new(),
            bound: BTreeMap::new(),
            phases: BTreeMap::new(),
            workspaces: Workspaces::default(),
            long_works: LongWorks::default(),
        }
    }

    /// The number of a new recorder.
    pub(crate) fn next_recorder(&mut self) -> u32 {
        self.n_recorders = self.n_recorders.wrapping_add(1);
        self.n_recorders
    }

    pub(crate) fn has_parameter(&self, index: u32) -> bool {
        (index as usize) < self.parameters.len()
    }

    /// A new buffer that belongs to `object`.
    pub fn create<T: Datum>(
        &mut self,
        name: impl Into<String>,
        object: ObjectId,
        role: Role,
        values: Vec<T>,
    ) -> Data<T> {
        const { assert!(align_of::<T>() <= ALIGN) };
        let id = self.info.len() as DataId;
        if id as usize == self.chunks.len() * SLOTS_PER_CHUNK {
            let empty = || UnsafeCell::new(Slot::empty());
            self.chunks.push(Arc::new(SlotChunk((0..SLOTS_PER_CHUNK).map(|_| empty()).collect())));
        }
        self.info.push(DataInfo {
            name: name.into(),
            object,
            role,
            type_name: std::any::type_name::<T>(),
            floats: self.is_floats::<T>(),
            type_id: TypeId::of::<T>(),
            size: size_of::<T>(),
            pair: None,
            stays: false,
            home: None,
        });
        let index = object.0 as usize;
        if self.of_object.len() <= index {
            self.of_object.resize_with(index + 1, Vec::new);
        }
        self.of_object[index].push(id);
        let data = Data { id, kind: PhantomData };
        self.replace(data, values);
        data
    }

    /// A state and the buffer that the step writes it to: `(current, next)`, swapped by [`Store::swap_states`].
    pub fn create_state<T: Datum>(
        &mut self,
        name: impl Into<String>,
        object: ObjectId,
        values: Vec<T>,
    ) -> (Data<T>, Data<T>) {
        let name = name.into();
        let next_name = format!("{name} (next)");
        let current = self.create(name, object, Role::State, values.clone());
        let next = self.create(next_name, object, Role::State, values);
        let pair = Some(self.pairs.len() as u32);
        self.info[current.id as usize].pair = pair;
        self.info[next.id as usize].pair = pair;
        self.pairs.push(StatePair { current: current.id, next: next.id, written: false });
        (current, next)
    }

    /// The contents of a buffer.
    pub fn read<T: Datum>(&self, data: Data<T>) -> &[T] {
        self.check(data);
        let slot = self.slot(data.id);
        // SAFETY: the slot holds `len` initialized `T` (checked above: this id is of this type); no task runs while
        // the caller holds `&Store` (executors take `&mut Store`).
        unsafe { std::slice::from_raw_parts((*slot).ptr.cast::<T>(), (*slot).len) }
    }

    /// The contents of a buffer, to be changed between steps.
    pub fn write<T: Datum>(&mut self, data: Data<T>) -> &mut [T] {
        self.check(data);
        let slot = self.slot(data.id);
        // SAFETY: as in `read`, and `&mut self` excludes every other reader.
        unsafe { std::slice::from_raw_parts_mut((*slot).ptr.cast::<T>(), (*slot).len) }
    }

    /// Puts new contents, of any length, into a buffer; its memory is kept if they fit.
    pub fn replace<T: Datum>(&mut self, data: Data<T>, values: Vec<T>) {
        self.check(data);
        let slot = self.slot(data.id);
        // SAFETY: `&mut self` excludes all other users of the slot; the capacity is made to fit before the copy.
        unsafe {
            if (*slot).capacity < values.len() {
                (*slot).len = 0;
                grow_slot::<T>(slot, values.len());
            }
            std::ptr::copy_nonoverlapping(values.as_ptr(), (*slot).ptr.cast::<T>(), values.len());
            (*slot).len = values.len();
        }
    }

    /// Number of elements of a buffer.
    pub fn len<T: Datum>(&self, data: Data<T>) -> usize {
        self.len_of(data.id)
    }

    /// Number of elements of buffer `id`.
    pub fn len_of(&self, id: DataId) -> usize {
        // SAFETY: slots are only written under `&mut Store`.
        unsafe { (*self.slot(id)).len }
    }

    /// Number of bytes of the contents of buffer `id`.
    pub fn bytes_of(&self, id: DataId) -> usize {
        self.len_of(id) * self.info[id as usize].size
    }

    /// Number of buffers.
    pub fn n_data(&self) -> usize {
        self.info.len()
    }

    /// What is known about buffer `id`.
    pub fn info(&self, id: DataId) -> &DataInfo {
        &self.info[id as usize]
    }

    /// A new step parameter.
    pub fn parameter<T: ScalarValue>(&mut self, name: impl Into<String>, value: T) -> StepParameter<T> {
        let index = self.parameters.len() as u32;
        assert!((index as usize) < MAX_PARAMETERS, "more than {MAX_PARAMETERS} step parameters");
        self.parameters.push(name.into());
        let parameter = StepParameter { index, kind: PhantomData };
        self.set_parameter(parameter, value);
        parameter
    }

    /// Changes a step parameter, between steps.
    pub fn set_parameter<T: ScalarValue>(&mut self, parameter: StepParameter<T>, value: T) {
        assert!(self.has_parameter(parameter.index), "a step parameter of another store");
        // SAFETY: `&mut self`: no task runs.
        unsafe { *self.page.0[parameter.index as usize].get() = value.to_word() }
    }

    /// The present value of a step parameter.
    pub fn parameter_value<T: ScalarValue>(&self, parameter: StepParameter<T>) -> T {
        // SAFETY: written only under `&mut Store`.
        T::from_word(unsafe { *self.page.0[parameter.index as usize].get() })
    }

    /// Swaps each state with its `next` buffer, where programs that have run since the last call wrote `next`. Long work that
    /// they began is kept.
    pub fn swap_states(&mut self) {
        for pair in 0..self.pairs.len() {
            let StatePair { current, next, written } = self.pairs[pair];
            if written {
                // SAFETY: two different slots, and `&mut self` excludes all users.
                unsafe { std::ptr::swap_nonoverlapping(self.slot(current), self.slot(next), 1) };
                self.pairs[pair].written = false;
            }
        }
        self.keep_begun();
    }

    /// Forgets what was written to `next` buffers, and long work that was begun since the last swap: the state stays that of
    /// before the step.
    pub fn discard_states(&mut self) {
        for pair in &mut self.pairs {
            pair.written = false;
        }
        self.forget_begun();
    }

    /// Notes that a program wrote these buffers; executors call it after a successful run.
    pub fn mark_written(&mut self, ids: &[DataId]) {
        for &id in ids {
            if let Some(pair) = self.info[id as usize].pair {
                let pair = &mut self.pairs[pair as usize];
                pair.written |= pair.next == id;
            }
        }
    }

    /// Whether buffer `id` is the `next` buffer of a state.
    pub fn is_next_state(&self, id: DataId) -> bool {
        self.info[id as usize].pair.is_some_and(|pair| self.pairs[pair as usize].next == id)
    }

    /// Copies all state.
    pub fn snapshot(&self) -> Snapshot {
        let is_current = |id: &DataId| {
            let info = &self.info[*id as usize];
            info.role == Role::State && !self.is_next_state(*id)
        };
        let copy = |id: DataId| {
            let bytes = self.bytes_of(id);
            // SAFETY: the slot holds that many bytes; `MaybeUninit<u8>` admits padding.
            let bytes =
                unsafe { std::slice::from_raw_parts((*self.slot(id)).ptr.cast::<MaybeUninit<u8>>(), bytes) };
            (id, self.len_of(id), bytes.to_vec())
        };
        let states = (0..self.info.len() as DataId).filter(is_current).map(copy).collect();
        Snapshot { identity: self.identity.clone(), states, long_works: self.save_long_works() }
    }

    /// Puts back all state that a snapshot of this store holds.
    ///
    /// # Panics
    /// If the snapshot is of another store, or a state was freed since.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        assert!(Arc::ptr_eq(&self.identity, &snapshot.identity), "a snapshot of another store");
        for (id, len, bytes) in &snapshot.states {
            self.make_room(*id, *len);
            let slot = self.slot(*id);
            // SAFETY: `&mut self` excludes all users; there is room; the bytes are elements of this very buffer.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), (*slot).ptr.cast(), bytes.len());
                (*slot).len = *len;
            }
        }
        self.discard_states();
        self.restore_long_works(&snapshot.long_works);
    }

    /// Gives buffer `id` memory for so many elements; what it holds is lost if it had less.
    fn make_room(&mut self, id: DataId, capacity: usize) {
        let size = self.info[id as usize].size;
        let slot = self.slot(id);
        // SAFETY: slots change only under `&mut Store`.
        if size == 0 || capacity <= unsafe { (*slot).capacity } {
            return;
        }
        self.release(id);
        let layout = Layout::from_size_align(capacity * size, ALIGN).expect("the size of an existing copy");
        let ptr = allocate(layout).as_ptr();
        // SAFETY: `&mut self` excludes all users; the former memory was freed just above, or is its block's.
        unsafe { *slot = Slot { ptr, len: 0, capacity, owned: true } };
    }

    /// Puts the contents of these `f64` buffers side by side into one block of memory that begins at a cache line.
    pub fn make_contiguous(&mut self, ids: &[DataId]) {
        let total: usize = ids.iter().map(|&id| self.len_of(id)).sum();
        if total == 0 || self.is_contiguous(ids) {
            return;
        }
        self.generation += 1;
        let layout = layout_of::<f64>(total);
        let block = Block::on_heap(layout);
        let mut at = block.address.as_ptr().cast::<f64>();
        self.blocks.push(block);
        for &id in ids {
            assert_eq!(
                self.info[id as usize].type_id,
                TypeId::of::<f64>(),
                "only f64 buffers are placed side by side"
            );
            let slot = self.slot(id);
            // SAFETY: `&mut self` excludes all users; the block has room for the sum of all lengths.
            unsafe {
                let len = (*slot).len;
                std::ptr::copy_nonoverlapping((*slot).ptr.cast::<f64>(), at, len);
                self.release(id);
                *slot = Slot { ptr: at.cast(), len, capacity: len, owned: false };
                at = at.add(len);
            }
            self.info[id as usize].home = None;
        }
        self.drop_unused_blocks();
    }

    /// The buffer of the `k`-th partial sum that a recording asks for on `object`, with `chunks` entries.
    pub(crate) fn partial(&mut self, object: ObjectId, k: usize, chunks: usize) -> Data<f64> {
        let index = object.0 as usize;
        if self.partials.len() <= index {
            self.partials.resize_with(index + 1, Vec::new);
        }
        if self.partials[index].len() <= k {
            self.partials[index].resize_with(k + 1, Vec::new);
        }
        // One buffer per number of chunks: another program may still be using the previous one.
        if let Some(&id) = self.partials[index][k].iter().find(|&&id| self.len_of(id) == chunks) {
            return Data { id, kind: PhantomData };
        }
        let data = self.create("partial sum", object, Role::Scratch, vec![0.0; chunks]);
        self.info[data.id as usize].stays = true;
        self.partials[index][k].push(data.id);
        data
    }

    /// The `k`-th log with elements of type `L`.
    pub(crate) fn log<L: Datum>(&mut self, k: usize) -> DataId {
        let kind = TypeId::of::<L>();
        let list = match self.logs.iter().position(|(t, _)| *t == kind) {
            Some(list) => list,
            None => {
                self.logs.push((kind, Vec::new()));
                self.logs.len() - 1
            }
        };
        while self.logs[list].1.len() <= k {
            let data = self.create::<L>("log of additions", ObjectId(0), Role::Scratch, Vec::new());
            self.info[data.id as usize].stays = true;
            self.of_object[0].pop();
            self.logs[list].1.push(data.id);
        }
        self.logs[list].1[k]
    }

    /// Changes whenever buffers that executors hold addresses of have moved.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// The address of a slot.
    pub(crate) fn slot(&self, id: DataId) -> *mut Slot {
        self.chunks[id as usize / SLOTS_PER_CHUNK].0[id as usize % SLOTS_PER_CHUNK].get()
    }

    pub(crate) fn is_of_type<T: 'static>(&self, id: DataId) -> bool {
        self.info.get(id as usize).is_some_and(|info| info.type_id == TypeId::of::<T>())
    }

    /// Address and size [bytes] of the contents of buffer `id`, for those who ask the system about its pages.
    pub fn place_of(&self, id: DataId) -> (usize, usize) {
        // SAFETY: slots change only under `&mut Store`.
        (unsafe { (*self.slot(id)).ptr } as usize, self.bytes_of(id))
    }

    fn check<T: 'static>(&self, data: Data<T>) {
        assert!(self.is_of_type::<T>(data.id), "a handle of another store: number {}", data.id);
    }

    /// Frees the memory of a slot that owns it.
    fn release(&mut self, id: DataId) {
        let size = self.info[id as usize].size;
        let slot = self.slot(id);
        // SAFETY: `&mut self`; an owned slot's memory was allocated by `grow_slot` with this layout.
        unsafe {
            if (*slot).owned && (*slot).capacity > 0 && size > 0 {
                let layout = Layout::from_size_align_unchecked((*slot).capacity * size, ALIGN);
                dealloc((*slot).ptr, layout);
            }
        }
    }

    fn is_contiguous(&self, ids: &[DataId]) -> bool {
        // SAFETY: slots change only under `&mut Store`.
        let place = |&id: &DataId| unsafe {
            let slot = &*self.slot(id);
            (slot.ptr as usize, slot.ptr as usize + slot.len * size_of::<f64>())
        };
        place(&ids[0]).0.is_multiple_of(ALIGN)
            && ids.windows(2).all(|pair| place(&pair[0]).1 == place(&pair[1]).0)
    }

    fn drop_unused_blocks(&mut self) {
        let mut starts: Vec<usize> = Vec::new();
        for id in 0..self.info.len() as DataId {
            // SAFETY: `&mut self`: nobody writes the slot.
            let slot = unsafe { &*self.slot(id) };
            if !slot.owned {
                starts.push(slot.ptr as usize);
            }
        }
        starts.sort_unstable();
        // What no slot points into is dropped.
        self.blocks.retain(|block| {
            let begin = block.address.as_ptr() as usize;
            let first = starts.partition_point(|&s| s < begin);
            starts.get(first).is_some_and(|&s| s < begin + block.bytes)
        });
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        for id in 0..self.info.len() as DataId {
            self.release(id);
            // SAFETY: `&mut self`; whoever still holds the slot's address finds it empty.
            unsafe { *self.slot(id) = Slot::empty() };
        }
    }
}

/// Where a slot without memory points: aligned for every element type, since slices of no elements are made of it.
fn no_memory() -> *mut u8 {
    std::ptr::without_provenance_mut(ALIGN)
}

fn layout_of<T>(n: usize) -> Layout {
    let array = Layout::array::<T>(n).expect("a buffer below the limit of the address space");
    array.align_to(ALIGN).expect("a valid alignment")
}

fn allocate(layout: Layout) -> NonNull<u8> {
    // SAFETY: callers pass layouts of a size above zero.
    NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Moves the contents of a slot that owns its memory into memory for at least `capacity` elements.
///
/// # Safety
/// The caller has exclusive access to the slot, whose elements are `T`.
pub(crate) unsafe fn grow_slot<T: Datum>(slot: *mut Slot, capacity: usize) {
    // SAFETY: the caller's promise; the new memory has room for `capacity >= len` elements.
    unsafe {
        let Slot { ptr, len, capacity: old, owned } = *slot;
        if size_of::<T>() == 0 {
            (*slot).capacity = usize::MAX;
            return;
        }
        if capacity <= old {
            return;
        }
        let new = allocate(layout_of::<T>(capacity)).as_ptr();
        std::ptr::copy_nonoverlapping(ptr.cast::<T>(), new.cast::<T>(), len);
        // Memory in a block is freed with the block.
        if old > 0 && owned {
            dealloc(ptr, layout_of::<T>(old));
        }
        *slot = Slot { ptr: new, len, capacity, owned: true };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_may_change_their_length() {
        let mut store = Store::new();
        let a = store.create("a", ObjectId(0), Role::Scratch, vec![1u8, 2, 3]);
        let b = store.create("b", ObjectId(0), Role::Scratch, Vec::<f64>::new());
        assert_eq!(store.read(a).as_ptr() as usize % ALIGN, 0);
        assert!(store.read(b).is_empty());
        store.replace(b, vec![4.0; 100]);
        assert_eq!(store.len(b), 100);
        store.replace(b, vec![5.0]);
        assert_eq!(store.read(b), [5.0]);
        assert!(store.info(b.id()).floats && !store.info(a.id()).floats);
    }

    #[test]
    fn only_written_states_are_swapped() {
        let mut store = Store::new();
        let (x, x_next) = store.create_state("x", ObjectId(0), vec![1.0]);
        let (v, v_next) = store.create_state("v", ObjectId(0), vec![2.0]);
        store.write(x_next)[0] = 10.0;
        store.write(v_next)[0] = 20.0;
        store.mark_written(&[x_next.id()]);
        store.swap_states();
        assert_eq!((store.read(x)[0], store.read(v)[0]), (10.0, 2.0));
        store.swap_states();
        assert_eq!(store.read(x)[0], 10.0);
    }

    #[test]
    fn a_snapshot_brings_the_state_back() {
        let mut store = Store::new();
        let (x, _) = store.create_state("x", ObjectId(0), vec![1.0, 2.0]);
        let snapshot = store.snapshot();
        store.write(x).fill(0.0);
        store.restore(&snapshot);
        assert_eq!(store.read(x), [1.0, 2.0]);
    }

    #[test]
    fn a_snapshot_brings_back_a_state_that_was_longer() {
        let mut store = Store::new();
        let (x, x_next) = store.create_state("x", ObjectId(0), Vec::new());
        store.replace(x, vec![1.0; 40]);
        let snapshot = store.snapshot();
        store.mark_written(&[x_next.id()]);
        store.swap_states();
        assert!(store.read(x).is_empty());
        store.restore(&snapshot);
        assert_eq!(store.read(x), [1.0; 40]);
        store.replace(x, vec![2.0; 100]);
        assert_eq!((store.read(x)[99], store.read(x).as_ptr() as usize % ALIGN), (2.0, 0));
    }

    #[test]
    fn contiguous_buffers_keep_their_values() {
        let mut store = Store::new();
        let many: Vec<_> =
            (0..5).map(|i| store.create("p", ObjectId(i), Role::Scratch, vec![f64::from(i)])).collect();
        let ids: Vec<_> = many.iter().map(|d| d.id()).collect();
        store.make_contiguous(&ids[..3]);
        store.make_contiguous(&ids);
        assert_eq!(store.blocks.len(), 1);
        for (i, d) in many.iter().enumerate() {
            assert_eq!(store.read(*d), [i as f64]);
        }
        store.replace(many[0], vec![7.0, 8.0]);
        assert_eq!(store.read(many[0]), [7.0, 8.0]);
        assert_eq!(store.first_non_finite(ids[0]), None);
        store.write(many[0])[1] = f64::NAN;
        assert_eq!(store.first_non_finite(ids[0]), Some(1));
    }

    #[test]
    #[should_panic(expected = "a handle of another store")]
    fn handles_of_another_type_are_refused() {
        let mut store = Store::new();
        let mut other = Store::new();
        let a = other.create("a", ObjectId(0), Role::Scratch, vec![1u8]);
        store.create("b", ObjectId(0), Role::Scratch, vec![1.0]);
        store.read(a);
    }
}
