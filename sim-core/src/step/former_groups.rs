//! In which groups solvers were before some of them came together or apart.

use std::collections::BTreeMap;

use super::grouping::{Grouping, Regrouping};
use engine::graph::GroupId;

/// The groups of solvers before changes that a [`Grouping`] has made.
pub(super) struct FormerGroups<'a> {
    grouping: &'a Grouping,
    /// The first group that each solver left.
    left: BTreeMap<usize, GroupId>,
}

impl<'a> FormerGroups<'a> {
    pub fn new(grouping: &'a Grouping, changes: &[Regrouping]) -> Self {
        let mut left = BTreeMap::new();
        for change in changes {
            let (from, _, moved) = change.parts();
            for &s in moved {
                left.entry(s).or_insert(from);
            }
        }
        Self { grouping, left }
    }

    /// The group of a solver before.
    pub fn group_of(&self, solver: usize) -> GroupId {
        self.left.get(&solver).copied().unwrap_or_else(|| self.grouping.group_of(solver))
    }

    /// Whether two solvers were in one group; whether they are.
    pub(super) fn together(&self, [a, b]: [usize; 2]) -> (bool, bool) {
        let now = self.grouping.group_of(a) == self.grouping.group_of(b);
        (self.group_of(a) == self.group_of(b), now)
    }

    /// The solvers that have left a group.
    pub(super) fn moved(&self) -> impl Iterator<Item = usize> {
        self.left.keys().copied()
    }
}
