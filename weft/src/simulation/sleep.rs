//! Objects that have come to rest sleep: they are in no plan until something stirs them.
//!
//! Objects that touch, that a solver moves together, or that a force field, a constraint or a mapping joins, sleep and wake
//! together. They fall asleep when each of them has been slower than a speed for a while (`rest.rs`), and wake when something that moves touches
//! them, when a number of the scene is changed, or when the mouse pulls. Where a force or a constraint changes with time, or a solver
//! gives no velocities, nothing falls asleep. How fast an object is, is the root mean square over its points, or over those of all
//! pieces of its body, and over that while. The velocities of what sleeps are zero. All of it follows from positions, velocities and
//! the calls of this library, so that no executor changes it.
//!
//! With SOFA's `SleepController` those of some nodes sleep, as soon as no point of them moves and some time has passed since they woke;
//! their velocities stay.

use std::collections::BTreeSet;
use std::time::Instant;

use engine::data::ObjectId;
use engine::exec::LoadError;
use sim_core::component::collision::CollisionPipeline;
use sim_core::component::sleeping::{OfEachPoint, Sleeping};
use sim_core::scene::StateId;
use sim_core::visitor::vectors::{VecCoordId, VecDerivId, for_vectors};
use sim_core::visitor::world::World;

use super::islands::Islands;
use super::rest::Rest;
use super::{Simulation, StepFailure};
use crate::execution::clock::Clock;

/// Who sleeps, and for how long others have been at rest.
pub(super) struct Sleep {
    settings: Sleeping,
    /// Per object, for how long it has been at rest.
    rest: Vec<Rest>,
    asleep: BTreeSet<ObjectId>,
    /// Objects that were stirred since the last step.
    stirred: Vec<ObjectId>,
    /// Objects that fell asleep or woke since the last detection.
    unsettled: Vec<ObjectId>,
    islands: Islands,
    /// Per first object of an island, whether one of those with it is awake.
    is_awake: Vec<bool>,
    /// Per first object of a body, the sum of its squared velocities [m^2/s^2], and of how many points.
    motion: Vec<(f64, usize)>,
    has_moved: bool,
    /// Per object, whether it would sleep now by itself.
    wants: Vec<bool>,
    /// Before the first detection: those that sleep from the beginning have not been laid to rest.
    has_begun: bool,
}

impl Sleep {
    pub(super) fn new(settings: Sleeping) -> Self {
        Self {
            settings,
            rest: Vec::new(),
            asleep: BTreeSet::new(),
            stirred: Vec::new(),
            unsettled: Vec::new(),
            islands: Islands::default(),
            is_awake: Vec::new(),
            motion: Vec::new(),
            has_moved: false,
            wants: Vec::new(),
            has_begun: false,
        }
    }

    /// Those that sleep.
    pub(super) fn asleep(&self) -> &BTreeSet<ObjectId> {
        &self.asleep
    }

    /// Whether it goes by our rules, and not by those of SOFA's `SleepController`.
    pub(super) fn is_of_ours(&self) -> bool {
        self.settings.of_each.is_none()
    }

    /// Nothing has moved since it was counted who rests.
    pub(super) fn goes_on_in_step(&mut self) {
        self.has_moved = false;
    }

    /// Counts how long objects have been at rest, after a step of this length.
    fn count(&mut self, world: &World, dt: f64) {
        if let Some(of_each) = self.settings.of_each {
            return self.count_of_each(of_each, world, dt);
        }
        let Self { settings, rest, asleep, islands, motion, .. } = self;
        motion.clear();
        motion.resize(world.objects.len(), (0.0, 0));
        let moved = || world.objects.iter().filter(|o| o.solver.is_some() && !asleep.contains(&o.id));
        for o in moved() {
            let vectors = &world.vectors[o.root.0 as usize];
            let Some(own) = vectors.motion() else { continue };
            let (sum, points) = &mut motion[islands.body_of(o.id)];
            *sum += world.store.read(own)[0];
            *points += vectors.len();
        }
        for o in moved() {
            let (sum, points) = motion[islands.body_of(o.id)];
            let rest = &mut rest[o.id.0 as usize];
            let rests = rest.go_on(sum / points as f64, dt, settings);
            self.wants[o.id.0 as usize] = rests && !islands.never_rests(o.id);
        }
    }

