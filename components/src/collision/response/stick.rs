//! `StickContactForceField`: springs that hold the contact points of two models where they were to each other when they were detected.

use sim_core::component::matrix::{BlockSinkBetween, End};
use sim_core::math::{Mat3, Vec3};

use super::contact_law::ContactLaw;
use super::contact_point::{Anchored, ContactPoint};
use super::contacts::{Both, Contacts};
use super::friction::Arms;
use crate::collision::List;

/// Makes of contact points the springs of [`Stick`]: `normal` and `distance` are those from the first end to the second now, and the
/// stiffness is the sum of both models'. Lists all of them as acting.
pub fn hold<A: Anchored, B: Anchored>(
    points: &mut [ContactPoint],
    stiffness: [f64; 2],
    xa: &[A::Coord],
    xb: &[B::Coord],
    acting: &mut impl List<u32>,
) {
    acting.clear();
    for (k, c) in (0..).zip(points) {
        let apart = B::place(&c.b, c.n_b, xb) - A::place(&c.a, c.n_a, xa);
        c.distance = apart.norm();
        if c.distance > 0.0 {
            c.normal = apart / c.distance;
        }
        c.stiffness = stiffness[0] + stiffness[1];
        acting.push(k);
    }
}

/// The law of `StickContactForceField`: the second end of a contact is drawn back with k times what it has moved away from the first since
/// the detection of this step, in whatever direction.
///
/// **Source:** as SOFA's: vector springs that each detection makes anew, so that they resist what moves within a step and hold nothing
/// beyond it. On spheres SOFA measures the rest length between the surfaces and the length between the centers, so that its springs
/// draw; these do not.
#[derive(Clone, Copy, Debug)]
pub struct Stick;

impl ContactLaw for Stick {
    #[inline]
    fn forces<A: Anchored, B: Anchored>(
        contacts: Contacts<'_>,
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        _v: Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for c in contacts.points {
            let apart = B::place(&c.b, c.n_b, xb) - A::place(&c.a, c.n_a, xa);
            visit(c, (c.normal * c.distance - apart) * c.stiffness);
        }
    }

    /// -k kappa (dxb - dxa), where kappa is the first factor.
    #[inline]
    fn d_forces<A: Anchored, B: Anchored>(
        [kappa, _]: [f64; 2],
        contacts: Contacts<'_>,
        (xa, xb): Both<'_, A::Coord, B::Coord>,
        (dxa, dxb): Both<'_, A::Deriv, B::Deriv>,
        mut visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        for c in contacts.points {
            let du = B::motion(&c.b, c.n_b, xb, dxb) - A::motion(&c.a, c.n_a, xa, dxa);
            visit(c, -du * (kappa * c.stiffness));
        }
    }

    #[inline]
    fn d_forces_of<A: Anchored, B: Anchored>(
        factors: [f64; 2],
        contacts: Contacts<'_>,
        _acting: &[u32],
        x: Both<'_, A::Coord, B::Coord>,
        dx: Both<'_, A::Deriv, B::Deriv>,
        visit: impl FnMut(&ContactPoint, Vec3),
    ) {
        Self::d_forces::<A, B>(factors, contacts, x, dx, visit);
    }

    fn add_k_to_matrix<A: Anchored, B: Anchored>(
        [kappa, _]: [f64; 2],
        contacts: Contacts<'_>,
        x: Both<'_, A::Coord, B::Coord>,
        ends: [End; 2],
        matrix: &mut dyn BlockSinkBetween,
    ) {
        for (i, c) in (0..).zip(contacts.points) {
            matrix.of_contact(Some(i));
            let tangent = Mat3::identity() * (-kappa * c.stiffness);
            Arms::new::<A, B>(c, x, ends).add_blocks(&tangent, matrix);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::response::Anchor;
    use sim_core::math::Vec3Type;

    #[test]
    fn what_moves_away_is_drawn_back() {
        let (a, b) = (Anchor::point(0), Anchor::point(0));
        let mut c = [ContactPoint { a, b, normal: Vec3::x(), distance: 9.0, stiffness: 1.0, n_a: 1, n_b: 1 }];
        let (xa, xb) = ([Vec3::zeros()], [Vec3::new(0.0, 0.3, 0.4)]);
        let mut acting = Vec::new();
        hold::<Vec3Type, Vec3Type>(&mut c, [2.0, 3.0], &xa, &xb, &mut acting);
        assert_eq!((acting.len(), c[0].stiffness), (1, 5.0));
        let force = |xb: &[Vec3]| {
            let mut f = Vec3::zeros();
            let contacts = Contacts { points: &c, friction: &[], rolling: &[] };
            Stick::add_force::<Vec3Type, Vec3Type>(contacts, (&xa, xb), (&[], &[]), |_, _| {}, |_, v| f += v);
            f
        };
        assert!(force(&xb).norm() < 1e-12);
        let d = Vec3::new(0.1, 0.2, -0.3);
        assert!((force(&[xb[0] + d]) + d * 5.0).norm() < 1e-12);
        let mut df = Vec3::zeros();
        let contacts = Contacts { points: &c, friction: &[], rolling: &[] };
        let still = [Vec3::zeros()];
        Stick::add_d_force::<Vec3Type, Vec3Type>(
            [2.0, 0.0],
            (contacts, None),
            (&xa, &xb),
            (&still, &[d]),
            |_, _| {},
            |_, v| df += v,
        );
        assert!((df + d * 10.0).norm() < 1e-12);
    }
}
