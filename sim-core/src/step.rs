//! One time step: which solver groups there are, and the program of their integration.
//!
//! A step is three graphs (bounds, narrow phase, integration). This file records the third: forces that stand above all
//! solvers, then each group's solver, then the projection of the new state and its propagation through mappings.

use crate::component::collision::{Attachment, Contact};
use crate::component::solver::{LinearSolver, OdeSolver, SolveRecord};
use crate::data::ObjectId;
use crate::graph::{ComponentTag, GroupId, Recorder, Recording, Sums};
use crate::scene::{NodeId, StateId};
use crate::visitor::interaction_node::{Between, Sides};
use crate::visitor::mechanical::{Group, Joint, MechanicalVisitor};
use crate::visitor::vectors::{VecCoordId, VecDerivId};
use crate::visitor::visit::{Visit, tag_of};
use crate::visitor::world::World;

/// Solvers that move together: one, or several merged by contacts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolverGroup {
    /// Indices in [`World::solvers`], in order.
    pub solvers: Vec<usize>,
}

/// What a recorded group tells the driver to read.
#[derive(Clone, Debug)]
pub struct GroupRecord {
    /// Its number in the program.
    pub group: GroupId,
    /// Its solvers.
    pub solvers: Vec<usize>,
    /// The scalars of its linear solver.
    pub solve: SolveRecord,
}

/// The program of a step's integration.
pub struct Integration {
    /// Tasks and kernels.
    pub recording: Recording,
    /// One per solver group.
    pub groups: Vec<GroupRecord>,
}

/// The groups that the present contacts make: a function of them alone, whatever came before.
///
/// With a group manager, solvers whose objects touch are merged, where their solvers can be.
///
/// **Source:** ENGINE section 8; as SOFA's former collision group manager.
pub fn solver_groups(world: &World, contacts: &[Contact], merge: bool) -> Vec<SolverGroup> {
    let n = world.solvers.len();
    let mut parent: Vec<usize> = (0..n).collect();
    fn root(parent: &mut [usize], mut k: usize) -> usize {
        while parent[k] != k {
            parent[k] = parent[parent[k]];
            k = parent[k];
        }
        k
    }
    if merge {
        for c in contacts.iter().filter(|c| c.attachment == Attachment::Both) {
            let (a, b) = (world.object_of(c.first).solver, world.object_of(c.second).solver);
            if let (Some(a), Some(b)) = (a, b)
                && can_merge(world, a, b)
            {
                let (a, b) = (root(&mut parent, a), root(&mut parent, b));
                parent[a.max(b)] = a.min(b);
            }
        }
    }
    let mut groups: Vec<SolverGroup> = Vec::new();
    let mut group_of = vec![usize::MAX; n];
    for k in 0..n {
        let r = root(&mut parent, k);
        if group_of[r] == usize::MAX {
            group_of[r] = groups.len();
            groups.push(SolverGroup { solvers: Vec::new() });
        }
        groups[group_of[r]].solvers.push(k);
    }
    groups
}

/// Whether two solvers can be merged: an equivalence, since it compares schemes and not numbers.
fn can_merge(world: &World, a: usize, b: usize) -> bool {
    merged_solvers(world, &[a, b]).is_some()
}

type Merged = (Box<dyn OdeSolver>, Option<Box<dyn LinearSolver>>);

fn merged_solvers(world: &World, solvers: &[usize]) -> Option<Merged> {
    let all = &world.scene.solvers;
    let odes: Vec<&dyn OdeSolver> = solvers.iter().map(|s| &*all.ode[world.solvers[*s].ode].node).collect();
    let ode = odes[0].merged(&odes[1..])?;
    let linears: Vec<Option<&dyn LinearSolver>> =
        solvers.iter().map(|s| world.solvers[*s].linear.map(|l| &*all.linear[l].node)).collect();
    if linears.iter().all(Option::is_none) {
        return Some((ode, None));
    }
    let linears: Vec<&dyn LinearSolver> = linears.into_iter().collect::<Option<_>>()?;
    Some((ode, Some(linears[0].merged(&linears[1..])?)))
}

