//! Rolling friction of penalty contacts: a moment against the turning of one surface on the other. An addition of ours.
//!
//! Coulomb friction lets what rolls roll on: the points that touch do not slide. With `rollingFriction` a contact also has a
//! moment about axes in its tangent plane, at most a length times its normal force, as discrete element methods have (Ai et
//! al., *Assessment of rolling resistance models in discrete element simulations*, Powder Technology 206, 2011: the elastic and
//! plastic model). A ball on a slope stays where it is as long as the slope is less than that length over its radius.
//!
//! The contacts of a pair of models have one angle: contacts come and go as one rolls on the other, and what held
//! them would be forgotten. What the moment is in a step is decided once, when the contact is detected, as for the tangential
//! force (`friction_points`): by the angle at which its elements would be to each other after the step. Geometry is that of the
//! detection, so that the moment is linear in the velocities: its tangent is exact, symmetric and never drives.

use sim_core::component::matrix::{BlockSinkBetween, End};
use sim_core::math::Vec3;

use super::contact_point::{Anchored, ContactPoint};
use super::contacts::{Both, Contacts, RollingPoint};
use super::directions::Directions;
use super::multiplier_law::with_tangents;
use super::turning::{Turning, shortened};

/// How far a pair turns elastically before it rolls [rad].
const GIVE: f64 = 0.002;

/// By how much later than the end of the step the angle is looked at [s]: a pair that holds is damped by this time times its
/// stiffness, so that it does not ring.
const EASE: f64 = 0.05;

/// How fast the second end turns beside the first one, about each axis.
#[inline]
fn relative<A: Anchored, B: Anchored>(
    c: &ContactPoint,
    turning: &[Turning; 2],
    (va, vb): Both<'_, A::Deriv, B::Deriv>,
) -> [f64; 2] {
    let a = A::turned_by(&c.a, c.n_a, &turning[0], va);
    let b = B::turned_by(&c.b, c.n_b, &turning[1], vb);
    [b[0] - a[0], b[1] - a[1]]
}

/// How the second model rolls on the first, by all contacts of the pair in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rolling {
    /// Sum of the normal forces [N].
    force: f64,
    /// Sum of the rates at which the ends turn beside each other, each times its normal force [N/s].
    rates: Vec3,
}

impl Rolling {
    /// Takes in a contact that pushes with `force` [N]: its moment has no numbers yet. None where an end cannot turn.
    pub(super) fn take_in<A: Anchored, B: Anchored>(
        &mut self,
        (contact, c): (usize, &ContactPoint),
        x: Both<'_, A::Coord, B::Coord>,
        v: Both<'_, A::Deriv, B::Deriv>,
        force: f64,
    ) -> Option<RollingPoint> {
        let [_, t, s] = with_tangents(c.normal);
        let turning = [A::turning(&c.a, c.n_a, x.0, [t, s])?, B::turning(&c.b, c.n_b, x.1, [t, s])?];
        let rate = relative::<A, B>(c, &turning, v);
        self.force += force;
        self.rates += (t * rate[0] + s * rate[1]) * force;
        Some(RollingPoint { turning, offset: rate, damping: force, contact: contact as u64 })
    }

    /// The angle of the pair after it was `before`, if it touched in the step before [rad].
    pub(super) fn angle(&self, before: Option<Vec3>, dt: f64) -> Vec3 {
        let gained = if self.force > 0.0 { self.rates * (dt / self.force) } else { Vec3::zeros() };
        before.map_or(Vec3::zeros(), |angle| shortened(angle + gained, GIVE))
    }
}

/// Gives the moment of a contact that was taken in its numbers, in a step of `dt` [s], by the angle of the pair. It is at most
/// `length` [m] times the normal force.
///
/// The pair holds like a spring up to [`GIVE`]; beyond, it rolls, and the moment stays what it is. As for the tangential force, of
/// the potential of both this takes the quadratic that touches it where the elements would be [`EASE`] after the step.
pub(super) fn decide(point: &mut RollingPoint, c: &ContactPoint, angle: Vec3, [length, dt]: [f64; 2]) {
    let [_, t, s] = with_tangents(c.normal);
    let (rate, limit) = (point.offset, length * point.damping);
    let angle = [t.dot(&angle), s.dot(&angle)];
    let ahead = dt + EASE;
    let predicted = [0, 1].map(|k| angle[k] + rate[k] * ahead);
    let stiffness = limit / predicted[0].hypot(predicted[1]).max(GIVE);
    point.offset = angle.map(|angle| -stiffness * angle);
    point.damping = stiffness * ahead;
}

