//! The correction of a free motion by Lagrange multipliers.
//!
//! Constraints write rows, mappings bring them up to independent states, corrections make J C J^T of them (a task each), a
//! constraint solver finds the multipliers in a loop of the graph, and corrections move the states.

use std::collections::{BTreeMap, BTreeSet};

use super::correction::{record_corrections, record_unit_force};
use super::free_motion::{make_free_vectors, record_unsolved_free_motion};
use super::projected_columns::ProjectedColumns;
use crate::component::collision::ConstraintContact;
use crate::component::constraint_solver::{
    ConstraintCorrection, ConstraintData, ConstraintProblemData, ConstraintSolver, CorrectionFactors,
    IntegrationFactors, UnitData,
};
use crate::component::lagrangian_constraint::ConstraintOrder;
use crate::component::matrix::End;
use crate::component::solver::SolveRecord;
use crate::scene::parts::Parts;
use crate::scene::{ComponentId, NodeId, StateId};
use crate::visitor::constraints::{
    CorrectedUnit, MappingJacobians, MappingsUp, OnState, PulledEntries, UnitRows, record_pull_up,
};
use crate::visitor::kept_forces::{Found, RowsOnOutput};
use crate::visitor::lagrangian_node::{LagrangianNode, RowsAt};
use crate::visitor::mechanical::{Group, MechanicalVisitor};
use crate::visitor::object::Object;
use crate::visitor::vectors::{VecCoordId, VecDerivId};
use crate::visitor::visit::{At, Visit, tag_of};
use crate::visitor::world::World;
use engine::data::{Data, ObjectId, Role, Store, Workspace, grow, read, work_in, write};
use engine::graph::{ComponentTag, Recorder, Recording};

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
    /// The constraints in the order of rows; nothing for a contact.
    constraints: Vec<Option<ComponentId>>,
}

/// What the multipliers of a step have to do with, besides the scene.
pub struct Corrected<'a> {
    /// The contacts that have multipliers.
    pub contacts: &'a [ConstraintContact],
    /// Objects that no solver moves, and something else does.
    pub unsolved: &'a [ObjectId],
    /// Objects that sleep: they are not corrected, and what has to do with nothing but them and what no solver moves has no rows.
    pub asleep: &'a BTreeSet<ObjectId>,
}

/// Of each state, the constraints that act there, and their entries.
type OnStates = BTreeMap<StateId, Vec<(usize, OnState)>>;

