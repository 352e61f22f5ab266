//! Coulomb friction at the springs of `PenalityContactForceField`: tangential forces beside the normal ones. An addition of ours.
//!
//! What a contact's tangential force is in a step is decided once, when it is detected (`elongation`), so that within the step
//! the force is linear in positions and velocities: its tangent is exact, symmetric and never drives. Nothing is kept between
//! the functions, as in [`super::penalty`].

use sim_core::component::matrix::{BlockSinkBetween, End};
use sim_core::math::{Deriv, Mat3, Vec3};

use super::contact_law::ContactLaw;
use super::contact_point::{Anchored, ContactPoint};
use super::contacts::{Both, Contacts};
use super::penalty::penetration;

/// The part of a vector in the plane to which `normal`, a unit vector, is perpendicular.
#[inline]
pub fn tangential(normal: &Vec3, d: Vec3) -> Vec3 {
    d - normal * normal.dot(&d)
}

/// The law of penalty springs with friction.
#[derive(Clone, Copy, Debug)]
pub struct PenaltyWithFriction;

impl ContactLaw for PenaltyWithFriction {
    #[inline]
    fn forces<A: Anchored, B: Anchored>(
        contacts: Contacts<'_>,
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        (va, vb): Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for (c, s) in contacts.points.iter().zip(contacts.friction) {
            let apart = B::place(&c.b, c.n_b, xb) - A::place(&c.a, c.n_a, xa);
            let depth = c.distance - apart.dot(&c.normal);
            let pushes = depth > 0.0;
            if !pushes && !s.acts() {
                continue;
            }
            let mut force = if pushes { c.normal * (c.stiffness * depth) } else { Vec3::zeros() };
            if s.acts() {
                let velocity = B::motion(&c.b, c.n_b, xb, vb) - A::motion(&c.a, c.n_a, xa, va);
                force += s.offset - tangential(&c.normal, apart * s.stiffness + velocity * s.damping);
            }
            visit(c, force);
        }
    }

    #[inline]
    fn d_forces<A: Anchored, B: Anchored>(
        [k, b]: [f64; 2],
        contacts: Contacts<'_>,
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        (dxa, dxb): Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for (c, s) in contacts.points.iter().zip(contacts.friction) {
            let pushes = penetration::<A, B>(c, xa, xb) > 0.0;
            if !pushes && !s.acts() {
                continue;
            }
            let du = B::motion(&c.b, c.n_b, xb, dxb) - A::motion(&c.a, c.n_a, xa, dxa);
            let along = du.dot(&c.normal);
            let mut change = (c.normal * along - du) * (k * s.stiffness + b * s.damping);
            if pushes {
                change -= c.normal * (k * c.stiffness * along);
            }
            visit(c, change);
        }
    }

    /// Friction is decided at detection, so contacts that did not push there have none.
    #[inline]
    fn d_forces_of<A: Anchored, B: Anchored>(
        [k, b]: [f64; 2],
        contacts: Contacts<'_>,
        pushing: &[u32],
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        (dxa, dxb): Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for i in pushing.iter().map(|i| *i as usize) {
            let (c, s) = (&contacts.points[i], &contacts.friction[i]);
            let du = B::motion(&c.b, c.n_b, xb, dxb) - A::motion(&c.a, c.n_a, xa, dxa);
            let along = du.dot(&c.normal);
            let mut change = (c.normal * along - du) * (k * s.stiffness + b * s.damping);
            change -= c.normal * (k * c.stiffness * along);
            visit(c, change);
        }
    }

    fn add_k_to_matrix<A: Anchored, B: Anchored>(
        [k, b]: [f64; 2],
        contacts: Contacts<'_>,
        x: Both<'_, A::Coord, B::Coord>,
        ends: [End; 2],
        matrix: &mut dyn BlockSinkBetween,
    ) {
        for (i, (c, s)) in (0..).zip(contacts.points.iter().zip(contacts.friction)) {
            let pushes = penetration::<A, B>(c, x.0, x.1) > 0.0;
            if !pushes && !s.acts() {
                continue;
            }
            matrix.of_contact(Some(i));
            let sideways = k * s.stiffness + b * s.damping;
            let along = if pushes { k * c.stiffness } else { 0.0 };
            let tangent = c.normal * c.normal.transpose() * (sideways - along) - Mat3::identity() * sideways;
            Arms::new::<A, B>(c, x, ends).add_blocks(&tangent, matrix);
        }
    }
}

