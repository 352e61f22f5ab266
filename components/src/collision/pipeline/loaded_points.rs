//! The points of mapped states that contacts push, listed anew in each narrow phase for whoever maps forces and displacements.
//!
//! Each pair of models marks its contacts' points on both states; then a state's marks become its list, in ascending order.
//! Most contacts of a resting heap are near and do not push. In products with the system's matrix, where positions are those of
//! the detection, they count for nothing. So a pair marks those that push, unless its contacts may act where they were not
//! detected.

use std::collections::{BTreeMap, BTreeSet};

use engine::data::{Data, ObjectId, Role, Store, grow, read, update, write};
use engine::graph::ComponentTag;
use sim_core::scene::StateId;
use sim_core::visitor::vectors::StateVectors;
use sim_core::visitor::visit::Visit;

use super::pair_buffers::PairBuffers;
use crate::collision::broad_phase::ModelPair;
use crate::collision::response::{Anchor, ContactPoint};

/// A mapped state that collision models lie on.
struct LoadedState {
    object: ObjectId,
    tag: ComponentTag,
    /// Whether its degrees of freedom are frames: an anchor then has one, whatever number it says.
    has_frames: bool,
    /// A bit for each point.
    marks: Data<u32>,
    points: Data<u32>,
    /// Near pairs with a model on the state.
    pairs: BTreeSet<ModelPair>,
}

/// All mapped states that collision models lie on.
#[derive(Default)]
pub(super) struct LoadedStates(BTreeMap<StateId, LoadedState>);

impl LoadedStates {
    /// Takes in the state of a model, if it is mapped.
    pub fn take_in(&mut self, state: StateId, tag: ComponentTag, vectors: &StateVectors, store: &mut Store) {
        let Some(points) = vectors.loaded_points() else { return };
        self.0.entry(state).or_insert_with(|| {
            let object = vectors.object();
            let none = vec![0; vectors.len().div_ceil(32)];
            let marks = store.create("contact.marks", object, Role::Scratch, none);
            LoadedState { object, tag, has_frames: vectors.is_frame(), marks, points, pairs: BTreeSet::new() }
        });
    }

    /// Lets a state go.
    pub fn let_go(&mut self, state: StateId, store: &mut Store) {
        if let Some(gone) = self.0.remove(&state) {
            store.free(gone.marks.id());
        }
    }

    /// A pair of models on these states came near, or went; adds the objects whose tasks this changes.
    pub fn note(
        &mut self,
        pair: ModelPair,
        states: [StateId; 2],
        is_near: bool,
        store: &mut Store,
        changed: &mut Vec<ObjectId>,
    ) {
        for state in states {
            if let Some(loaded) = self.0.get_mut(&state) {
                if is_near {
                    loaded.pairs.insert(pair);
                } else {
                    loaded.pairs.remove(&pair);
                    if loaded.pairs.is_empty() {
                        // No task does it any more.
                        store.replace(loaded.points, Vec::new());
                    }
                }
                changed.push(loaded.object);
            }
        }
    }

    /// The objects of these states, where they have lists.
    pub fn objects_of(&self, states: [StateId; 2], objects: &mut Vec<ObjectId>) {
        objects.extend(states.iter().filter_map(|s| self.0.get(s)).map(|loaded| loaded.object));
    }

    /// Records the lists of all states, or of those of some objects, after the tasks of all pairs. A state without near pairs, or
    /// whose pairs all rest, keeps its list.
    pub fn record(
        &self,
        visit: &mut Visit<'_, '_>,
        objects: Option<&[ObjectId]>,
        pairs: &BTreeMap<ModelPair, PairBuffers>,
        states_of: impl Fn(&PairBuffers) -> [StateId; 2],
        rests: impl Fn(&PairBuffers) -> bool,
        act_elsewhere: impl Fn(&PairBuffers) -> bool,
    ) {
        visit.rec.sweep("loaded_points");
        for (state, loaded) in &self.0 {
            let LoadedState { object, tag, marks, points, has_frames, .. } = *loaded;
            let near = || loaded.pairs.iter().filter_map(|p| pairs.get(p));
            if near().all(&rests) || objects.is_some_and(|o| !o.contains(&object)) {
                continue;
            }
            let rec = &mut *visit.rec;
            rec.own("loaded_points", tag, object, (write(marks),), |(marks,)| marks.fill(0));
            for buffers in near() {
                let on = states_of(buffers).map(|s| s == *state);
                if act_elsewhere(buffers) {
                    let accesses = (update(marks), read(buffers.points));
                    rec.own("loaded_points", tag, object, accesses, move |(marks, contacts)| {
                        contacts.iter().for_each(|c| mark(marks, c, on, has_frames));
                    });
                } else {
                    let accesses = (update(marks), read(buffers.points), read(buffers.pushing));
                    rec.own("loaded_points", tag, object, accesses, move |(marks, contacts, pushing)| {
                        pushing.iter().for_each(|k| mark(marks, &contacts[*k as usize], on, has_frames));
                    });
                }
            }
            rec.own("loaded_points", tag, object, (grow(points), read(marks)), |(mut points, marks)| {
                points.clear();
                each_mark(marks, |i| points.push(i));
            });
        }
    }
}

/// Marks the points of a contact's ends that are on the state.
#[inline]
fn mark(marks: &mut [u32], c: &ContactPoint, [first, second]: [bool; 2], has_frames: bool) {
    let mut end = |anchor: &Anchor, n: u32| {
        let n = if has_frames { 1 } else { n.min(4) };
        for i in &anchor.indices[..n as usize] {
            marks[*i as usize / 32] |= 1 << (i % 32);
        }
    };
    if first {
        end(&c.a, c.n_a);
    }
    if second {
        end(&c.b, c.n_b);
    }
}

/// Calls `visit` with the number of each bit that is set, ascending.
fn each_mark(marks: &[u32], mut visit: impl FnMut(u32)) {
    for (base, word) in (0..).step_by(32).zip(marks) {
        let mut rest = *word;
        while rest != 0 {
            visit(base + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::Vec3;

    #[test]
    fn the_points_of_the_ends_on_a_state_are_listed_once_and_ascending() {
        let end = |indices| Anchor { weights: [0.25; 4], indices };
        let contact = ContactPoint {
            a: end([40, 3, 64, 9]),
            b: end([5, 40, 0, 0]),
            normal: Vec3::z(),
            distance: 0.0,
            stiffness: 1.0,
            n_a: 3,
            n_b: 2,
        };
        let listed = |on, has_frames| {
            let (mut marks, mut points) = ([0; 3], Vec::new());
            (0..2).for_each(|_| mark(&mut marks, &contact, on, has_frames));
            each_mark(&marks, |i| points.push(i));
            points
        };
        assert_eq!(listed([true, false], false), [3, 40, 64]);
        assert_eq!(listed([false, true], false), [5, 40]);
        assert_eq!(listed([true, true], false), [3, 5, 40, 64]);
        assert_eq!(listed([true, true], true), [5, 40]);
        assert!(listed([false, false], false).is_empty());
    }
}
