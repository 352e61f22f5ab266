//! Users take over characters that walk, between steps.

use animation::skeleton::walk::Drive;
use sim_core::scene::{ComponentId, StateId};

use super::Simulation;

/// A model that walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walking {
    /// The `CharacterFile`.
    pub character: ComponentId,
    /// Which of its models.
    pub model: usize,
}

impl Simulation {
    /// The model that walks which a state shows: one that the state follows, or another state in a node above it.
    pub fn walking_at(&self, state: StateId) -> Option<Walking> {
        let scene = &self.world.scene;
        if state.0 as usize >= scene.n_states() {
            return None;
        }
        let node = scene.component(scene.component_of_state(state)).node;
        scene.upward(node).find_map(|node| self.animated.walking(scene.state_in(node)?))
    }

    /// How a model that walks goes now: none if there is no such model.
    pub fn way_of(&self, who: Walking) -> Option<Drive> {
        self.animated.way_of(&self.world.store, who)
    }

    /// Has a model that walks go as a user says, from the next step on; none: where its tree decides. Gives back whether there is such a model.
    pub fn drive(&mut self, who: Walking, drive: Option<Drive>) -> bool {
        self.animated.drive(&mut self.world.store, who, drive)
    }
}
