//! The tasks that assemble the systems of a group.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, Workspace, read, work_in};
use sim_core::component::matrix::{End, JointBlock};
use sim_core::math::Mat3;
use sim_core::scene::StateId;
use sim_core::visitor::interaction_node::Sides;
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::misplaced_blocks::Misplaced;
use sim_core::visitor::object::Object;
use sim_core::visitor::visit::{At, tag_of};

use super::connected::Connected;
use super::matrix::SystemMatrix;
use super::structure::{Elsewhere, Jacobian, Joint, LocalMatrix, Rows, Structure};
use crate::linear::assembled::{on_state, record_state};

/// A system, as it was recorded.
pub struct System {
    /// Whose tasks assemble it: those of the first of its objects.
    pub at: At,
    /// Its matrix.
    pub matrix: Workspace<SystemMatrix>,
    /// Its objects' independent states, with the first block row and the number of block rows of each.
    pub members: Vec<(At, u32, u32)>,
}

/// Under which name a mapped state keeps its Jacobians.
const KEPT_JACOBIANS: &str = "jacobians";
/// Under which name it keeps their changes under forces.
const KEPT_GEOMETRIC: &str = "geometric stiffness";

/// The buffers of a system.
#[derive(Clone)]
struct SystemData {
    matrix: Workspace<SystemMatrix>,
    joints: Vec<Data<JointBlock>>,
}

/// The Jacobian of a mapping: its blocks, and their places.
#[derive(Clone)]
struct JacobianData {
    mapping: usize,
    values: Data<Mat3>,
    places: Vec<(u32, u32)>,
}

/// The Jacobians of the mappings onto a state.
struct Jacobians(Vec<JacobianData>);

/// Records the assembly of m M + b B + k K of all that is coupled in a group: one system for each set of coupled objects.
///
/// With `misplaced`, joints on mapped states have blocks where SOFA's matrix has them too: all objects are one system then. The
/// first object of a system keeps its buffers under a name from one recording to the next.
pub fn record_systems(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    factors: MbkFactors,
    misplaced: bool,
    name: &'static str,
) -> Vec<System> {
    record(visitor, factors, (misplaced, false), name)
}

/// The same with one system for all objects of the group, coupled or not, in their order.
pub fn record_whole_system(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    factors: MbkFactors,
    misplaced: bool,
    name: &'static str,
) -> Vec<System> {
    record(visitor, factors, (misplaced, true), name)
}

fn record(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    factors: MbkFactors,
    (misplaced, whole): (bool, bool),
    name: &'static str,
) -> Vec<System> {
    let objects: Vec<&Object> = visitor.group_objects().collect();
    let kind = |k| if misplaced { visitor.misplaced(k) } else { Misplaced::No };
    let misplaced: Vec<Misplaced> = (0..visitor.group.joints.len()).map(kind).collect();
    let sets = connected(visitor, &objects, whole || misplaced.iter().any(|m| *m != Misplaced::No));
    let sets: Vec<Vec<&Object>> =
        sets.into_iter().map(|set| set.into_iter().map(|k| objects[k]).collect()).collect();
    visitor.visit.rec.sweep("assemble");
    let mut found: Vec<Found<'_>> =
        sets.iter().map(|set| Found::begin(visitor, set, factors, name)).collect();
    visitor.visit.rec.sweep("jacobian");
    found.iter_mut().for_each(|f| f.record_jacobians(visitor, factors));
    visitor.visit.rec.sweep("joint_blocks");
    found.iter_mut().for_each(|f| f.record_joints(visitor, factors, &misplaced));
    visitor.visit.rec.sweep("system");
    found.into_iter().map(|f| f.record_sum(visitor)).collect()
}

