//! Objects that have come to rest sleep: they are in no plan until something stirs them.
//!
//! Objects that touch, that a solver moves together, or that a force field or a mapping joins, sleep and wake together. They fall asleep when
//! all of them have been slower than a speed for a while, and wake when something that moves touches them, when a number of the
//! scene is changed, or when the mouse pulls. The velocities of what sleeps are zero. All of it follows from positions,
//! velocities and the calls of this library, so that no executor changes it.

use std::collections::BTreeSet;

use engine::data::ObjectId;
use engine::exec::LoadError;
use sim_core::component::collision::CollisionPipeline;
use sim_core::component::sleeping::Sleeping;
use sim_core::scene::StateId;
use sim_core::visitor::vectors::for_vectors;
use sim_core::visitor::world::World;

use super::Simulation;

/// Who sleeps, and for how long others have been at rest.
pub(super) struct Sleep {
    settings: Sleeping,
    /// Per object, for how long it has been at rest [s].
    quiet: Vec<f64>,
    asleep: BTreeSet<ObjectId>,
    /// Objects that were stirred since the last step.
    stirred: Vec<ObjectId>,
    /// Objects that fell asleep or woke since the last detection.
    unsettled: Vec<ObjectId>,
    /// Per object, another one that it sleeps and wakes with; the first of them leads to itself.
    together: Vec<u32>,
    /// Per first object, whether one of those with it is awake.
    is_awake: Vec<bool>,
    has_moved: bool,
}

impl Sleep {
    pub(super) fn new(settings: Sleeping) -> Self {
        Self {
            settings,
            quiet: Vec::new(),
            asleep: BTreeSet::new(),
            stirred: Vec::new(),
            unsettled: Vec::new(),
            together: Vec::new(),
            is_awake: Vec::new(),
            has_moved: false,
        }
    }

    fn first_of(&mut self, object: ObjectId) -> u32 {
        let mut at = object.0;
        while self.together[at as usize] != at {
            let next = self.together[at as usize];
            self.together[at as usize] = self.together[next as usize];
            at = next;
        }
        at
    }

    fn join(&mut self, a: ObjectId, b: ObjectId) {
        let (a, b) = (self.first_of(a), self.first_of(b));
        self.together[a.max(b) as usize] = a.min(b);
    }

    /// Counts how long objects have been at rest, after a step of this length.
    fn count(&mut self, world: &World, dt: f64) {
        for o in world.objects.iter().filter(|o| o.solver.is_some() && !self.asleep.contains(&o.id)) {
            let motion = world.store.read(world.vectors[o.root.0 as usize].motion())[0];
            let quiet = &mut self.quiet[o.id.0 as usize];
            *quiet = if motion <= self.settings.speed { *quiet + dt } else { 0.0 };
        }
    }

    /// Finds which objects sleep and wake together; `contacts` are the states in contact.
    fn find_islands(&mut self, world: &World, contacts: impl Iterator<Item = [StateId; 2]>) {
        self.together.clear();
        self.together.extend(0..world.objects.len() as u32);
        for solver in &world.solvers {
            solver.objects.windows(2).for_each(|o| self.join(o[0], o[1]));
        }
        let interactions = world.solvers.iter().flat_map(|s| &s.interactions).chain(&world.external);
        let joints =
            interactions.map(|(k, _)| &world.scene.parts.interactions[*k]).map(|i| [i.first, i.second]);
        let mappings = world.scene.parts.mappings.iter().map(|m| [m.first, m.second]);
        for ends in joints.chain(mappings).chain(contacts) {
            let [a, b] = ends.map(|s| world.object_of(s));
            // An obstacle joins nobody.
            if a.solver.is_some() && b.solver.is_some() {
                self.join(a.id, b.id);
            }
        }
    }

    /// The objects that are to sleep, from now on or still; none if they are those that do, unless it `changes` anyway.
    fn sleepers(&mut self, world: &World, mut changes: bool) -> Option<BTreeSet<ObjectId>> {
        self.is_awake.clear();
        self.is_awake.resize(world.objects.len(), false);
        let moved = || world.objects.iter().filter(|o| o.solver.is_some()).map(|o| o.id);
        for object in moved() {
            let first = self.first_of(object) as usize;
            let sleeps =
                self.asleep.contains(&object) || self.quiet[object.0 as usize] >= self.settings.delay;
            self.is_awake[first] |= !sleeps;
        }
        for object in moved() {
            let first = self.first_of(object) as usize;
            changes |= self.is_awake[first] == self.asleep.contains(&object);
        }
        // Paths to the first ones are short now.
        let first_of = |o: &ObjectId| {
            let mut at = o.0;
            while self.together[at as usize] != at {
                at = self.together[at as usize];
            }
            at as usize
        };
        changes.then(|| moved().filter(|o| !self.is_awake[first_of(o)]).collect())
    }
}

impl Simulation {
    /// Number of objects that sleep.
    pub fn n_asleep(&self) -> usize {
        self.sleep.as_ref().map_or(0, |s| s.asleep.len())
    }

