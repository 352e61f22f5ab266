//! Records the integration of a step, or the part of it that concerns some objects and pairs.
//!
//! The part of an object or pair is the same whichever others are recorded beside it, as long as the objects of a pair are;
//! so parts can be recorded apart and put together. For the same reason what joins two states of one object comes before
//! what joins objects: an object's own tasks never wait for those of pairs within a sweep.

use std::collections::{BTreeMap, BTreeSet};

use super::contacts::place_of;
use super::free_motion::{make_free_vectors, record_end_of_free_motion};
use super::further::record_further;
use super::grouping::Grouping;
use super::groups::{Merged, merged_solvers};
use crate::component::collision::Contact;
use crate::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use crate::scene::parts::Parts;
use crate::scene::{Scene, StateId};
use crate::visitor::interaction_node::{Between, InteractionNode, OtherEnd, Sides};
use crate::visitor::mechanical::{Group, Joint, MechanicalVisitor};
use crate::visitor::object::Object;
use crate::visitor::vectors::{StateVectors, VecCoordId, VecDerivId};
use crate::visitor::visit::{At, Visit, tag_of};
use crate::visitor::world::World;
use engine::data::ObjectId;
use engine::graph::{ComponentTag, GroupId, Place, Recorder, RecorderMemory, Recording, Sums};

/// What is recorded of one group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupScope {
    /// The objects.
    pub objects: Vec<ObjectId>,
    /// Interaction force fields of the scene, with the sides that receive forces.
    pub interactions: Vec<(usize, Sides)>,
    /// Contacts, by their index in the list.
    pub contacts: Vec<(usize, Sides)>,
}

/// What is recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub groups: BTreeMap<GroupId, GroupScope>,
    /// States whose external force is computed.
    pub external: Vec<StateId>,
    /// Interaction force fields above all solvers, with the sides that receive forces.
    pub above: Vec<(usize, Sides)>,
    /// Contacts outside all solvers, by their index in the list.
    pub explicit: Vec<usize>,
    /// Tasks of single objects are in the program already.
    pub pairs_only: bool,
}

/// What a scope is recorded with.
pub(super) struct Setting<'a> {
    pub grouping: &'a Grouping,
    pub contacts: &'a [Contact],
    /// Per state, how many external forces there are.
    pub external: &'a [u32],
    pub sums: Sums,
}

/// The unit that an interaction force field of the scene belongs to.
pub(super) fn place_of_interaction(world: &World, interaction: usize, sides: Sides) -> Place {
    let i = &world.scene.parts.interactions[interaction];
    place_of(world.object_of(i.first).id, world.object_of(i.second).id, sides)
}

