//! The forces on a mapping's output under which its geometric stiffness is taken.
//!
//! ```text
//!                     last step's multipliers, if any of their blocks is not 0 ─┐
//! forces of the step ──┬──────────── else ─────────────────────────────────────┴─> of products
//!                      └── plus last step's multipliers ─────────────────────────> of an assembled matrix
//! ```
//!
//! **Source:** as SOFA's `FreeMotionAnimationLoop`: forces J^T lambda / dt of the step before belong to a state's total forces, which
//! assembled matrices read; `updateK` makes a matrix of them alone, which `applyDJT` multiplies unless it is empty.

use super::matrix::AnyEntry;
use super::vectors::{VecDerivId, VectorsAccess};
use super::visit::{At, Visit};
use crate::component::lagrangian_constraint::RowEntry;
use crate::component::mapping::{AddGeometricStiffness, Mapping, MappingParts, OutDeriv};
use crate::component::matrix::End;
use crate::math::Deriv;
use engine::data::{Data, ObjectId, Role, Store, read, update, val, write};

/// Where the forces are kept, since solvers go on to use the vector that they were computed in.
pub(super) struct KeptForces<M: Mapping> {
    /// Those that assembled matrices are made under.
    pub of_matrix: Data<OutDeriv<M>>,
    /// Those that products are taken under; 0 where these take their own result.
    pub of_products: Data<OutDeriv<M>>,
    /// J^T lambda of the step before, and of this one; nothing where multipliers do not count.
    multipliers: Option<[Data<OutDeriv<M>>; 2]>,
}

impl<M: Mapping> KeptForces<M>
where
    M::Output: VectorsAccess,
{
    pub fn new(store: &mut Store, object: ObjectId, name: &str, parts: &MappingParts<M>) -> Self {
        let counts = parts.geometric_stiffness;
        let zeros = || vec![OutDeriv::<M>::default(); if counts { parts.n_out } else { 0 }];
        let mut kept = |what: &str| store.create(format!("{name}.{what}"), object, Role::Scratch, zeros());
        let (of_matrix, of_products) = (kept("forces"), kept("forces_of_products"));
        let state = |store: &mut Store| store.create_state(format!("{name}.multipliers"), object, zeros());
        let multipliers = (counts && M::TAKES_MULTIPLIERS).then(|| state(store).into());
        Self { of_matrix, of_products, multipliers }
    }

    pub fn free(self, store: &mut Store) {
        store.free(self.of_matrix.id());
        store.free(self.of_products.id());
        self.multipliers.into_iter().flatten().for_each(|data| store.free(data.id()));
    }

    /// Whether multipliers count.
    pub fn takes_multipliers(&self) -> bool {
        self.multipliers.is_some()
    }

    /// Records that these are the forces from here on.
    pub fn record(&self, visit: &mut Visit<'_, '_>, at: At, f_out: VecDerivId, mapping: MappingData<M>) {
        let f_out = visit.deriv::<M::Output>(at.state, f_out);
        let (of_matrix, of_products) = (write(self.of_matrix), write(self.of_products));
        let MappingData { constants: c, elements, stored } = mapping;
        let takes_result = M::products_under_result(&c);
        let Some([multipliers, _]) = self.multipliers else {
            let accesses = (of_matrix, of_products, read(f_out));
            visit.rec.own(M::NAME, at.tag, at.object, accesses, move |(of_matrix, of_products, f_out)| {
                of_matrix.copy_from_slice(f_out);
                keep_for_products(of_products, f_out, takes_result);
            });
            return;
        };
        let dt = val(visit.parameters.dt);
        let accesses =
            (of_matrix, of_products, read(f_out), read(multipliers), read(elements), read(stored), dt);
        visit.rec.own(
            M::NAME,
            at.tag,
            at.object,
            accesses,
            move |(of_matrix, of_products, f_out, multipliers, elements, stored, dt)| {
                let per_time = 1.0 / dt;
                of_matrix.copy_from_slice(f_out);
                for ((product, matrix), m) in
                    of_products.iter_mut().zip(of_matrix.iter_mut()).zip(multipliers)
                {
                    *product = *m * per_time;
                    *matrix += *product;
                }
                let mut matrix = AnyEntry(false);
                let f_of = &*of_products;
                M::add_geometric_stiffness(
                    &c,
                    AddGeometricStiffness {
                        k_factor: 1.0,
                        elements,
                        stored,
                        f_out: f_of,
                        matrix: &mut matrix,
                    },
                );
                if !matrix.0 {
                    keep_for_products(of_products, f_out, takes_result);
                }
            },
        );
    }

    /// Records that the multipliers of this step are those of these rows, which lie in `forces` where `first_rows` says.
    pub fn record_multipliers(
        &self,
        visit: &mut Visit<'_, '_>,
        at: At,
        rows: &[RowsOnOutput],
        found: Option<Found>,
    ) {
        let Some([_, next]) = self.multipliers else { return };
        visit.rec.own(M::NAME, at.tag, at.object, (write(next),), |(next,)| next.fill(OutDeriv::<M>::zero()));
        let Some(found) = found else { return };
        for RowsOnOutput { constraint, end, entries } in rows {
            let (constraint, end) = (*constraint, *end);
            let accesses = (update(next), read(*entries), read(found.forces), read(found.first_rows));
            visit.rec.own(
                M::NAME,
                at.tag,
                at.object,
                accesses,
                move |(next, entries, forces, first_rows)| {
                    let forces = &forces[first_rows[constraint] as usize..];
                    for e in entries.iter().filter(|e| end.is_none_or(|end| e.end == end)) {
                        let (dof, k) = (
                            e.block as usize / OutDeriv::<M>::BLOCKS,
                            e.block as usize % OutDeriv::<M>::BLOCKS,
                        );
                        let sum = next[dof].block(k) + e.direction * forces[e.row as usize];
                        next[dof].set_block(k, sum);
                    }
                },
            );
        }
    }
}

/// Where no multipliers count: the forces, or none, so that products take their own result.
fn keep_for_products<D: Deriv>(of_products: &mut [D], f_out: &[D], takes_result: bool) {
    if takes_result { of_products.fill(D::zero()) } else { of_products.copy_from_slice(f_out) }
}

/// The arrays of a mapping.
pub(super) struct MappingData<M: Mapping> {
    pub constants: M::Constants,
    pub elements: Data<M::Element>,
    pub stored: Data<M::Stored>,
}

/// Rows of a constraint on the output of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct RowsOnOutput {
    /// The constraint's number.
    pub constraint: usize,
    /// Which of the entries are meant; none: all.
    pub end: Option<End>,
    /// The entries.
    pub entries: Data<RowEntry>,
}

/// The multipliers of a step.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// One for each row.
    pub forces: Data<f64>,
    /// The first row of each constraint.
    pub first_rows: Data<u32>,
}