/// Calls `visit` for each contact that has a moment with that on its second end [N m]: `of_offset offset - of_damping damping w` for
/// these velocities.
#[inline]
pub(super) fn moments<A: Anchored, B: Anchored>(
    contacts: Contacts<'_>,
    [of_offset, of_damping]: [f64; 2],
    v: Both<'_, A::Deriv, B::Deriv>,
    mut visit: impl FnMut(&ContactPoint, &[Turning; 2], [f64; 2]),
) {
    for r in contacts.rolling {
        let c = &contacts.points[r.contact as usize];
        let [w, u] = relative::<A, B>(c, &r.turning, v);
        let moment = |k: usize, w: f64| of_offset * r.offset[k] - of_damping * (r.damping * w);
        visit(c, &r.turning, [moment(0, w), moment(1, u)]);
    }
}

/// Adds the blocks of b B for the moments.
pub(super) fn add_b_to_matrix<A: Anchored, B: Anchored>(
    b: f64,
    contacts: Contacts<'_>,
    ends: [End; 2],
    matrix: &mut dyn BlockSinkBetween,
) {
    matrix.of_contact(None);
    for r in contacts.rolling {
        let c = &contacts.points[r.contact as usize];
        for axis in [[1.0, 0.0], [0.0, 1.0]] {
            let mut g = Directions::new();
            let back = axis.map(|m: f64| -m);
            A::twist(&c.a, c.n_a, &r.turning[0], back, &mut |dof, d| g.add(ends[0], dof, d));
            B::twist(&c.b, c.n_b, &r.turning[1], axis, &mut |dof, d| g.add(ends[1], dof, d));
            g.add_blocks(-b * r.damping, matrix);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::narrow_phase::DetectionOutput;
    use crate::collision::response::elongation::{Detected, FrictionLists, friction_points};
    use crate::collision::response::{Anchor, ContactLaw, FrictionParameters, PenaltyWithFriction};
    use engine::data::InnerProduct;
    use proptest::prelude::*;
    use sim_core::math::{Deriv, Mat3, Quat, Rigid3Type, RigidCoord, RigidDeriv, Vec3Type};

    const DT: f64 = 0.02;
    const LIMIT: f64 = 5.0;

    type Points = Vec<Vec3>;
    type Motions = Vec<RigidDeriv>;
    type Place = (End, u32);

    /// A contact of a triangle of four points with a frame, along a normal.
    fn contact(normal: Vec3) -> ContactPoint {
        let a = Anchor { weights: [0.2, 0.3, 0.5, 0.0], indices: [2, 0, 3, 0] };
        let b = Anchor::in_frame(1, Vec3::new(0.1, 0.2, 0.3));
        ContactPoint { a, b, normal, distance: -100.0, stiffness: 10.0, n_a: 3, n_b: 1 }
    }

    fn vectors(n: usize) -> impl Strategy<Value = Points> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from), n)
    }

    /// Two frames and their motion, of eight vectors.
    fn frames(s: &Points) -> (Vec<RigidCoord>, Motions) {
        let frame = |k: usize| {
            let q = Quat::new(2.0, s[k].x, s[k].y, s[k].z);
            RigidCoord { center: s[k + 1], orientation: q / q.norm() }
        };
        let motion = |k: usize| RigidDeriv { linear: s[k + 2], angular: s[k + 3] };
        (vec![frame(0), frame(4)], vec![motion(0), motion(4)])
    }

    /// The moment of a contact that is the only one of its pair, and the angle of the pair.
    fn decide_one(
        c: &ContactPoint,
        x: (&Points, &Vec<RigidCoord>),
        v: (&Points, &Motions),
        before: Option<Vec3>,
    ) -> Option<(RollingPoint, Vec3)> {
        let mut rolls = Rolling::default();
        let mut point = rolls.take_in::<Vec3Type, Rigid3Type>((0, c), (x.0, x.1), (v.0, v.1), LIMIT / 0.5)?;
        let angle = rolls.angle(before, DT);
        decide(&mut point, c, angle, [0.5, DT]);
        Some((point, angle))
    }

    struct Blocks(Vec<(Place, Place, Mat3)>);

    impl BlockSinkBetween for Blocks {
        fn add_block(&mut self, row: Place, column: Place, block: &Mat3) {
            self.0.push((row, column, *block));
        }
    }

    proptest! {
        #[test]
        fn moments_conserve_momentum_and_match_their_derivatives(
            (xa, va, da) in (vectors(4), vectors(4), vectors(4)),
            (sb, turned) in (vectors(8), vectors(8)),
            (normal, angle) in (vectors(1), vectors(1)),
            b in 0.5..2.0f64,
        ) {
            let c = contact((normal[0] + Vec3::z() * 2.0).normalize());
            let ((xb, vb), (_, db)) = (frames(&sb), frames(&turned));
            let Some((point, _)) = decide_one(&c, (&xa, &xb), (&va, &vb), Some(angle[0] * GIVE)) else { return Ok(()) };
            let (points, rolling) = ([c], [point]);
            let friction = [super::super::FrictionPoint::NONE];
            let contacts = Contacts { points: &points, friction: &friction, rolling: &rolling };
            let force = |va: &Points, vb: &Motions| {
                let (mut fa, mut fb) = (vec![Vec3::zeros(); 4], vec![RigidDeriv::zero(); 2]);
                PenaltyWithFriction::add_force::<Vec3Type, Rigid3Type>(contacts, (&xa, &xb), (va, vb), |i, f| fa[i as usize] += f, |i, f| fb[i as usize] += f);
                (fa, fb)
            };
            let (fa, fb) = force(&va, &vb);
            let scale = 1.0 + fa.iter().map(|f| f.norm()).fold(0.0, f64::max);
            prop_assert!(fa.iter().sum::<Vec3>().norm() < 1e-12 * scale && fb[1].linear.norm() == 0.0);
            let moment: Vec3 = xa.iter().zip(&fa).map(|(x, f)| x.cross(f)).sum();
            prop_assert!((moment + fb[1].angular).norm() < 1e-10 * scale, "angular momentum is kept");
            prop_assert!(fb[1].angular.norm() > 0.0 && fb[1].angular.dot(&c.normal).abs() < 1e-12 * scale);

            let (mut dfa, mut dfb) = (vec![Vec3::zeros(); 4], vec![RigidDeriv::zero(); 2]);
            PenaltyWithFriction::add_d_force::<Vec3Type, Rigid3Type>([0.7, b], (contacts, None), (&xa, &xb), (&da, &db), |i, f| dfa[i as usize] += f, |i, f| dfb[i as usize] += f);
            let by = |h: f64| -> (Points, Motions) {
                (va.iter().zip(&da).map(|(v, d)| v + d * h).collect(), vb.iter().zip(&db).map(|(v, d)| *v + *d * h).collect())
            };
            let ((pa, pb), (ma, mb)) = (by(0.5), by(-0.5));
            let (plus, minus) = (force(&pa, &pb), force(&ma, &mb));
            let mut work = 0.0;
            for i in 0..4 {
                prop_assert!(((plus.0[i] - minus.0[i]) * b - dfa[i]).norm() < 1e-9 * scale);
                work += dfa[i].dot(&da[i]);
            }
            for i in 0..2 {
                let off = (plus.1[i] - minus.1[i]) * b - dfb[i];
                prop_assert!(off.inner(&off) < 1e-18 * scale * scale);
                work += dfb[i].inner(&db[i]);
            }
            prop_assert!(work <= 1e-12 * scale, "the tangent never drives");

            let mut blocks = Blocks(Vec::new());
            PenaltyWithFriction::add_to_matrix::<Vec3Type, Rigid3Type>([0.7, b], contacts, (&xa, &xb), [End::First, End::Second], &mut blocks);
            let part = |(end, i): Place| match end {
                End::First => da[i as usize],
                End::Second => db[i as usize / 2].block(i as usize % 2),
            };
            for (row, column, block) in &blocks.0 {
                match row.0 {
                    End::First => dfa[row.1 as usize] -= block * part(*column),
                    End::Second if row.1 % 2 == 0 => dfb[row.1 as usize / 2].linear -= block * part(*column),
                    End::Second => dfb[row.1 as usize / 2].angular -= block * part(*column),
                }
            }
            prop_assert!(dfa.iter().all(|f| f.norm() < 1e-9 * scale));
            prop_assert!(dfb.iter().all(|f| f.inner(f) < 1e-18 * scale * scale));
        }
    }

    /// The moment on a frame that turns with `w` about x on a resting triangle in the plane z = 0, and the angle that is kept.
    fn on_plane(w: f64, before: Option<f64>) -> (Vec3, Vec3) {
        let xa = [[0.0; 3], [1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0]].map(Vec3::from).to_vec();
        let xb = vec![RigidCoord { center: Vec3::zeros(), orientation: Quat::identity() }; 2];
        let mut c = contact(Vec3::z());
        c.a.indices = [0, 1, 3, 0];
        let va = vec![Vec3::zeros(); 4];
        let vb = vec![RigidDeriv { linear: Vec3::z(), angular: Vec3::x() * w }; 2];
        let (point, angle) =
            decide_one(&c, (&xa, &xb), (&va, &vb), before.map(|angle| Vec3::x() * angle)).expect("both turn");
        let (points, rolling) = ([c], [point]);
        let contacts = Contacts { points: &points, friction: &[], rolling: &rolling };
        let mut found = Vec3::zeros();
        moments::<Vec3Type, Rigid3Type>(contacts, [1.0, 1.0], (&va, &vb), |c, turning, m| {
            Rigid3Type::twist(&c.b, 1, &turning[1], m, &mut |_, d| found += d.angular);
        });
        (found, angle)
    }

    #[test]
    fn a_pair_holds_like_a_spring_until_it_rolls() {
        let (moment, angle) = on_plane(0.1 * GIVE / DT, Some(0.3 * GIVE));
        assert!((angle - Vec3::x() * (0.4 * GIVE)).norm() < 1e-15, "it turns as the step before did");
        let share = 0.4 + 0.1 * (DT + EASE) / DT;
        assert!((moment + Vec3::x() * (share * LIMIT)).norm() < 1e-12, "{moment}");
        for w in [1.0, 1e4] {
            let (moment, angle) = on_plane(w, Some(0.3 * GIVE));
            assert!((angle - Vec3::x() * GIVE).norm() < 1e-15);
            assert!((moment + Vec3::x() * LIMIT).norm() < 1e-9, "{moment} at any speed");
        }
        let (moment, angle) = on_plane(0.25 * GIVE / (DT + EASE), None);
        assert!(angle == Vec3::zeros() && (moment + Vec3::x() * (0.25 * LIMIT)).norm() < 1e-12);
    }

    #[test]
    fn points_do_not_roll() {
        let mut c = contact(Vec3::z());
        c.n_a = 1;
        let x = (
            vec![Vec3::zeros(); 4],
            vec![RigidCoord { center: Vec3::zeros(), orientation: Quat::identity() }; 2],
        );
        let v = (vec![Vec3::x(); 4], vec![RigidDeriv::zero(); 2]);
        assert_eq!(decide_one(&c, (&x.0, &x.1), (&v.0, &v.1), None), None);
    }

    /// A ball's contact on a floor, both frames, goes over to another point of the surface.
    #[test]
    fn the_angle_of_a_pair_outlasts_its_contacts() {
        let frame = |y: f64| vec![RigidCoord { center: Vec3::y() * y, orientation: Quat::identity() }];
        let (xa, xb) = (frame(0.0), frame(1.0));
        let (va, vb) =
            (vec![RigidDeriv::zero()], vec![RigidDeriv { linear: Vec3::zeros(), angular: Vec3::z() }]);
        let contact = |place: f64| ContactPoint {
            a: Anchor::in_frame(0, Vec3::x() * place),
            b: Anchor::in_frame(0, Vec3::new(place, -1.0, 0.0)),
            normal: Vec3::y(),
            distance: 0.1,
            stiffness: 100.0,
            n_a: 1,
            n_b: 1,
        };
        let parameters = FrictionParameters { coefficient: 0.5, relative_stiffness: 1.0, rolling: 0.3 };
        let mut kept = Vec::new();
        let mut step = |ids: &[u32], dt: f64| {
            let points: Vec<_> = ids.iter().map(|id| contact(0.1 * f64::from(*id))).collect();
            let output = |id: &u32| DetectionOutput {
                elements: [*id, 0],
                id: *id,
                points: [Vec3::zeros(); 2],
                normal: Vec3::y(),
                value: 0.0,
            };
            let outputs: Vec<_> = ids.iter().map(output).collect();
            let detected = Detected::<Rigid3Type, Rigid3Type> {
                outputs: &outputs,
                points: &points,
                x: (&xa, &xb),
                v: (&va, &vb),
                dt,
            };
            let (mut friction, mut rolling, mut next, mut keys) = (vec![], vec![], vec![], vec![]);
            let lists = FrictionLists {
                friction: &mut friction,
                rolling: &mut rolling,
                next: &mut next,
                keys: &mut keys,
            };
            friction_points(&parameters, &detected, &kept, lists);
            kept = next;
            let contacts = Contacts { points: &points, friction: &friction, rolling: &rolling };
            let mut moment = 0.0;
            moments::<Rigid3Type, Rigid3Type>(contacts, [1.0, 0.0], (&va, &vb), |c, turning, m| {
                Rigid3Type::twist(&c.b, 1, &turning[1], m, &mut |_, d| moment += d.angular.z);
            });
            (kept.first().map(|k| k.turn.z), moment)
        };
        // Turning at 1 rad/s, for a tenth of what it gives.
        let dt = 0.1 * GIVE;
        let of = |share: f64, n: f64| {
            let stiffness = 0.3 * 10.0 / (share * GIVE + dt + EASE);
            n * -stiffness * share * GIVE
        };
        // Two in the place of one carry what that did.
        let steps: [(&[u32], f64); 5] = [(&[3], 0.0), (&[5], 0.1), (&[7, 4], 0.2), (&[], 0.0), (&[4], 0.0)];
        for (ids, share) in steps {
            let (angle, moment) = step(ids, dt);
            assert_eq!(angle.is_some(), !ids.is_empty());
            assert!((angle.unwrap_or(0.0) - share * GIVE).abs() < 1e-15, "{ids:?}");
            assert!((moment - of(share, ids.len().min(1) as f64)).abs() < 1e-9, "{ids:?}: {moment}");
        }
    }
}
