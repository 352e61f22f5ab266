//! Units: what stands at one place of one group. A unit belongs to its group, not to one solver: where the solvers of a
//! pair's two objects come together, or apart, what each of them treats there becomes one unit, or two.

use std::collections::BTreeSet;

use super::former_groups::FormerGroups;
use super::integration::Integration;
use super::scope::place_of_interaction;
use crate::visitor::world::World;
use engine::graph::Place;

impl Integration {
    /// The units that the objects of a solver are in.
    pub(super) fn units_of_solver<'w>(
        &'w self,
        world: &'w World,
        solver: usize,
    ) -> impl Iterator<Item = Place> + use<'w> {
        let node = &world.solvers[solver];
        let own = node.objects.iter().map(|&object| Place::Own(object));
        let contacts = node.objects.iter().flat_map(|o| self.units_of[o.0 as usize].iter().copied());
        own.chain(contacts).chain(node.interactions.iter().map(|&(k, s)| place_of_interaction(world, k, s)))
    }

    /// Adds the units of pairs that change with the groups of their two solvers: all of those that come together or apart,
    /// and of those that are together what either treats.
    pub(super) fn follow_ends(
        &self,
        world: &World,
        before: &FormerGroups<'_>,
        affected: &mut BTreeSet<(Option<usize>, Place)>,
    ) {
        let ends = |place: Place| {
            let Place::Joint(a, b) = place else { return None };
            let solver = |o: engine::data::ObjectId| world.objects[o.0 as usize].solver;
            Some([solver(a)?, solver(b)?]).filter(|[a, b]| a != b)
        };
        let mut shared = BTreeSet::new();
        for place in affected.iter().filter(|(solver, _)| solver.is_some()).map(|(_, place)| *place) {
            let met = ends(place).filter(|ends| before.together(*ends) != (false, false));
            shared.extend(met.map(|ends| (ends, place)));
        }
        for place in before.moved().flat_map(|s| self.units_of_solver(world, s)) {
            let changed = ends(place).filter(|ends| {
                let (was, is) = before.together(*ends);
                was != is
            });
            shared.extend(changed.map(|ends| (ends, place)));
        }
        affected.extend(shared.into_iter().flat_map(|(ends, place)| ends.map(|s| (Some(s), place))));
    }
}
