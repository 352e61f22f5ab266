//! What the friction of a pair of models keeps from step to step.

use engine::data::{Data, ObjectId, Store};
use sim_core::component::collision::FormerContact;

use crate::collision::response::KeptContact;

/// What is kept of the contacts of a pair of models that have friction.
///
/// What is kept from step to step is state, as positions are: a step that fails leaves that of before.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionBuffers {
    /// What is kept of the step before, in ascending order of ids.
    pub(super) kept: Data<KeptContact>,
    /// The same for the next step.
    pub(super) kept_next: Data<KeptContact>,
}

impl FrictionBuffers {
    pub(super) fn new(store: &mut Store, object: ObjectId) -> Self {
        let (kept, kept_next) = store.create_state("contact.kept", object, Vec::new());
        Self { kept, kept_next }
    }

    /// Frees them: no task names them any more.
    pub(super) fn free(&self, store: &mut Store) {
        for id in [self.kept.id(), self.kept_next.id()] {
            store.free(id);
        }
    }

    /// Keeps these contacts, each without elongation, as the step before would have.
    pub(super) fn recall(&self, store: &mut Store, contacts: &[FormerContact]) {
        store.replace(self.kept, contacts.iter().map(|c| (*c).into()).collect());
    }

    /// Forgets what was kept of the pair's contacts.
    pub(super) fn clear(&self, store: &mut Store) {
        store.replace(self.kept, Vec::new());
    }
}
