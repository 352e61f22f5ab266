//! The flocking game: systems for thinking, physics, drawing, input and statistics, which share all by attributes.
//!
//! In a cycle each system reads the attributes as the last propagation left them and posts what it computes, deferred or at once; so systems
//! may run at the same time and in any order, and the flock moves with the same bits. Neighbours have two sides: those found in the cycle
//! before are read while those for the next one are found. [`Flock::exchange`] ends the cycle.
//!
//! ```text
//! first cycle: initialize; then in each cycle, at the same time
//!   update input (main worker), process input        spawns, removes, changes the pace
//!   update thinking, which submits batches           forces, and neighbours for the next cycle
//!   update physics, which submits batches            contacts, positions, velocities
//!   render frame (main worker)                       a picture
//!   update statistics, once per second
//! and when all of these have ended: exchange
//! ```
//!
//! [`Play`] makes tasks of them under a tree, for any scheduler; [`Flock::cycle`] is the same in order.
//!
//! **Source:** Zettersten 2010, section 3.4.1 and figure 16. The thesis has physics find neighbours by a middleware's scene queries; here
//! each batch finds those of its own members in a grid.

mod birth;
mod input;
mod options;
mod physics;
mod plan;
mod seen;
mod state;
mod tasks;
mod thinking;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use self::input::Input;
use self::plan::Plan;
use self::state::State;
use self::thinking::Thinking;
use super::FlockError;
use crate::game::ParallelFor;
use crate::game::attributes::AttributeError;
use crate::rig::math::vector::Vec3;

pub use input::Key;
pub use options::{FlockOptions, Posting, Scene};
pub use seen::{Picture, Statistics};
pub use state::PIECE;
pub use tasks::{Play, Propagation, TREE};

/// A flocking game. Its systems take it by reference, from any thread.
///
/// ```
/// use weft_animation::game::flock::{Flock, FlockOptions};
///
/// let flock = Flock::new(&FlockOptions::default())?;
/// let before = flock.motion();
/// flock.cycle()?; // in order, on this thread; `Play` makes tasks of it
/// assert_eq!((flock.frame(), flock.len()), (1, before.len()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Flock {
    state: RwLock<State>,
    thinking: Thinking,
    physics: RwLock<Plan>,
    input: Input,
    picture: Mutex<Picture>,
    statistics: Mutex<Statistics>,
    contacts: AtomicU64,
    batches: AtomicUsize,
    /// What a system found wrong first.
    failure: Mutex<Option<AttributeError>>,
}