    /// Whether each object sleeps, written over `out`; it is empty where nothing does.
    pub fn sleepers(&self, out: &mut Vec<bool>) {
        out.clear();
        if let Some(sleep) = self.sleep.as_ref().filter(|s| !s.asleep.is_empty()) {
            out.extend(self.world.objects.iter().map(|o| sleep.asleep.contains(&o.id)));
        }
    }

    /// Whether an object sleeps.
    pub fn is_asleep(&self, object: ObjectId) -> bool {
        self.sleep.as_ref().is_some_and(|s| s.asleep.contains(&object))
    }

    /// Wakes an object before the next step, and what sleeps with it.
    pub(super) fn stir(&mut self, object: ObjectId) {
        if let Some(sleep) = &mut self.sleep {
            sleep.stirred.push(object);
        }
    }

    /// Wakes all objects before the next step.
    pub(super) fn stir_all(&mut self) {
        if let Some(sleep) = &mut self.sleep {
            sleep.stirred.extend(&sleep.asleep);
        }
    }

    /// Wakes all objects now: something changes that they may feel.
    pub(super) fn wake_all(&mut self) -> Result<(), LoadError> {
        let Some(mut sleep) = self.sleep.take() else { return Ok(()) };
        let woken = std::mem::take(&mut sleep.asleep);
        sleep.quiet.fill(0.0);
        let result = self.follow_sleep(&mut sleep, woken);
        self.sleep = Some(sleep);
        result
    }

    /// After contacts were found, and before the integration: who falls asleep, and who wakes.
    pub(super) fn settle_sleep(&mut self) -> Result<(), LoadError> {
        let Some(mut sleep) = self.sleep.take() else { return Ok(()) };
        let result = self.settle_with(&mut sleep);
        self.sleep = Some(sleep);
        result
    }

    fn settle_with(&mut self, sleep: &mut Sleep) -> Result<(), LoadError> {
        let world = &self.world;
        sleep.quiet.resize(world.objects.len(), 0.0);
        if sleep.has_moved {
            sleep.count(world, self.dt());
        }
        sleep.has_moved = true;
        let contacts = self.collision.as_ref().map_or(&[][..], |c| c.contacts());
        sleep.find_islands(world, contacts.iter().map(|c| [c.first, c.second]));
        let mut stirred = BTreeSet::new();
        for object in sleep.stirred.drain(..) {
            sleep.quiet[object.0 as usize] = 0.0;
            stirred.extend(sleep.asleep.take(&object));
        }
        let Some(sleepers) = sleep.sleepers(world, !stirred.is_empty()) else { return Ok(()) };
        let mut before = std::mem::replace(&mut sleep.asleep, sleepers);
        before.append(&mut stirred);
        self.follow_sleep(sleep, before)
    }

    /// Brings plans and velocities up to date with who sleeps; `before` did.
    fn follow_sleep(&mut self, sleep: &mut Sleep, before: BTreeSet<ObjectId>) -> Result<(), LoadError> {
        let changed: Vec<ObjectId> = before.symmetric_difference(&sleep.asleep).copied().collect();
        if changed.is_empty() {
            return Ok(());
        }
        for &object in &changed {
            let o = &self.world.objects[object.0 as usize];
            let Some(solver) = o.solver else { continue };
            if sleep.asleep.contains(&object) {
                self.groups.lay_to_rest(&self.world, solver);
                let World { store, vectors, objects, .. } = &mut self.world;
                for s in &objects[object.0 as usize].states {
                    for_vectors!(&vectors[s.0 as usize], S, v => {
                        store.write(v.velocity()).fill(<S as sim_core::math::StateType>::Deriv::default());
                    });
                }
            } else {
                sleep.quiet[object.0 as usize] = 0.0;
                self.groups.rouse(&self.world, solver);
            }
        }
        sleep.unsettled.extend(changed);
        self.update_integration(false)?;
        self.is_changed = true;
        Ok(())
    }

    /// Before a detection: leaves out of it what sleeps, and takes in what woke.
    pub(super) fn settle_detection(
        &mut self,
        collision: &mut dyn CollisionPipeline,
    ) -> Result<(), LoadError> {
        let Some(sleep) = self.sleep.as_mut().filter(|s| !s.unsettled.is_empty()) else { return Ok(()) };
        let mut changed = std::mem::take(&mut sleep.unsettled);
        changed.sort_unstable();
        changed.dedup();
        changed.retain(|o| self.world.objects[o.0 as usize].solver.is_some());
        let unmoved = self.world.objects.iter().filter(|o| o.solver.is_none()).map(|o| o.id);
        let still = sleep.asleep.iter().copied().chain(unmoved).collect();
        let pairs = collision.let_rest(&sleep.asleep, &still);
        self.update_bounds(collision, &changed)?;
        match self.narrow {
            Some(plan) if !pairs.is_empty() => self.update_narrow_phase(plan, collision, &pairs),
            _ => Ok(()),
        }
    }
}
