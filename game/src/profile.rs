//! What workers did with their time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use animation::game::schedule::{Cycle, TaskInfo};

/// What a worker does.
///
/// **Source:** Zettersten 2010, section 3.1.4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// It waits for something to do.
    #[default]
    Idle,
    /// It looks for a task, or reports one.
    Search,
    /// It runs a task of the cycle.
    RunCycle,
    /// It runs a task that may last longer than cycles.
    RunLongTerm,
    /// It helps another worker with a loop.
    RunParallelFor,
    /// It has left.
    Exit,
}

/// How long a worker was in each state, and what it did. The main worker is between cycles what its host makes of it: that is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerProfile {
    /// Looking for tasks and reporting them.
    pub search: Duration,
    /// Running tasks of cycles.
    pub cycle_tasks: Duration,
    /// Running tasks that last longer.
    pub long_term: Duration,
    /// Helping with loops.
    pub parallel_for: Duration,
    /// Having nothing to do.
    pub idle: Duration,
    /// Tasks of cycles that it has run.
    pub n_cycle_tasks: u64,
    /// Tasks that last longer that it has begun.
    pub n_long_term: u64,
    /// How often it asked the supplier.
    pub n_queries: u64,
    /// How often it stole.
    pub n_thefts: u64,
}

impl WorkerProfile {
    /// All time together.
    pub fn total(&self) -> Duration {
        self.search + self.cycle_tasks + self.long_term + self.parallel_for + self.idle
    }

    fn of(&mut self, state: State) -> Option<&mut Duration> {
        Some(match state {
            State::Idle => &mut self.idle,
            State::Search => &mut self.search,
            State::RunCycle => &mut self.cycle_tasks,
            State::RunLongTerm => &mut self.long_term,
            State::RunParallelFor => &mut self.parallel_for,
            State::Exit => return None,
        })
    }
}

/// What all workers did with their time.
///
/// ```
/// use std::time::Duration;
/// use weft_game::{CycleScheduler, Options};
///
/// let mut scheduler = CycleScheduler::new(Options::new(2));
/// scheduler.cycle(Duration::ZERO)?;
/// let profile = scheduler.profile();
/// assert!(profile.cycles == 1 && profile.share(|worker| worker.search) <= 1.0);
/// # Ok::<(), weft_game::CycleFailure>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By worker, the main worker first.
    pub workers: Vec<WorkerProfile>,
    /// Number of cycles.
    pub cycles: u64,
    /// What they lasted, all together.
    pub cycle_time: Duration,
}

impl Profile {
    /// The share of a part of the time in that of all workers, from 0 to 1.
    pub fn share(&self, part: impl Fn(&WorkerProfile) -> Duration) -> f64 {
        let total: f64 = self.workers.iter().map(|worker| worker.total().as_secs_f64()).sum();
        let part: f64 = self.workers.iter().map(|worker| part(worker).as_secs_f64()).sum();
        if total > 0.0 { part / total } else { 0.0 }
    }

    /// What a cycle lasted on average.
    pub fn average_cycle(&self) -> Duration {
        self.cycle_time.checked_div(self.cycles as u32).unwrap_or_default()
    }
}

/// What is known of a cycle when it has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleReport {
    /// The cycle.
    pub cycle: Cycle,
    /// What it lasted.
    pub lasted: Duration,
    /// How many tasks of the cycle have run, all suppliers together.
    pub executed: u64,
    /// How many tasks wait for a later cycle, since they are locked to workers that are busy with tasks that last longer.
    pub postponed: usize,
}

/// What is known of a worker from outside.
#[derive(Debug, Default)]
pub(crate) struct Desk(Mutex<OnDesk>);

#[derive(Debug, Default)]
pub(crate) struct OnDesk {
    pub profile: WorkerProfile,
    pub state: State,
    pub since: Duration,
    /// What it runs, and the number of that execution.
    pub running: Option<(Arc<TaskInfo>, u64)>,
    /// Whether the main worker may help with loops of what it runs.
    pub main_helps: bool,
    /// Whether no cycle waits any more for what it runs.
    pub is_overdue: bool,
}

impl Desk {
    pub fn look(&self) -> MutexGuard<'_, OnDesk> {
        // Nothing panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes from one state to another, at a time; gives the state before.
    pub fn enter(&self, state: State, now: Duration) -> State {
        let mut desk = self.look();
        desk.pass(now);
        desk.running = None;
        std::mem::replace(&mut desk.state, state)
    }

    /// Begins to run a task.
    pub fn run(&self, info: Arc<TaskInfo>, serial: u64, is_long: bool, now: Duration) {
        let mut desk = self.look();
        desk.pass(now);
        desk.running = Some((info, serial));
        desk.main_helps = !is_long;
        if is_long {
            desk.state = State::RunLongTerm;
            desk.profile.n_long_term += 1;
        } else {
            desk.state = State::RunCycle;
            desk.profile.n_cycle_tasks += 1;
        }
    }

    /// Begins to help with a loop.
    pub fn help(&self, main_helps: bool, now: Duration) {
        self.enter(State::RunParallelFor, now);
        self.look().main_helps = main_helps;
    }

    /// Forgets what was, at a time.
    pub fn reset(&self, now: Duration) {
        let mut desk = self.look();
        (desk.profile, desk.since) = (WorkerProfile::default(), now);
    }

    /// What is known at a time, with what goes on.
    pub fn profile(&self, now: Duration) -> WorkerProfile {
        let desk = self.look();
        let mut profile = desk.profile;
        if let Some(part) = profile.of(desk.state) {
            *part += now.saturating_sub(desk.since);
        }
        profile
    }
}

impl OnDesk {
    fn pass(&mut self, now: Duration) {
        let (state, since) = (self.state, self.since);
        if let Some(part) = self.profile.of(state) {
            *part += now.saturating_sub(since);
        }
        self.since = now;
    }
}
