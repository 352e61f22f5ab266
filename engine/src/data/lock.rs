//! Tasks that must never run together, in whatever order.
#![allow(unsafe_code, reason = "accesses build their parameters by an unsafe method")]

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::access::{Access, AccessKind, Binder};
use super::op::Ctx;
use super::store::Store;

/// Something that one task at a time may use, whichever comes first.
///
/// What such tasks compute must not depend on their order: executors differ in it, and so do runs. Where it matters, see
/// [`exclusive`](super::exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lock(usize);

impl Store {
    /// A new lock, which lives as long as the store.
    pub fn lock(&mut self) -> Lock {
        Lock(self.add_lock(Arc::new(Mutex::new(()))))
    }
}

/// Access to a [`Lock`]: the kernel receives a [`Held`], and runs with no other task of the lock.
#[derive(Clone, Copy)]
pub struct Locked {
    index: usize,
    mutex: NonNull<Mutex<()>>,
}
// SAFETY: it leads to a mutex, which is made to be shared, and which the keeper of the task's table keeps alive.
unsafe impl Send for Locked {}
// SAFETY: as above.
unsafe impl Sync for Locked {}

/// Asks for a lock; a task asks for one at most. A joint task that asks for one is never mirrored.
pub fn locked(lock: Lock) -> Locked {
    Locked { index: lock.0, mutex: NonNull::dangling() }
}

/// The lock is held as long as this lives.
#[derive(Debug)]
pub struct Held<'a>(#[allow(dead_code, reason = "holds the lock")] MutexGuard<'a, ()>);

impl Access for Locked {
    type Param<'a> = Held<'a>;
    fn bind(&mut self, binder: &mut Binder<'_>) {
        self.mutex = NonNull::from(binder.lock(self.index).expect("a lock of another store"));
        binder.other(AccessKind::Lock, self.index as u32);
    }
    #[inline(always)]
    unsafe fn get<'a, const DIRECT: bool>(&'a self, _: &'a Ctx) -> Held<'a> {
        // SAFETY: bound: the mutex lives as long as the task's table keeps it.
        let mutex = unsafe { self.mutex.as_ref() };
        // A kernel that panicked has ended its run; the lock guards no data.
        Held(mutex.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
