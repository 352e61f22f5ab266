//! Sets of dirty attributes, by number.

use crate::rig::bits::BitSet;

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
    pub(super) fn retain<'d>(&mut self, kept: impl Iterator<Item = &'d mut DirtId>) {
        let kept: Vec<_> = kept.map(|id| (self.get(*id).clone(), id)).collect();
        self.0.truncate(2);
        for (set, id) in kept {
            *id = self.number(set);
        }
    }
}
