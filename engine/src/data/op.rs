//! Ops: what replay touches of a task.
#![allow(unsafe_code, reason = "runs kernels by address; what holds them outlives them")]

use super::arena::{EnvArena, EnvLayout};
use super::dot::DotList;

/// What every call receives: where scalars, step parameters and dot products of this worker and group are.
#[derive(Debug)]
pub struct Ctx {
    pub(crate) bank: *mut u64,
    pub(crate) params: *const u64,
    pub(crate) dots: *const DotList,
}

/// Calls a kernel: its environment, its context.
pub type CallFn = unsafe fn(*const u8, *const Ctx);

/// What replay touches of a task, beside its environment.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub(super) call: CallFn,
    pub(super) env: *const u8,
}
// SAFETY: the environment is `Send + Sync` (bounds of `Accesses` and of kernels) and outlives its ops with its arena.
unsafe impl Send for Op {}
// SAFETY: as above.
unsafe impl Sync for Op {}

impl Op {
    /// Gives the environment of an op back to its arena.
    ///
    /// # Safety
    /// The op was made in this arena for a task of this layout, and is never run again.
    pub unsafe fn release(self, arena: &mut EnvArena, layout: EnvLayout) {
        arena.release(self.env, layout.0);
    }

    /// An op of the executor's own, such as one around another op.
    ///
    /// # Safety
    /// `env` outlives the op and may be used by any thread, and `call` may be called with it under the contract of
    /// [`Op::run`].
    pub unsafe fn new(call: CallFn, env: *const u8) -> Self {
        Self { call, env }
    }

    /// Runs the task.
    ///
    /// # Safety
    /// The arena and the store live, `ctx` is that of this op's group, no conflicting task runs meanwhile.
    #[inline(always)]
    pub unsafe fn run(&self, ctx: *const Ctx) {
        // SAFETY: the caller's promise.
        unsafe { (self.call)(self.env, ctx) }
    }
}
