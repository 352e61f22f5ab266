//! Where who does a piece of work beside the steps meets who needs it.

use std::sync::PoisonError;

use crate::sync::{Condvar, Mutex, MutexGuard};

/// How far a piece of work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// There is none.
    Idle,
    /// Whoever comes first does it.
    Offered,
    /// One thread does it.
    Running {
        /// Whether its result is still wanted.
        wanted: bool,
    },
    /// Its result is there.
    Over,
}

/// The meeting place of one piece of work: its owner offers it, one thread does it, others wait until it is over.
///
/// Who waits for work that nobody has begun does it. So nobody waits for a thread that is not there, or that has much
/// to do.
#[derive(Debug)]
pub struct Meeting {
    phase: Mutex<Phase>,
    /// Whether a thread was asked to come that has not come yet.
    is_asked: Mutex<bool>,
    /// Told when work is over.
    over: Condvar,
}

impl Default for Meeting {
    fn default() -> Self {
        Self { phase: Mutex::new(Phase::Idle), is_asked: Mutex::new(false), over: Condvar::new() }
    }
}

impl Meeting {
    fn phase(&self) -> MutexGuard<'_, Phase> {
        // Nothing panics while the lock is held.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers work. What it reads was written before, and nobody does the work that was offered last.
    pub fn offer(&self) {
        *self.phase() = Phase::Offered;
    }

    /// Says that a thread is asked to come; whether none was asked that has not come yet. Work that was taken by others before the thread
    /// came, and offered again, waits for the same thread: it is asked once.
    pub fn ask(&self) -> bool {
        !std::mem::replace(&mut *self.is_asked(), true)
    }

    /// Says that the thread that was asked has come. What is offered from now on may need another one.
    pub fn come(&self) {
        *self.is_asked() = false;
    }

    fn is_asked(&self) -> MutexGuard<'_, bool> {
        // Nothing panics while the lock is held.
        self.is_asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the work that is offered, if it still is; who takes it calls [`Self::finish`].
    pub fn claim(&self) -> bool {
        let mut phase = self.phase();
        let is_offered = *phase == Phase::Offered;
        if is_offered {
            *phase = Phase::Running { wanted: true };
        }
        is_offered
    }

    /// Says that the work that was taken is over.
    pub fn finish(&self) {
        *self.phase() = Phase::Over;
        self.over.notify_all();
    }

    /// Whether the work that was offered last is over.
    pub fn is_over(&self) -> bool {
        *self.phase() == Phase::Over
    }

    /// Whether the work that runs should go on.
    pub fn is_wanted(&self) -> bool {
        *self.phase() == Phase::Running { wanted: true }
    }

    /// Waits until the work is over. If nobody has begun it, `work` does it here.
    pub fn attend(&self, work: impl FnOnce()) {
        if self.claim() {
            work();
            self.finish();
            return;
        }
        let mut phase = self.phase();
        while let Phase::Running { .. } = *phase {
            phase = self.over.wait(phase).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes the work back: nobody does it afterwards. Waits for who does it now, who is told that it is not wanted.
    pub fn withdraw(&self) {
        let mut phase = self.phase();
        while let Phase::Running { .. } = *phase {
            *phase = Phase::Running { wanted: false };
            phase = self.over.wait(phase).unwrap_or_else(PoisonError::into_inner);
        }
        *phase = Phase::Idle;
    }

    /// As [`Self::withdraw`], for an owner who goes: waits for nobody.
    pub fn abandon(&self) {
        let mut phase = self.phase();
        *phase = match *phase {
            Phase::Running { .. } => Phase::Running { wanted: false },
            Phase::Idle | Phase::Offered | Phase::Over => Phase::Idle,
        };
    }
}
