//! The matrix of each object, assembled from 3 by 3 blocks: pattern once, values and product as tasks.

use std::sync::Arc;

use engine::data::{Data, DataId, Role, read, update, write};
use sim_core::component::matrix::PatternSink;
use sim_core::math::{Deriv, Mat3, Vec3};
use sim_core::scene::StateId;
use sim_core::visitor::matrix::SlotTable;
use sim_core::visitor::mechanical::{MbkFactors, MechanicalVisitor};
use sim_core::visitor::object::{ForceRef, Object};
use sim_core::visitor::vectors::VecDerivId;
use sim_core::visitor::visit::{At, tag_of};
use sim_core::with_state_type;

use sprs::{CsMatI, TriMatI};

/// The block matrices of a group's objects: one each, of the components on its independent state.
pub(super) struct Assembled {
    matrices: Vec<StateMatrix>,
    /// Whether joints on mapped states add what SOFA's matrix has in wrong places.
    pub misplaced: bool,
}

/// One object's matrix in compressed block rows.
#[derive(Clone, Copy)]
struct StateMatrix {
    at: At,
    values: Data<Mat3>,
    row_starts: Data<u32>,
    columns: Data<u32>,
}

/// Under which name a state keeps its matrix from one recording to the next.
const KEPT: &str = "assembled matrix";

/// The buffers of one state's matrix, in compressed block rows.
pub(super) struct MatrixData {
    /// The blocks.
    pub values: Data<Mat3>,
    /// First block of each row, and the end of the last one's.
    pub row_starts: Data<u32>,
    /// Block column of each block, ascending within a row.
    pub columns: Data<u32>,
    table: Data<u32>,
    masks: Data<u32>,
    firsts: Vec<u32>,
}

impl MatrixData {
    fn buffers(&self) -> Vec<DataId> {
        let Self { values, row_starts, columns, table, masks, .. } = self;
        vec![values.id(), row_starts.id(), columns.id(), table.id(), masks.id()]
    }
}

/// Places of the blocks of a projected matrix.
struct Pattern {
    row_starts: Vec<u32>,
    columns: Vec<u32>,
    /// For each block written, in order, its place among the values.
    slots: Vec<u32>,
    /// First slot of each component, and the end of the last one's.
    firsts: Vec<u32>,
    /// For each value, a mask: bit 3 i + j is set where entry (i, j) is kept by the projection, bit 9 + i where (i, i) becomes 1.
    masks: Vec<u32>,
}

impl Assembled {
    /// Records the assembly of every object's matrix (m M + b B + k K, projected) and returns what the products need.
    pub(super) fn record(
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        factors: MbkFactors,
        misplaced: bool,
    ) -> Self {
        let mut matrices = Vec::new();
        visitor.visit.rec.sweep("assemble");
        for object in visitor.group_objects() {
            for &state in &object.states {
                if state != object.root && on_state(visitor, object, state).is_empty() {
                    continue;
                }
                let data = record_state(visitor, object, state, factors);
                let at = visitor.at(state);
                let MatrixData { values, row_starts, columns, masks, .. } = *data;
                if state == object.root {
                    record_projection(visitor, at, values, masks);
                }
                matrices.push(StateMatrix { at, values, row_starts, columns });
            }
        }
        Self { matrices, misplaced }
    }

    /// Whether a state has a matrix, so that [`Self::record_product`] writes its part of a product.
    pub(super) fn has(&self, state: StateId) -> bool {
        self.matrices.iter().any(|m| m.at.state == state)
    }

    /// Records q := A p on every state that has a matrix.
    pub(super) fn record_product(
        &self,
        visitor: &mut MechanicalVisitor<'_, '_, '_>,
        q: VecDerivId,
        p: VecDerivId,
    ) {
        visitor.visit.rec.sweep("matrix_product");
        for m in &self.matrices {
            let visit = &mut visitor.visit;
            let StateMatrix { at, values, row_starts, columns } = *m;
            with_state_type!(visit, at.state, S => {
                let (q, p) = (visit.deriv::<S>(at.state, q), visit.deriv::<S>(at.state, p));
                visit.rec.own(
                    "matrix_product",
                    at.tag,
                    at.object,
                    (write(q), read(p), read(values), read(row_starts), read(columns)),
                    |(q, p, values, starts, columns)| multiply(starts, columns, values, p, q),
                );
            });
        }
    }
}

/// Row by row, columns in increasing order.
fn multiply<D: Deriv>(starts: &[u32], columns: &[u32], values: &[Mat3], p: &[D], q: &mut [D]) {
    for (row, range) in starts.windows(2).enumerate() {
        let mut sum = Vec3::zeros();
        for k in range[0] as usize..range[1] as usize {
            let column = columns[k] as usize;
            sum += values[k] * p[column / D::BLOCKS].block(column % D::BLOCKS);
        }
        q[row / D::BLOCKS].set_block(row % D::BLOCKS, sum);
    }
}

/// The force fields and masses on one state of an object.
pub(super) fn on_state(
    visitor: &MechanicalVisitor<'_, '_, '_>,
    object: &Object,
    state: StateId,
) -> Vec<ForceRef> {
    let parts = visitor.parts();
    let is_on = |f: &ForceRef| match *f {
        ForceRef::ForceField(k) => parts.force_fields[k].state == state,
        ForceRef::Mass(k) => parts.masses[k].state == state,
    };
    object.forces.iter().copied().filter(is_on).collect()
}

