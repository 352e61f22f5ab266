//! The access that adds to a buffer: in place, into a log, or nowhere.
#![allow(unsafe_code, reason = "parameters are built from slots; the plan orders conflicting tasks")]

use std::marker::PhantomData;
use std::ops::AddAssign;

use super::access::{Access, AccessKind, Binder, Target};
use super::addition::{AddOps, LogEntry, Retarget};
use super::grow::GrowList;
use super::handle::{Data, Datum};
use super::op::Ctx;

/// Adds to a buffer: the kernel receives an [`Adder`].
#[derive(Clone, Copy)]
pub struct Accumulate<T> {
    target: Target<T>,
    mode: AddMode,
}

#[derive(Clone, Copy)]
enum AddMode {
    Direct,
    Discard,
    Log,
}

/// Adds to a buffer: the kernel receives an [`Adder`]. The value of the buffer is that of doing every single
/// addition in recorded order, wherever the task runs.
pub fn accumulate<T: Datum + AddAssign>(data: Data<T>) -> Accumulate<T> {
    Accumulate { target: Target::of(data), mode: AddMode::Direct }
}

impl<T: Datum + AddAssign> Access for Accumulate<T> {
    type Param<'a> = Adder<'a, T>;
    const ADDS: bool = true;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        // What is a log afterwards has other elements.
        *self = Self { target: binder.data(self.target, AccessKind::Accumulate), mode: AddMode::Direct };
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Adder<'a, T> {
        if DIRECT {
            // SAFETY: the contract of `get`.
            return Adder(Way::Direct(unsafe { self.target.exclusive() }));
        }
        Adder(match self.mode {
            // SAFETY: the contract of `get`.
            AddMode::Direct => Way::Direct(unsafe { self.target.exclusive() }),
            AddMode::Discard => Way::Discard,
            AddMode::Log => {
                let mut list = GrowList { slot: self.target.0, kind: PhantomData };
                list.clear();
                Way::Log(list)
            }
        })
    }
    #[inline(always)]
    unsafe fn skip(&self) {
        if let AddMode::Log = self.mode {
            // SAFETY: the log is this task's alone.
            unsafe { (*self.target.0).len = 0 }
        }
    }
    fn retarget(&mut self, to: Retarget) {
        match to {
            Retarget::Direct => self.mode = AddMode::Direct,
            Retarget::Discard => {
                *self = Self { target: Target(std::ptr::null_mut(), PhantomData), mode: AddMode::Discard }
            }
            Retarget::Log(slot) => *self = Self { target: Target(slot, PhantomData), mode: AddMode::Log },
        }
    }
    fn add_ops() -> Option<AddOps> {
        Some(AddOps::of::<T>())
    }
}

/// Write-only access to a buffer that several tasks add to.
pub struct Adder<'a, T>(Way<'a, T>);

enum Way<'a, T> {
    Direct(&'a mut [T]),
    Discard,
    Log(GrowList<'a, LogEntry<T>>),
}

impl<'a, T: Datum + AddAssign> Adder<'a, T> {
    /// An adder in place, for those who call kernels themselves (tests, sequential tools).
    pub fn direct(target: &'a mut [T]) -> Self {
        Self(Way::Direct(target))
    }

    /// An adder that drops what it is given: for a side that another solver, or none, moves.
    pub fn discard() -> Self {
        Self(Way::Discard)
    }

    /// `target[index] += value`.
    #[inline(always)]
    pub fn add(&mut self, index: usize, value: T) {
        match &mut self.0 {
            Way::Direct(target) => target[index] += value,
            Way::Discard => {}
            Way::Log(log) => log.push(LogEntry { index: index as u32, value }),
        }
    }
}
