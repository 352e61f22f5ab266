//! The stages of a step with Lagrangian constraints: the free motion's end, and the correction of it.
//!
//! Constraints write rows, mappings bring them up to independent states, corrections make J C J^T of them (a task each), a
//! constraint solver finds the multipliers in a loop of the graph, and corrections move the states.

use std::collections::{BTreeMap, BTreeSet};

use crate::component::collision::ConstraintContact;
use crate::component::constraint_solver::{
    ConstraintCorrection, ConstraintData, ConstraintProblemData, ConstraintSolver, CorrectionFactors,
    IntegrationFactors, UnitData,
};
use crate::component::lagrangian_constraint::ConstraintOrder;
use crate::component::matrix::End;
use crate::component::solver::SolveRecord;
use crate::math::{Coord, Deriv};
use crate::scene::{ComponentId, NodeId, StateId};
use crate::visitor::constraints::{
    CorrectedUnit, MappingJacobians, OnRoot, PulledEntries, UnitRows, mappings_above, record_pull_up,
};
use crate::visitor::lagrangian_node::{LagrangianNode, RowsAt};
use crate::visitor::mechanical::{Group, MechanicalVisitor};
use crate::visitor::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use crate::visitor::visit::{At, Visit, tag_of};
use crate::visitor::world::World;
use crate::with_state_type;
use engine::data::{Data, ObjectId, Role, Store, Workspace, grow, read, update, val, work_in, write};
use engine::graph::{ComponentTag, Recorder, Recording};

/// Gives every state the vectors of the free motion, and those that nothing moves their values, once.
///
/// **Source:** as SOFA's FreeMotionAnimationLoop: what is not moved keeps the velocity of the first step for ever.
pub fn make_free_vectors(world: &mut World) {
    let World { store, vectors, .. } = world;
    for v in vectors.iter_mut().filter(|v| !v.has_free_motion()) {
        crate::for_vectors!(v, _S, v => {
            let (x, free_x) = (v.position(), v.coord(store, VecCoordId::FREE_POSITION));
            let now = store.read(x).to_vec();
            store.write(free_x).copy_from_slice(&now);
            let (v_now, free_v) = (v.velocity(), v.deriv(store, VecDerivId::FREE_VELOCITY));
            let now = store.read(v_now).to_vec();
            store.write(free_v).copy_from_slice(&now);
        });
    }
}

/// Records the end of a group's free motion: what its solver left in the next position and velocity becomes the free one, mapped
/// states follow, nothing else moves.
///
/// **Source:** as SOFA's FreeMotionAnimationLoop: free positions are x moved by h v_free, whatever the solver wrote, and mapped
/// ones too, linearised; where velocities are solved for, they stay what the solver wrote.
pub(super) fn record_end_of_free_motion(visitor: &mut MechanicalVisitor<'_, '_, '_>, order: ConstraintOrder) {
    let (x, v) = (VecCoordId::FREE_POSITION, VecDerivId::FREE_VELOCITY);
    visitor.each_root("free_velocity", |visit, at| visit.v_copy(at, v, VecDerivId::VELOCITY_NEXT));
    visitor.project_response(v);
    visitor.propagate_all(v);
    visitor.visit.rec.sweep("free_position");
    for object in visitor.group_objects() {
        for &state in &object.states {
            let at = visitor.at(state);
            match order {
                ConstraintOrder::Position => visitor.visit.x_ahead(at, x, v),
                ConstraintOrder::Velocity if state == object.root => {
                    visitor.visit.x_copy(at, x, VecCoordId::POSITION_NEXT);
                }
                ConstraintOrder::Velocity => {}
            }
        }
    }
}

/// Buffers of a unit.
#[derive(Clone, Copy)]
struct UnitBuffers {
    rows: Workspace<UnitRows>,
    row_numbers: Data<[u32; 2]>,
    compliance: Data<f64>,
    motion: Data<f64>,
}

