//! A flocking game with a scheduler, cycle by cycle.

use std::sync::Arc;
use std::time::{Duration, Instant};

use animation::game::flock::{Flock, FlockError, FlockOptions, Key, Play, Propagation, Statistics};
use engine::data::Store;
use game::{CycleScheduler, Options, Profile, WorkerKind};

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

/// What runs the cycles.
enum Runner {
    /// One system after the other: the specification.
    InOrder,
    /// The workers of a scheduler.
    Cycles(Box<CycleScheduler>, Arc<Play>),
}

/// A flocking game. The sequential executor runs its systems in order; else they are tasks under a tree, on the workers of a
/// [`CycleScheduler`].
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
        let (runner, workers) = if options.executor == ExecutorKind::Sequential {
            (Runner::InOrder, 1)
        } else {
            let chosen = Options::new(options.threads).kind(of.kind);
            let mut scheduler = Box::new(CycleScheduler::new(chosen));
            let groups = of.kind == WorkerKind::Locking;
            let begin = |supply: &mut _| Play::begin(&flock, supply, of.propagation, groups);
            let play = scheduler.edit(begin).expect("the tree that is built in fits its tasks");
            let workers = scheduler.options().workers;
            notes.push(format!(
                "cycles of a game: {workers} {} workers (--set kind=...); partitioner and ways to add forces do not apply",
                of.kind.name()
            ));
            (Runner::Cycles(scheduler, play), workers)
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
            Runner::Cycles(scheduler, _) => Some(scheduler.profile()),
        }
    }

    /// Begins the profile anew.
    pub fn reset_profile(&mut self) {
        if let Runner::Cycles(scheduler, _) = &mut self.runner {
            scheduler.reset_profile();
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
            }
        }
    }
}