/// The sets of objects that joints, or mappings with several inputs, couple.
fn connected(visitor: &MechanicalVisitor<'_, '_, '_>, objects: &[&Object], all: bool) -> Vec<Vec<usize>> {
    let mut connected = Connected::new(objects.len());
    let number = |id: ObjectId| objects.iter().position(|o| o.id == id);
    let mut join = |a: ObjectId, b: ObjectId| {
        if let (Some(a), Some(b)) = (number(a), number(b)) {
            connected.join(a, b);
        }
    };
    for j in &visitor.group.joints {
        if j.sides == (Sides { first: true, second: true }) {
            join(visitor.visit.object(j.first), visitor.visit.object(j.second));
        }
    }
    for k in objects.iter().flat_map(|o| &o.mappings) {
        let m = &visitor.parts().mappings[*k];
        join(visitor.visit.object(m.first), visitor.visit.object(m.second));
    }
    if all {
        objects.windows(2).for_each(|pair| join(pair[0].id, pair[1].id));
    }
    connected.sets()
}

/// A system while it is being found.
struct Found<'o> {
    /// Under which name its buffers are kept.
    name: &'static str,
    objects: &'o [&'o Object],
    at: At,
    members: Vec<(At, u32, u32)>,
    /// The states in the order of the structure.
    states: Vec<StateId>,
    structure: Structure,
    locals: Vec<Data<Mat3>>,
    jacobians: Vec<Data<Mat3>>,
    data: SystemData,
    joints: Vec<Data<JointBlock>>,
}