/// What a force on a contact's second end, and its opposite on the first, does to the degrees of freedom of both, as matrices
/// by blocks of three scalars.
pub(super) struct Arms {
    /// At most four points an end; a frame has two blocks.
    blocks: [((End, u32), Mat3); 8],
    len: usize,
}

impl Arms {
    /// Those of a contact.
    pub(super) fn new<A: Anchored, B: Anchored>(
        c: &ContactPoint,
        (xa, xb): (&[A::Coord], &[B::Coord]),
        ends: [End; 2],
    ) -> Self {
        let mut arms = Self { blocks: [((End::First, 0), Mat3::zeros()); 8], len: 0 };
        for axis in 0..3 {
            let mut unit = Vec3::zeros();
            unit[axis] = 1.0;
            let mut at = 0;
            A::push(&c.a, c.n_a, xa, -unit, &mut |dof, d| arms.set(&mut at, axis, (ends[0], dof), d));
            B::push(&c.b, c.n_b, xb, unit, &mut |dof, d| arms.set(&mut at, axis, (ends[1], dof), d));
            arms.len = at;
        }
        arms
    }

    /// Adds what a tangent of the force on the second end is for all degrees of freedom.
    pub(super) fn add_blocks(&self, tangent: &Mat3, matrix: &mut dyn BlockSinkBetween) {
        for (row, left) in &self.blocks[..self.len] {
            for (column, right) in &self.blocks[..self.len] {
                matrix.add_block(*row, *column, &(left * tangent * right.transpose()));
            }
        }
    }

