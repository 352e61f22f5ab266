//! What objects that come and go, and components on them, change of an integration; carried out by its next update.

use super::integration::{Integration, other_ends};
use super::scope::place_of_interaction;
use crate::component::collision::{Contact, ContactChange};
use crate::scene::StateId;
use crate::step::contacts::place_of;
use crate::visitor::admit::Arrival;
use crate::visitor::depart::{Departure, GoneInteraction};
use crate::visitor::interaction_node::Sides;
use crate::visitor::world::World;
use engine::data::ObjectId;
use engine::graph::{GroupId, Place};

const BOTH: Sides = Sides { first: true, second: true };

impl Integration {
    /// The components on an object have changed: its own part is recorded anew.
    pub fn renew(&mut self, world: &World, object: ObjectId) {
        let of_object = &world.objects[object.0 as usize];
        if let Some(solver) = of_object.solver {
            self.renewed.insert((Some(solver), Place::Own(object)));
        }
        if !of_object.external_forces.is_empty() {
            self.renewed.insert((None, Place::Own(object)));
        }
    }

    /// The numbers of an interaction force field have changed.
    pub fn renew_interaction(&mut self, world: &World, k: usize) {
        let treated = world.solvers.iter().enumerate().find_map(|(s, solver)| {
            solver.interactions.iter().find(|i| i.0 == k).map(|&(_, sides)| (s, sides))
        });
        let (solver, sides) = treated.map_or((None, BOTH), |(s, sides)| (Some(s), sides));
        self.renewed.insert((solver, place_of_interaction(world, k, sides)));
    }

    /// The numbers of a solver have changed: all is recorded anew.
    pub fn renew_all(&mut self) {
        self.must_record = true;
    }

    /// Books the present contacts as gone, before the numbers of a solver change, or as come, after that. Solvers that are merged
    /// only where their numbers are equal may be merged no longer, or be merged now, so that contacts act elsewhere.
    pub fn rebook(&mut self, world: &World, contacts: &[Contact], came: bool) {
        let change = |c: &Contact| {
            let Contact { key, first, second, attachment, .. } = *c;
            ContactChange { key, first, second, attachment, came }
        };
        let changes: Vec<ContactChange> = contacts.iter().map(change).collect();
        // All is recorded anew, so that it does not matter which units that concerns.
        self.book(world, &changes);
    }

    /// Objects, solvers and components have come.
    pub fn admit(&mut self, world: &World, arrival: &Arrival) {
        self.external.resize(world.vectors.len(), 0);
        self.units_of.resize_with(world.objects.len(), Default::default);
        self.is_entangled |= arrival.is_entangled;
        for _ in &arrival.solvers {
            let group = self.grouping.add();
            self.new_groups.insert(group);
        }
        for &object in arrival.objects.iter().chain(&arrival.touched) {
            self.renew(world, object);
        }
        self.has_other_ends |= other_ends(world);
        self.book_external_field(world, &arrival.external, true);
        for &k in &arrival.interactions {
            self.renew_interaction(world, k);
            if world.external.iter().any(|e| e.0 == k) {
                let i = &world.scene.parts.interactions[k];
                self.book_external_field(world, &[i.first, i.second], true);
            }
        }
    }

    /// Objects, solvers and components have gone, after their contacts.
    pub fn depart(&mut self, world: &World, departure: &Departure) {
        let is_gone = |o: ObjectId| departure.objects.iter().any(|(gone, _)| *gone == o);
        for GoneInteraction { ends, treated } in &departure.interactions {
            let objects = ends.map(|s| world.object_of(s).id);
            let (solver, sides) = match *treated {
                Some((s, sides)) => (Some(s), sides),
                None => (None, BOTH),
            };
            let place = place_of(objects[0], objects[1], sides);
            // A solver may have treated what joins bodies outside of its node; no group of its own remains for that.
            let has_group = solver.is_none_or(|s| !departure.solvers.contains(&s));
            if has_group && !objects.iter().any(|o| is_gone(*o)) {
                self.renewed.insert((solver, place));
            } else {
                let group = solver.map_or(GroupId(0), |s| self.grouping.group_of(s));
                self.gone.insert((group, place));
            }
            if treated.is_none() {
                self.book_external_field(world, ends, false);
            }
        }
        self.book_external_field(world, &departure.external, false);
        for &(object, solver) in &departure.objects {
            self.gone.insert((GroupId(0), Place::Own(object)));
            if let Some(s) = solver {
                self.gone.insert((self.grouping.group_of(s), Place::Own(object)));
            }
        }
        for &object in &departure.touched {
            self.renew(world, object);
        }
        self.renewed.retain(|(_, place)| !place.objects().iter().any(|o| is_gone(*o)));
        for &solver in &departure.solvers {
            let group = self.grouping.remove(solver);
            // One that came and went between two updates was never there.
            if !self.new_groups.remove(&group) {
                self.gone_groups.insert(group);
            }
        }
    }

    /// A force field above all solvers came or went, with these ends.
    pub fn book_external_field(&mut self, world: &World, ends: &[StateId], came: bool) {
        let mut affected = std::mem::take(&mut self.renewed);
        for &state in ends {
            self.book_external(world, state, came, &mut affected);
        }
        self.renewed = affected;
    }

    /// Changes that were carried out, or are part of a new recording.
    pub(super) fn forget_changes(&mut self) {
        self.must_record = false;
        self.renewed.clear();
        self.gone.clear();
        self.new_groups.clear();
        self.gone_groups.clear();
    }
}
