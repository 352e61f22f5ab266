//! A constraint with Lagrange multipliers in the scene: its arrays become data, its rows a task.

use super::direct::{DirectLagrangian, direct_lagrangian};
use super::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use super::visit::Visit;
use crate::component::constraint_solver::{ConstraintData, FormerForce};
use crate::component::lagrangian_constraint::{
    BuildRows, ConstraintBlock, ConstraintOrder, FreeState, LagrangianConstraint, LagrangianConstraintParts,
    Resolution, RowEntry, RowSink,
};
use crate::component::matrix::End;
use crate::math::Vec3;
use crate::scene::StateId;
use engine::data::{Data, GrowList, ObjectId, Role, Store, grow, read, val};
use engine::graph::ComponentTag;

/// The rows of a constraint, as data that one task fills in each step.
#[derive(Clone, Copy, Debug)]
pub struct RowBuffers {
    /// Its blocks.
    pub blocks: Data<ConstraintBlock>,
    /// Violations after the free motion, one per row.
    pub violations: Data<f64>,
    /// The Jacobian, row by row.
    pub entries: Data<RowEntry>,
    /// Multipliers to begin with, one per row; shorter, or empty: zero.
    pub initial: Data<f64>,
}

impl RowBuffers {
    /// Buffers without rows.
    pub fn new(store: &mut Store, object: ObjectId) -> Self {
        Self {
            blocks: store.create("constraint.blocks", object, Role::Scratch, Vec::new()),
            violations: store.create("constraint.violations", object, Role::Scratch, Vec::new()),
            entries: store.create("constraint.entries", object, Role::Scratch, Vec::new()),
            initial: store.create("constraint.initial", object, Role::Scratch, Vec::new()),
        }
    }

    /// Frees them, when no task names them any more.
    pub fn free(&self, store: &mut Store) {
        let Self { blocks, violations, entries, initial } = *self;
        for id in [blocks.id(), violations.id(), entries.id(), initial.id()] {
            store.free(id);
        }
    }

    /// What a solver reads of them.
    pub fn data(&self, former: Option<[Data<FormerForce>; 2]>) -> ConstraintData {
        let Self { blocks, violations, initial, .. } = *self;
        ConstraintData { blocks, violations, initial, former }
    }
}

/// The lists that a task fills.
pub struct RowLists<'a> {
    blocks: GrowList<'a, ConstraintBlock>,
    violations: GrowList<'a, f64>,
    entries: GrowList<'a, RowEntry>,
}

impl<'a> RowLists<'a> {
    /// Empties the lists.
    pub fn new(
        mut blocks: GrowList<'a, ConstraintBlock>,
        mut violations: GrowList<'a, f64>,
        mut entries: GrowList<'a, RowEntry>,
    ) -> Self {
        blocks.clear();
        violations.clear();
        entries.clear();
        Self { blocks, violations, entries }
    }
}

impl RowSink for RowLists<'_> {
    fn block(&mut self, n_rows: u32, resolution: Resolution, id: Option<u32>) {
        self.blocks.push(ConstraintBlock { n_rows, resolution, id });
    }
    fn row(&mut self, violation: f64) {
        self.violations.push(violation);
    }
    fn entry(&mut self, end: End, block: u32, direction: Vec3) {
        let row = self.violations.len() as u32 - 1;
        self.entries.push(RowEntry { row, end, block, direction });
    }
}

/// The identity of a constraint and its two states, while it records.
#[derive(Clone, Copy, Debug)]
pub struct RowsAt {
    /// Its identity in errors and traces.
    pub tag: ComponentTag,
    /// The object whose tasks compute it.
    pub object: ObjectId,
    /// The first state.
    pub first: StateId,
    /// The second state; the first again for a constraint on one.
    pub second: StateId,
    /// What the multipliers correct.
    pub order: ConstraintOrder,
}

/// A constraint with multipliers behind its types.
pub trait LagrangianNode: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
    /// Puts its arrays into the store.
    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str);
    /// Frees its arrays, when no task names them any more.
    fn free(&mut self, store: &mut Store);
    /// Its rows, which [`Self::record_rows`] fills.
    fn rows(&self) -> RowBuffers;
    /// The multipliers with which it begins the next step, where it keeps any.
    fn kept<'s>(&self, store: &'s Store) -> Option<&'s [f64]> {
        let _ = store;
        None
    }
    /// Gives it multipliers to begin with: in the order of its rows, as far as they reach.
    fn begin_with(&self, store: &mut Store, multipliers: Vec<f64>) {
        let _ = (store, multipliers);
    }
    /// Where solvers that begin with the multipliers of the step before find those of each block, and leave new ones.
    fn former(&self) -> Option<[Data<FormerForce>; 2]> {
        None
    }
    /// Evaluates it on plain numbers, with a copy of its arrays as they are now; none where it has no such evaluator.
    fn direct(&self, store: &Store) -> Option<Box<dyn DirectLagrangian>> {
        let _ = store;
        None
    }
    /// Records that the buffers hold its rows.
    fn record_rows(&self, visit: &mut Visit<'_, '_>, at: RowsAt);
    /// Records that it keeps its multipliers, which begin at its place in `first_rows` in `forces`, where it keeps any.
    fn record_keep(
        &self,
        visit: &mut Visit<'_, '_>,
        at: RowsAt,
        forces: Data<f64>,
        first_rows: Data<u32>,
        place: usize,
    ) {
        let _ = (visit, at, forces, first_rows, place);
    }
}

struct Frozen<C: LagrangianConstraint> {
    elements: Data<C::Element>,
    rows: RowBuffers,
    /// The multipliers of the step before, and of this one.
    kept: Option<(Data<f64>, Data<f64>)>,
}

