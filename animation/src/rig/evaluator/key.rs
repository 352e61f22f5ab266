//! What a recording is for: what was edited, what was dirty, what is asked for, which way switches stand.

use super::dirts::{DirtId, Dirts};
use super::state::State;
use crate::rig::bits::BitSet;
use crate::rig::structure::Structure;

/// What a recording does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Nothing: it says which switches may stand otherwise now.
    Stale(u32),
    /// It finds which way switches of a frame stand.
    Resolve(u32),
    /// It evaluates all frames.
    All,
}

/// What a recording is for.
#[derive(Clone, PartialEq)]
pub(super) struct Key {
    pub(super) what: What,
    pub(super) request: u32,
    pub(super) version: u64,
    /// By frame; those that do not count are all alike.
    pub(super) frames: Vec<FrameKey>,
}

/// What was the case in a frame.
#[derive(Clone, PartialEq)]
pub(super) struct FrameKey {
    pub(super) dirt: DirtId,
    pub(super) edited: BitSet,
    pub(super) branches: Vec<u32>,
}

impl Key {
    pub(super) fn new(frames: usize, s: &Structure) -> Self {
        let frame = || FrameKey {
            dirt: Dirts::ALL,
            edited: BitSet::new(s.control_at.len()),
            branches: vec![u32::MAX; s.switches.len()],
        };
        Self { what: What::All, request: 0, version: 0, frames: (0..frames).map(|_| frame()).collect() }
    }

    /// Makes this the key of what is the case now, without new memory.
    pub(super) fn fill(&mut self, what: What, request: u32, version: u64, states: &[State]) {
        (self.what, self.request, self.version) = (what, request, version);
        for (k, (frame, state)) in (0..).zip(self.frames.iter_mut().zip(states)) {
            let counts = match what {
                What::All => true,
                What::Stale(of) | What::Resolve(of) => of == k,
            };
            if counts {
                frame.dirt = state.dirt;
                frame.edited.copy_from(&state.edited);
                frame.branches.copy_from_slice(&state.branches);
            } else {
                frame.dirt = Dirts::ALL;
                frame.edited.clear();
                frame.branches.fill(u32::MAX);
            }
        }
    }
}
