//! Mappings between mechanical states: lines from each mapped point to what carries it.

use sim_core::math::Vec3;
use sim_core::scene::StateId;
use sim_core::visitor::world::World;

use super::Rows;
use super::places::Places;

/// What carries the points of a mapped state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The mapped state: its place among the states.
    pub output: usize,
    /// The state that carries it.
    pub input: usize,
    /// A point of the output and an element of the input, shape `[n]`.
    pub pairs: Vec<[u32; 2]>,
}

impl Links {
    /// Calls `put` with the two ends of each line [m]; lines without length are left out.
    pub fn for_each(&self, states: &[Rows], mut put: impl FnMut(Vec3, Vec3)) {
        let (Some(output), Some(input)) = (states.get(self.output), states.get(self.input)) else { return };
        for [out, carrier] in &self.pairs {
            let (a, b) = (output.point(*out as usize), input.point(*carrier as usize));
            if a != b {
                put(a, b);
            }
        }
    }
}

/// The links of all mappings of a scene.
///
/// `order` are the states in the order in which their positions will be given.
pub fn links(world: &World, order: &[StateId]) -> Vec<Links> {
    let places = Places::new(world, order);
    let mappings = world.scene.parts.mappings.iter();
    mappings
        .filter_map(|m| {
            let (input, output) = (places.of(m.first)?, places.of(m.second)?);
            Some(Links { output, input, pairs: m.node.carriers(&world.store) })
        })
        .collect()
}
