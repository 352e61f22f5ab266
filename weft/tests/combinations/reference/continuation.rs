//! A reference that goes on where another one stands.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Reference;

impl Reference {
    /// The positions and velocities of all states.
    pub fn numbers(&self) -> impl Iterator<Item = &f64> {
        self.states.iter().flat_map(|s| s.x.iter().chain(&s.v))
    }

    /// From now on, right-hand sides are off by so much, relative to their size, multipliers are found as loosely as the scene
    /// allows, and [`Self::shake`] moves numbers by so much.
    pub fn disturb(&mut self, by: f64) {
        self.disturbance = by;
    }

    /// Moves all numbers of independent states a little, relative to 1 + their size, this way and that, as each step's rounding does.
    pub fn shake(&mut self) {
        let (by, steps) = (self.disturbance, self.steps);
        if by == 0.0 {
            return;
        }
        for (place, s) in self.states.iter_mut().enumerate().filter(|(_, s)| !s.mapped) {
            for (k, number) in s.x.iter_mut().chain(&mut s.v).enumerate() {
                // Numbers of states that a constraint holds together go different ways.
                // So do all numbers, unlike each other: an element that is flat is then inverted by some disturbances, not by all.
                let mut way = DefaultHasher::new();
                (place, k, steps, by.to_bits()).hash(&mut way);
                *number += by * (1.0 + number.abs()) * if way.finish() >> 63 == 0 { 1.0 } else { -1.0 };
            }
        }
        self.propagate(None);
    }

    /// The same without the blocks that SOFA's assembled matrices have in wrong places.
    pub fn exact(mut self) -> Self {
        self.solvers.iter_mut().filter_map(|s| s.linear.as_mut()).for_each(|l| l.exact = true);
        self
    }

    /// Goes on where another one stands, whose scene was this one but for components and objects that came, went or changed:
    /// states have their positions and velocities, and force fields, all but those named, constraints and friction what they carry from
    /// step to step.
    pub fn go_on(mut self, before: Reference, changed: &[&str]) -> Self {
        (self.time, self.gravity, self.steps) = (before.time, before.gravity, before.steps);
        self.disturbance = before.disturbance;
        self.doubt = before.doubt;
        for old in before.solvers {
            if let Some(new) = self.solvers.iter_mut().find(|new| new.path == old.path) {
                new.served = old.served;
                new.first_system = old.first_system;
            }
        }
        self.friction = before.friction;
        for new in &mut self.states {
            if let Some(old) = before.states.iter().find(|old| old.path == new.path && old.n == new.n) {
                (new.x, new.v, new.solution) = (old.x.clone(), old.v.clone(), old.solution.clone());
                new.history.clone_from(&old.history);
            }
        }
        // A component may have several, in an order that stays.
        let mut fields = before.fields;
        for new in self.fields.iter_mut().filter(|f| !changed.contains(&f.path.as_str())) {
            if let Some(k) = fields.iter().position(|old| old.path == new.path) {
                new.direct = fields.remove(k).direct;
            }
        }
        let mut constraints = before.constraints;
        for new in &mut self.constraints {
            if let Some(k) = constraints.iter().position(|old| old.path == new.path) {
                new.direct = constraints.remove(k).direct;
            }
        }
        if let (Some(new), Some(old)) = (&mut self.multipliers, before.multipliers)
            && !old.free.is_empty()
        {
            new.free = self.states.iter().map(|s| [s.x.clone(), s.v.clone()]).collect();
            for (s, free) in self.states.iter().zip(&mut new.free) {
                let former = before.states.iter().position(|old| old.path == s.path);
                former.into_iter().for_each(|k| free.clone_from(&old.free[k]));
            }
        }
        self.propagate(None);
        self
    }
}
