//! Who walks, and what a user has it do.

use animation::skeleton::walk::{Drive, WalkPart};
use engine::data::Store;
use sim_core::scene::StateId;

use super::super::driving::Walking;
use super::Animated;

impl Animated {
    /// The model that walks which a state follows.
    pub(in super::super) fn walking(&self, state: StateId) -> Option<Walking> {
        let of = self.characters.iter().find_map(|of| Some((of.component, of.walking(state)?)));
        of.map(|(character, model)| Walking { character, model })
    }

    fn walk_of(&self, who: Walking) -> Option<&WalkPart> {
        self.characters.iter().find(|of| of.component == who.character)?.walk_of(who.model)
    }

    /// How a model that walks goes now.
    pub(in super::super) fn way_of(&self, store: &Store, who: Walking) -> Option<Drive> {
        Some(self.walk_of(who)?.way_of(store, who.model))
    }

    /// Has it go as a user says from the next step on, if there is such a model.
    pub(in super::super) fn drive(&self, store: &mut Store, who: Walking, drive: Option<Drive>) -> bool {
        let walk = self.walk_of(who);
        walk.inspect(|walk| walk.drive(store, who.model, drive)).is_some()
    }
}
