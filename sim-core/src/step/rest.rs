//! Groups that rest: their parts leave the program of the integration, and come back when something stirs them.

use super::integration::Integration;
use crate::visitor::world::World;

impl Integration {
    /// The group of a solver is not moved any more from the next update on.
    pub fn lay_to_rest(&mut self, world: &World, solver: usize) {
        let group = self.grouping.group_of(solver);
        if !self.asleep.insert(group) {
            return;
        }
        for member in self.grouping.members(group) {
            let places: Vec<_> = self.units_of_solver(world, member).collect();
            self.gone.extend(places.into_iter().map(|place| (group, place)));
        }
        self.gone_groups.insert(group);
    }

    /// The group of a solver is moved again from the next update on.
    pub fn rouse(&mut self, world: &World, solver: usize) {
        let group = self.grouping.group_of(solver);
        if !self.asleep.remove(&group) {
            return;
        }
        for member in self.grouping.members(group) {
            let places: Vec<_> = self.units_of_solver(world, member).collect();
            self.renewed.extend(places.into_iter().map(|place| (Some(member), place)));
        }
        self.new_groups.insert(group);
    }
}