/// What a recording of the constraints leaves for the next one.
#[derive(Default)]
pub struct ConstraintStage {
    jacobians: MappingJacobians,
    pulled: PulledEntries,
    units: BTreeMap<ComponentId, UnitBuffers>,
    forces: Option<(Data<f64>, Data<u32>)>,
}

/// A constraint of the scene, or a contact, in the order of rows.
struct Present<'a> {
    tag: ComponentTag,
    first: StateId,
    second: StateId,
    node: &'a dyn LagrangianNode,
}

/// A unit while it is recorded.
struct Unit<'a> {
    unit: CorrectedUnit,
    data: UnitData,
    factors: CorrectionFactors,
    node: &'a dyn ConstraintCorrection,
}

impl ConstraintStage {
    /// Gives all buffers back: an object goes that some of them may belong to. Nothing that was recorded with them may run again.
    pub fn free(&mut self, store: &mut Store) {
        let Self { jacobians, pulled, units, forces } = std::mem::take(self);
        jacobians.free(store);
        pulled.free(store);
        for UnitBuffers { rows, row_numbers, compliance, motion } in units.into_values() {
            [rows.id(), row_numbers.id(), compliance.id(), motion.id()]
                .into_iter()
                .for_each(|id| store.free(id));
        }
        if let Some((forces, first_rows)) = forces {
            [forces.id(), first_rows.id()].into_iter().for_each(|id| store.free(id));
        }
    }

    /// Records the correction of a free motion for the present contacts, which ends in the next positions and velocities. A scene
    /// without constraint solver has the `fallback`.
    pub fn record(
        &mut self,
        world: &mut World,
        contacts: &[ConstraintContact],
        order: ConstraintOrder,
        fallback: &dyn ConstraintSolver,
    ) -> (Recording, SolveRecord) {
        make_free_vectors(world);
        self.jacobians.rewind();
        self.pulled.rewind();
        let integrators = integrators(world);
        let members: Vec<ObjectId> =
            world.objects.iter().filter(|o| o.solver.is_some()).map(|o| o.id).collect();
        let World { scene, store, vectors, objects, parameters, .. } = world;
        let solver = scene.present(&scene.solvers.constraint).next();
        let tag = solver.map_or(ComponentTag(u32::MAX), |s| tag_of(s.component));
        let solver_node = solver.map_or(fallback, |s| &*s.node);
        let (order, projects) = (solver_node.order(order), solver_node.projects());
        let mut rec = Recorder::new(store);
        rec.begin_group(solver.map_or_else(|| "constraints".to_owned(), |s| scene.path(s.component)));
        let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };

        let present = present(scene, contacts);
        visit.rec.sweep("constraint_rows");
        let places: Vec<RowsAt> = present
            .iter()
            .map(|c| {
                let object = visit.rec.store().info(c.node.rows().entries.id()).object;
                RowsAt { tag: c.tag, object, first: c.first, second: c.second, order }
            })
            .collect();
        present.iter().zip(&places).for_each(|(c, at)| c.node.record_rows(&mut visit, *at));
        visit.rec.sweep("constraint_jacobian");
        for c in &present {
            for state in [c.first, c.second] {
                for mapping in mappings_above(&scene.parts, state) {
                    let tag = tag_of(scene.parts.mappings[mapping].component);
                    self.jacobians.record(&mut visit, &scene.parts, mapping, tag);
                }
            }
        }
        visit.rec.sweep("pull_up");
        let mut on_roots: Vec<(usize, OnRoot)> = Vec::new();
        for (k, c) in present.iter().enumerate() {
            let entries = c.node.rows().entries;
            for (state, end) in [(c.first, End::First), (c.second, End::Second)] {
                let kept = (&self.jacobians, &mut self.pulled);
                let found = record_pull_up(&mut visit, &scene.parts, kept, (state, end, c.tag), entries);
                on_roots.extend(found.into_iter().map(|on| (k, on)));
            }
        }