struct Typed<C: LagrangianConstraint> {
    constants: C::Constants,
    fresh: Vec<C::Element>,
    data: Option<Frozen<C>>,
}

impl<C: LagrangianConstraint> Typed<C> {
    fn data(&self) -> &Frozen<C> {
        self.data.as_ref().expect("the scene was frozen before recording")
    }
}

impl<C: LagrangianConstraint> LagrangianNode for Typed<C>
where
    C::State1: VectorsAccess,
    C::State2: VectorsAccess,
{
    fn class(&self) -> &'static str {
        C::NAME
    }

    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str) {
        let fresh = std::mem::take(&mut self.fresh);
        let elements = store.create(format!("{name}.elements"), object, Role::Parameter, fresh);
        let kept = C::KEEPS_FORCES.then(|| store.create_state(format!("{name}.forces"), object, Vec::new()));
        self.data = Some(Frozen { elements, rows: RowBuffers::new(store, object), kept });
    }

    fn free(&mut self, store: &mut Store) {
        if let Some(Frozen { elements, rows, kept }) = self.data.take() {
            store.free(elements.id());
            rows.free(store);
            kept.into_iter().flat_map(|(now, next)| [now.id(), next.id()]).for_each(|id| store.free(id));
        }
    }

    fn rows(&self) -> RowBuffers {
        self.data().rows
    }

    fn kept<'s>(&self, store: &'s Store) -> Option<&'s [f64]> {
        self.data().kept.map(|(now, _)| store.read(now))
    }

    fn begin_with(&self, store: &mut Store, multipliers: Vec<f64>) {
        if let Some((now, _)) = self.data().kept {
            store.replace(now, multipliers);
        }
    }

    fn direct(&self, store: &Store) -> Option<Box<dyn DirectLagrangian>> {
        Some(direct_lagrangian::<C>(self.constants, store.read(self.data().elements)))
    }

    fn record_rows(&self, visit: &mut Visit<'_, '_>, at: RowsAt) {
        let RowsAt { tag, object, first, second, order } = at;
        let Frozen { elements, rows, kept } = self.data();
        let (elements, rows, c) = (*elements, *rows, self.constants);
        let (a, b) = (free_vectors::<C::State1>(visit, first), free_vectors::<C::State2>(visit, second));
        let dt = visit.parameters.dt;
        visit.rec.own(
            C::NAME,
            tag,
            object,
            (
                grow(rows.blocks),
                grow(rows.violations),
                grow(rows.entries),
                read(elements),
                read(a.x),
                read(a.rest),
                read(a.free_x),
                read(a.free_v),
                read(b.x),
                read(b.rest),
                read(b.free_x),
                read(b.free_v),
                val(dt),
            ),
            move |(blocks, violations, entries, elements, x1, r1, fx1, fv1, x2, r2, fx2, fv2, dt)| {
                let first = FreeState { x: x1, rest: r1, free_x: fx1, free_v: fv1 };
                let second = FreeState { x: x2, rest: r2, free_x: fx2, free_v: fv2 };
                let mut rows = RowLists::new(blocks, violations, entries);
                C::build_rows(&c, BuildRows { order, dt, elements, first, second }, &mut rows);
            },
        );
        if let Some((now, _)) = *kept {
            visit.rec.own(
                C::NAME,
                tag,
                object,
                (grow(rows.initial), read(now)),
                move |(mut initial, now)| {
                    initial.clear();
                    initial.extend_from_slice(now);
                },
            );
        }
    }

    fn record_keep(
        &self,
        visit: &mut Visit<'_, '_>,
        at: RowsAt,
        forces: Data<f64>,
        first_rows: Data<u32>,
        place: usize,
    ) {
        let Frozen { rows, kept: Some((_, next)), .. } = *self.data() else { return };
        let accesses = (grow(next), read(rows.violations), read(forces), read(first_rows));
        visit.rec.own(
            C::NAME,
            at.tag,
            at.object,
            accesses,
            move |(mut next, violations, forces, first_rows)| {
                next.clear();
                next.extend_from_slice(&forces[first_rows[place] as usize..][..violations.len()]);
            },
        );
    }
}

/// The handles of what constraints read of a state.
#[derive(Clone, Copy, Debug)]
pub struct FreeVectors<C, D> {
    /// Positions at the beginning of the step.
    pub x: Data<C>,
    /// Rest positions.
    pub rest: Data<C>,
    /// Positions after the free motion.
    pub free_x: Data<C>,
    /// Velocities after the free motion.
    pub free_v: Data<D>,
}

/// The vectors that constraints read of a state.
pub fn free_vectors<S: VectorsAccess>(
    visit: &mut Visit<'_, '_>,
    state: StateId,
) -> FreeVectors<S::Coord, S::Deriv> {
    FreeVectors {
        x: visit.coord::<S>(state, VecCoordId::POSITION),
        rest: visit.coord::<S>(state, VecCoordId::REST_POSITION),
        free_x: visit.coord::<S>(state, VecCoordId::FREE_POSITION),
        free_v: visit.deriv::<S>(state, VecDerivId::FREE_VELOCITY),
    }
}

/// Hides the types of a constraint.
pub fn erase_lagrangian<C: LagrangianConstraint>(
    parts: LagrangianConstraintParts<C>,
) -> Box<dyn LagrangianNode>
where
    C::State1: VectorsAccess,
    C::State2: VectorsAccess,
{
    Box::new(Typed::<C> { constants: parts.constants, fresh: parts.elements, data: None })
}
