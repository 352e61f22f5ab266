//! Work that takes longer than a step, done beside the steps.
//!
//! A result is taken in a number of steps after its work began that the caller states, whether it was there long before or is
//! still to be waited for. So what is computed depends on the number of steps alone, never on time, and has the same bits
//! on every machine. A factorization that serves as a preconditioner until the next one is done is such work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use engine::exec::RunFailure;

type Job = Box<dyn FnOnce() + Send>;

/// A thread for such work; jobs are done in the order in which they came.
#[derive(Debug)]
pub struct Background {
    /// None ends the thread, or there is none.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// Work that was begun.
#[derive(Debug)]
pub struct Pending<T> {
    due: u64,
    result: Receiver<Result<T, String>>,
}

/// Why there is no result: what the job said when it panicked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("work in the background failed: {0}")]
pub struct BackgroundFailure(pub String);

impl Default for Background {
    fn default() -> Self {
        Self::new()
    }
}

impl Background {
    /// Starts the thread. Where the system gives none, jobs are done when they are begun.
    pub fn new() -> Self {
        let (jobs, todo) = channel::<Job>();
        let serve = move || todo.into_iter().for_each(|job| job());
        match std::thread::Builder::new().name("weft background".into()).spawn(serve) {
            Ok(thread) => Self { jobs: Some(jobs), thread: Some(thread) },
            Err(error) => {
                log::warn!("no thread for work in the background: {error}");
                Self { jobs: None, thread: None }
            }
        }
    }

    /// Begins a job at a step; its result is due `n_steps` later.
    pub fn begin<T: Send + 'static>(
        &self,
        step: u64,
        n_steps: u32,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Pending<T> {
        let (done, result) = channel();
        let job: Job = Box::new(move || {
            let outcome = catch_unwind(AssertUnwindSafe(job));
            // Nobody may want it any more.
            let _ = done.send(outcome.map_err(|payload| RunFailure::panic_message(&*payload)));
        });
        let left = match &self.jobs {
            Some(jobs) => jobs.send(job).err().map(|unsent| unsent.0),
            None => Some(job),
        };
        if let Some(job) = left {
            job();
        }
        Pending { due: step + u64::from(n_steps), result }
    }
}

impl<T> Pending<T> {
    /// Whether the result is to be taken at a step.
    pub fn is_due(&self, step: u64) -> bool {
        step >= self.due
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// If the job panicked.
    pub fn take(self) -> Result<T, BackgroundFailure> {
        let result = self.result.recv().unwrap_or_else(|_| Err("its thread is gone".into()));
        result.map_err(BackgroundFailure)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // It ends without a panic: those of jobs are caught.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_after_the_stated_steps_however_long_they_took() {
        let background = Background::new();
        for wait_ms in [0, 20] {
            let mut taken = Vec::new();
            let mut pending: Option<Pending<u64>> = None;
            for step in 0..10 {
                if let Some(done) = pending.take_if(|p| p.is_due(step)) {
                    taken.push((step, done.take().unwrap()));
                }
                pending.get_or_insert_with(|| {
                    background.begin(step, 3, move || {
                        std::thread::sleep(Duration::from_millis(wait_ms));
                        step * step
                    })
                });
            }
            assert_eq!(taken, [(3, 0), (6, 9), (9, 36)]);
        }
    }

    #[test]
    fn a_job_that_panics_says_what_and_the_next_one_is_done() {
        let background = Background::new();
        let failing = background.begin(0, 1, || -> u32 { panic!("singular") });
        let next = background.begin(0, 1, || 7);
        assert_eq!(failing.take(), Err(BackgroundFailure("singular".into())));
        assert_eq!(next.take(), Ok(7));
    }
}