/// Records the integration of one step for the given contacts and groups.
pub fn record_integration(
    world: &mut World,
    contacts: &[Contact],
    groups: &[SolverGroup],
    pipeline_node: Option<NodeId>,
    merge: bool,
    sums: Sums,
) -> Integration {
    let mut group_of_solver = vec![usize::MAX; world.solvers.len()];
    for (g, group) in groups.iter().enumerate() {
        for s in &group.solvers {
            group_of_solver[*s] = g;
        }
    }
    let placed = place_contacts(world, contacts, &group_of_solver, pipeline_node, merge);
    let mut external = vec![false; world.vectors.len()];
    for e in &placed.external {
        external[e.first.0 as usize] = true;
        external[e.second.0 as usize] = true;
    }
    for k in &world.external {
        let i = &world.scene.parts.interactions[*k];
        external[i.first.0 as usize] = true;
        external[i.second.0 as usize] = true;
    }

    let merged: Vec<Option<Merged>> = groups
        .iter()
        .map(|g| if g.solvers.len() > 1 { merged_solvers(world, &g.solvers) } else { None })
        .collect();
    let World { scene, store, vectors, objects, solvers, external: above, parameters } = world;
    let mut rec = Recorder::new(store);
    rec.set_sums(sums);
    {
        let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
        record_external(&mut visit, scene, &external, above, &placed.external, contacts);
    }
    let mut records = Vec::with_capacity(groups.len());
    for (g, group) in groups.iter().enumerate() {
        let first = &solvers[group.solvers[0]];
        let mut members: Vec<ObjectId> =
            group.solvers.iter().flat_map(|s| solvers[*s].objects.iter().copied()).collect();
        members.sort_unstable();
        let mut joints = Vec::new();
        for s in &group.solvers {
            for (k, sides) in &solvers[*s].interactions {
                let i = &scene.parts.interactions[*k];
                joints.push(Joint {
                    tag: tag_of(i.component),
                    first: i.first,
                    second: i.second,
                    sides: *sides,
                    node: &*i.node,
                });
            }
        }
        for (k, sides) in &placed.implicit[g] {
            let c = &contacts[*k];
            joints.push(Joint {
                tag: c.tag,
                first: c.first,
                second: c.second,
                sides: *sides,
                node: &*c.node,
            });
        }
        let (ode, linear): (&dyn OdeSolver, Option<&dyn LinearSolver>) = match &merged[g] {
            Some((ode, linear)) => (&**ode, linear.as_deref()),
            None => {
                (&*scene.solvers.ode[first.ode].node, first.linear.map(|l| &*scene.solvers.linear[l].node))
            }
        };
        let tag = tag_of(scene.solvers.ode[first.ode].component);
        let id = rec.begin_group(scene.path(scene.solvers.ode[first.ode].component));
        let visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
        let scope = Group { objects: &members, joints, external: &external, tag };
        let mut visitor = MechanicalVisitor::new(visit, scope, &scene.parts, objects);
        let solve = ode.record(&mut visitor, linear);
        let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
        visitor.project_position_and_velocity(x, v);
        visitor.propagate(x, v);
        rec.end_group();
        records.push(GroupRecord { group: id, solvers: group.solvers.clone(), solve });
    }
    Integration { recording: rec.finish(), groups: records }
}

/// Records the propagation of the present positions and velocities through all mappings.
pub fn record_propagation(world: &mut World) -> Recording {
    let members: Vec<ObjectId> = world.objects.iter().map(|o| o.id).collect();
    let external = vec![false; world.vectors.len()];
    let World { scene, store, vectors, objects, parameters, .. } = world;
    let mut rec = Recorder::new(store);
    let visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
    let group =
        Group { objects: &members, joints: Vec::new(), external: &external, tag: ComponentTag(u32::MAX) };
    let mut visitor = MechanicalVisitor::new(visit, group, &scene.parts, objects);
    visitor.propagate(VecCoordId::POSITION, VecDerivId::VELOCITY);
    rec.finish()
}

