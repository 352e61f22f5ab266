//! What tasks need besides buffers, at stable addresses for as long as anybody keeps the store's slots: locks, lists
//! and the values of workspaces.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::Store;
use crate::data::handle::DataId;
use crate::data::list::ListOfSlots;
use crate::data::long_work::LongWorks;
use crate::data::workspace::Workspaces;

impl Store {
    pub(in crate::data) fn workspaces(&mut self) -> &mut Workspaces {
        &mut self.workspaces
    }

    pub(in crate::data) fn kept_workspaces(&self) -> &Workspaces {
        &self.workspaces
    }

    pub(in crate::data) fn long_works(&mut self) -> &mut LongWorks {
        &mut self.long_works
    }

    pub(in crate::data) fn known_long_works(&self) -> &LongWorks {
        &self.long_works
    }

    pub(in crate::data) fn lists(&self) -> &[Arc<ListOfSlots>] {
        &self.lists
    }

    /// The newest list of some buffers. Buffers of one type make lists of this type only, but for the empty one.
    pub(in crate::data) fn known_lists(&mut self) -> &mut BTreeMap<Vec<DataId>, usize> {
        &mut self.known_lists
    }

    /// Keeps a list; returns its number.
    pub(in crate::data) fn add_list(&mut self, list: Arc<ListOfSlots>) -> usize {
        self.lists.push(list);
        self.lists.len() - 1
    }

    pub(in crate::data) fn locks(&self) -> &[Arc<Mutex<()>>] {
        &self.locks
    }

    /// Keeps a lock; returns its number.
    pub(in crate::data) fn add_lock(&mut self, lock: Arc<Mutex<()>>) -> usize {
        self.locks.push(lock);
        self.locks.len() - 1
    }
}
