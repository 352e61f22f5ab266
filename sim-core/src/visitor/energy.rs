//! Energies of a world's present state. They are read between steps and play no part in them.

use super::object::ForceRef;
use super::vectors::{Room, StateVectors, VectorsAccess};
use super::world::World;
use crate::component::mass::{AddGravity, AddMDx, Mass};
use crate::math::{Coord, Deriv, Vec3};
use crate::scene::{NodeId, StateId};
use engine::data::{InnerProduct, Store};

/// Energy of what solvers move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Half of the sum of v.M v over all masses [J].
    pub kinetic: f64,
    /// Of weights, and of the force fields that define one [J].
    pub potential: f64,
}

impl Energy {
    /// Both together [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// Measures energies again and again; once its memory is large enough it allocates nothing.
#[derive(Debug, Default)]
pub struct EnergyMeter {
    room: Room,
    without: Vec<&'static str>,
}

impl EnergyMeter {
    /// The energy of what the world's solvers move, at the present positions and velocities.
    ///
    /// # Cost
    /// About that of one evaluation of all forces on one thread.
    pub fn measure(&mut self, world: &World) -> Energy {
        self.without.clear();
        let parts = &world.scene.parts;
        let gravity = Vec3::from(world.parameters.gravity.map(|g| world.store.parameter_value(g)));
        let mut sum = Energy::default();
        let moved = || world.objects.iter().filter(|o| o.solver.is_some());
        let above = moved().flat_map(|o| &o.external_forces).map(|k| ForceRef::ForceField(*k));
        for force in moved().flat_map(|o| &o.forces).copied().chain(above) {
            match force {
                ForceRef::Mass(k) => {
                    let mass = &parts.masses[k];
                    let state = &world.vectors[mass.state.0 as usize];
                    let energy = mass.node.energy(&world.store, state, &gravity, &mut self.room);
                    sum.kinetic += energy.kinetic;
                    sum.potential += energy.potential;
                }
                ForceRef::ForceField(k) => {
                    let field = &parts.force_fields[k];
                    let state = &world.vectors[field.state.0 as usize];
                    let energy = field.node.potential_energy(&world.store, state);
                    sum.potential += self.known(energy, field.node.class());
                }
            }
        }
        let is_moved = |s: StateId| world.object_of(s).solver.is_some();
        for joint in parts.interactions.iter().filter(|i| is_moved(i.first) || is_moved(i.second)) {
            let [first, second] = [joint.first, joint.second].map(|s| &world.vectors[s.0 as usize]);
            let energy = joint.node.potential_energy(&world.store, first, second);
            sum.potential += self.known(energy, joint.node.class());
        }
        sum
    }

    /// The kinetic energy of the mass that stands in a node, at the present velocities [J]; none, if there is none.
    pub fn kinetic_at(&mut self, world: &World, node: NodeId) -> Option<f64> {
        let scene = &world.scene;
        let mass = scene.parts.masses.iter().find(|m| scene.component(m.component).node == node)?;
        let state = &world.vectors[mass.state.0 as usize];
        Some(mass.node.energy(&world.store, state, &Vec3::zeros(), &mut self.room).kinetic)
    }

    /// Classes whose potential energy is not in the last sum, since they define none, each once.
    pub fn without(&self) -> &[&'static str] {
        &self.without
    }

    fn known(&mut self, energy: Option<f64>, class: &'static str) -> f64 {
        if energy.is_none() && !self.without.contains(&class) {
            self.without.push(class);
        }
        energy.unwrap_or(0.0)
    }
}

/// Kinetic energy and potential energy of the weight of a mass; `room` is written over.
///
/// **Source:** as SOFA's masses: v.M v / 2, and minus the weights' work from the origin.
pub(super) fn energy_of_mass<M: Mass>(
    constants: &M::Constants,
    elements: &[M::Element],
    (store, state): (&Store, &StateVectors),
    gravity: &Vec3,
    room: &mut Room,
) -> Energy
where
    M::State: VectorsAccess,
{
    let Some(vectors) = M::State::vectors(state) else { return Energy::default() };
    let (x, v) = (store.read(vectors.position()), store.read(vectors.velocity()));
    let product = M::State::room(room);
    product.clear();
    product.resize(x.len(), Deriv::zero());
    M::add_m_dx(constants, AddMDx { factor: 1.0, elements, result: product, dx: v, x });
    let kinetic = 0.5 * v.iter().zip(&*product).map(|(v, mv)| v.inner(mv)).sum::<f64>();
    product.fill(Deriv::zero());
    M::add_gravity(constants, AddGravity { elements, gravity: *gravity, f: product });
    let work = x.iter().zip(&*product).map(|(x, weight)| x.center().inner(&weight.linear()));
    Energy { kinetic, potential: -work.sum::<f64>() }
}
