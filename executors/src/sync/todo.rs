//! A queue that threads wait at.

use std::collections::VecDeque;
use std::sync::PoisonError;

use super::{Condvar, Mutex, MutexGuard};

/// Things to do, in the order in which they came, for threads that wait for them.
#[derive(Debug)]
pub struct Todo<T> {
    inner: Mutex<Inner<T>>,
    /// Told when something comes, and at the end.
    came: Condvar,
}

#[derive(Debug)]
struct Inner<T> {
    things: VecDeque<T>,
    is_closed: bool,
}

impl<T> Default for Todo<T> {
    fn default() -> Self {
        let inner = Inner { things: VecDeque::new(), is_closed: false };
        Self { inner: Mutex::new(inner), came: Condvar::new() }
    }
}

impl<T> Todo<T> {
    fn inner(&self) -> MutexGuard<'_, Inner<T>> {
        // Nothing panics while the lock is held but the queue's growth, which leaves it as it was.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds something; waits for nobody.
    pub fn push(&self, thing: T) {
        self.inner().things.push_back(thing);
        self.came.notify_one();
    }

    /// The next thing, waited for; nothing once the queue is closed, whatever is in it.
    pub fn next(&self) -> Option<T> {
        let mut inner = self.inner();
        loop {
            if inner.is_closed {
                return None;
            }
            if let Some(thing) = inner.things.pop_front() {
                return Some(thing);
            }
            inner = self.came.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Tells all who wait, and who will, to go home.
    pub fn close(&self) {
        self.inner().is_closed = true;
        self.came.notify_all();
    }
}
