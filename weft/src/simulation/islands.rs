//! Which objects are one body, and which sleep and wake together.

use engine::data::ObjectId;
use sim_core::scene::StateId;
use sim_core::visitor::world::World;

/// Disjoint sets of objects: each object leads to one of its set that came no later, the first of a set to itself.
#[derive(Clone, Debug, Default)]
struct Sets(Vec<u32>);

impl Sets {
    fn separate(&mut self, n: usize) {
        self.0.clear();
        self.0.extend(0..n as u32);
    }

    fn join(&mut self, a: ObjectId, b: ObjectId) {
        let (a, b) = (self.end_of(a), self.end_of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }

    fn end_of(&mut self, object: ObjectId) -> u32 {
        let mut at = object.0;
        while self.0[at as usize] != at {
            let next = self.0[at as usize];
            self.0[at as usize] = self.0[next as usize];
            at = next;
        }
        at
    }

    /// Lets each object lead to the first of its set at once.
    fn shorten(&mut self) {
        for object in 0..self.0.len() {
            self.0[object] = self.0[self.0[object] as usize];
        }
    }
}

/// The sets of a world's objects.
#[derive(Debug, Default)]
pub(super) struct Islands {
    /// Objects that a mapping joins: the pieces of one body.
    bodies: Sets,
    /// Those that anything of the scene joins.
    joined: Sets,
    /// Those that touch, too.
    touching: Sets,
    /// Per object, whether it may move on from rest: forces or constraints that change with time act on it, or it has no velocities.
    never_rests: Vec<bool>,
    is_current: bool,
}

impl Islands {
    /// Objects or what joins them have changed.
    pub(super) fn forget(&mut self) {
        self.is_current = false;
    }

    /// Brings the sets up to date; `contacts` are the states in contact.
    ///
    /// # Cost
    /// In the number of objects and contacts; of the whole scene after [`Self::forget`].
    pub(super) fn update(&mut self, world: &World, contacts: impl Iterator<Item = [StateId; 2]>) {
        if !self.is_current {
            self.derive(world);
            self.is_current = true;
        }
        self.touching.0.clone_from(&self.joined.0);
        join_moved(&mut self.touching, world, contacts);
        self.touching.shorten();
    }

    fn derive(&mut self, world: &World) {
        let parts = &world.scene.parts;
        self.bodies.separate(world.objects.len());
        join_moved(&mut self.bodies, world, parts.mappings.iter().map(|m| [m.first, m.second]));
        self.bodies.shorten();
        self.joined.clone_from(&self.bodies);
        for solver in &world.solvers {
            solver.objects.windows(2).for_each(|o| self.joined.join(o[0], o[1]));
        }
        let interactions = world.solvers.iter().flat_map(|s| &s.interactions).chain(&world.external);
        let ends = interactions.map(|(k, _)| &parts.interactions[*k]).map(|i| [i.first, i.second]);
        join_moved(&mut self.joined, world, ends);
        join_moved(&mut self.joined, world, parts.lagrangian.iter().map(|c| [c.first, c.second]));
        self.never_rests.clear();
        let ode = &world.scene.solvers.ode;
        self.never_rests.extend(world.objects.iter().map(|o| {
            let solver = o.solver.map(|k| &ode[world.solvers[k].ode].node);
            o.moves_by_time(parts) || solver.is_some_and(|s| !s.gives_velocities())
        }));
    }

    /// Whether an object without speed may move on by itself.
    pub(super) fn never_rests(&self, object: ObjectId) -> bool {
        self.never_rests[object.0 as usize]
    }

    /// The first object of the body that an object is a piece of.
    pub(super) fn body_of(&self, object: ObjectId) -> usize {
        self.bodies.0[object.0 as usize] as usize
    }

    /// The first of the objects that sleep and wake with an object.
    pub(super) fn first_with(&self, object: ObjectId) -> usize {
        self.touching.0[object.0 as usize] as usize
    }
}

/// Joins the objects of pairs of states. What no solver moves, such as an obstacle, joins nobody.
fn join_moved(sets: &mut Sets, world: &World, pairs: impl Iterator<Item = [StateId; 2]>) {
    for pair in pairs {
        let [a, b] = pair.map(|s| world.object_of(s));
        if a.solver.is_some() && b.solver.is_some() {
            sets.join(a.id, b.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: u32 = 5;

    /// The first of each object's set, by spreading the least number along pairs until nothing changes.
    fn firsts(pairs: &[(u32, u32)]) -> Vec<u32> {
        let mut least: Vec<u32> = (0..N).collect();
        for _ in 0..N {
            for &(a, b) in pairs {
                let both = least[a as usize].min(least[b as usize]);
                (least[a as usize], least[b as usize]) = (both, both);
            }
        }
        least
    }

    #[test]
    fn objects_lead_to_the_first_that_a_path_of_pairs_joins_them_with() {
        let pair = |code: u32| (code % N, code / N % N);
        for code in 0..(N * N).pow(3) {
            let pairs = [code, code / (N * N), code / (N * N).pow(2)].map(pair);
            let mut sets = Sets::default();
            sets.separate(N as usize);
            pairs.iter().for_each(|(a, b)| sets.join(ObjectId(*a), ObjectId(*b)));
            sets.shorten();
            assert_eq!(sets.0, firsts(&pairs), "{pairs:?}");
        }
    }
}