        visit.rec.sweep("unit_rows");
        let mut units: Vec<Unit<'_>> = Vec::new();
        for correction in scene.present(&scene.solvers.corrections) {
            let Some(root) = scene.state_in(correction.at) else { continue };
            let object = visit.object(root);
            let Some(integrator) = integrators.get(&object) else { continue };
            let at = At { tag: tag_of(correction.component), state: root, object };
            let members = correction.node.members(&visit, at);
            let factors = correction.node.factors(order, *integrator);
            let n_blocks = blocks_of(&visit, &members);
            let buffers = self.unit_buffers(&mut visit, correction.component, &members, n_blocks);
            let UnitBuffers { rows, row_numbers, compliance, motion } = buffers;
            let mut fixed = vec![false; 3 * n_blocks];
            if projects {
                for (member, first) in &members {
                    let vectors = visit.vectors[member.state.0 as usize].clone();
                    let constraints = &objects[member.object.0 as usize].constraints;
                    for c in constraints.iter().map(|k| &scene.parts.constraints[*k]) {
                        if c.state == member.state {
                            for scalar in c.node.fixed_scalars(visit.rec.store(), vectors.len()) {
                                fixed[3 * *first as usize + vectors.scalar_of_blocks(scalar as usize)] = true;
                            }
                        }
                    }
                }
            }
            let workspace = visit.rec.store().workspace_mut(rows);
            (workspace.n_blocks, workspace.fixed) = (n_blocks, fixed);
            visit.rec.own("unit_begin", at.tag, at.object, (work_in(rows),), |(rows,)| rows.begin());
            for (k, on) in &on_roots {
                let Some((_, first)) = members.iter().find(|(m, _)| m.state == on.root) else { continue };
                let (k, end, first) = (*k as u32, on.end, *first);
                visit.rec.own(
                    "unit_rows",
                    at.tag,
                    at.object,
                    (work_in(rows), read(on.entries)),
                    move |(rows, entries)| rows.take(k, end, first, entries),
                );
            }
            let accesses = (work_in(rows), grow(row_numbers));
            visit.rec.own("unit_rows", at.tag, at.object, accesses, |(rows, mut numbers)| {
                rows.finish();
                numbers.clear();
                numbers.extend_from_slice(&rows.rows);
            });
            let data = UnitData { rows: row_numbers, compliance, jacobian: rows, factors };
            let unit = CorrectedUnit { at, members, rows, motion };
            units.push(Unit { unit, data, factors, node: &*correction.node });
        }
        visit.rec.sweep("compliance");
        units.iter().for_each(|u| u.node.record_compliance(&mut visit, &u.unit, u.data.compliance));

        let mut solve = SolveRecord::default();
        if let Some(first) = units.first().filter(|_| !present.is_empty()) {
            let at = At { tag, ..first.unit.at };
            let (forces, first_rows) = *self.forces.get_or_insert_with(|| {
                let store = visit.rec.store();
                (
                    store.create("constraint.forces", at.object, Role::Scratch, Vec::new()),
                    store.create("constraint.first_rows", at.object, Role::Scratch, Vec::new()),
                )
            });
            let constraints: Vec<ConstraintData> =
                present.iter().map(|c| c.node.rows().data(c.node.former())).collect();
            let data: Vec<UnitData> = units.iter().map(|u| u.data).collect();
            let problem = ConstraintProblemData {
                at,
                constraints: &constraints,
                units: &data,
                forces,
                first_rows,
                tag,
            };
            solve = solver_node.record(&mut visit, &problem);
            visit.rec.sweep("keep_forces");
            for (k, (c, at)) in present.iter().zip(&places).enumerate() {
                c.node.record_keep(&mut visit, *at, forces, first_rows, k);
            }
            visit.rec.sweep("unit_force");
            for u in &units {
                record_force(&mut visit, &u.unit, forces, first_rows);
            }
            visit.rec.sweep("unit_motion");
            units.iter().for_each(|u| u.node.record_motion(&mut visit, &u.unit));
        } else {
            visit.rec.sweep("unit_motion");
            for u in &units {
                let CorrectedUnit { at, motion, .. } = u.unit;
                visit.rec.own("no_motion", at.tag, at.object, (write(motion),), |(motion,)| motion.fill(0.0));
            }
        }

