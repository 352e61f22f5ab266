//! A team of threads that runs one job after the other; the caller's thread is its first member.
#![allow(unsafe_code, reason = "a job is borrowed by the team's threads for the length of a run")]

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::affinity;
use crate::options::Options;
use crate::pace::{Pace, PlanTime};
use crate::sync::{StartLine, Thread};

/// What a team runs: called once per thread with the thread's number.
pub(crate) type Job<'a> = &'a (dyn Fn(usize) + Sync);

/// What the first thread said that left a job by a panic.
pub(crate) type Panicked = Box<dyn Any + Send>;

struct Shared {
    line: StartLine,
    panicked: Mutex<Option<Panicked>>,
    /// The present job; `None` ends the threads.
    job: UnsafeCell<Option<Job<'static>>>,
}
// SAFETY: `job` is written by the caller while all threads are at the start line (`run` waits for all to finish), and
// read by threads after `StartLine::wait`, which orders both.
unsafe impl Sync for Shared {}

/// The caller's thread and some more.
pub(crate) struct Team {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    handles: Vec<Thread>,
    run: u64,
    /// The core that the caller's thread is pinned to, if it is.
    home: Option<usize>,
    /// The cores that the caller's thread could use before it was pinned; none if it was not.
    unpinned: Vec<usize>,
    /// Chooses between all threads and one, unless all are asked for.
    pace: Option<Pace>,
}

impl Team {
    pub fn new(options: &Options) -> Self {
        let n = options.n_threads();
        let cores = if options.pin { options.pinned_cores() } else { Vec::new() };
        let shared = Arc::new(Shared {
            line: StartLine::new(n - 1),
            panicked: Mutex::new(None),
            job: UnsafeCell::new(None),
        });
        let poll = Duration::from_micros(options.spin_us);
        let spawn = |me: usize| {
            let (shared, core) = (shared.clone(), cores.get(me + 1).copied());
            let body = move || {
                let pinned = core.is_some_and(|core| affinity::pin_to(&[core]));
                if core.is_some() && !pinned {
                    log::warn!("worker thread {} could not be pinned", me + 1);
                }
                serve(&shared, me, poll);
            };
            std::thread::Builder::new().name(format!("weft worker {}", me + 1)).spawn(body)
        };
        // Fewer threads are no error: each runs several streams.
        let threads: Vec<_> = (0..n - 1).map_while(|me| spawn(me).ok()).collect();
        if let Some(&first) = cores.first() {
            affinity::pin_to(&[first]);
        }
        let handles = threads.iter().map(|t| t.thread().clone()).collect();
        let home = cores.first().copied();
        let unpinned = if cores.is_empty() { Vec::new() } else { affinity::allowed_cores() };
        let pace = (options.adapt && !threads.is_empty()).then(Pace::default);
        Self { shared, threads, handles, run: 0, home, unpinned, pace }
    }

    /// Number of threads, the caller's included.
    pub fn len(&self) -> usize {
        self.threads.len() + 1
    }

    /// Number of threads that [`Self::run_active`] runs a job on: all, or the caller's alone.
    pub fn n_active(&self) -> usize {
        if self.pace.as_ref().is_some_and(Pace::is_alone) { 1 } else { self.len() }
    }

    /// Notes how long a job took, and how long all threads together worked for it [ns]; what is best for the next one
    /// may change.
    pub fn book(&mut self, plan: &mut PlanTime, wall_ns: u64, work_ns: u64) {
        let before = self.n_active();
        if let Some(pace) = &mut self.pace {
            pace.book(plan, wall_ns, work_ns);
        }
        let after = self.n_active();
        if after == before {
            return;
        }
        log::debug!("from here on, {after} of {} threads run all workers: that is faster", self.len());
        // Alone, the caller's thread may evade the program that uses its core.
        if let Some(home) = &self.home {
            affinity::pin_to(if after == 1 { &self.unpinned } else { std::slice::from_ref(home) });
        }
    }

    /// Runs a job on [`Self::n_active`] threads and waits until all have left it. A job whose threads wait for each other
    /// must tell the others when one of them unwinds: see [`Poison::guard`](crate::sync::Poison::guard).
    ///
    /// # Errors
    /// What the first thread said that left the job by a panic.
    pub fn run_active(&mut self, job: Job<'_>) -> Result<(), Panicked> {
        if self.n_active() == 1 { catch_unwind(AssertUnwindSafe(|| job(0))) } else { self.run(job) }
    }

