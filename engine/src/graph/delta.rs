//! What an update of a schedule changed, for executors that keep plans.

use std::collections::{BTreeMap, BTreeSet};

use super::chain::Key;
use super::dependence::Spot;
use super::program::GroupId;
use super::schedule::Item;
use crate::data::EnvLayout;

/// An instance that was taken out of a chain.
#[derive(Clone, Copy, Debug)]
pub struct Removed {
    /// The stage and worker that it was in.
    pub spot: Spot,
    /// Its place in the chain.
    pub key: Key,
    /// Size of its environment.
    pub layout: EnvLayout,
}

/// The differences between two schedules: first all that was removed, then all that was inserted.
#[derive(Clone, Debug, Default)]
pub struct Delta {
    /// Instances that went.
    pub removed: Vec<Removed>,
    /// Instances that came, by place.
    pub inserted: BTreeMap<(Spot, Key), Item>,
    /// Stages of workers that came, went, or changed what they wait for or publish; ascending, each once, when closed.
    pub stages: Vec<Spot>,
    /// Groups that came, went, or changed their workers, dot products or control.
    pub groups: BTreeSet<GroupId>,
}

impl Delta {
    /// Notes that an instance went; one that came in the same update is forgotten.
    pub fn remove(&mut self, spot: Spot, key: Key, layout: EnvLayout) {
        self.stages.push(spot);
        if self.inserted.remove(&(spot, key)).is_none() {
            self.removed.push(Removed { spot, key, layout });
        }
    }

    /// Notes that an instance came.
    pub fn insert(&mut self, spot: Spot, key: Key, item: Item) {
        self.stages.push(spot);
        self.inserted.insert((spot, key), item);
    }

    /// Ends the update that it is of.
    pub fn close(&mut self) {
        self.stages.sort_unstable();
        self.stages.dedup();
    }

    /// Forgets all changes; the memory is kept.
    pub fn clear(&mut self) {
        self.removed.clear();
        self.inserted.clear();
        self.stages.clear();
        self.groups.clear();
    }
}
