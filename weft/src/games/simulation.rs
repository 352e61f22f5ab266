//! A flocking game with a scheduler, cycle by cycle.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use animation::game::flock::{Flock, FlockError, FlockOptions, Key, Play, Propagation, Statistics};
use engine::data::Store;
use game::attributes::AttributeError;
use game::{Context, CycleScheduler, Options, Outcome, Profile, TaskInfo, WorkerKind};

use crate::execution::clock::since;
use crate::execution::hash::StateHash;
use crate::execution::{ExecutorKind, FrameFailure, FrameReport, SimulationOptions};

/// How a flocking game is played.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameOptions {
    /// The flock.
    pub flock: FlockOptions,
    /// The kind of the workers.
    pub kind: WorkerKind,
    /// How posts are distributed.
    pub propagation: Propagation,
}

/// What went wrong in a cycle that is one task.
type Wrong = Arc<Mutex<Option<AttributeError>>>;

/// What runs the cycles.
enum Runner {
    /// One system after the other: the specification.
    InOrder,
    /// Tasks under a tree, by the workers of a scheduler.
    Cycles(Box<CycleScheduler>, Arc<Play>),
    /// One system after the other, each batch a turn of a parallel loop.
    Loops(Box<CycleScheduler>, Wrong),
}

/// A flocking game, with an executor by its name: `sequential` runs its systems in order on one thread, `fork-join` in order with a parallel
/// loop in each; else they are tasks under a tree on the workers of a [`CycleScheduler`], of the chosen kind or, by `stealing`, such that
/// steal.
pub struct FlockSimulation {
    flock: Arc<Flock>,
    runner: Runner,
    workers: usize,
    pub(super) notes: Vec<String>,
    /// Empty: a game's data are attributes.
    pub(super) store: Store,
}

impl FlockSimulation {
    /// At its beginning.
    ///
    /// # Errors
    /// Options that make no sense.
    ///
    /// # Panics
    /// If the tree that is built in does not fit its tasks, which would be a fault of ours.
    pub fn new(of: &GameOptions, options: &SimulationOptions) -> Result<Self, FlockError> {
        let flock = FlockOptions { dt: options.dt.unwrap_or(of.flock.dt), ..of.flock };
        let flock = Arc::new(Flock::new(&flock)?);
        let mut notes = Vec::new();
        let kind = if options.executor == ExecutorKind::Stealing { WorkerKind::Stealing } else { of.kind };
        let new = || Box::new(CycleScheduler::new(Options::new(options.threads).kind(kind)));
        let (runner, workers) = match options.executor {
            ExecutorKind::Sequential => (Runner::InOrder, 1),
            ExecutorKind::ForkJoin => {
                let mut scheduler = new();
                let wrong = loops(&flock, &mut scheduler);
                let workers = scheduler.options().workers;
                (Runner::Loops(scheduler, wrong), workers)
            }
            ExecutorKind::Replay | ExecutorKind::Stealing => {
                let mut scheduler = new();
                let groups = kind == WorkerKind::Locking;
                let begin = |supply: &mut _| Play::begin(&flock, supply, of.propagation, groups);
                let play = scheduler.edit(begin).expect("the tree that is built in fits its tasks");
                let workers = scheduler.options().workers;
                let kind = kind.name();
                notes.push(format!(
                    "cycles of a game: {workers} {kind} workers; partitioner and ways to add forces do not apply"
                ));
                (Runner::Cycles(scheduler, play), workers)
            }
        };
        Ok(Self { flock, runner, workers, notes, store: Store::new() })
    }

