//! Where additions go, and how those that were logged are done in recorded order.
#![allow(unsafe_code, reason = "replays logs of a type that stands beside them")]

use std::any::TypeId;
use std::ops::AddAssign;

use super::handle::{DataId, Datum};
use super::op::{CallFn, Ctx};
use super::store::{Slot, Store};

/// One logged addition.
#[derive(Clone, Copy, Debug)]
pub struct LogEntry<T> {
    /// Where.
    pub index: u32,
    /// What.
    pub value: T,
}

/// Where the additions of one access go, as an address.
#[derive(Clone, Copy, Debug)]
pub enum Retarget {
    /// In place.
    Direct,
    /// Nowhere: another worker computes the same and keeps them.
    Discard,
    /// Into the log in this slot.
    Log(*mut Slot),
}

/// How to log and replay additions to a buffer of some element type.
#[derive(Clone, Copy)]
pub struct AddOps {
    pub(super) element: TypeId,
    pub(super) log: fn(&mut Store, usize) -> DataId,
    pub(super) reduce: CallFn,
    pub(super) is_target: fn(&Store, DataId) -> bool,
}

impl AddOps {
    pub(crate) fn of<T: Datum + AddAssign>() -> Self {
        Self {
            element: TypeId::of::<T>(),
            log: |store, k| store.log::<LogEntry<T>>(k),
            reduce: reduce::<T>,
            is_target: |store, id| store.is_of_type::<T>(id),
        }
    }
}

/// Head of a reducer's environment; the addresses of the logs follow.
#[repr(C)]
pub(super) struct ReduceEnv {
    pub target: *mut Slot,
    pub n_logs: usize,
}

/// Replays logs in recorded order: `target[i] += v` for each entry.
unsafe fn reduce<T: Datum + AddAssign>(env: *const u8, _: *const Ctx) {
    // SAFETY: made by `Instances::reducer` for element type `T`; exclusive access as of any task's update.
    unsafe {
        let head = &*env.cast::<ReduceEnv>();
        let logs =
            std::slice::from_raw_parts(env.add(size_of::<ReduceEnv>()).cast::<*mut Slot>(), head.n_logs);
        let target = std::slice::from_raw_parts_mut((*head.target).ptr.cast::<T>(), (*head.target).len);
        for &log in logs {
            let entries = std::slice::from_raw_parts((*log).ptr.cast::<LogEntry<T>>(), (*log).len);
            for entry in entries {
                target[entry.index as usize] += entry.value;
            }
        }
    }
}
