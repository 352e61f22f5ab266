//! What a recording is for: what was edited, what was dirty, what is asked for, which way switches stand.

use super::state::State;
use crate::rig::bits::BitSet;
use crate::rig::structure::Structure;

/// Number of a set of dirty attributes.
pub(super) type DirtId = u32;

/// Sets of dirty attributes that have come up, by number.
pub(super) struct Dirts(Vec<BitSet>);

impl Dirts {
    /// The number of the set of all attributes.
    pub(super) const ALL: DirtId = 0;

    pub(super) fn new(n_attributes: usize) -> Self {
        Self(vec![BitSet::full(n_attributes), BitSet::new(n_attributes)])
    }

    pub(super) fn get(&self, id: DirtId) -> &BitSet {
        &self.0[id as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The number of a set, which is kept if it is new.
    pub(super) fn number(&mut self, set: BitSet) -> DirtId {
        let known = self.0.iter().rposition(|known| *known == set);
        known.unwrap_or_else(|| {
            self.0.push(set);
            self.0.len() - 1
        }) as DirtId
    }

    /// Forgets all sets but some, which get new numbers.
    pub(super) fn retain(&mut self, of: &mut [State]) {
        let kept: Vec<BitSet> = of.iter().map(|state| self.get(state.dirt).clone()).collect();
        self.0.truncate(2);
        for (state, set) in of.iter_mut().zip(kept) {
            state.dirt = self.number(set);
        }
    }
}

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