    /// The same by SOFA's rules: who may sleep, is awake for long enough, and has no point that moves.
    fn count_of_each(&mut self, of_each: OfEachPoint, world: &World, dt: f64) {
        for o in world.objects.iter().filter(|o| o.solver.is_some()) {
            let k = o.id.0 as usize;
            self.rest[k].awake_for(if self.asleep.contains(&o.id) { None } else { Some(dt) });
            self.wants[k] = may_sleep(world, o.root) && self.rest[k].since() >= self.settings.delay && {
                for_vectors!(&world.vectors[o.root.0 as usize], S, v => {
                    of_each.rests::<S>(self.settings.speed, world.store.read(v.velocity()))
                })
            };
        }
    }

    /// Those that sleep from the beginning.
    fn at_first(&self, world: &World) -> BTreeSet<ObjectId> {
        let moved = world.objects.iter().filter(|o| self.settings.of_each.is_some() && o.solver.is_some());
        let sleeps = |s: StateId| {
            world.scene.node(world.scene.component(world.scene.component_of_state(s)).node).sleeps
        };
        moved.filter(|o| sleeps(o.root)).map(|o| o.id).collect()
    }

    /// The objects that are to sleep, from now on or still; none if they are those that do, unless it `changes` anyway.
    fn sleepers(&mut self, world: &World, mut changes: bool) -> Option<BTreeSet<ObjectId>> {
        let Self { wants, asleep, islands, is_awake, .. } = self;
        is_awake.clear();
        is_awake.resize(world.objects.len(), false);
        let moved = || world.objects.iter().filter(|o| o.solver.is_some()).map(|o| o.id);
        for object in moved() {
            let sleeps = asleep.contains(&object) || wants[object.0 as usize];
            is_awake[islands.first_with(object)] |= !sleeps;
        }
        for object in moved() {
            changes |= is_awake[islands.first_with(object)] == asleep.contains(&object);
        }
        changes.then(|| moved().filter(|o| !is_awake[islands.first_with(*o)]).collect())
    }
}

