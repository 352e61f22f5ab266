//! What multipliers make of a free motion: forces on units, and the motion that these cause.

use std::collections::BTreeSet;

use crate::component::constraint_solver::CorrectionFactors;
use crate::component::lagrangian_constraint::ConstraintOrder;
use crate::math::{Coord, Deriv};
use crate::visitor::constraints::CorrectedUnit;
use crate::visitor::object::Object;
use crate::visitor::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use crate::visitor::visit::{At, Visit};
use crate::with_state_type;
use engine::data::{Data, ObjectId, read, update, val, work_in, write};
use engine::graph::ComponentTag;

/// Records that a unit's motion holds J^T lambda.
pub(super) fn record_unit_force(
    visit: &mut Visit<'_, '_>,
    unit: &CorrectedUnit,
    forces: Data<f64>,
    first_rows: Data<u32>,
) {
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

/// Records that states are corrected by the motions of their units; what belongs to none stays.
pub(super) fn record_corrections(
    visit: &mut Visit<'_, '_>,
    units: &[(&CorrectedUnit, CorrectionFactors)],
    (objects, members): (&[Object], &[ObjectId]),
    (order, tag): (ConstraintOrder, ComponentTag),
) {
    visit.rec.sweep("correct");
    let mut corrected = BTreeSet::new();
    for (unit, factors) in units {
        for (at, first) in &unit.members {
            with_state_type!(visit, at.state, S => {
                record_correction::<S>(visit, (*at, *first), unit.motion, *factors, order);
            });
            corrected.insert(at.state);
        }
    }
    for object in members.iter().map(|o| &objects[o.0 as usize]) {
        if !corrected.contains(&object.root) {
            let tag = object.solver_tag.unwrap_or(tag);
            record_uncorrected(visit, At { tag, state: object.root, object: object.id }, order);
        }
    }
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