    /// Runs a job on all threads and waits until all have left it.
    ///
    /// # Errors
    /// As [`Self::run_active`].
    fn run(&mut self, job: Job<'_>) -> Result<(), Panicked> {
        self.run += 1;
        // SAFETY: lifetime only: `wait_all` returns after every thread has left the job. All threads are at the start
        // line, so nobody reads the cell.
        unsafe { *self.shared.job.get() = Some(std::mem::transmute::<Job<'_>, Job<'static>>(job)) };
        self.shared.line.start(self.run, &self.handles);
        // The other threads still use what the job borrows: this one does not leave before they have.
        self.shared.take_part(job, 0);
        self.shared.line.wait_all(self.run, self.threads.len());
        let panicked = self.shared.panicked.lock().unwrap_or_else(PoisonError::into_inner).take();
        panicked.map_or(Ok(()), Err)
    }

    /// Runs a job on all threads, active or not, each on its own core: a panic of any thread goes on in the caller's, when all
    /// have finished.
    pub fn run_at_home(&mut self, job: Job<'_>) {
        let away = self.home.filter(|_| self.n_active() == 1);
        if let Some(home) = away {
            affinity::pin_to(&[home]);
        }
        let outcome = self.run(job);
        if away.is_some() {
            affinity::pin_to(&self.unpinned);
        }
        if let Err(payload) = outcome {
            resume_unwind(payload);
        }
    }
}

impl Shared {
    /// One thread's part of a job; however it ends, the thread lives on.
    fn take_part(&self, job: Job<'_>, thread: usize) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| job(thread))) {
            self.panicked.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(payload);
        }
    }
}

fn serve(shared: &Shared, me: usize, poll: Duration) {
    let mut last = 0;
    loop {
        let mut since = None;
        let mut polls = 0u32;
        last = shared.line.wait(me, last, || {
            polls += 1;
            if !polls.is_multiple_of(64) {
                return !poll.is_zero();
            }
            since.get_or_insert_with(Instant::now).elapsed() < poll
        });
        // SAFETY: written before the start that `wait` has seen, and not again before this thread finishes.
        let Some(job) = (unsafe { *shared.job.get() }) else { return };
        shared.take_part(job, me + 1);
        shared.line.finish(me, last);
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        // SAFETY: all threads are at the start line.
        unsafe { *self.shared.job.get() = None };
        self.run += 1;
        self.shared.line.start(self.run, &self.handles);
        for thread in self.threads.drain(..) {
            // A thread ends without a panic: those of jobs are caught.
            let _ = thread.join();
        }
        if !self.unpinned.is_empty() {
            affinity::pin_to(&self.unpinned);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::sync::{Poison, Progress};

    #[test]
    fn a_team_that_rests_still_runs_on_all_threads_what_must() {
        let mut team = Team::new(&Options { adapt: true, ..Options::new(2) });
        let mut plan = PlanTime::default();
        // Every run takes ten times its work.
        let rests = (0..1000).any(|_| {
            team.book(&mut plan, 10_000_000, 1_000_000);
            team.n_active() == 1
        });
        assert!(rests);
        let seen = Mutex::new(Vec::new());
        let job = |thread: usize| seen.lock().unwrap().push(thread);
        team.run_active(&job).unwrap();
        assert_eq!(*seen.lock().unwrap(), [0]);
        team.run_at_home(&job);
        assert_eq!(seen.lock().unwrap().len(), 1 + team.len());
    }

    /// One thread unwinds while another waits for what it would have published: all leave, whichever it is, and the team
    /// runs on.
    #[test]
    fn a_thread_that_unwinds_takes_nobody_along() {
        let mut team = Team::new(&Options { adapt: false, ..Options::new(2) });
        if team.len() < 2 {
            return; // one core
        }
        for unwinding in [0, 1] {
            let (poison, word) = (Poison::default(), Progress::default());
            let job = |thread: usize| {
                let guard = poison.guard();
                assert!(thread != unwinding, "thread {thread} fails");
                while word.seen() < 1 && !poison.is_set() {
                    std::thread::yield_now();
                }
                guard.done();
            };
            let payload = team.run_active(&job).unwrap_err();
            let said = payload.downcast_ref::<String>().map(String::as_str);
            assert_eq!(said, Some(&*format!("thread {unwinding} fails")));
            assert!(poison.is_set());
            team.run_active(&|_| {}).unwrap();
        }
    }
}