    /// Computes the next cycle.
    ///
    /// # Errors
    /// A task panicked, or attributes could not be distributed.
    pub fn step(&mut self) -> Result<FrameReport, FrameFailure> {
        let start = Instant::now();
        let (frame, time) = (self.flock.frame(), self.flock.time());
        let done = match &mut self.runner {
            Runner::InOrder => self.flock.cycle().map_err(|e| e.to_string()),
            Runner::Cycles(scheduler, play) => {
                let cycle = scheduler.cycle(Duration::from_secs_f64(time)).map_err(|e| e.to_string());
                cycle.and_then(|_| play.result().map_err(|e| e.to_string()))
            }
            Runner::Loops(scheduler, wrong) => {
                let cycle = scheduler.cycle(Duration::from_secs_f64(time)).map_err(|e| e.to_string());
                let wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner).take();
                cycle.and_then(|_| wrong.map_or(Ok(()), |e| Err(e.to_string())))
            }
        };
        done.map_err(|message| FrameFailure { frame, time, message })?;
        let total_ns = since(start);
        Ok(FrameReport { frame, time, total_ns, run_ns: total_ns, plan_ns: 0 })
    }

    /// The flock.
    pub fn flock(&self) -> &Flock {
        &self.flock
    }

    /// A key was pressed; the next cycle takes it.
    pub fn press(&self, key: Key) {
        self.flock.press(key);
    }

    /// What there is to count.
    pub fn statistics(&self) -> Statistics {
        self.flock.statistics_now()
    }

    /// What the workers did with their time; none if there is one loop in order.
    pub fn profile(&self) -> Option<Profile> {
        match &self.runner {
            Runner::InOrder => None,
            Runner::Cycles(scheduler, _) | Runner::Loops(scheduler, _) => Some(scheduler.profile()),
        }
    }

    /// Begins the profile anew.
    pub fn reset_profile(&mut self) {
        match &mut self.runner {
            Runner::InOrder => {}
            Runner::Cycles(scheduler, _) | Runner::Loops(scheduler, _) => scheduler.reset_profile(),
        }
    }

    /// Number of workers.
    pub fn n_workers(&self) -> usize {
        self.workers
    }

    /// A hash of the exact bits of all positions and velocities.
    pub fn state_hash(&self) -> String {
        let mut hash = StateHash::new();
        for (x, v) in self.flock.motion() {
            x.iter().chain(&v).for_each(|number| hash.add(number.to_bits()));
        }
        hash.text()
    }
}

/// Submits cycles as one task: one system after the other, with a parallel loop over the batches of each.
fn loops(flock: &Arc<Flock>, scheduler: &mut CycleScheduler) -> Wrong {
    let (flock, wrong) = (flock.clone(), Wrong::default());
    let noted = wrong.clone();
    scheduler.submit(TaskInfo::new("frame", Duration::from_millis(1)), move |context: &Context<'_>| {
        flock.update_input();
        flock.process_input();
        let batches = flock.update_thinking(context.n_workers()).len();
        context.parallel_for(batches, 1, |_, turns| {
            turns.for_each(|batch| {
                flock.think(batch);
            });
        });
        let batches = flock.update_physics(context.n_workers()).len();
        context.parallel_for(batches, 1, |_, turns| {
            turns.for_each(|batch| {
                flock.simulate(batch);
            });
        });
        flock.draw();
        flock.update_statistics_when_due();
        if let Err(error) = flock.exchange(context) {
            noted.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
        Outcome::Progress
    });
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_run_a_flock_has_the_same_hash() {
        let hash = |executor, threads, kind, propagation| {
            let flock = FlockOptions { entities: 60, space: 20.0, ..FlockOptions::default() };
            let of = GameOptions { flock, kind, propagation };
            let options = SimulationOptions { executor, threads, ..SimulationOptions::default() };
            let mut simulation = FlockSimulation::new(&of, &options).expect("sound options");
            for frame in 0..12 {
                if frame == 5 {
                    simulation.press(Key::Spawn);
                }
                simulation.step().expect("a cycle");
            }
            assert_eq!(simulation.statistics().members, 76);
            simulation.state_hash()
        };
        let expected = hash(ExecutorKind::Sequential, 1, WorkerKind::Locking, Propagation::Serial);
        for kind in WorkerKind::ALL {
            for threads in [1, 2, 3] {
                for propagation in [Propagation::Serial, Propagation::Parallel] {
                    let found = hash(ExecutorKind::Replay, threads, kind, propagation);
                    assert_eq!(found, expected, "{kind:?} {threads} {propagation:?}");
                }
                for executor in [ExecutorKind::Stealing, ExecutorKind::ForkJoin] {
                    let found = hash(executor, threads, kind, Propagation::Parallel);
                    assert_eq!(found, expected, "{executor:?} {kind:?} {threads}");
                }
            }
        }
    }
}