        visit.rec.sweep("correct");
        let mut corrected = BTreeSet::new();
        for u in &units {
            for (at, first) in &u.unit.members {
                with_state_type!(visit, at.state, S => {
                    record_correction::<S>(&mut visit, (*at, *first), u.unit.motion, u.factors, order);
                });
                corrected.insert(at.state);
            }
        }
        for object in members.iter().map(|o| &objects[o.0 as usize]) {
            if !corrected.contains(&object.root) {
                let tag = object.solver_tag.unwrap_or(tag);
                let at = At { tag, state: object.root, object: object.id };
                record_uncorrected(&mut visit, at, order);
            }
        }
        let external = vec![false; visit.vectors.len()];
        let group = Group {
            objects: &members,
            joints: Vec::new(),
            external: &external,
            tag,
            follows_detection: false,
        };
        let mut visitor = MechanicalVisitor::new(visit, group, &scene.parts, objects);
        let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
        visitor.project_position_and_velocity(x, v);
        visitor.each_root("check_finite", |visit, at| visit.check_finite(at, x, v));
        visitor.propagate(x, v);
        rec.end_group();
        (rec.finish(), solve)
    }

    fn unit_buffers(
        &mut self,
        visit: &mut Visit<'_, '_>,
        correction: ComponentId,
        members: &[(At, u32)],
        n_blocks: usize,
    ) -> UnitBuffers {
        let object = members[0].0.object;
        let store = visit.rec.store();
        let buffers = *self.units.entry(correction).or_insert_with(|| UnitBuffers {
            rows: store.workspace("constraint.rows", object, UnitRows::default()),
            row_numbers: store.create("constraint.row_numbers", object, Role::Scratch, Vec::new()),
            compliance: store.create("constraint.compliance", object, Role::Scratch, Vec::new()),
            motion: store.create("constraint.motion", object, Role::Scratch, Vec::new()),
        });
        if store.len(buffers.motion) != 3 * n_blocks {
            store.replace(buffers.motion, vec![0.0; 3 * n_blocks]);
        }
        buffers
    }
}

/// What the integrator of each object that one moves makes of corrections.
fn integrators(world: &World) -> BTreeMap<ObjectId, IntegrationFactors> {
    let factors = |o: &crate::visitor::object::Object| {
        let solver = &world.solvers[o.solver?];
        Some((o.id, world.scene.solvers.ode[solver.ode].node.integration_factors()))
    };
    world.objects.iter().filter_map(factors).collect()
}

fn blocks_of(visit: &Visit<'_, '_>, members: &[(At, u32)]) -> usize {
    let ends =
        members.iter().map(|(at, first)| *first as usize + visit.vectors[at.state.0 as usize].n_block_rows());
    ends.max().unwrap_or(0)
}

/// All constraints in the order of their rows: node by node, depth first, contacts after the components of their node.
fn present<'a>(scene: &'a crate::scene::Scene, contacts: &'a [ConstraintContact]) -> Vec<Present<'a>> {
    let mut present = Vec::new();
    for node in scene.depth_first().into_iter().filter(|n| is_active(scene, *n)) {
        for component in scene.components_of(node) {
            let here = scene.parts.lagrangian.iter().filter(|c| c.component == component);
            present.extend(here.map(|c| Present {
                tag: tag_of(c.component),
                first: c.first,
                second: c.second,
                node: &*c.node,
            }));
        }
        let here = contacts.iter().filter(|c| c.at == node);
        present.extend(here.map(|c| Present {
            tag: c.tag,
            first: c.first,
            second: c.second,
            node: &*c.node,
        }));
    }
    present
}

fn is_active(scene: &crate::scene::Scene, node: NodeId) -> bool {
    scene.upward(node).all(|n| scene.node(n).active)
}

