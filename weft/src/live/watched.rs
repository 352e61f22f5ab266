//! What can be looked at, whatever computes it.

use std::sync::Arc;

use viewer::snapshot::{Command, Snapshot};
use viewer::surface::Surface;
use viewer::viewed::Viewed;

use crate::record::StepRecord;

/// What can be looked at step by step: a simulation of physics, an event graph, a rig, a game.
pub trait Watched {
    /// What one of its steps is called.
    const STEP: &'static str;

    /// Computes one step.
    ///
    /// # Errors
    /// What failed, in a line.
    fn advance(&mut self) -> Result<(), String>;

    /// Number of completed steps.
    fn steps_done(&self) -> u64;

    /// The time that it has reached \[s\].
    fn seconds(&self) -> f64;

    /// What a window needs to know of it before the first state.
    fn viewed(&self, title: &str) -> Viewed;

    /// Writes how it looks now over a snapshot, whose lists keep their memory.
    fn show(&self, into: &mut Snapshot);

    /// All surfaces of now, where elements have come or gone since the beginning.
    fn surfaces_since(&self, begin: &Viewed) -> Option<Vec<Arc<Surface>>> {
        let _ = begin;
        None
    }

    /// How it looks now, for who looks on the same thread, and has seen the beginning.
    fn snapshot(&self, begin: &Viewed) -> Snapshot {
        let mut snapshot = Snapshot { step: self.steps_done(), time: self.seconds(), ..Snapshot::default() };
        self.show(&mut snapshot);
        if let Some(surfaces) = self.surfaces_since(begin) {
            snapshot.changed = Arc::new(surfaces);
        }
        snapshot
    }
}

/// Publishes a state, which somebody writes over a snapshot.
pub type Publish<'p> = &'p mut dyn FnMut(&dyn Fn(&mut Snapshot));

/// What can be looked at, and told something, while it plays frame by frame on a thread of its own.
pub trait Played: Watched {
    /// Time from frame to frame \[s\].
    fn frame_time(&self) -> f64;

    /// Whether a frame is computed on another thread, so that the one before may be published meanwhile.
    fn computes_beside(&self) -> bool {
        false
    }

    /// Computes one step, as [`Watched::advance`] does, and has the state before it published: meanwhile, where it
    /// [computes beside](Self::computes_beside).
    ///
    /// # Errors
    /// What failed, in a line.
    fn advance_while(&mut self, publish: Publish<'_>) -> Result<(), String> {
        publish(&|into| self.show(into));
        self.advance()
    }

    /// A letter was pressed that means nothing to the window.
    fn key(&mut self, _: char) {}

    /// Notes what the workers do in frames from now on, or no longer.
    fn observe(&mut self, on: bool);

    /// What they did in the last frame, if it was noted.
    fn record(&mut self) -> Option<StepRecord>;

    /// Does what a user wants of it: what is no matter of running, stopping and beginning anew.
    ///
    /// # Errors
    /// Why it does not.
    fn obey(&mut self, command: Command) -> Result<(), String>;
}
