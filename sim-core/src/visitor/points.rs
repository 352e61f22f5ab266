//! Points of a state that come and go while a world runs.

use super::vectors::{StateVectors, Vectors, for_vectors};
use super::world::World;
use crate::component::mechanical_state::{AnyInitialState, InitialState, for_initial_state};
use crate::math::StateType;
use crate::renumbering::{PointOrigin, renumbered_coords, renumbered_derivs};
use crate::scene::StateId;
use engine::data::{ObjectId, Store};

impl World {
    /// Gives a state other points: all its vectors follow. Initial vectors are not touched, and mappings that move or follow it are
    /// to be built again.
    ///
    /// Gives back its object, whose own part is to be recorded anew; none where all is, since a linear solver keeps a system of
    /// all that moves together.
    pub fn change_points(&mut self, state: StateId, origins: &[PointOrigin]) -> Option<ObjectId> {
        let Self { scene, store, vectors, .. } = self;
        vectors[state.0 as usize].renumber(store, origins);
        let mut linear = self.solvers.iter().filter_map(|s| s.linear);
        let is_prepared = scene.present(&scene.solvers.corrections).any(|c| c.node.prepares());
        if is_prepared || linear.any(|k| scene.solvers.linear[k].node.is_of_whole_group()) {
            vectors.iter_mut().for_each(|v| v.forget_all_kept(store));
            return None;
        }
        let object = vectors[state.0 as usize].object();
        for state in &self.objects[object.0 as usize].states {
            vectors[state.0 as usize].forget_all_kept(store);
        }
        Some(object)
    }
}

/// The initial vectors of a state after a change of its points.
pub fn renumbered_initial(state: &AnyInitialState, origins: &[PointOrigin]) -> AnyInitialState {
    use crate::component::mechanical_state::StateAccess;
    for_initial_state!(state, S, s => S::wrap(InitialState {
        position: renumbered_coords(origins, &s.position),
        velocity: renumbered_derivs(origins, &s.velocity),
        rest_position: renumbered_coords(origins, &s.rest_position),
    }))
}

impl StateVectors {
    fn renumber(&mut self, store: &mut Store, origins: &[PointOrigin]) {
        for_vectors!(self, S, v => renumber::<S>(v, store, origins));
    }
}

fn renumber<S: StateType>(vectors: &mut Vectors<S>, store: &mut Store, origins: &[PointOrigin]) {
    // Of a state that is mapped, the next vectors are the present ones; and one buffer must not be renumbered twice.
    let mut done = Vec::new();
    for data in vectors.all_coords() {
        if !done.contains(&data.id()) {
            let now = renumbered_coords(origins, store.read(data));
            store.replace(data, now);
            done.push(data.id());
        }
    }
    for data in vectors.all_derivs() {
        if !done.contains(&data.id()) {
            let now = renumbered_derivs(origins, store.read(data));
            store.replace(data, now);
            done.push(data.id());
        }
    }
    vectors.set_len(origins.len());
}
