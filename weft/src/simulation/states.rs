//! The present state of every mechanical object, and its hash.

use sim_core::component::collision::NearElements;
use sim_core::math::{Coord, Deriv, StateType, Vec3};
use sim_core::scene::StateId;
use sim_core::visitor::object::ForceRef;
use sim_core::visitor::vectors::{Vectors, for_vectors};
use sim_core::visitor::world::World;

use crate::execution::hash::StateHash;

use super::{Census, Simulation, SimulationError, StateView};

/// Calls `$body` with the positions and velocities of a state.
macro_rules! with_vectors {
    ($world:expr, $state:expr, ($x:ident, $v:ident, $name:ident) => $body:expr) => {
        for_vectors!(&$world.vectors[$state.0 as usize], S, s => {
            let ($x, $v, $name) = slices::<S>($world, s);
            $body
        })
    };
}

fn slices<'w, S: StateType>(
    world: &'w World,
    s: &Vectors<S>,
) -> (&'w [S::Coord], &'w [S::Deriv], &'static str) {
    (world.store.read(s.position()), world.store.read(s.velocity()), S::NAME)
}

impl Simulation {
    /// All mechanical states in depth-first scene order.
    pub(crate) fn state_order(&self) -> Vec<StateId> {
        let scene = &self.world.scene;
        let nodes = scene.depth_first();
        nodes
            .iter()
            .flat_map(|n| scene.components_of(*n))
            .filter_map(|c| scene.state_of_component(c))
            .collect()
    }

    /// Appends the present positions of a state in space, row after row: points, or centres and quaternions of frames;
    /// returns how many numbers a row has.
    pub(crate) fn append_positions(&self, state: StateId, out: &mut Vec<f64>) -> usize {
        with_vectors!(&self.world, state, (x, _v, _template) => {
            let before = out.len();
            for c in x {
                out.extend_from_slice(c.center().as_slice());
                out.extend(c.orientation().iter().flat_map(|q| &q.coords));
            }
            (out.len() - before).checked_div(x.len()).unwrap_or(0)
        })
    }

    /// Appends the present positions and velocities of a state, number by number.
    pub(crate) fn append_state(&self, state: StateId, position: &mut Vec<f64>, velocity: &mut Vec<f64>) {
        with_vectors!(&self.world, state, (x, v, _template) => {
            x.iter().for_each(|c| Coord::scalars(c, position));
            v.iter().for_each(|d| Deriv::scalars(d, velocity));
        });
    }

    /// The present state of every mechanical object, in depth-first scene order.
    pub fn states(&self) -> Vec<StateView> {
        self.state_order()
            .into_iter()
            .map(|s| {
                let scene = &self.world.scene;
                with_vectors!(&self.world, s, (x, v, template) => StateView {
                    path: scene.path(scene.component_of_state(s)),
                    template,
                    simulated: self.world.is_simulated(s),
                    mapped: self.world.vectors[s.0 as usize].mapped(),
                    position: x.iter().map(|c| row(|out| Coord::scalars(c, out))).collect(),
                    velocity: v.iter().map(|d| row(|out| Deriv::scalars(d, out))).collect(),
                })
            })
            .collect()
    }

    /// The closest points of what is in contact [m], written over `out`.
    pub fn nearest_points(&self, out: &mut Vec<[Vec3; 2]>) {
        match &self.collision {
            Some(c) => c.nearest_points(&self.world.store, out),
            None => out.clear(),
        }
    }

    /// What the last detection found near, written over `out`.
    pub(crate) fn near_elements(&self, out: &mut Vec<NearElements>) {
        out.clear();
        if let Some(c) = &self.collision {
            c.near_elements(&self.world.store, out);
        }
    }

    /// A hash of the exact bits of all positions and velocities.
    ///
    /// # Errors
    /// Where a value is not finite: such states would compare as anything.
    pub fn state_hash(&self) -> Result<String, SimulationError> {
        let mut hash = StateHash::new();
        let mut scalars = Vec::new();
        for s in self.state_order() {
            scalars.clear();
            with_vectors!(&self.world, s, (x, v, _template) => {
                x.iter().for_each(|c| Coord::scalars(c, &mut scalars));
                v.iter().for_each(|d| Deriv::scalars(d, &mut scalars));
            });
            for value in &scalars {
                if !value.is_finite() {
                    let path = self.world.scene.path(self.world.scene.component_of_state(s));
                    return Err(SimulationError::Scene(format!("{path} is not finite")));
                }
                hash.add(value.to_bits());
            }
        }
        Ok(hash.text())
    }

    /// What is in the scene.
    pub fn census(&self) -> Census {
        let parts = &self.world.scene.parts;
        let mut models = std::collections::BTreeMap::new();
        let mut census = Census::default();
        for o in self.world.objects.iter().filter(|o| o.solver.is_some()) {
            census.n_objects += 1;
            let state = &self.world.vectors[o.root.0 as usize];
            census.n_dofs += state.n_scalars();
            let field = o.forces.iter().find_map(|f| match *f {
                ForceRef::ForceField(k) if parts.force_fields[k].state == o.root => {
                    Some(parts.force_fields[k].node.class())
                }
                _ => None,
            });
            let model = match (field, state.is_frame()) {
                (Some(class), _) => class.trim_end_matches("ForceField"),
                (None, true) => "Rigid",
                (None, false) => "Points",
            };
            *models.entry(model.to_owned()).or_insert(0) += 1;
        }
        census.models = models.into_iter().collect();
        census
    }
}

fn row(fill: impl FnOnce(&mut Vec<f64>)) -> Vec<f64> {
    let mut out = Vec::new();
    fill(&mut out);
    out
}
