//! `PenalityContactForceField`: springs between the contact points of two models, which push and never pull.
//!
//! Nothing is kept between the functions: a derivative decides from the positions again which springs push, so that the force field,
//! which joins two objects, can be computed on either side.

use sim_core::component::matrix::{BlockSinkBetween, End};
use sim_core::math::Vec3;

use super::contact_law::ContactLaw;
use super::contact_point::{Anchored, ContactPoint};
use super::contacts::{Both, Contacts};
use super::directions::Directions;
use crate::collision::List;

/// How deep a contact is: its distance minus that of its ends along the normal; it pushes where this is positive [m].
#[inline]
pub fn penetration<A: Anchored, B: Anchored>(c: &ContactPoint, xa: &[A::Coord], xb: &[B::Coord]) -> f64 {
    let apart = B::place(&c.b, c.n_b, xb) - A::place(&c.a, c.n_a, xa);
    c.distance - apart.dot(&c.normal)
}

/// Lists the contacts that push, ascending, and gives back the largest penetration, 0 if none does [m].
pub fn find_pushing<A: Anchored, B: Anchored>(
    points: &[ContactPoint],
    xa: &[A::Coord],
    xb: &[B::Coord],
    pushing: &mut impl List<u32>,
) -> f64 {
    pushing.clear();
    let mut greatest = 0.0f64;
    for (k, c) in (0..).zip(points) {
        let depth = penetration::<A, B>(c, xa, xb);
        if depth > 0.0 {
            pushing.push(k);
            greatest = greatest.max(depth);
        }
    }
    greatest
}

/// The law of `PenalityContactForceField`: a contact that is d deep pushes its second end with k d n, and the first the other
/// way.
#[derive(Clone, Copy, Debug)]
pub struct Penalty;

impl ContactLaw for Penalty {
    #[inline]
    fn forces<A: Anchored, B: Anchored>(
        contacts: Contacts<'_>,
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        _v: Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for c in contacts.points {
            let depth = penetration::<A, B>(c, xa, xb);
            if depth > 0.0 {
                visit(c, c.normal * (c.stiffness * depth));
            }
        }
    }

    /// -k kappa n n.(dxb - dxa), where kappa is the first factor: these springs have no damping.
    #[inline]
    fn d_forces<A: Anchored, B: Anchored>(
        [kappa, _]: [f64; 2],
        contacts: Contacts<'_>,
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        (dxa, dxb): Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for c in contacts.points {
            if penetration::<A, B>(c, xa, xb) > 0.0 {
                let du = B::motion(&c.b, c.n_b, xb, dxb) - A::motion(&c.a, c.n_a, xa, dxa);
                visit(c, -c.normal * (kappa * c.stiffness * du.dot(&c.normal)));
            }
        }
    }

    #[inline]
    fn d_forces_of<A: Anchored, B: Anchored>(
        [kappa, _]: [f64; 2],
        contacts: Contacts<'_>,
        pushing: &[u32],
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        (dxa, dxb): Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for c in pushing.iter().map(|k| &contacts.points[*k as usize]) {
            let du = B::motion(&c.b, c.n_b, xb, dxb) - A::motion(&c.a, c.n_a, xa, dxa);
            visit(c, -c.normal * (kappa * c.stiffness * du.dot(&c.normal)));
        }
    }

