//! Contacts with Lagrange multipliers as a constraint: its points are data that each detection fills anew.

use std::marker::PhantomData;

use engine::data::{Data, ObjectId, Store, grow, read, val};
use sim_core::component::constraint_solver::FormerForce;
use sim_core::component::lagrangian_constraint::FreeState;
use sim_core::math::{Rigid3Type, Vec3Type};
use sim_core::visitor::direct::DirectLagrangian;
use sim_core::visitor::lagrangian_node::{LagrangianNode, RowBuffers, RowLists, RowsAt, free_vectors};
use sim_core::visitor::vectors::VectorsAccess;
use sim_core::visitor::visit::Visit;

use super::model::{PositionData, RunningModel};
use super::multiplier_direct;
use super::pair_buffers::PairBuffers;
use crate::collision::narrow_phase::DetectionOutput;
use crate::collision::response::{Anchored, ContactPoint, MultiplierLaw};

/// Says that there was a step before; no block has this id.
const ALIVE: FormerForce = FormerForce { id: u32::MAX, forces: [0.0; 3] };

/// The contacts of two models on two states, or on one twice.
struct MultiplierContact<A, B> {
    points: Data<ContactPoint>,
    outputs: Data<DetectionOutput>,
    rows: RowBuffers,
    former: [Data<FormerForce>; 2],
    law: MultiplierLaw,
    types: PhantomData<fn() -> (A, B)>,
}

/// The constraint of a pair of models; none where the pair has no rows.
pub(super) fn node(
    pair: &PairBuffers,
    first: &RunningModel,
    second: &RunningModel,
) -> Option<Box<dyn LagrangianNode>> {
    use PositionData::{Frames, Points};
    let ((rows, former), law) = pair.rows.zip(pair.law)?;
    let contacts = (pair.points, pair.outputs, rows, former, law);
    Some(match (first.data().positions, second.data().positions) {
        (Points(_), Points(_)) => typed::<Vec3Type, Vec3Type>(contacts),
        (Points(_), Frames(_)) => typed::<Vec3Type, Rigid3Type>(contacts),
        (Frames(_), Points(_)) => typed::<Rigid3Type, Vec3Type>(contacts),
        (Frames(_), Frames(_)) => typed::<Rigid3Type, Rigid3Type>(contacts),
    })
}

type Contacts =
    (Data<ContactPoint>, Data<DetectionOutput>, RowBuffers, [Data<FormerForce>; 2], MultiplierLaw);

fn typed<A, B>((points, outputs, rows, former, law): Contacts) -> Box<dyn LagrangianNode>
where
    A: Anchored + VectorsAccess,
    B: Anchored + VectorsAccess,
{
    Box::new(MultiplierContact::<A, B> { points, outputs, rows, former, law, types: PhantomData })
}

impl<A, B> LagrangianNode for MultiplierContact<A, B>
where
    A: Anchored + VectorsAccess,
    B: Anchored + VectorsAccess,
{
    fn class(&self) -> &'static str {
        if self.law.sticks { "StickContactConstraint" } else { "FrictionContactConstraint" }
    }

    fn freeze(&mut self, _store: &mut Store, _object: ObjectId, _name: &str) {}

    fn free(&mut self, _store: &mut Store) {}

    fn rows(&self) -> RowBuffers {
        self.rows
    }

    fn direct(&self, store: &Store) -> Option<Box<dyn DirectLagrangian>> {
        let ids = store.read(self.outputs).iter().map(|o| o.id);
        let contacts = store.read(self.points).iter().copied().zip(ids).collect();
        Some(multiplier_direct::direct::<A, B>(contacts, self.law))
    }

    fn former(&self) -> Option<[Data<FormerForce>; 2]> {
        Some(self.former)
    }

    fn record_keep(
        &self,
        visit: &mut Visit<'_, '_>,
        at: RowsAt,
        forces: Data<f64>,
        first_rows: Data<u32>,
        place: usize,
    ) {
        let ([now, next], sticks) = (self.former, self.law.sticks);
        let accesses = (grow(next), read(now), read(self.rows.blocks), read(forces), read(first_rows));
        visit.rec.own(
            self.class(),
            at.tag,
            at.object,
            accesses,
            move |(mut next, now, blocks, forces, first_rows)| {
                next.clear();
                if blocks.is_empty() {
                    // What does not touch any more is forgotten.
                    return;
                }
                next.push(ALIVE);
                if now.is_empty() && !sticks {
                    // As in SOFA, the forces of the first step of a contact of two models are never found again.
                    return;
                }
                let mut row = first_rows[place] as usize;
                for (k, b) in (0..).zip(blocks) {
                    let mut of_block = [0.0; 3];
                    let n = b.n_rows as usize;
                    of_block[..n.min(3)].copy_from_slice(&forces[row..row + n.min(3)]);
                    // What sticks is known by its place in the list.
                    if let Some(id) = b.id.or(sticks.then_some(k)) {
                        next.push(FormerForce { id, forces: of_block });
                    }
                    row += n;
                }
            },
        );
    }

    fn record_rows(&self, visit: &mut Visit<'_, '_>, at: RowsAt) {
        let RowsAt { tag, object, first, second, order } = at;
        let (a, b) = (free_vectors::<A>(visit, first), free_vectors::<B>(visit, second));
        let (law, rows, dt) = (self.law, self.rows, visit.parameters.dt);
        if law.sticks {
            // As those of other bilateral constraints, its multipliers begin with those of the step before.
            let accesses = (grow(rows.initial), read(self.former[0]));
            visit.rec.own(self.class(), tag, object, accesses, |(mut initial, former)| {
                initial.clear();
                for former in former.iter().filter(|f| f.id != ALIVE.id) {
                    initial.extend_from_slice(&former.forces);
                }
            });
        }
        visit.rec.own(
            self.class(),
            tag,
            object,
            (
                grow(rows.blocks),
                grow(rows.violations),
                grow(rows.entries),
                read(self.points),
                read(self.outputs),
                read(a.x),
                read(a.free_x),
                read(a.free_v),
                read(b.x),
                read(b.free_x),
                read(b.free_v),
                val(dt),
            ),
            move |(blocks, violations, entries, points, outputs, x1, fx1, fv1, x2, fx2, fv2, dt)| {
                let mut rows = RowLists::new(blocks, violations, entries);
                let first = FreeState::<A> { x: x1, rest: x1, free_x: fx1, free_v: fv1 };
                let second = FreeState::<B> { x: x2, rest: x2, free_x: fx2, free_v: fv2 };
                let contacts = points.iter().copied().zip(outputs.iter().map(|o| o.id));
                law.rows((order, dt), contacts, &first, &second, &mut rows);
            },
        );
    }
}
