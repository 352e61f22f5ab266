//! What computes a generation, here or on a thread beside.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::data::Store;
use engine::exec::{Beside, Job, Meeting, PlanId, RunFailure};

use crate::backend::Backend;

/// The tasks of a crowd with their data: whoever has them may run them.
pub(super) struct Work {
    pub store: Store,
    pub backend: Backend,
    /// None without models.
    pub plan: Option<PlanId>,
    /// How the last generation ended.
    pub outcome: Result<(), String>,
}

impl Work {
    /// Computes a generation.
    pub fn run(&mut self) {
        let Self { store, backend, plan, outcome } = self;
        let Some(plan) = *plan else {
            *outcome = Ok(());
            return;
        };
        let run = AssertUnwindSafe(|| backend.executor.run(plan, store));
        *outcome = match catch_unwind(run) {
            Ok(run) => run.map(drop).map_err(|e| e.to_string()),
            // Who waits for the generation would wait for ever.
            Err(payload) => Err(RunFailure::panic_message(&*payload)),
        };
    }
}

/// Where the work of a crowd is: here, or left for a thread beside.
pub(super) struct Desk {
    work: Option<Box<Work>>,
    handover: Arc<Handover>,
}

impl Desk {
    /// With work that is here.
    pub fn new(work: Work) -> Self {
        Self { work: Some(Box::new(work)), handover: Arc::default() }
    }

    /// The work, when it is here.
    ///
    /// # Panics
    /// If it was left, and not taken back.
    pub fn seen(&self) -> &Work {
        self.work.as_deref().expect("who leaves work takes it back")
    }

    /// The work; waits for who does it.
    pub fn here(&mut self) -> &mut Work {
        if self.work.is_none() {
            self.work = self.handover.take();
        }
        self.work.as_deref_mut().expect("work is here, or where it was left")
    }

    /// What runs the work, for another crowd.
    #[cfg(test)]
    pub fn into_backend(mut self) -> Backend {
        self.here();
        self.work.take().expect("it is here").backend
    }

    /// Another thread is beside from here on, which was told of nothing.
    pub fn meet(&mut self) {
        *self.handover.is_told() = false;
    }

    /// Leaves the work to a thread beside.
    pub fn leave(&mut self, to: &Arc<dyn Beside>) {
        *self.handover.work() = self.work.take();
        // Offered first: who is told of it then finds it, even where it was told of a work before and comes only now.
        self.handover.meeting.offer();
        if !std::mem::replace(&mut *self.handover.is_told(), true) {
            to.take_over(self.handover.clone());
        }
    }

    /// Whether work that was left is done.
    pub fn is_over(&self) -> bool {
        self.work.is_none() && self.handover.meeting.is_over()
    }

    /// The work, once a generation is computed: that which was left, or else one that is computed here and now.
    pub fn done(&mut self) -> &mut Work {
        if let Some(work) = &mut self.work {
            work.run();
        }
        self.here()
    }
}

/// Where a generation is computed while its host draws: the host leaves the work here, a thread beside does it, and the host takes it back.
/// If no thread has begun it by then, the host does it.
#[derive(Default)]
struct Handover {
    meeting: Meeting,
    work: Mutex<Option<Box<Work>>>,
    /// Whether the thread beside was told to come, and has not come yet: it is told once, however late it is.
    is_told: Mutex<bool>,
}

impl Handover {
    fn is_told(&self) -> MutexGuard<'_, bool> {
        self.is_told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) -> MutexGuard<'_, Option<Box<Work>>> {
        // Nothing panics while the lock is held.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the work back when it is done.
    fn take(&self) -> Option<Box<Work>> {
        self.meeting.attend(|| self.compute());
        self.work().take()
    }

    fn compute(&self) {
        if let Some(work) = &mut *self.work() {
            work.run();
        }
    }
}

impl Job for Handover {
    fn run(&self) {
        *self.is_told() = false;
        if self.meeting.claim() {
            self.compute();
            self.meeting.finish();
        }
    }
}