/// Where each contact acts.
struct PlacedContacts {
    /// Per group: contacts in its matrix, with the sides that it moves.
    implicit: Vec<Vec<(usize, Sides)>>,
    /// Contacts evaluated once per step, outside all solvers.
    external: Vec<ExternalContact>,
}

struct ExternalContact {
    contact: usize,
    first: StateId,
    second: StateId,
}

/// **Source:** SOFA_COLLISION section 5.2 as its facts stand: with an obstacle the response hangs below the simulated
/// object's solver and is implicit; between two simulated objects it hangs at the pipeline's node and is implicit only
/// under a common solver, by its place or by a group manager.
fn place_contacts(
    world: &World,
    contacts: &[Contact],
    group_of_solver: &[usize],
    pipeline_node: Option<NodeId>,
    merge: bool,
) -> PlacedContacts {
    let n_groups = group_of_solver.iter().copied().filter(|g| *g != usize::MAX).max().map_or(0, |g| g + 1);
    let mut placed = PlacedContacts { implicit: vec![Vec::new(); n_groups], external: Vec::new() };
    let above_pipeline = pipeline_node.and_then(|n| world.solver_above(n));
    for (k, c) in contacts.iter().enumerate() {
        let first = world.object_of(c.first).solver.map(|s| group_of_solver[s]);
        let second = world.object_of(c.second).solver.map(|s| group_of_solver[s]);
        match (c.attachment, first, second) {
            (Attachment::First, Some(g), _) => {
                // Both sides may still be one group's: then the other side moves too, and feels the force.
                let sides = Sides { first: true, second: second == Some(g) };
                placed.implicit[g].push((k, sides));
            }
            (Attachment::Second, _, Some(g)) => {
                let sides = Sides { first: first == Some(g), second: true };
                placed.implicit[g].push((k, sides));
            }
            (Attachment::Both, Some(a), Some(b)) if a == b && (merge || above_pipeline.is_some()) => {
                placed.implicit[a].push((k, Sides { first: true, second: true }));
            }
            (Attachment::Both, Some(g), None) if merge || above_pipeline.is_some() => {
                placed.implicit[g].push((k, Sides { first: true, second: false }));
            }
            (Attachment::Both, None, Some(g)) if merge || above_pipeline.is_some() => {
                placed.implicit[g].push((k, Sides { first: false, second: true }));
            }
            (Attachment::Both, None, None) | (Attachment::First, None, _) | (Attachment::Second, _, None) => {
            }
            (Attachment::Both, ..) => {
                placed.external.push(ExternalContact { contact: k, first: c.first, second: c.second });
            }
        }
    }
    placed
}

/// Forces that stand above all solvers: evaluated once, at the beginning of the step.
fn record_external(
    visit: &mut Visit<'_, '_>,
    scene: &crate::scene::Scene,
    external: &[bool],
    above: &[usize],
    contacts_outside: &[ExternalContact],
    contacts: &[Contact],
) {
    if !external.iter().any(|e| *e) {
        return;
    }
    visit.rec.sweep("external_force");
    for (s, _) in external.iter().enumerate().filter(|(_, e)| **e) {
        let state = StateId(s as u32);
        let at =
            crate::visitor::visit::At { tag: ComponentTag(u32::MAX), state, object: visit.object(state) };
        visit.v_clear(at, VecDerivId::EXTERNAL_FORCE);
    }
    let both = Sides { first: true, second: true };
    let (f, x, v) = (VecDerivId::EXTERNAL_FORCE, VecCoordId::POSITION, VecDerivId::VELOCITY);
    for k in above {
        let i = &scene.parts.interactions[*k];
        let between = Between { tag: tag_of(i.component), first: i.first, second: i.second, sides: both };
        i.node.record_add_force(visit, between, f, x, v);
    }
    for e in contacts_outside {
        let c = &contacts[e.contact];
        let between = Between { tag: c.tag, first: c.first, second: c.second, sides: both };
        c.node.record_add_force(visit, between, f, x, v);
    }
}