/// Records a scope; also tells what each group's solver leaves to be read.
pub(super) fn record(
    world: &mut World,
    scope: &Scope,
    setting: &Setting<'_>,
    memory: RecorderMemory,
) -> (Recording, RecorderMemory, BTreeMap<GroupId, SolveRecord>) {
    let mut ordered: Vec<GroupId> = scope.groups.keys().copied().collect();
    ordered.sort_by_key(|g| setting.grouping.order(*g));
    let members: Vec<Vec<usize>> = ordered.iter().map(|g| setting.grouping.members(*g)).collect();
    let merged: Vec<Option<Merged>> = members
        .iter()
        .map(|solvers| if solvers.len() > 1 { merged_solvers(world, solvers) } else { None })
        .collect();
    let external: Vec<bool> = setting.external.iter().map(|n| *n > 0).collect();
    // Solvers are looked at while the store is written: both are parts of the world.
    let (sleeping, follows_detection) = (world.sleeping, world.follows_detection);
    let free_motion = world.free_motion;
    if free_motion.is_some() {
        make_free_vectors(world);
    }
    let World { scene, store, vectors, objects, solvers, parameters, .. } = world;
    let mut rec = Recorder::with_memory(store, memory);
    rec.set_sums(setting.sums);
    rec.keep_own_tasks(!scope.pairs_only);
    let is_free = free_motion.is_some();
    let ends = Ends { grouping: setting.grouping, objects, parts: &scene.parts, is_free };
    let copied = ends.copied(vectors, scene, scope, setting.contacts);
    let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
    visit.rec.sweep("copies");
    for state in copied {
        let at = At { tag: ComponentTag(u32::MAX), state, object: visit.object(state) };
        visit.x_copy(at, VecCoordId::POSITION_AT_BEGIN, VecCoordId::POSITION);
        visit.v_copy(at, VecDerivId::VELOCITY_AT_BEGIN, VecDerivId::VELOCITY);
    }
    record_external(&mut visit, scene, objects, scope, setting.contacts);
    let mut records = BTreeMap::new();
    for ((id, members), merged) in ordered.into_iter().zip(members).zip(&merged) {
        let group = &scope.groups[&id];
        let elsewhere = |first, second| [first, second].map(|s| ends.other(vectors, id, s));
        let joint = |k: usize| {
            let i = &scene.parts.interactions[k];
            let (tag, first, second) = (tag_of(i.component), i.first, i.second);
            let sides =
                Sides { first: ends.moves(vectors, id, first), second: ends.moves(vectors, id, second) };
            Joint { tag, first, second, sides, elsewhere: elsewhere(first, second), node: &*i.node }
        };
        let contact = |k: usize, sides| {
            let c = &setting.contacts[k];
            let (tag, first, second) = (c.tag, c.first, c.second);
            Joint { tag, first, second, sides, elsewhere: elsewhere(first, second), node: &*c.node }
        };
        let joints = group.interactions.iter().map(|&(k, _)| joint(k));
        let joints = joints.chain(group.contacts.iter().map(|&(k, sides)| contact(k, sides)));
        let mut joints: Vec<Joint<'_>> = joints.collect();
        joints.sort_by_key(|j| is_of_pair(vectors, j.first, j.second));
        let first = &solvers[members[0]];
        let (ode, linear): (&dyn OdeSolver, Option<&dyn LinearSolver>) = match merged {
            Some((ode, linear)) => (&**ode, linear.as_deref()),
            None => {
                (&*scene.solvers.ode[first.ode].node, first.linear.map(|l| &*scene.solvers.linear[l].node))
            }
        };
        let component = scene.solvers.ode[first.ode].component;
        rec.begin_group_as(id, setting.grouping.order(id), scene.path(component));
        let visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
        let tag = tag_of(component);
        let of_solver =
            Group { objects: &group.objects, joints, external: &external, tag, follows_detection };
        let mut visitor = MechanicalVisitor::new(visit, of_solver, &scene.parts, objects).among(scene);
        visitor.carry_over();
        let mut solve = ode.record(&mut visitor, linear);
        for solver in members.iter().map(|s| &solvers[*s]).filter(|s| !s.after.is_empty()) {
            let own: Vec<ObjectId> =
                group.objects.iter().copied().filter(|o| solver.objects.contains(o)).collect();
            for &(after, linear) in &solver.after {
                let ode = &*scene.solvers.ode[after].node;
                if ode.follows() {
                    ode.record(&mut visitor.of(&own), None);
                } else {
                    let linear = linear.map(|l| &*scene.solvers.linear[l].node);
                    solve = record_further(&mut visitor, (ode, linear), solve);
                }
            }
        }
        record_unprojected(&mut visitor);
        if let Some(order) = free_motion {
            record_end_of_free_motion(&mut visitor, order);
            rec.end_group();
            records.insert(id, solve);
            continue;
        }
        let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
        // Before constraints: what they prescribe stays.
        if let Some(sleeping) = sleeping.filter(|s| s.slows()) {
            visitor.each_root("damp_slow", |visit, at| visit.damp_slow(at, v, sleeping));
        }
        visitor.project_position_and_velocity(x, v);
        visitor.propagate(x, v);
        if sleeping.is_some() {
            visitor.each_root("measure_motion", |visit, at| visit.measure_motion(at, v));
        }
        rec.end_group();
        records.insert(id, solve);
    }
    let (recording, memory) = rec.finish_with_memory();
    (recording, memory, records)
}

/// Keeps what a solver has left of what constraints project next, for solvers whose turn comes later.
///
/// **Source:** as in SOFA, whose animation loop projects positions and velocities after the last solver.
fn record_unprojected(visitor: &mut MechanicalVisitor<'_, '_, '_>) {
    let parts = visitor.parts();
    visitor.visit.rec.sweep("unprojected");
    for object in visitor.group_objects().filter(|o| o.is_projected(parts)) {
        let at = visitor.at(object.root);
        visitor.visit.x_copy(at, VecCoordId::POSITION_UNPROJECTED, VecCoordId::POSITION_NEXT);
        visitor.visit.v_copy(at, VecDerivId::VELOCITY_UNPROJECTED, VecDerivId::VELOCITY_NEXT);
    }
}

