//! Records the integration of a step, or the part of it that concerns some objects and pairs.
//!
//! The part of an object or pair is the same whichever others are recorded beside it, as long as the objects of a pair are;
//! so parts can be recorded apart and put together. For the same reason what joins two states of one object comes before
//! what joins objects: an object's own tasks never wait for those of pairs within a sweep.

use std::collections::BTreeMap;

use super::contacts::place_of;
use super::grouping::Grouping;
use super::groups::{Merged, merged_solvers};
use crate::component::collision::Contact;
use crate::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use crate::data::ObjectId;
use crate::graph::{ComponentTag, GroupId, Place, Recorder, RecorderMemory, Recording, Sums};
use crate::scene::StateId;
use crate::visitor::interaction_node::{Between, InteractionNode, Sides};
use crate::visitor::mechanical::{Group, Joint, MechanicalVisitor};
use crate::visitor::vectors::{StateVectors, VecCoordId, VecDerivId};
use crate::visitor::visit::{At, Visit, tag_of};
use crate::visitor::world::World;

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
    /// Interaction force fields above all solvers.
    pub above: Vec<usize>,
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
    let World { scene, store, vectors, objects, solvers, parameters, .. } = world;
    let mut rec = Recorder::with_memory(store, memory);
    rec.set_sums(setting.sums);
    rec.keep_own_tasks(!scope.pairs_only);
    let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
    record_external(&mut visit, scene, scope, setting.contacts);
    let mut records = BTreeMap::new();
    for ((id, members), merged) in ordered.into_iter().zip(members).zip(&merged) {
        let group = &scope.groups[&id];
        let joint = |k: usize, sides| {
            let i = &scene.parts.interactions[k];
            Joint { tag: tag_of(i.component), first: i.first, second: i.second, sides, node: &*i.node }
        };
        let contact = |k: usize, sides| {
            let c = &setting.contacts[k];
            Joint { tag: c.tag, first: c.first, second: c.second, sides, node: &*c.node }
        };
        let joints = group.interactions.iter().map(|&(k, sides)| joint(k, sides));
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
        let of_solver = Group { objects: &group.objects, joints, external: &external, tag };
        let mut visitor = MechanicalVisitor::new(visit, of_solver, &scene.parts, objects);
        visitor.carry_over();
        let solve = ode.record(&mut visitor, linear);
        let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
        visitor.project_position_and_velocity(x, v);
        visitor.propagate(x, v);
        rec.end_group();
        records.insert(id, solve);
    }
    let (recording, memory) = rec.finish_with_memory();
    (recording, memory, records)
}

/// Forces that stand above all solvers: evaluated once, at the beginning of the step.
fn record_external(
    visit: &mut Visit<'_, '_>,
    scene: &crate::scene::Scene,
    scope: &Scope,
    contacts: &[Contact],
) {
    visit.rec.sweep("external_force");
    for &state in &scope.external {
        let at = At { tag: ComponentTag(u32::MAX), state, object: visit.object(state) };
        visit.v_clear(at, VecDerivId::EXTERNAL_FORCE);
    }
    let both = Sides { first: true, second: true };
    let (f, x, v) = (VecDerivId::EXTERNAL_FORCE, VecCoordId::POSITION, VecDerivId::VELOCITY);
    let above = scope.above.iter().map(|k| {
        let i = &scene.parts.interactions[*k];
        (&*i.node, Between { tag: tag_of(i.component), first: i.first, second: i.second, sides: both })
    });
    let explicit = scope.explicit.iter().map(|k| {
        let c = &contacts[*k];
        (&*c.node, Between { tag: c.tag, first: c.first, second: c.second, sides: both })
    });
    let mut joints: Vec<(&dyn InteractionNode, Between)> = above.chain(explicit).collect();
    joints.sort_by_key(|(_, between)| is_of_pair(visit.vectors, between.first, between.second));
    for (node, between) in joints {
        node.record_add_force(visit, between, f, x, v);
    }
}

/// Whether two states belong to two objects.
fn is_of_pair(vectors: &[StateVectors], first: StateId, second: StateId) -> bool {
    vectors[first.0 as usize].object() != vectors[second.0 as usize].object()
}
