//! The access to a buffer whose length changes.
#![allow(unsafe_code, reason = "parameters are built from slots; the plan orders conflicting tasks")]

use std::marker::PhantomData;

use super::access::{Access, AccessKind, Binder, Target};
use super::handle::{Data, Datum};
use super::op::Ctx;
use super::store::{Slot, grow_slot};

/// Changes a buffer's contents and length: the kernel receives a [`GrowList`].
#[derive(Clone, Copy)]
pub struct Grow<T>(Target<T>);

/// Changes a buffer's contents and length: the kernel receives a [`GrowList`].
pub fn grow<T: Datum>(data: Data<T>) -> Grow<T> {
    Grow(Target::of(data))
}

impl<T: Datum> Access for Grow<T> {
    type Param<'a> = GrowList<'a, T>;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.0 = binder.data(self.0, AccessKind::Grow);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> GrowList<'a, T> {
        GrowList { slot: self.0.0, kind: PhantomData }
    }
}

/// A buffer as a list that keeps its high-water capacity, so that it stops allocating.
pub struct GrowList<'a, T> {
    pub(super) slot: *mut Slot,
    pub(super) kind: PhantomData<&'a mut [T]>,
}

impl<T: Datum> GrowList<'_, T> {
    /// Removes all elements.
    #[inline(always)]
    pub fn clear(&mut self) {
        // SAFETY: this parameter is exclusive access to the slot (contract of `Access::get`).
        unsafe { (*self.slot).len = 0 }
    }

    /// Appends an element.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        // SAFETY: exclusive access to the slot; room is made before the write.
        unsafe {
            let len = (*self.slot).len;
            if len == (*self.slot).capacity {
                grow_slot::<T>(self.slot, (2 * len).max(64));
            }
            (*self.slot).ptr.cast::<T>().add(len).write(value);
            (*self.slot).len = len + 1;
        }
    }

    /// Appends elements.
    pub fn extend_from_slice(&mut self, values: &[T]) {
        for &value in values {
            self.push(value);
        }
    }

    /// Shortens the list to `len` elements.
    pub fn truncate(&mut self, len: usize) {
        // SAFETY: exclusive access to the slot.
        unsafe { (*self.slot).len = (*self.slot).len.min(len) }
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: exclusive access to the slot, of which `len` elements are initialized.
        unsafe { std::slice::from_raw_parts((*self.slot).ptr.cast(), (*self.slot).len) }
    }

    /// The elements, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut((*self.slot).ptr.cast(), (*self.slot).len) }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
