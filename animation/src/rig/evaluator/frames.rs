//! Several frames in flight: states apart from the recording, of which one replay evaluates all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Evaluated, Evaluator};

/// How several frames share the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFlight {
    /// Each frame has workers of its own, one if there are as many frames as workers: most frames in a given time, each of them late.
    Throughput,
    /// All workers do the first frame, then the next: the first one is there soon.
    Latency,
}

/// Cancels a frame, from any thread, while it is evaluated.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The frame is no longer wanted: tasks of it that have not begun do nothing, and its values stay out of date.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Evaluator {
    /// What cancels a frame. It holds until [`Self::resume`].
    pub fn cancel(&self, frame: usize) -> Cancel {
        Cancel(self.states[frame].cancel.clone())
    }

    /// A frame that was cancelled is wanted again.
    pub fn resume(&mut self, frame: usize) {
        self.states[frame].cancel.store(false, Ordering::Relaxed);
    }

    /// What became of a frame in the last evaluation.
    pub fn outcome(&self, frame: usize) -> Evaluated {
        if self.states[frame].cancel.load(Ordering::Relaxed) { Evaluated::Cancelled } else { Evaluated::Done }
    }

    /// Number of frames in flight.
    pub fn n_frames(&self) -> usize {
        self.states.len()
    }
}
