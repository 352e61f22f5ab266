//! Accesses to any number of buffers.
#![allow(unsafe_code, reason = "parameters are built from slots; the plan orders conflicting tasks")]

use std::any::TypeId;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use super::access::{Access, Binder};
use super::handle::{Data, DataId, Datum};
use super::op::Ctx;
use super::store::{Slot, Store};

/// The slots of a list, at a stable address.
pub(crate) struct ListOfSlots {
    ids: Vec<DataId>,
    element: TypeId,
    slots: Box<[*mut Slot]>,
}
// SAFETY: slots are reached only inside `Access::get`, whose contract orders conflicting tasks.
unsafe impl Send for ListOfSlots {}
// SAFETY: as above.
unsafe impl Sync for ListOfSlots {}

/// Some buffers of one element type, in an order of the caller's; it lives as long as its store.
#[derive(Debug)]
pub struct DataList<T> {
    index: usize,
    kind: PhantomData<fn() -> T>,
}

impl<T> Clone for DataList<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DataList<T> {}

impl Store {
    /// A list of buffers, to be read as one; equal lists share their memory.
    ///
    /// # Panics
    /// If a handle is of another store.
    pub fn list<T: Datum>(&mut self, buffers: &[Data<T>]) -> DataList<T> {
        let ids: Vec<DataId> = buffers.iter().map(|b| b.id()).collect();
        let element = TypeId::of::<T>();
        for &id in &ids {
            assert!(self.is_of_type::<T>(id), "a handle of another store: number {id}");
        }
        if let Some(&index) = self.known_lists().get(&ids)
            && self.lists()[index].element == element
        {
            return DataList { index, kind: PhantomData };
        }
        let slots = ids.iter().map(|&id| self.slot(id)).collect();
        let next = self.lists().len();
        self.known_lists().insert(ids.clone(), next);
        let index = self.add_list(Arc::new(ListOfSlots { ids, element, slots }));
        DataList { index, kind: PhantomData }
    }
}

/// Reads all buffers of a list: the kernel receives [`Many`]. It stands last in the tuple of accesses.
#[derive(Clone, Copy)]
pub struct ReadAll<T> {
    index: usize,
    slots: NonNull<[*mut Slot]>,
    kind: PhantomData<fn() -> T>,
}
// SAFETY: as for `ListOfSlots`, which the keeper of the task's table keeps alive.
unsafe impl<T> Send for ReadAll<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for ReadAll<T> {}

/// Reads all buffers of a list: the kernel receives [`Many`]. It stands last in the tuple of accesses.
pub fn read_all<T: Datum>(list: DataList<T>) -> ReadAll<T> {
    ReadAll { index: list.index, slots: NonNull::from(&mut []), kind: PhantomData }
}

impl<T: Datum> Access for ReadAll<T> {
    type Param<'a> = Many<'a, T>;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        let list = binder.list(self.index).filter(|l| l.element == TypeId::of::<T>());
        let list = list.expect("a list of another store");
        binder.listed(&list.ids);
        self.slots = NonNull::from(&*list.slots);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Many<'a, T> {
        // SAFETY: bound: the list lives as long as the task's table keeps it.
        Many { slots: unsafe { self.slots.as_ref() }, kind: PhantomData }
    }
}

/// The buffers of a list, to be read.
#[derive(Clone, Copy, Debug)]
pub struct Many<'a, T> {
    slots: &'a [*mut Slot],
    kind: PhantomData<&'a [T]>,
}

impl<'a, T: Datum> Many<'a, T> {
    /// Number of buffers.
    pub fn len(self) -> usize {
        self.slots.len()
    }

    /// Whether there is no buffer.
    pub fn is_empty(self) -> bool {
        self.slots.is_empty()
    }

    /// The contents of a buffer.
    ///
    /// # Panics
    /// If there is no buffer of this number.
    #[inline(always)]
    pub fn get(self, k: usize) -> &'a [T] {
        let slot = self.slots[k];
        // SAFETY: the contract of `Access::get`: no task writes the slot meanwhile; it holds `len` elements of the type that
        // binding checked.
        unsafe { std::slice::from_raw_parts((*slot).ptr.cast(), (*slot).len) }
    }

    /// The contents of all buffers, in the order of the list.
    pub fn iter(self) -> impl Iterator<Item = &'a [T]> {
        (0..self.len()).map(move |k| self.get(k))
    }
}
