//! Giving memory back: buffers of what has left a simulation. Their numbers stay taken, since plans and handles name buffers by
//! them.

use super::{Slot, Store};
use crate::data::handle::{DataId, ObjectId};

impl Store {
    /// Frees the memory of a buffer that no task and no handle in use names any more: it is empty from here on.
    pub fn free(&mut self, id: DataId) {
        self.long_works.free(id);
        self.workspaces.free(id);
        self.release(id);
        // SAFETY: `&mut self` excludes all users of the slot; its memory was freed just above, or is its block's.
        unsafe { *self.slot(id) = Slot::empty() };
        self.info[id as usize].home = None;
        if self.info[id as usize].stays {
            // Executors keep addresses of partial sums.
            self.generation += 1;
        }
    }

    /// Frees all buffers of an object that has left the simulation.
    pub fn free_object(&mut self, object: ObjectId) {
        let Some(buffers) = self.of_object.get_mut(object.0 as usize) else { return };
        for id in std::mem::take(buffers) {
            self.free(id);
        }
        if let Some(partials) = self.partials.get_mut(object.0 as usize) {
            partials.clear();
        }
    }
}