    fn set<D: Deriv>(&mut self, at: &mut usize, axis: usize, (end, dof): (End, u32), d: D) {
        for k in 0..D::BLOCKS {
            let (place, block) = &mut self.blocks[*at];
            *place = (end, dof * D::BLOCKS as u32 + k as u32);
            block.set_column(axis, &d.block(k));
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::response::{Anchor, FrictionPoint};
    use engine::data::InnerProduct;
    use proptest::prelude::*;
    use sim_core::math::{Quat, Rigid3Type, RigidCoord, RigidDeriv, Vec3Type};

    type Points = Vec<Vec3>;

    /// Contacts between three points of one state and a place in a frame: those that push and those that do not, that stick,
    /// slide or have no friction.
    fn contacts(seed: &[[f64; 6]], n: usize) -> (Vec<ContactPoint>, Vec<FrictionPoint>) {
        let point = |(i, s): (usize, &[f64; 6])| {
            let normal = Vec3::new(s[2], s[3], 1.0).normalize();
            let c = ContactPoint {
                a: Anchor {
                    weights: [s[0], s[1], 1.0 - s[0] - s[1], 0.0],
                    indices: [i % n, (i + 1) % n, (i + 3) % n, 0].map(|k| k as u32),
                },
                b: Anchor::in_frame((i % 2) as u32, Vec3::new(s[4], s[5], 0.3)),
                normal,
                distance: if i % 3 == 2 { -100.0 } else { 100.0 },
                stiffness: 10.0 + s[0],
                n_a: 3,
                n_b: 1,
            };
            let offset = tangential(&normal, Vec3::new(s[1], s[2], s[4]));
            let friction = match i % 4 {
                0 => FrictionPoint { offset, stiffness: 7.0 + s[3], damping: 0.0 },
                1 => FrictionPoint::NONE,
                _ => FrictionPoint { offset, stiffness: 0.0, damping: 2.0 + s[5] },
            };
            (c, friction)
        };
        seed.iter().enumerate().map(point).unzip()
    }

    fn vectors(n: usize) -> impl Strategy<Value = Points> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from), n)
    }

    /// Two frames and their motion, of eight vectors.
    fn frames(s: &Points) -> (Vec<RigidCoord>, Vec<RigidDeriv>) {
        let frame = |k: usize| {
            let q = Quat::new(2.0, s[k].x, s[k].y, s[k].z);
            RigidCoord { center: s[k + 1], orientation: q / q.norm() }
        };
        let motion = |k: usize| RigidDeriv { linear: s[k + 2], angular: s[k + 3] };
        (vec![frame(0), frame(4)], vec![motion(0), motion(4)])
    }

    type Place = (End, u32);

    struct Blocks(Vec<(Place, Place, Mat3)>);

    impl BlockSinkBetween for Blocks {
        fn add_block(&mut self, row: Place, column: Place, block: &Mat3) {
            self.0.push((row, column, *block));
        }
    }

    proptest! {
        #[test]
        fn forces_conserve_momentum_and_match_their_derivatives(
            seed in prop::collection::vec(prop::array::uniform6(0.0..1.0f64), 1..20),
            (xa, va, da, sb) in (vectors(7), vectors(7), vectors(7), vectors(8)),
            turned in vectors(8),
            factors in prop::array::uniform2(0.5..2.0f64),
        ) {
            let (points, friction) = contacts(&seed, 7);
            let contacts = Contacts { points: &points, friction: &friction, rolling: &[] };
            let ((xb, vb), (_, db)) = (frames(&sb), frames(&turned));
            let force = |xa: &Points, va: &Points, vb: &Vec<RigidDeriv>| {
                let (mut fa, mut fb) = (vec![Vec3::zeros(); 7], vec![RigidDeriv::zero(); 2]);
                PenaltyWithFriction::add_force::<Vec3Type, Rigid3Type>(contacts, (xa, &xb), (va, vb), |i, f| fa[i as usize] += f, |i, f| fb[i as usize] += f);
                (fa, fb)
            };
            let (fa, fb) = force(&xa, &va, &vb);
            let sum: Vec3 = fa.iter().sum::<Vec3>() + fb[0].linear + fb[1].linear;
            prop_assert!(sum.norm() <= 1e-9);

            // Of positions, those of the points; of velocities, all.
            let (mut k, mut b) = ((vec![Vec3::zeros(); 7], vec![RigidDeriv::zero(); 2]), (vec![Vec3::zeros(); 7], vec![RigidDeriv::zero(); 2]));
            let still = vec![RigidDeriv::zero(); 2];
            for (factors, df, dxb) in [([factors[0], 0.0], &mut k, &still), ([0.0, factors[1]], &mut b, &db)] {
                PenaltyWithFriction::add_d_force::<Vec3Type, Rigid3Type>(factors, (contacts, None), (&xa, &xb), (&da, dxb), |i, f| df.0[i as usize] += f, |i, f| df.1[i as usize] += f);
            }
            let h = 1e-3;
            let by = |x: &Points, h: f64| -> Points { x.iter().zip(&da).map(|(x, d)| x + d * h).collect() };
            let by_b = |h: f64| -> Vec<RigidDeriv> { vb.iter().zip(&db).map(|(v, d)| *v + *d * h).collect() };
            let of_x = (force(&by(&xa, h), &va, &vb), force(&by(&xa, -h), &va, &vb));
            let of_v = (force(&xa, &by(&va, h), &by_b(h)), force(&xa, &by(&va, -h), &by_b(-h)));
            for ((plus, minus), factor, df) in [(of_x, factors[0], k), (of_v, factors[1], b)] {
                let scale = factor / (2.0 * h);
                for i in 0..7 {
                    prop_assert!(((plus.0[i] - minus.0[i]) * scale - df.0[i]).norm() < 1e-6);
                }
                for i in 0..2 {
                    let off = (plus.1[i] - minus.1[i]) * scale - df.1[i];
                    prop_assert!(off.inner(&off) < 1e-12);
                }
            }
        }

        #[test]
        fn blocks_are_symmetric_and_those_of_the_tangent(
            seed in prop::collection::vec(prop::array::uniform6(0.0..1.0f64), 1..9),
            (xa, da, sb) in (vectors(7), vectors(7), vectors(8)),
            factors in prop::array::uniform2(-2.0..2.0f64),
        ) {
            let (points, friction) = contacts(&seed, 7);
            let contacts = Contacts { points: &points, friction: &friction, rolling: &[] };
            let (xb, db) = frames(&sb);
            let mut blocks = Blocks(Vec::new());
            PenaltyWithFriction::add_k_to_matrix::<Vec3Type, Rigid3Type>(factors, contacts, (&xa, &xb), [End::First, End::Second], &mut blocks);
            let part = |(end, i): Place| match end {
                End::First => da[i as usize],
                End::Second => db[i as usize / 2].block(i as usize % 2),
            };
            let (mut fa, mut fb) = (vec![Vec3::zeros(); 7], vec![RigidDeriv::zero(); 2]);
            PenaltyWithFriction::add_d_force::<Vec3Type, Rigid3Type>(factors, (contacts, None), (&xa, &xb), (&da, &db), |i, f| fa[i as usize] += f, |i, f| fb[i as usize] += f);
            for (row, column, block) in &blocks.0 {
                match row.0 {
                    End::First => fa[row.1 as usize] -= block * part(*column),
                    End::Second if row.1 % 2 == 0 => fb[row.1 as usize / 2].linear -= block * part(*column),
                    End::Second => fb[row.1 as usize / 2].angular -= block * part(*column),
                }
                let other = |b: &&(Place, Place, Mat3)| b.0 == *column && b.1 == *row && (b.2.transpose() - block).norm() < 1e-12;
                prop_assert!(blocks.0.iter().any(|b| other(&b)));
            }
            prop_assert!(fa.iter().all(|f| f.norm() < 1e-10));
            prop_assert!(fb.iter().all(|f| f.inner(f) < 1e-20));
        }

        #[test]
        fn the_tangent_never_drives(
            seed in prop::collection::vec(prop::array::uniform6(0.0..1.0f64), 1..9),
            (xa, da, sb) in (vectors(7), vectors(7), vectors(8)),
        ) {
            let (points, friction) = contacts(&seed, 7);
            let contacts = Contacts { points: &points, friction: &friction, rolling: &[] };
            let (xb, db) = frames(&sb);
            let mut work = 0.0;
            let (mut fa, mut fb) = (0.0, 0.0);
            PenaltyWithFriction::add_d_force::<Vec3Type, Rigid3Type>([1.0, 0.7], (contacts, None), (&xa, &xb), (&da, &db), |i, f| fa += f.dot(&da[i as usize]), |i, f| fb += f.inner(&db[i as usize]));
            work += fa + fb;
            prop_assert!(work <= 1e-12, "{work}");
        }
    }

    #[test]
    fn within_one_state_both_ends_get_theirs() {
        let x: Points = (0..5).map(|i| Vec3::new(f64::from(i), 0.5, 0.0)).collect();
        let v: Points = (0..5).map(|i| Vec3::new(0.0, f64::from(i), 1.0)).collect();
        let end = |i: u32| Anchor { weights: [0.25, 0.75, 0.0, 0.0], indices: [i, i + 1, 0, 0] };
        let normal = Vec3::z();
        let c = ContactPoint { a: end(0), b: end(3), normal, distance: 1.0, stiffness: 10.0, n_a: 2, n_b: 2 };
        let s = FrictionPoint { offset: Vec3::x(), stiffness: 3.0, damping: 2.0 };
        let contacts = Contacts { points: &[c], friction: &[s], rolling: &[] };
        let mut f = [Vec3::zeros(); 5];
        PenaltyWithFriction::add_force_within::<Vec3Type>(contacts, &x, &v, |i, force| {
            f[i as usize] += force
        });
        // The ends are 3 m apart along x, and part with 3 m/s along y.
        let expected = Vec3::new(1.0 - 3.0 * 3.0, -2.0 * 3.0, 10.0);
        assert!((f[3] + f[4] - expected).norm() < 1e-12 && (f[0] + f[1] + expected).norm() < 1e-12);
        let mut df = [Vec3::zeros(); 5];
        PenaltyWithFriction::add_d_force_within::<Vec3Type>([2.0, 5.0], contacts, &x, &v, |i, force| {
            df[i as usize] += force
        });
        assert!((df[3] + df[4] - Vec3::new(0.0, -(2.0 * 3.0 + 5.0 * 2.0) * 3.0, 0.0)).norm() < 1e-12);
    }
}
