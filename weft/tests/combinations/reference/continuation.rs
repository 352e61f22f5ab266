//! A reference that goes on where another one stands.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::Reference;

/// This way or that: 1 or -1. Disturbances of other sizes go other ways: an element that is flat is then inverted by some of them, not by
/// all.
pub(super) fn way(of: impl Hash) -> f64 {
    let mut way = DefaultHasher::new();
    of.hash(&mut way);
    if way.finish() >> 63 == 0 { 1.0 } else { -1.0 }
}

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
                *number += by * (1.0 + number.abs()) * way((place, k, steps, by.to_bits()));
            }
        }
        self.propagate(None);
    }

    /// The same without the blocks that SOFA's assembled matrices have in wrong places.
    pub fn exact(mut self) -> Self {
        self.solvers.iter_mut().filter_map(|s| s.linear.as_mut()).for_each(|l| l.exact = true);
        self
    }

    /// Goes on where another one stands, whose scene had other elements of the body: what stands on the body, or is mapped from it, is
    /// that of the new ones, and contacts of these states begin anew.
    pub fn go_on_changed(self, before: Reference, states: &[&str]) -> Self {
        let anew = |path: &str| path.starts_with("/world/body/");
        let built: Vec<String> = self.fields.iter().map(|f| f.path.clone()).filter(|p| anew(p)).collect();
        let built: Vec<&str> = built.iter().map(String::as_str).collect();
        let mut before = before;
        before.constraints.retain(|c| !anew(&c.path));
        before.edges.clear();
        before.friction.forget(states);
        // What a solver keeps of former matrices is of a body that is no more.
        for solver in &mut before.solvers {
            (solver.served, solver.first_system) = (super::Served::default(), None);
        }
        self.go_on(before, &built)
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
            if let Some(old) = before.states.iter().find(|old| old.path == new.path && old.n >= new.n) {
                // The last points may have gone.
                let (n_x, n_v) = (new.x.len(), new.size());
                (new.x, new.v) = (old.x[..n_x].to_vec(), old.v[..n_v].to_vec());
                new.solution = old.solution[..n_v].to_vec();
                new.history = old.history.as_ref().map(|h| h[..n_v].to_vec());
            }
        }
        // A component may have several, in an order that stays.
        let mut fields = before.fields;
        for new in self.fields.iter_mut().filter(|f| !changed.contains(&f.path.as_str())) {
            if let Some(k) = fields.iter().position(|old| old.path == new.path) {
                new.direct = fields.remove(k).direct;
            }
        }
        for new in &mut self.edges {
            // A pair of states has one mapping.
            let same = |old: &&super::Edge| {
                [old.input, old.output].map(|s| &before.states[s].path)
                    == [new.input, new.output].map(|s| &self.states[s].path)
            };
            if let Some(old) = before.edges.iter().find(same) {
                new.multipliers.clone_from(&old.multipliers);
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
                let (n_x, n_v) = (s.x.len(), s.v.len());
                former.into_iter().for_each(|k| {
                    *free = [old.free[k][0][..n_x].to_vec(), old.free[k][1][..n_v].to_vec()];
                });
            }
        }
        self.propagate(None);
        self
    }
}