/// Records the assembly of m M + b B + k K of the components on one state of an object, without constraints.
pub(super) fn record_state(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    object: &Object,
    state: StateId,
    factors: MbkFactors,
) -> Arc<MatrixData> {
    let at = visitor.at(state);
    let parts = visitor.parts();
    let on_state = on_state(visitor, object, state);
    let kept = visitor.visit.vectors[state.0 as usize].kept::<MatrixData>(KEPT);
    let data = kept.unwrap_or_else(|| {
        let data = Arc::new(make_data(visitor, object, state, &on_state));
        visitor.visit.vectors[state.0 as usize].keep(KEPT, data.clone(), data.buffers());
        data
    });
    let MatrixData { values, table, ref firsts, .. } = *data;

    let visit = &mut visitor.visit;
    visit
        .rec
        .own("matrix_clear", at.tag, at.object, (write(values),), |(values,)| values.fill(Mat3::zeros()));
    for (f, ends) in on_state.iter().zip(firsts.windows(2)) {
        let slots = SlotTable { table, first: ends[0], count: ends[1] - ends[0] };
        match *f {
            ForceRef::ForceField(k) => {
                let p = &parts.force_fields[k];
                let at = At { tag: tag_of(p.component), ..at };
                p.node.record_add_to_matrix(visit, at, factors.k, factors.b, values, slots);
            }
            ForceRef::Mass(k) => {
                let p = &parts.masses[k];
                let at = At { tag: tag_of(p.component), ..at };
                p.node.record_add_to_matrix(visit, at, factors.m, factors.b, values, slots);
            }
        }
    }
    data
}

/// Records that what the constraints fix is cleared, with 1 on the diagonal.
fn record_projection(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    at: At,
    values: Data<Mat3>,
    masks: Data<u32>,
) {
    let rec = &mut visitor.visit.rec;
    rec.own("matrix_project", at.tag, at.object, (update(values), read(masks)), |(values, masks)| {
        for (value, mask) in values.iter_mut().zip(masks) {
            if *mask == 0o777 {
                continue;
            }
            for i in 0..3 {
                for j in 0..3 {
                    if mask & (1 << (3 * i + j)) == 0 {
                        value[(i, j)] = 0.0;
                    }
                }
                if mask & (1 << (9 + i)) != 0 {
                    value[(i, i)] = 1.0;
                }
            }
        }
    });
}

/// Puts the pattern of a state's matrix into the store.
fn make_data(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    object: &Object,
    state: StateId,
    on_state: &[ForceRef],
) -> MatrixData {
    let pattern = find_pattern(visitor, object, state, on_state);
    let n_values = pattern.columns.len();
    let store = visitor.visit.rec.store();
    let id = object.id;
    MatrixData {
        values: store.create("matrix.values", id, Role::Scratch, vec![Mat3::zeros(); n_values]),
        row_starts: store.create("matrix.row_starts", id, Role::Parameter, pattern.row_starts),
        columns: store.create("matrix.columns", id, Role::Parameter, pattern.columns),
        table: store.create("matrix.slots", id, Role::Parameter, pattern.slots),
        masks: store.create("matrix.masks", id, Role::Parameter, pattern.masks),
        firsts: pattern.firsts,
    }
}

fn find_pattern(
    visitor: &mut MechanicalVisitor<'_, '_, '_>,
    object: &Object,
    on: StateId,
    on_state: &[ForceRef],
) -> Pattern {
    let parts = visitor.parts();
    let state = visitor.visit.vectors[on.0 as usize].clone();
    let n_rows = state.n_block_rows();
    let store = visitor.visit.rec.store();
    let mut sink = PatternSink::default();
    let mut firsts = Vec::new();
    for f in on_state {
        firsts.push(sink.places.len() as u32);
        match *f {
            ForceRef::ForceField(k) => parts.force_fields[k].node.pattern(store, &mut sink),
            ForceRef::Mass(k) => parts.masses[k].node.pattern(store, &state, &mut sink),
        }
    }
    firsts.push(sink.places.len() as u32);
    // The symbolic phase is sprs': triplets to compressed rows, repeats summed, columns sorted.
    let mut triplets: TriMatI<u8, u32> = TriMatI::new((n_rows, n_rows));
    for (row, column) in &sink.places {
        triplets.add_triplet(*row as usize, *column as usize, 0);
    }
    for row in 0..n_rows {
        triplets.add_triplet(row, row, 0); // a fixed row needs its diagonal
    }
    let matrix: CsMatI<u8, u32> = triplets.to_csr();
    let slots = sink
        .places
        .iter()
        .map(|(row, column)| {
            matrix.nnz_index(*row as usize, *column as usize).map_or(0, |index| index.0 as u32)
        })
        .collect();
    let mut fixed = vec![false; 3 * n_rows];
    for scalar in state.padding_of_blocks() {
        fixed[scalar] = true;
    }
    for k in &object.constraints {
        let c = &parts.constraints[*k];
        if c.state == on {
            for scalar in c.node.fixed_scalars(store, state.len()) {
                fixed[state.scalar_of_blocks(scalar as usize)] = true;
            }
        }
    }
    let mut masks = vec![0u32; matrix.nnz()];
    let mut place = 0;
    for (row, vector) in matrix.outer_iterator().enumerate() {
        for (column, _) in vector.iter() {
            for i in 0..3 {
                for j in 0..3 {
                    if !fixed[3 * row + i] && !fixed[3 * column + j] {
                        masks[place] |= 1 << (3 * i + j);
                    }
                }
                if row == column && fixed[3 * row + i] {
                    masks[place] |= 1 << (9 + i);
                }
            }
            place += 1;
        }
    }
    Pattern {
        row_starts: matrix.indptr().raw_storage().to_vec(),
        columns: matrix.indices().to_vec(),
        slots,
        firsts,
        masks,
    }
}