/// Who moves the ends of joint components.
struct Ends<'a> {
    grouping: &'a Grouping,
    objects: &'a [Object],
    parts: &'a Parts,
    /// Whether solvers move free copies of states, so that all ends stay where they are.
    ///
    /// **Source:** SOFA's FreeMotionAnimationLoop: solvers write free positions and velocities; forces are those at the present ones.
    is_free: bool,
}

impl Ends<'_> {
    fn object(&self, vectors: &[StateVectors], state: StateId) -> &Object {
        &self.objects[vectors[state.0 as usize].object().0 as usize]
    }

    fn group_of(&self, vectors: &[StateVectors], state: StateId) -> Option<GroupId> {
        self.object(vectors, state).solver.map(|s| self.grouping.group_of(s))
    }

    /// Whether a group moves a state.
    fn moves(&self, vectors: &[StateVectors], group: GroupId, state: StateId) -> bool {
        self.group_of(vectors, state) == Some(group)
    }

    /// Where a state stands that a group does not move, when the group's turn comes.
    fn other(&self, vectors: &[StateVectors], group: GroupId, state: StateId) -> OtherEnd {
        let order = |g| self.grouping.order(g);
        match self.group_of(vectors, state) {
            Some(other) if !self.is_free && order(other) < order(group) => {
                let object = self.object(vectors, state);
                if state != object.root {
                    OtherEnd::Copied
                } else if object.is_projected(self.parts) {
                    OtherEnd::Unprojected
                } else {
                    OtherEnd::Moved
                }
            }
            _ => OtherEnd::Present,
        }
    }

    /// The states that a joint component of the scope needs as they were at the beginning.
    fn copied(
        &self,
        vectors: &[StateVectors],
        scene: &Scene,
        scope: &Scope,
        contacts: &[Contact],
    ) -> BTreeSet<StateId> {
        let mut copied = BTreeSet::new();
        for (&id, group) in &scope.groups {
            let interactions = group.interactions.iter().map(|(k, _)| &scene.parts.interactions[*k]);
            let of_scene = interactions.flat_map(|i| [i.first, i.second]);
            let of_contacts =
                group.contacts.iter().flat_map(|(k, _)| [contacts[*k].first, contacts[*k].second]);
            copied.extend(
                of_scene.chain(of_contacts).filter(|s| self.other(vectors, id, *s) == OtherEnd::Copied),
            );
        }
        copied
    }
}

/// Forces that stand above all solvers: evaluated once, at the beginning of the step.
fn record_external(
    visit: &mut Visit<'_, '_>,
    scene: &Scene,
    objects: &[Object],
    scope: &Scope,
    contacts: &[Contact],
) {
    visit.rec.sweep("external_force");
    for &state in &scope.external {
        let at = At { tag: ComponentTag(u32::MAX), state, object: visit.object(state) };
        visit.v_clear(at, VecDerivId::EXTERNAL_FORCE);
    }
    let (f, x, v) = (VecDerivId::EXTERNAL_FORCE, VecCoordId::POSITION, VecDerivId::VELOCITY);
    for &state in &scope.external {
        let object = &objects[visit.object(state).0 as usize];
        let fields = object.external_forces.iter().map(|k| &scene.parts.force_fields[*k]);
        for p in fields.filter(|p| p.state == state) {
            let at = At { tag: tag_of(p.component), state, object: object.id };
            p.node.record_add_force(visit, at, f, x, v);
        }
    }
    let above = scope.above.iter().map(|&(k, sides)| {
        let i = &scene.parts.interactions[k];
        (&*i.node, Between::at_begin(tag_of(i.component), i.first, i.second, sides))
    });
    let both = Sides { first: true, second: true };
    let explicit = scope.explicit.iter().map(|k| {
        let c = &contacts[*k];
        (&*c.node, Between::at_begin(c.tag, c.first, c.second, both))
    });
    let mut joints: Vec<(&dyn InteractionNode, Between)> = above.chain(explicit).collect();
    joints.sort_by_key(|(_, between)| is_of_pair(visit.vectors, between.first, between.second));
    for (node, between) in joints {
        node.record_add_force(visit, between, f);
    }
}

/// Whether two states belong to two objects.
fn is_of_pair(vectors: &[StateVectors], first: StateId, second: StateId) -> bool {
    vectors[first.0 as usize].object() != vectors[second.0 as usize].object()
}