impl<'o> Found<'o> {
    /// Numbers the rows, and records the matrices of single states.
    fn begin(
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        objects: &'o [&'o Object],
        factors: MbkFactors,
        name: &'static str,
    ) -> Self {
        let at = visitor.at(objects[0].root);
        let kept = visitor.visit.vectors[at.state.0 as usize].kept::<SystemData>(name);
        let data = kept.map(|data| (*data).clone()).unwrap_or_else(|| SystemData {
            matrix: visitor.visit.rec.store().workspace(
                "system",
                at.object,
                SystemMatrix::new(Structure::default()),
            ),
            joints: Vec::new(),
        });
        let mut found = Self {
            name,
            objects,
            at,
            members: Vec::new(),
            states: Vec::new(),
            structure: Structure::default(),
            locals: Vec::new(),
            jacobians: Vec::new(),
            data,
            joints: Vec::new(),
        };
        found.number_rows(visitor);
        found.record_locals(visitor, factors);
        found
    }

    fn number_rows(&mut self, visitor: &mut MechanicalVisitor<'_, '_, '_>) {
        let parts = visitor.parts();
        for object in self.objects {
            let vectors = visitor.visit.vectors[object.root.0 as usize].clone();
            let (first, n_rows) = (self.structure.n_rows, vectors.n_block_rows());
            let mut fixed = vec![false; 3 * n_rows];
            vectors.padding_of_blocks().for_each(|k| fixed[k] = true);
            let scalars = (0..3 * n_rows as u32).filter(|k| !fixed[*k as usize]).map(|k| 3 * first + k);
            self.structure.scalars.extend(scalars);
            for c in object.constraints.iter().map(|k| &parts.constraints[*k]) {
                if c.state == object.root {
                    for scalar in c.node.fixed_scalars(visitor.visit.rec.store(), vectors.len()) {
                        fixed[vectors.scalar_of_blocks(scalar as usize)] = true;
                    }
                }
            }
            self.structure.fixed.append(&mut fixed);
            self.structure.states.push(Rows::Independent { first });
            self.states.push(object.root);
            self.members.push((visitor.at(object.root), first, n_rows as u32));
            self.structure.n_rows += n_rows as u32;
        }
        // Inputs before outputs: mappings between objects may go either way.
        let mut mapped: Vec<StateId> = self
            .objects
            .iter()
            .flat_map(|o| &o.states)
            .copied()
            .filter(|s| !self.states.contains(s))
            .collect();
        while !mapped.is_empty() {
            let is_ready = |s: &StateId| {
                let mut inputs = parts.mappings.iter().filter(|m| m.second == *s);
                inputs.all(|m| !mapped.contains(&m.first))
            };
            let state = mapped.remove(mapped.iter().position(is_ready).unwrap_or(0));
            let n = visitor.visit.vectors[state.0 as usize].n_block_rows() as u32;
            self.structure.states.push(Rows::Mapped { n });
            self.states.push(state);
        }
    }

    fn number_of(&self, state: StateId) -> Option<usize> {
        self.states.iter().position(|s| *s == state)
    }

    /// The mappings that give forces back, with their numbers, in the order of their outputs.
    fn mappings(&self, visitor: &MechanicalVisitor<'_, '_, '_>) -> Vec<usize> {
        let mappings = &visitor.parts().mappings;
        let own = self.objects.iter().flat_map(|o| &o.mappings).copied();
        let mut own: Vec<usize> = own.filter(|k| mappings[*k].node.map_forces()).collect();
        own.sort_by_key(|k| self.number_of(mappings[*k].second));
        own
    }

    /// Whether forces on a state reach an independent one.
    fn is_felt(&self, visitor: &MechanicalVisitor<'_, '_, '_>, state: StateId) -> bool {
        let mut onto = visitor.parts().mappings.iter().filter(|m| m.second == state).peekable();
        onto.peek().is_none() || onto.any(|m| m.node.map_forces() && self.is_felt(visitor, m.first))
    }

    fn record_locals(&mut self, visitor: &mut MechanicalVisitor<'_, '_, '_>, factors: MbkFactors) {
        for &object in self.objects {
            for &state in &object.states {
                if on_state(visitor, object, state).is_empty() || !self.is_felt(visitor, state) {
                    continue;
                }
                let Some(number) = self.number_of(state) else { continue };
                let data = record_state(visitor, object, state, factors);
                let store = visitor.visit.rec.store();
                let starts = store.read(data.row_starts).windows(2).zip(0..);
                let places = starts
                    .flat_map(|(range, row)| (range[0]..range[1]).map(move |_| row))
                    .zip(store.read(data.columns).iter().copied())
                    .collect();
                self.structure.locals.push(LocalMatrix { state: number, places });
                self.locals.push(data.values);
            }
        }
    }

    fn record_jacobians(&mut self, visitor: &mut MechanicalVisitor<'_, '_, '_>, factors: MbkFactors) {
        let parts = visitor.parts();
        for k in self.mappings(visitor) {
            let m = &parts.mappings[k];
            let (Some(input), Some(output)) = (self.number_of(m.first), self.number_of(m.second)) else {
                continue;
            };
            let JacobianData { values, places, .. } = kept_blocks(visitor, k, KEPT_JACOBIANS);
            let at = At { tag: tag_of(m.component), ..visitor.at(m.second) };
            m.node.record_jacobian(&mut visitor.visit, at, values);
            self.structure.jacobians.push(Jacobian { input, output, places });
            self.jacobians.push(values);
            if m.node.has_geometric_stiffness() && self.is_felt(visitor, m.first) {
                let JacobianData { values, places, .. } = kept_blocks(visitor, k, KEPT_GEOMETRIC);
                m.node.record_geometric(&mut visitor.visit, at, factors.k, values);
                self.structure.locals.push(LocalMatrix { state: input, places });
                self.locals.push(values);
            }
        }
    }

    fn record_joints(
        &mut self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        factors: MbkFactors,
        misplaced: &[Misplaced],
    ) {
        for (k, kind) in misplaced.iter().enumerate() {
            let (between, node) = visitor.joint_at_tangent(k);
            let end = |state, receives| if receives { self.number_of(state) } else { None };
            let ends = [end(between.first, between.sides.first), end(between.second, between.sides.second)];
            if ends == [None, None] {
                continue;
            }
            let at = self.joints.len();
            if self.data.joints.len() == at {
                let store = visitor.visit.rec.store();
                let blocks = store.create("joint blocks", self.at.object, Role::Scratch, Vec::new());
                self.data.joints.push(blocks);
            }
            let blocks = self.data.joints[at];
            node.record_add_to_matrix(&mut visitor.visit, between, factors.k, factors.b, blocks);
            let elsewhere = |end: End, other: StateId| {
                let object = visitor.visit.object(other);
                let before = self.members.iter().take_while(|(at, ..)| at.object != object);
                let scalars = before.map(|(at, ..)| visitor.visit.vectors[at.state.0 as usize].n_scalars());
                let scalars = scalars.sum::<usize>() as u32;
                Elsewhere { first: scalars, scalars: visitor.own_scalars(k, end) }
            };
            let (first, second) = (between.first, between.second);
            let is_elsewhere = match kind {
                Misplaced::No => [false; 2],
                Misplaced::Between => [true; 2],
                Misplaced::Outside => ends.map(|end| end.is_none()),
            };
            let elsewhere = [
                is_elsewhere[0].then(|| elsewhere(End::First, second)),
                is_elsewhere[1].then(|| elsewhere(End::Second, first)),
            ];
            self.structure.joints.push(Joint { ends, elsewhere });
            self.joints.push(blocks);
        }
    }

    fn record_sum(self, visitor: &mut MechanicalVisitor<'_, '_, '_>) -> System {
        let Self { name, at, members, structure, locals, jacobians, data, joints, .. } = self;
        let matrix = data.matrix;
        let buffers = data.joints.iter().map(|d| d.id()).chain([matrix.id()]).collect();
        visitor.visit.vectors[at.state.0 as usize].keep(name, Arc::new(data), buffers);
        let rec = &mut *visitor.visit.rec;
        rec.store().workspace_mut(matrix).restructure(structure);
        let At { tag, object, .. } = at;
        rec.own("system_begin", tag, object, (work_in(matrix),), |(m,)| m.begin());
        for (k, values) in jacobians.into_iter().enumerate() {
            let accesses = (work_in(matrix), read(values));
            rec.own("system_jacobian", tag, object, accesses, move |(m, blocks)| m.take_jacobian(k, blocks));
        }
        for (k, blocks) in joints.into_iter().enumerate() {
            let accesses = (work_in(matrix), read(blocks));
            rec.own("system_joint", tag, object, accesses, move |(m, blocks)| m.take_joint(k, blocks));
        }
        rec.own("system_places", tag, object, (work_in(matrix),), |(m,)| m.begin_sum());
        for (k, values) in locals.into_iter().enumerate() {
            let accesses = (work_in(matrix), read(values));
            rec.own("system_sum", tag, object, accesses, move |(m, blocks)| m.add_local(k, blocks));
        }
        System { at, matrix, members }
    }
}

/// The Jacobian of a mapping, or its geometric stiffness, which its output keeps under this name.
fn kept_blocks(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    mapping: usize,
    name: &'static str,
) -> JacobianData {
    let parts = visitor.parts();
    let state = parts.mappings[mapping].second;
    let kept = visitor.visit.vectors[state.0 as usize].kept::<Jacobians>(name);
    let mut all = kept.map(|kept| kept.0.clone()).unwrap_or_default();
    if let Some(known) = all.iter().find(|j| j.mapping == mapping) {
        return known.clone();
    }
    let object = visitor.visit.object(state);
    let store = visitor.visit.rec.store();
    let node = &parts.mappings[mapping].node;
    let places =
        if name == KEPT_GEOMETRIC { node.geometric_places(store) } else { node.jacobian_places(store) };
    let values = store.create(name, object, Role::Scratch, vec![Mat3::zeros(); places.len()]);
    let new = JacobianData { mapping, values, places };
    all.push(new.clone());
    let buffers = all.iter().map(|j| j.values.id()).collect();
    visitor.visit.vectors[state.0 as usize].keep(name, Arc::new(Jacobians(all)), buffers);
    new
}