/// A constraint of the scene, or a contact, in the order of rows.
struct Present<'a> {
    component: Option<ComponentId>,
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
        let Self { jacobians, pulled, units, forces, .. } = std::mem::take(self);
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

    /// The multipliers of the scene's constraints after a step, constraint by constraint, those of contacts and of what sleeps left out.
    pub fn multipliers(&self, store: &Store) -> Vec<(ComponentId, Vec<f64>)> {
        let Some((forces, first_rows)) = self.forces else { return Vec::new() };
        let (forces, first_rows) = (store.read(forces), store.read(first_rows));
        let end = |k: usize| first_rows.get(k + 1).map_or(forces.len(), |row| *row as usize);
        let of = |(k, component): (usize, &Option<ComponentId>)| {
            let first = *first_rows.get(k)? as usize;
            Some(((*component)?, forces.get(first..end(k))?.to_vec()))
        };
        self.constraints.iter().enumerate().filter_map(of).collect()
    }

    /// Records the correction of a free motion, which ends in the next positions and velocities. A scene without constraint solver
    /// has the `fallback`.
    pub fn record(
        &mut self,
        world: &mut World,
        corrected: &Corrected<'_>,
        order: ConstraintOrder,
        fallback: &dyn ConstraintSolver,
    ) -> (Recording, SolveRecord) {
        make_free_vectors(world);
        self.jacobians.rewind();
        self.pulled.rewind();
        let (integrators, sleeping) = (integrators(world), world.sleeping);
        let World { scene, store, vectors, objects, parameters, .. } = world;
        let solver = scene.present(&scene.solvers.constraint).next();
        let tag = solver.map_or(ComponentTag(u32::MAX), |s| tag_of(s.component));
        let solver_node = solver.map_or(fallback, |s| &*s.node);
        let order = solver_node.order(order);
        let mut rec = Recorder::new(store);
        rec.begin_group(solver.map_or_else(|| "constraints".to_owned(), |s| scene.path(s.component)));
        let external = vec![false; vectors.len()];
        let of = |objects| Group {
            objects,
            joints: Vec::new(),
            external: &external,
            tag,
            follows_detection: false,
        };
        let Corrected { contacts, unsolved, asleep } = *corrected;
        let visit = Visit { rec: &mut rec, vectors, parameters: *parameters };
        let mut visitor = MechanicalVisitor::new(visit, of(unsolved), &scene.parts, objects);
        record_unsolved_free_motion(&mut visitor, order);
        let mut visit = Visit { rec: &mut rec, vectors, parameters: *parameters };

        let mut present = present(scene, contacts);
        present.retain(|c| {
            let ends = [c.first, c.second].map(|s| &objects[visit.object(s).0 as usize]);
            let sleeps = |o: &&Object| asleep.contains(&o.id);
            !ends.iter().any(sleeps) || ends.iter().any(|o| o.solver.is_some() && !sleeps(o))
        });
        self.constraints = present.iter().map(|c| c.component).collect();
        let places = record_rows(&mut visit, &present, order);
        let on_states = self.record_pull_up(&mut visit, &scene.parts, &present);
        visit.rec.sweep("unit_rows");
        let mut units: Vec<Unit<'_>> = Vec::new();
        for correction in scene.present(&scene.solvers.corrections) {
            let Some(root) = scene.state_in(correction.at) else { continue };
            let object = visit.object(root);
            let Some(integrator) = integrators.get(&object).filter(|_| !asleep.contains(&object)) else {
                continue;
            };
            let at = At { tag: tag_of(correction.component), state: root, object };
            let members = correction.node.members(&visit, at);
            let n_blocks = blocks_of(&visit, &members);
            let columns = match solver_node.projects() {
                true => ProjectedColumns::of(&mut visit, &scene.parts, objects, (&members, n_blocks)),
                false => ProjectedColumns::none(n_blocks),
            };
            let factors = correction.node.factors(order, *integrator);
            let unit = (correction.component, at, members, columns);
            let (unit, mut data) = self.record_unit(&mut visit, unit, factors, &on_states);
            if !solver_node.builds() {
                data.blocks = correction.node.block_compliances(&mut visit, &unit);
            }
            units.push(Unit { unit, data, factors, node: &*correction.node });
        }
        visit.rec.sweep("compliance");
        for u in units.iter().filter(|u| u.data.blocks.is_none()) {
            u.node.record_compliance(&mut visit, &u.unit, u.data.compliance);
        }
        let constraints = (&present[..], &places[..]);
        let solve = self.record_solve(&mut visit, constraints, &units, (solver_node, tag));
        let leaves_forces = solver_node.leaves_forces() && !units.is_empty();
        let rows = if leaves_forces { on_states } else { OnStates::new() };
        self.record_multipliers(&mut visit, &scene.parts, &rows);

        let is_moved = |o: &&Object| o.solver.is_some() && !asleep.contains(&o.id);
        let members: Vec<ObjectId> = objects.iter().filter(is_moved).map(|o| o.id).collect();
        let corrected: Vec<_> = units.iter().map(|u| (&u.unit, u.factors)).collect();
        record_corrections(&mut visit, &corrected, (objects, &members), (order, tag));
        let mut visitor = MechanicalVisitor::new(visit, of(&members), &scene.parts, objects);
        let (x, v) = (VecCoordId::POSITION_NEXT, VecDerivId::VELOCITY_NEXT);
        if let Some(sleeping) = sleeping.filter(|s| s.slows()) {
            visitor.each_root("damp_slow", |visit, at| visit.damp_slow(at, v, sleeping));
        }
        visitor.project_position_and_velocity(x, v);
        visitor.each_root("check_finite", |visit, at| visit.check_finite(at, x, v));
        visitor.propagate(x, v);
        if sleeping.is_some() {
            visitor.each_root("measure_motion", |visit, at| visit.measure_motion(at, v));
        }
        rec.end_group();
        (rec.finish(), solve)
    }

    /// Records that the rows of all constraints come to the independent states; of each state, those on the way included, the
    /// constraints and what is there.
    fn record_pull_up(
        &mut self,
        visit: &mut Visit<'_, '_>,
        parts: &Parts,
        present: &[Present<'_>],
    ) -> OnStates {
        let mappings = MappingsUp::new(parts);
        visit.rec.sweep("constraint_jacobian");
        let mut seen = BTreeSet::new();
        for state in present.iter().flat_map(|c| [c.first, c.second]).filter(|s| seen.insert(*s)) {
            for mapping in mappings.above(parts, state) {
                let tag = tag_of(parts.mappings[mapping].component);
                self.jacobians.record(visit, parts, mapping, tag);
            }
        }
        visit.rec.sweep("pull_up");
        let mut on_states = OnStates::new();
        for (k, c) in present.iter().enumerate() {
            let entries = c.node.rows().entries;
            for (state, end) in [(c.first, End::First), (c.second, End::Second)] {
                let kept = (&self.jacobians, &mut self.pulled);
                for on in record_pull_up(visit, (parts, &mappings), kept, (state, end, c.tag), entries) {
                    on_states.entry(on.state).or_default().push((k, on));
                }
            }
        }
        on_states
    }

    /// Records the multipliers on what mappings move, where these take geometric stiffness under them in the next step.
    fn record_multipliers(&self, visit: &mut Visit<'_, '_>, parts: &Parts, on_states: &OnStates) {
        if parts.mappings.iter().any(|m| m.node.takes_multipliers()) {
            visit.rec.sweep("keep_forces");
        }
        for m in parts.mappings.iter().filter(|m| m.node.takes_multipliers()) {
            let (state, tag) = (m.second, tag_of(m.component));
            let at = At { tag, state, object: visit.object(state) };
            let here = on_states.get(&state).into_iter().flatten();
            let rows: Vec<RowsOnOutput> = here
                .map(|(k, on)| RowsOnOutput { constraint: *k, end: on.end, entries: on.entries })
                .collect();
            let found = self.forces.map(|(forces, first_rows)| Found { forces, first_rows });
            m.node.record_multipliers(visit, at, &rows, found);
        }
    }

    /// Records that a unit has the rows that its states feel.
    fn record_unit(
        &mut self,
        visit: &mut Visit<'_, '_>,
        (correction, at, members, columns): (ComponentId, At, Vec<(At, u32)>, ProjectedColumns<'_>),
        factors: CorrectionFactors,
        on_states: &OnStates,
    ) -> (CorrectedUnit, UnitData) {
        let ProjectedColumns { held, timed, by_time } = columns;
        let n_blocks = held.len() / 3;
        let UnitBuffers { rows, row_numbers, compliance, motion } =
            self.unit_buffers(visit, correction, &members, n_blocks);
        let workspace = visit.rec.store().workspace_mut(rows);
        (workspace.n_blocks, workspace.held, workspace.by_time) = (n_blocks, held, by_time);
        visit.rec.own("unit_begin", at.tag, at.object, (work_in(rows),), |(rows,)| rows.begin());
        for (number, constraint) in timed.into_iter().enumerate() {
            constraint.record_project_columns(visit, at, rows, number);
        }
        let of_member = |(m, first): &(At, u32)| on_states.get(&m.state).map(|on| (*first, on));
        for (first, (k, on)) in
            members.iter().filter_map(of_member).flat_map(|(f, all)| all.iter().map(move |on| (f, on)))
        {
            let (k, end) = (*k as u32, on.end);
            let accesses = (work_in(rows), read(on.entries));
            visit.rec.own("unit_rows", at.tag, at.object, accesses, move |(rows, entries)| {
                rows.take(k, end, first, entries);
            });
        }
        let accesses = (work_in(rows), grow(row_numbers));
        visit.rec.own("unit_rows", at.tag, at.object, accesses, |(rows, mut numbers)| {
            rows.finish();
            numbers.clear();
            numbers.extend_from_slice(&rows.rows);
        });
        let data = UnitData { rows: row_numbers, compliance, blocks: None, jacobian: rows, factors };
        (CorrectedUnit { at, members, rows, motion }, data)
    }

    /// Records that the multipliers are found, and what they make of the units' motion.
    fn record_solve(
        &mut self,
        visit: &mut Visit<'_, '_>,
        (present, places): (&[Present<'_>], &[RowsAt]),
        units: &[Unit<'_>],
        (solver, tag): (&dyn ConstraintSolver, ComponentTag),
    ) -> SolveRecord {
        let Some(first) = units.first().filter(|_| !present.is_empty()) else {
            visit.rec.sweep("unit_motion");
            for u in units {
                let CorrectedUnit { at, motion, .. } = u.unit;
                visit.rec.own("no_motion", at.tag, at.object, (write(motion),), |(motion,)| motion.fill(0.0));
            }
            return SolveRecord::default();
        };
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
        let units_data: Vec<UnitData> = units.iter().map(|u| u.data).collect();
        let (constraints, units_data) = (&constraints[..], &units_data[..]);
        let problem = ConstraintProblemData { at, constraints, units: units_data, forces, first_rows, tag };
        let solve = solver.record(visit, &problem);
        visit.rec.sweep("keep_forces");
        for (k, (c, at)) in present.iter().zip(places).enumerate() {
            c.node.record_keep(visit, *at, forces, first_rows, k);
        }
        visit.rec.sweep("unit_force");
        units.iter().for_each(|u| record_unit_force(visit, &u.unit, forces, first_rows));
        visit.rec.sweep("unit_motion");
        units.iter().for_each(|u| u.node.record_motion(visit, &u.unit));
        solve
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

/// Records the rows of all constraints; where each one's are.
fn record_rows(visit: &mut Visit<'_, '_>, present: &[Present<'_>], order: ConstraintOrder) -> Vec<RowsAt> {
    visit.rec.sweep("constraint_rows");
    let store = visit.rec.store();
    let place = |c: &Present<'_>| {
        let object = store.info(c.node.rows().entries.id()).object;
        RowsAt { tag: c.tag, object, first: c.first, second: c.second, order }
    };
    let places: Vec<RowsAt> = present.iter().map(place).collect();
    present.iter().zip(&places).for_each(|(c, at)| c.node.record_rows(visit, *at));
    places
}

/// What the integrator of each object that one moves makes of corrections.
fn integrators(world: &World) -> BTreeMap<ObjectId, IntegrationFactors> {
    let factors = |o: &Object| {
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
    let mut contacts_at: BTreeMap<NodeId, Vec<&ConstraintContact>> = BTreeMap::new();
    contacts.iter().for_each(|c| contacts_at.entry(c.at).or_default().push(c));
    let mut present = Vec::new();
    for node in scene.depth_first().into_iter().filter(|n| is_active(scene, *n)) {
        for component in scene.components_of(node) {
            let here = scene.parts.lagrangian.iter().filter(|c| c.component == component);
            present.extend(here.map(|c| Present {
                component: Some(c.component),
                tag: tag_of(c.component),
                first: c.first,
                second: c.second,
                node: &*c.node,
            }));
        }
        let here = contacts_at.get(&node).into_iter().flatten();
        present.extend(here.map(|c| Present {
            component: None,
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
