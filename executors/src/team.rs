//! A team of threads that runs one job after the other; the caller's thread is its first member.
#![allow(unsafe_code, reason = "a job is borrowed by the team's threads for the length of a run")]

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::affinity;
use crate::affinity::cpu_time;
use crate::options::Options;
use crate::pace::Pace;
use crate::sync::{AtWork, AtomicU64, Ordering, StartLine, Thread};

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
    /// Whether runs may be left to the caller's thread.
    adapts: bool,
    /// For tests: decides that instead of the plan's pace, at random.
    dice: Option<u64>,
    /// Since when it has run everything [ns of runs].
    alone_ns: u64,
    /// Whether it is not at its core, so that it can evade the program that uses it.
    is_away: bool,
}

/// Runs that take so long are run alone before the caller's thread leaves its core [ns]: short plans that are run alone
/// between long ones are no reason.
const AWAY_AFTER_NS: u64 = 20_000_000;

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
        let adapts = options.adapt && !threads.is_empty();
        let dice = options.switch_seed.map(|seed| seed | 1);
        Self { shared, threads, handles, run: 0, home, unpinned, adapts, dice, alone_ns: 0, is_away: false }
    }

    /// Number of threads, the caller's included.
    pub fn len(&self) -> usize {
        self.threads.len() + 1
    }

    /// Number of threads that [`Self::run_paced`] runs a job on: all, or the caller's alone; without a pace all.
    pub fn n_active(&self, pace: Option<&Pace>) -> usize {
        let Some(pace) = pace else { return self.len() };
        let is_alone = self.adapts && self.dice.map_or(pace.is_alone(), |dice| dice & 4 > 0);
        if is_alone { 1 } else { self.len() }
    }

    /// Runs a job on [`Self::n_active`] threads and waits until all have left it. The job returns how long its thread was
    /// busy, in ticks of a clock, of which `tick_ns` tells the length [ns]. A job whose threads wait for each other must tell
    /// the others when one of them unwinds: see [`Poison::guard`](crate::sync::Poison::guard). If the pace looks, returns how
    /// long all threads together worked [ns]: no more than they were busy, and no more than they had a core.
    ///
    /// # Errors
    /// What the first thread said that left the job by a panic.
    pub fn run_paced(
        &mut self,
        pace: Option<&Pace>,
        tick_ns: &(dyn Fn() -> f64 + Sync),
        job: &(dyn Fn(usize) -> u64 + Sync),
    ) -> Result<Option<u64>, Panicked> {
        if self.n_active(pace) == 1 {
            return catch_unwind(AssertUnwindSafe(|| job(0))).map(|_| None);
        }
        if self.is_away {
            self.go_home();
        }
        if !self.adapts || !pace.is_some_and(Pace::looks) {
            self.run(&|thread| {
                job(thread);
            })?;
            return Ok(None);
        }
        let worked = AtomicU64::new(0);
        self.run(&|thread| {
            let before = cpu_time();
            let busy = (job(thread) as f64 * tick_ns()) as u64;
            let had = cpu_time().zip(before).map(|(now, before)| now - before);
            // Relaxed: the end of the run orders it.
            worked.fetch_add(had.map_or(busy, |had| busy.min(had)), Ordering::Relaxed);
        })?;
        Ok(Some(worked.load(Ordering::Relaxed)))
    }

    /// Notes how long a run took [ns], and what [`Self::run_paced`] returned; what is best for the plan's next run may
    /// change.
    pub fn book(&mut self, pace: &mut Pace, wall_ns: u64, work_ns: Option<u64>) {
        if !self.adapts {
            return;
        }
        let before = self.n_active(Some(pace));
        if let Some(dice) = &mut self.dice {
            *dice ^= *dice << 13;
            *dice ^= *dice >> 7;
            *dice ^= *dice << 17;
        }
        pace.book(wall_ns, work_ns);
        let after = self.n_active(Some(pace));
        if after != before {
            log::debug!("from here on, {after} of {} threads run this plan: that is faster", self.len());
        }
        self.alone_ns = if before == 1 { self.alone_ns + wall_ns } else { 0 };
        if self.alone_ns > AWAY_AFTER_NS && !self.is_away && self.home.is_some() {
            self.is_away = affinity::pin_to(&self.unpinned);
        }
    }

    fn go_home(&mut self) {
        if let Some(home) = self.home {
            affinity::pin_to(&[home]);
        }
        self.is_away = false;
    }

    /// Runs a job on all threads and waits until all have left it.
    ///
    /// # Errors
    /// As [`Self::run_paced`].
    fn run(&mut self, job: Job<'_>) -> Result<(), Panicked> {
        self.run += 1;
        let _at_work = AtWork::new(self.len());
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
        let was_away = self.is_away;
        if was_away {
            self.go_home();
        }
        let outcome = self.run(job);
        if was_away {
            self.is_away = affinity::pin_to(&self.unpinned);
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
        if team.len() == 1 {
            println!("SKIPPED: one core is all there is");
            return;
        }
        let (mut pace, other) = (Pace::default(), Pace::default());
        // Every run takes ten times its work.
        let rests = (0..1000).any(|_| {
            team.book(&mut pace, 10_000_000, Some(1_000_000));
            team.n_active(Some(&pace)) == 1
        });
        assert!(rests);
        let seen = Mutex::new(Vec::new());
        let job = |thread: usize| seen.lock().unwrap().push(thread);
        assert_eq!(team.run_paced(Some(&pace), &|| 1.0, &|thread| (job(thread), 0).1).unwrap(), None);
        assert_eq!(*seen.lock().unwrap(), [0]);
        team.run_at_home(&job);
        assert_eq!(seen.lock().unwrap().len(), 1 + team.len());
        team.run_paced(Some(&other), &|| 1.0, &|thread| (job(thread), 0).1).unwrap();
        assert_eq!(seen.lock().unwrap().len(), 1 + 2 * team.len(), "another plan's pace is its own");
    }

    #[test]
    fn work_is_no_more_than_threads_were_busy_and_had_a_core() {
        let mut team = Team::new(&Options { adapt: true, ..Options::new(2) });
        if team.len() == 1 {
            println!("SKIPPED: one core is all there is");
            return;
        }
        let pace = Pace::default();
        assert_eq!(team.run_paced(Some(&pace), &|| 1.0, &|_| 0).unwrap(), Some(0));
        if cpu_time().is_some() {
            // Threads that say that they were busy while they slept had no core.
            let slept = |_| {
                std::thread::sleep(Duration::from_millis(30));
                30_000_000
            };
            let worked = team.run_paced(Some(&pace), &|| 1.0, &slept).unwrap().expect("it looks");
            assert!(worked < 30_000_000, "{worked} ns");
        }
    }

    #[test]
    fn a_team_that_does_not_adapt_never_rests() {
        let mut team = Team::new(&Options { adapt: false, ..Options::new(2) });
        let mut pace = Pace::default();
        for _ in 0..1000 {
            team.book(&mut pace, 10_000_000, Some(1_000_000));
        }
        assert_eq!(team.n_active(Some(&pace)), team.len());
        assert_eq!(team.run_paced(Some(&pace), &|| 1.0, &|_| 7).unwrap(), None);
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
                0
            };
            let pace = Pace::default();
            let payload = team.run_paced(Some(&pace), &|| 1.0, &job).unwrap_err();
            let said = payload.downcast_ref::<String>().map(String::as_str);
            assert_eq!(said, Some(&*format!("thread {unwinding} fails")));
            assert!(poison.is_set());
            team.run_paced(Some(&pace), &|| 1.0, &|_| 0).unwrap();
        }
    }
}