    /// -k kappa g g^T for each contact that pushes, where g is what a unit force along the normal does.
    fn add_k_to_matrix<A: Anchored, B: Anchored>(
        [kappa, _]: [f64; 2],
        contacts: Contacts<'_>,
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        ends: [End; 2],
        matrix: &mut dyn BlockSinkBetween,
    ) {
        for (k, c) in (0..).zip(contacts.points) {
            if penetration::<A, B>(c, xa, xb) > 0.0 {
                matrix.of_contact(Some(k));
                let mut g = Directions::new();
                A::push(&c.a, c.n_a, xa, -c.normal, &mut |dof, d| g.add(ends[0], dof, d));
                B::push(&c.b, c.n_b, xb, c.normal, &mut |dof, d| g.add(ends[1], dof, d));
                g.add_blocks(-kappa * c.stiffness, matrix);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::response::Anchor;
    use engine::data::InnerProduct;
    use proptest::prelude::*;
    use sim_core::math::{Coord, Mat3, Quat, Rigid3Type, RigidCoord, RigidDeriv, Vec3Type};

    type Points = Vec<Vec3>;

    /// Contacts between random triples of the points of two states, all deep or all far enough that none changes sides.
    fn contacts(seed: &[[f64; 6]], n: usize) -> Vec<ContactPoint> {
        let end = |i: usize, w: &[f64]| Anchor {
            weights: [w[0], w[1], 1.0 - w[0] - w[1], 0.0],
            indices: [i % n, (i + 1) % n, (i + 3) % n, 0].map(|k| k as u32),
        };
        let point = |(i, s): (usize, &[f64; 6])| ContactPoint {
            a: end(i, &s[0..2]),
            b: end(2 * i + 1, &s[2..4]),
            normal: Vec3::new(s[4], s[5], 1.0).normalize(),
            distance: if i % 3 == 2 { -100.0 } else { 100.0 },
            stiffness: 10.0 + s[0],
            n_a: 3,
            n_b: 3,
        };
        seed.iter().enumerate().map(point).collect()
    }

    fn of(points: &[ContactPoint]) -> Contacts<'_> {
        Contacts { points, friction: &[], rolling: &[] }
    }

    fn force(c: &[ContactPoint], xa: &Points, xb: &Points) -> (Points, Points) {
        let (mut fa, mut fb) = (vec![Vec3::zeros(); xa.len()], vec![Vec3::zeros(); xb.len()]);
        let (add_a, add_b) = (|i: u32, f| fa[i as usize] += f, |i: u32, f| fb[i as usize] += f);
        Penalty::add_force::<Vec3Type, Vec3Type>(of(c), (xa, xb), (&[], &[]), add_a, add_b);
        (fa, fb)
    }

    fn moved(x: &Points, dx: &Points, h: f64) -> Points {
        x.iter().zip(dx).map(|(x, d)| x + d * h).collect()
    }

    fn vectors(n: usize) -> impl Strategy<Value = Points> {
        prop::collection::vec(prop::array::uniform3(-1.0..1.0f64).prop_map(Vec3::from), n)
    }

    proptest! {
        #[test]
        fn forces_conserve_momentum_and_match_their_derivative(
            seed in prop::collection::vec(prop::array::uniform6(0.0..1.0f64), 1..20),
            (xa, xb, da, db) in (vectors(7), vectors(7), vectors(7), vectors(7)),
            kappa in 0.5..2.0f64,
        ) {
            let c = contacts(&seed, 7);
            let (fa, fb) = force(&c, &xa, &xb);
            let (sum_a, sum_b): (Vec3, Vec3) = (fa.iter().sum(), fb.iter().sum());
            prop_assert!((sum_a + sum_b).norm() <= 1e-10 * (1.0 + sum_a.norm()));
            prop_assert!(sum_a.norm() > 0.0);

            let (mut dfa, mut dfb) = (vec![Vec3::zeros(); 7], vec![Vec3::zeros(); 7]);
            let add_b = |i: u32, f| dfb[i as usize] += f;
            Penalty::add_d_force::<Vec3Type, Vec3Type>([kappa, 0.0], (of(&c), None), (&xa, &xb), (&da, &db), |i, f| dfa[i as usize] += f, add_b);
            let mut pushing = Vec::new();
            find_pushing::<Vec3Type, Vec3Type>(&c, &xa, &xb, &mut pushing);
            let (mut of_a, mut of_b) = (vec![Vec3::zeros(); 7], vec![Vec3::zeros(); 7]);
            let add_b = |i: u32, f| of_b[i as usize] += f;
            Penalty::add_d_force::<Vec3Type, Vec3Type>([kappa, 0.0], (of(&c), Some(&pushing)), (&xa, &xb), (&da, &db), |i, f| of_a[i as usize] += f, add_b);
            prop_assert!(of_a == dfa && of_b == dfb, "the list leaves out what does not push");
            let h = 1e-4;
            let (pa, pb) = force(&c, &moved(&xa, &da, h), &moved(&xb, &db, h));
            let (ma, mb) = force(&c, &moved(&xa, &da, -h), &moved(&xb, &db, -h));
            for i in 0..7 {
                // Linear in x as long as no contact changes sides: exact up to rounding of forces near 1e4.
                prop_assert!(((pa[i] - ma[i]) * (kappa / (2.0 * h)) - dfa[i]).norm() < 1e-5);
                prop_assert!(((pb[i] - mb[i]) * (kappa / (2.0 * h)) - dfb[i]).norm() < 1e-5);
            }
        }

        #[test]
        fn on_frames_pushing_is_the_adjoint_of_moving(s in prop::collection::vec(-1.0..1.0f64, 19)) {
            let v = |i: usize| Vec3::new(s[i], s[i + 1], s[i + 2]);
            let orientation = Quat::new(1.5 + s[18], s[0], s[1], s[2]);
            let x = [RigidCoord { center: v(3), orientation: orientation / orientation.norm() }];
            let end = Anchor::in_frame(0, v(6));
            let dx = [RigidDeriv { linear: v(9), angular: v(12) }];
            let mut work = 0.0;
            Rigid3Type::push(&end, 1, &x, v(15), &mut |i, f| work += f.inner(&dx[i as usize]));
            let motion = Rigid3Type::motion(&end, 1, &x, &dx);
            prop_assert!((motion.dot(&v(15)) - work).abs() < 1e-12);
            let h = 1e-5;
            let there = [x[0].moved(&(dx[0] * h))];
            let back = [x[0].moved(&(dx[0] * -h))];
            let slope = (Rigid3Type::place(&end, 1, &there) - Rigid3Type::place(&end, 1, &back)) / (2.0 * h);
            prop_assert!((slope - motion).norm() < 1e-8);
        }
    }

    #[test]
    fn a_contact_within_one_state_leaves_its_momentum() {
        let x: Points = (0..5).map(|i| Vec3::new(f64::from(i), 0.5, 0.0)).collect();
        let c = contacts(&[[0.2, 0.3, 0.4, 0.1, 0.5, 0.5]; 2], 5);
        let mut f = [Vec3::zeros(); 5];
        Penalty::add_force_within::<Vec3Type>(of(&c), &x, &[], |i, v| f[i as usize] += v);
        assert!(f.iter().sum::<Vec3>().norm() < 1e-9 && f[0].norm() > 1.0);
        let mut df = [Vec3::zeros(); 5];
        let dx = vec![Vec3::new(1.0, 2.0, 3.0); 5];
        Penalty::add_d_force_within::<Vec3Type>([1.0, 0.0], of(&c), &x, &dx, |i, v| df[i as usize] += v);
        assert!(df.iter().all(|d| d.norm() < 1e-10), "a translation of the whole changes nothing");
    }

    #[test]
    fn the_stiffness_is_that_of_a_spring_along_the_normal() {
        let c = ContactPoint {
            a: Anchor::point(0),
            b: Anchor::point(0),
            normal: Vec3::new(0.0, 0.0, 1.0),
            distance: 0.2,
            stiffness: 500.0,
            n_a: 1,
            n_b: 1,
        };
        let (xa, xb) = ([Vec3::zeros()], [Vec3::new(3.0, 0.0, 0.1)]);
        let k = Mat3::from_diagonal(&Vec3::new(0.0, 0.0, -500.0));
        for dx in [Vec3::x(), Vec3::y(), Vec3::z()] {
            let mut df = Vec3::zeros();
            let still = [Vec3::zeros()];
            Penalty::add_d_force::<Vec3Type, Vec3Type>(
                [1.0, 0.0],
                (of(&[c]), None),
                (&xa, &xb),
                (&still, &[dx]),
                |_, _| {},
                |_, f| df += f,
            );
            assert_eq!(df, k * dx);
        }
        let mut pushing = vec![7];
        assert_eq!(find_pushing::<Vec3Type, Vec3Type>(&[c], &xa, &xb, &mut pushing), 0.1);
        assert_eq!(pushing, [0]);
        assert_eq!(find_pushing::<Vec3Type, Vec3Type>(&[c], &xa, &[Vec3::z()], &mut pushing), 0.0);
        assert!(pushing.is_empty());
    }
}