impl Flock {
    /// A flock at its beginning.
    ///
    /// # Errors
    /// The options make no sense.
    ///
    /// # Panics
    /// Never: the attributes of a flock are known to fit.
    pub fn new(options: &FlockOptions) -> Result<Self, FlockError> {
        options.check()?;
        let state =
            State::new(options).expect("a new manager takes a flock's attributes, and nobody answers");
        Ok(Self {
            input: Input::new(state.births),
            state: RwLock::new(state),
            thinking: Thinking::default(),
            physics: RwLock::default(),
            picture: Mutex::default(),
            statistics: Mutex::default(),
            contacts: AtomicU64::new(0),
            batches: AtomicUsize::new(0),
            failure: Mutex::default(),
        })
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what went wrong for [`Self::exchange`]; whether nothing did.
    fn noted<T>(&self, result: Result<T, AttributeError>) -> Option<T> {
        result
            .map_err(|wrong| {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(wrong);
            })
            .ok()
    }

    /// Begins the thinking of a cycle for a number of workers; gives the estimated weight of each batch \[ns\]. Each is to
    /// [`think`](Self::think).
    pub fn update_thinking(&self, workers: usize) -> Vec<f64> {
        let batches = self.noted(self.thinking.update(&self.state(), workers)).unwrap_or_default();
        // Relaxed: a number that is shown.
        self.batches.store(batches.len(), Ordering::Relaxed);
        batches
    }

    /// Thinks for a batch; those of one cycle may do so at the same time. Whether nothing was wrong.
    pub fn think(&self, batch: usize) -> bool {
        self.noted(self.thinking.think(&self.state(), batch)).is_some()
    }

    /// Begins the physics of a cycle for a number of workers; gives the estimated weight of each batch \[ns\]. Each is to
    /// [`simulate`](Self::simulate).
    pub fn update_physics(&self, workers: usize) -> Vec<f64> {
        let state = self.state();
        let mut plan = self.physics.write().unwrap_or_else(PoisonError::into_inner);
        plan.cut(&state, &state.options.physics, workers);
        plan.weights().collect()
    }

    /// Moves the members of a batch; those of one cycle may do so at the same time. Whether nothing was wrong.
    pub fn simulate(&self, batch: usize) -> bool {
        let pieces = self.physics.read().unwrap_or_else(PoisonError::into_inner).batch(batch);
        let found = self.noted(physics::simulate(&self.state(), pieces));
        // Relaxed: a number that is shown.
        self.contacts.fetch_add(found.unwrap_or(0), Ordering::Relaxed);
        found.is_some()
    }

    /// A key was pressed.
    pub fn press(&self, key: Key) {
        self.input.press(key);
    }

    /// Takes the keys that were pressed.
    pub fn update_input(&self) {
        self.input.update();
    }

    /// Does what the keys say. Whether nothing was wrong.
    pub fn process_input(&self) -> bool {
        self.noted(self.input.process(&self.state())).is_some()
    }

    /// Takes a picture of the flock at the beginning of the cycle. Whether nothing was wrong.
    pub fn draw(&self) -> bool {
        let mut picture = self.picture.lock().unwrap_or_else(PoisonError::into_inner);
        self.noted(picture.take(&self.state())).is_some()
    }

    /// Counts what is shown.
    pub fn update_statistics(&self) {
        let statistics = self.counted();
        *self.statistics.lock().unwrap_or_else(PoisonError::into_inner) = statistics;
    }

    /// The same, but once a second of simulated time at most: for who has no tree that says when.
    pub fn update_statistics_when_due(&self) {
        if self.frame() == 0 || self.time() >= self.statistics().time + 1.0 {
            self.update_statistics();
        }
    }

    fn counted(&self) -> Statistics {
        let state = self.state();
        let (read, _) = state.sides();
        let known =
            |piece: &state::Piece| piece.lists[read].read().unwrap_or_else(PoisonError::into_inner).len();
        Statistics {
            frame: state.frame,
            time: state.time,
            members: state.all().count(),
            neighbours: state.pieces.iter().map(known).sum(),
            contacts: self.contacts.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            counts: state.manager.counts(),
        }
    }

    /// The exclusive point, where no system runs: what was posted becomes values, and members come and go. Then the next cycle may begin.
    ///
    /// # Errors
    /// What a system found wrong in the cycle, or what the propagation does.
    pub fn exchange(&self, how: &dyn ParallelFor) -> Result<(), AttributeError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let result = state.exchange(how);
        match self.failure.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(wrong) => Err(wrong),
            None => result,
        }
    }

    /// The last picture that was taken.
    pub fn picture(&self) -> MutexGuard<'_, Picture> {
        self.picture.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was counted last.
    pub fn statistics(&self) -> Statistics {
        *self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What there is to count now, between cycles.
    pub fn statistics_now(&self) -> Statistics {
        self.counted()
    }

    /// Cycles that were completed.
    pub fn frame(&self) -> u64 {
        self.state().frame
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.state().time
    }

    /// What the flock was made with.
    pub fn options(&self) -> FlockOptions {
        self.state().options
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.state().all().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Position \[m\] and velocity \[m/s\] of each member in the order of slots, as the last propagation left them.
    pub fn motion(&self) -> Vec<(Vec3, Vec3)> {
        let state = self.state();
        let columns = (state.manager.columns(state.position), state.manager.columns(state.velocity));
        let (Ok((_, x)), Ok((_, v))) = columns else { return Vec::new() };
        state.all().map(|member| (x[member.slot()], v[member.slot()])).collect()
    }

    /// One whole cycle in order, on one thread: the specification of all others.
    ///
    /// # Errors
    /// As [`Self::exchange`].
    pub fn cycle(&self) -> Result<(), AttributeError> {
        self.update_input();
        self.process_input();
        for batch in 0..self.update_thinking(1).len() {
            self.think(batch);
        }
        for batch in 0..self.update_physics(1).len() {
            self.simulate(batch);
        }
        self.draw();
        self.update_statistics_when_due();
        self.exchange(&crate::game::InTurn)
    }
}

#[cfg(test)]
mod tests;
