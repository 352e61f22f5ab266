//! Where things are: the place of each state among those that are published, and of the object that carries it.

use sim_core::scene::StateId;
use sim_core::visitor::world::World;

/// Answers for all states of a scene, looked up once.
pub(super) struct Places {
    /// By the state's number.
    published: Vec<Option<usize>>,
    objects: Vec<Option<u32>>,
}

impl Places {
    /// `order` are the states in the order in which their positions will be given.
    pub fn new(world: &World, order: &[StateId]) -> Self {
        let states = world.objects.iter().flat_map(|o| &o.states).chain(order);
        let n = states.map(|s| s.0 as usize + 1).max().unwrap_or(0);
        let (mut published, mut objects) = (vec![None; n], vec![None; n]);
        for (place, s) in order.iter().enumerate() {
            published[s.0 as usize] = Some(place);
        }
        for (object, o) in (0..).zip(&world.objects) {
            o.states.iter().for_each(|s| objects[s.0 as usize] = Some(object));
        }
        Self { published, objects }
    }

    /// The place of a state among those that are published.
    pub fn of(&self, state: StateId) -> Option<usize> {
        *self.published.get(state.0 as usize)?
    }

    /// The object that carries a state: its place in `World::objects`.
    pub fn object(&self, state: StateId) -> Option<u32> {
        *self.objects.get(state.0 as usize)?
    }
}