/// Whether the node of a state has what stands in it sleep and wake.
fn may_sleep(world: &World, state: StateId) -> bool {
    let scene = &world.scene;
    scene.node(scene.component(scene.component_of_state(state)).node).can_sleep
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

    /// Whether all that solvers move sleeps, so that a step moves nothing.
    pub fn rests(&self) -> bool {
        let moved = || self.world.objects.iter().filter(|o| o.solver.is_some());
        moved().next().is_some() && moved().all(|o| self.is_asleep(o.id))
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
        sleep.islands.forget();
        let woken = std::mem::take(&mut sleep.asleep);
        sleep.rest.fill(Rest::default());
        sleep.wants.fill(false);
        let result = self.follow_sleep(&mut sleep, &woken);
        self.sleep = Some(sleep);
        result
    }

    /// Before the states are moved, with the contacts that were found last: who wakes, which it does at once, and who falls asleep,
    /// which is given back. Groups of solvers that touch follow the contacts between the two: what wakes may join others, and what
    /// falls asleep has left those that do not.
    pub(super) fn settle_sleep(&mut self, clock: &mut Clock) -> Result<BTreeSet<ObjectId>, StepFailure> {
        let Some(mut sleep) = self.sleep.take() else { return Ok(BTreeSet::new()) };
        let begin = Instant::now();
        let result = self.settle_with(&mut sleep);
        self.sleep = Some(sleep);
        let tired = result.map_err(|e| self.not_loaded(&e))?;
        clock.add_plan(begin);
        Ok(tired)
    }

    /// Lets objects fall asleep, once the plan has followed the contacts; says whether there were any.
    pub(super) fn lay_down(
        &mut self,
        tired: &BTreeSet<ObjectId>,
        clock: &mut Clock,
    ) -> Result<bool, StepFailure> {
        let Some(mut sleep) = self.sleep.take_if(|_| !tired.is_empty()) else { return Ok(false) };
        let begin = Instant::now();
        sleep.asleep.extend(tired);
        let result = self.follow_sleep(&mut sleep, tired);
        self.sleep = Some(sleep);
        result.map_err(|e| self.not_loaded(&e))?;
        clock.add_plan(begin);
        Ok(true)
    }

    fn settle_with(&mut self, sleep: &mut Sleep) -> Result<BTreeSet<ObjectId>, LoadError> {
        let world = &self.world;
        sleep.rest.resize(world.objects.len(), Rest::default());
        sleep.wants.resize(world.objects.len(), false);
        let collision = self.collision.as_ref();
        let contacts = collision.map_or(&[][..], |c| c.contacts()).iter().map(|c| [c.first, c.second]);
        let constrained = collision.map_or(&[][..], |c| c.constraint_contacts().0);
        sleep.islands.update(world, contacts.chain(constrained.iter().map(|c| [c.first, c.second])));
        if sleep.has_moved {
            sleep.count(world, self.dt());
        }
        sleep.has_moved = true;
        let mut stirred = BTreeSet::new();
        for object in sleep.stirred.drain(..) {
            sleep.rest[object.0 as usize] = Rest::default();
            sleep.wants[object.0 as usize] = false;
            stirred.extend(sleep.asleep.take(&object));
        }
        let begins = !std::mem::replace(&mut sleep.has_begun, true);
        if begins {
            sleep.asleep = sleep.at_first(world);
        }
        let changes = !stirred.is_empty() || (begins && !sleep.asleep.is_empty());
        let Some(sleepers) = sleep.sleepers(world, changes) else { return Ok(BTreeSet::new()) };
        let mut before = std::mem::take(&mut sleep.asleep);
        if begins {
            before.clear();
        }
        before.append(&mut stirred);
        let (still, tired) = sleepers.into_iter().partition(|object| before.contains(object));
        sleep.asleep = still;
        before.retain(|object| !sleep.asleep.contains(object));
        self.follow_sleep(sleep, &before)?;
        Ok(tired)
    }

    /// Brings plans and velocities up to date with who sleeps now, or woke.
    fn follow_sleep(&mut self, sleep: &mut Sleep, changed: &BTreeSet<ObjectId>) -> Result<(), LoadError> {
        if changed.is_empty() {
            return Ok(());
        }
        for &object in changed {
            let o = &self.world.objects[object.0 as usize];
            let Some(solver) = o.solver else { continue };
            if sleep.asleep.contains(&object) {
                self.groups.lay_to_rest(&self.world, solver);
                if sleep.settings.of_each.is_some() {
                    continue;
                }
                let World { store, vectors, objects, .. } = &mut self.world;
                for s in &objects[object.0 as usize].states {
                    let vectors = &mut vectors[s.0 as usize];
                    let is_free = vectors.has_free_motion();
                    for_vectors!(vectors, S, v => {
                        store.write(v.velocity()).fill(<S as sim_core::math::StateType>::Deriv::default());
                        if is_free {
                            // Multipliers, and detections that look ahead, find it where it lies.
                            let x = store.read(v.position()).to_vec();
                            let free_x = v.coord(store, VecCoordId::FREE_POSITION);
                            store.write(free_x).copy_from_slice(&x);
                            let free_v = v.deriv(store, VecDerivId::FREE_VELOCITY);
                            store.write(free_v).fill(<S as sim_core::math::StateType>::Deriv::default());
                        }
                    });
                }
            } else {
                sleep.rest[object.0 as usize] = Rest::default();
                sleep.wants[object.0 as usize] = false;
                self.groups.rouse(&self.world, solver);
            }
        }
        sleep.unsettled.extend(changed);
        self.correction.outdate();
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