/// Records that a unit's motion holds J^T lambda.
fn record_force(visit: &mut Visit<'_, '_>, unit: &CorrectedUnit, forces: Data<f64>, first_rows: Data<u32>) {
    let CorrectedUnit { at, rows, motion, .. } = *unit;
    let accesses = (write(motion), work_in(rows), read(forces), read(first_rows));
    visit.rec.own("unit_force", at.tag, at.object, accesses, |(motion, rows, forces, first_rows)| {
        motion.fill(0.0);
        for (k, [constraint, row]) in rows.rows.iter().enumerate() {
            let force = forces[(first_rows[*constraint as usize] + row) as usize];
            if force != 0.0 {
                rows.add_transposed(k, force, motion);
            }
        }
    });
}

/// Records x := x_free moved by p c, v := v_free + q c; or v, and x moved by h v.
fn record_correction<S: VectorsAccess>(
    visit: &mut Visit<'_, '_>,
    (at, first): (At, u32),
    motion: Data<f64>,
    CorrectionFactors { position, velocity, .. }: CorrectionFactors,
    order: ConstraintOrder,
) {
    let x = visit.coord::<S>(at.state, VecCoordId::POSITION);
    let x_free = visit.coord::<S>(at.state, VecCoordId::FREE_POSITION);
    let v_free = visit.deriv::<S>(at.state, VecDerivId::FREE_VELOCITY);
    let x_next = visit.coord::<S>(at.state, VecCoordId::POSITION_NEXT);
    let v_next = visit.deriv::<S>(at.state, VecDerivId::VELOCITY_NEXT);
    let dt = visit.parameters.dt;
    visit.rec.own(
        "correct",
        at.tag,
        at.object,
        (update(x_next), update(v_next), read(x), read(x_free), read(v_free), read(motion), val(dt)),
        move |(x_next, v_next, x, x_free, v_free, motion, dt)| {
            let (p, q) = (position.at(dt), velocity.at(dt));
            let blocks = motion[3 * first as usize..].chunks_exact(3 * S::Deriv::BLOCKS);
            for (i, block) in blocks.take(x.len()).enumerate() {
                let mut c = S::Deriv::default();
                (0..S::Deriv::SIZE).for_each(|k| *c.scalar_mut(k) = block[k]);
                v_next[i] = v_free[i] + c * q;
                x_next[i] = match order {
                    ConstraintOrder::Position => x_free[i].moved(&(c * p)),
                    ConstraintOrder::Velocity => x[i].moved(&(v_next[i] * dt)),
                };
            }
        },
    );
}

/// Records that an object without correction stays where it is, or keeps its velocity.
///
/// **Source:** as SOFA's FreeMotionAnimationLoop: only corrections take over the free motion.
fn record_uncorrected(visit: &mut Visit<'_, '_>, at: At, order: ConstraintOrder) {
    visit.v_copy(at, VecDerivId::VELOCITY_NEXT, VecDerivId::VELOCITY);
    match order {
        ConstraintOrder::Position => visit.x_copy(at, VecCoordId::POSITION_NEXT, VecCoordId::POSITION),
        ConstraintOrder::Velocity => visit.x_ahead(at, VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY),
    }
}

impl Visit<'_, '_> {
    /// x_out := the position at the beginning of the step moved by v h.
    fn x_ahead(&mut self, at: At, x_out: VecCoordId, v: VecDerivId) {
        with_state_type!(self, at.state, S => self.ahead_of::<S>(at, x_out, v));
    }
    fn ahead_of<S: VectorsAccess>(&mut self, at: At, x_out: VecCoordId, v: VecDerivId) {
        let (out, x) = (self.coord::<S>(at.state, x_out), self.coord::<S>(at.state, VecCoordId::POSITION));
        let (v, dt) = (self.deriv::<S>(at.state, v), self.parameters.dt);
        let accesses = (write(out), read(x), read(v), val(dt));
        self.rec.own("x_ahead", at.tag, at.object, accesses, |(out, x, v, dt)| {
            for ((out, x), v) in out.iter_mut().zip(x).zip(v) {
                *out = x.moved(&(*v * dt));
            }
        });
    }
}
