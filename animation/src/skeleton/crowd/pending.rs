//! Generations that are computed while the last one is drawn.

use super::super::shown::Shown;
use super::Crowd;

/// A generation that is computed. What is [`Shown`] meanwhile is the last complete one. It is complete when it is [finished](Self::finish),
/// or dropped, which waits for it.
///
/// **Source:** Intel, *Optimized skeletal animation*: a pending count, double-buffered vertices.
#[must_use = "who drops it waits for it"]
pub struct Pending<'c> {
    crowd: &'c mut Crowd,
    frame: u64,
    animated: usize,
    is_finished: bool,
}

impl Crowd {
    /// Begins to animate the models that are due in a frame, at a time \[s\]: on a thread beside ([`Self::compute_beside`]), while the caller
    /// draws what is shown; without one, when it is finished.
    pub fn begin(&mut self, frame: u64, time: f64) -> Pending<'_> {
        let Self { desk, beside, models, turns, mix, kind, clock, .. } = self;
        let animated = turns.begin(frame);
        kind.sequence.weights(time, mix);
        let store = &mut desk.here().store;
        for (k, model) in models.iter().enumerate() {
            store.write(model.due)[0] = turns.is_due(k);
            if !model.is_mixed_by_host {
                store.write(model.mix).copy_from_slice(mix);
            }
        }
        store.set_parameter(*clock, time);
        if let Some(beside) = beside.as_ref().filter(|_| animated > 0) {
            desk.leave(beside);
        }
        Pending { crowd: self, frame, animated, is_finished: false }
    }

    /// Animates the models that are due in a frame, at a time \[s\]; how many these were.
    ///
    /// # Errors
    /// A task failed, in a line.
    pub fn step(&mut self, frame: u64, time: f64) -> Result<usize, String> {
        self.begin(frame, time).finish()
    }
}

impl Pending<'_> {
    /// The last complete generation.
    pub fn shown(&self) -> &Shown {
        &self.crowd.shown
    }

    /// How many models are animated.
    pub fn animated(&self) -> usize {
        self.animated
    }

    /// Whether it is computed, so that who finishes it does not wait.
    pub fn is_over(&self) -> bool {
        self.crowd.desk.is_over()
    }

    /// Waits until it is computed, and shows it; how many models were animated.
    ///
    /// # Errors
    /// A task failed, in a line: then what was shown stays.
    pub fn finish(mut self) -> Result<usize, String> {
        self.complete().map(|()| self.animated)
    }

    fn complete(&mut self) -> Result<(), String> {
        self.is_finished = true;
        let Crowd { desk, models, turns, shown, uploaded, kind, .. } = &mut *self.crowd;
        let work = desk.done();
        std::mem::replace(&mut work.outcome, Ok(()))?;
        for (k, (model, shown)) in models.iter().zip(&mut shown.models).enumerate() {
            if turns.is_due(k) {
                model.exchange(&mut work.store, shown, self.frame);
            }
        }
        (shown.frame, *uploaded) = (self.frame, self.animated * kind.bytes());
        Ok(())
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            // Nobody asks how it ended.
            let _ = self.complete();
        }
    }
}
