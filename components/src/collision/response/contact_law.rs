//! What the forces at the contacts of two models are a law of, and how they reach the degrees of freedom of both.

use sim_core::component::matrix::{BlockSinkBetween, End};
use sim_core::math::Vec3;

use super::contact_point::{Anchored, ContactPoint};
use super::contacts::{Both, Contacts};
use super::rolling;
use super::turning::Turning;

/// A law of contact forces: penalty springs, with friction or without.
///
/// A law tells the force on the second end of each contact; the first gets the opposite. The methods that are provided take
/// these to the degrees of freedom of both states, or of one that has both ends, and moments of rolling friction beside them.
pub trait ContactLaw: Send + Sync + 'static {
    /// Calls `visit` for each contact that acts with the force on its second end [N].
    fn forces<A: Anchored, B: Anchored>(
        contacts: Contacts<'_>,
        x: Both<'_, A::Coord, B::Coord>,
        v: Both<'_, A::Deriv, B::Deriv>,
        visit: impl FnMut(&ContactPoint, Vec3),
    );

    /// The same for the change of force as the ends move by `dx`: k K dx + b B dx for `factors` [k, b], x as in the last
    /// evaluation of forces.
    fn d_forces<A: Anchored, B: Anchored>(
        factors: [f64; 2],
        contacts: Contacts<'_>,
        x: Both<'_, A::Coord, B::Coord>,
        dx: Both<'_, A::Deriv, B::Deriv>,
        visit: impl FnMut(&ContactPoint, Vec3),
    );

    /// As [`Self::d_forces`] of the contacts that [`super::penalty::find_pushing`] has listed at these positions.
    fn d_forces_of<A: Anchored, B: Anchored>(
        factors: [f64; 2],
        contacts: Contacts<'_>,
        pushing: &[u32],
        x: Both<'_, A::Coord, B::Coord>,
        dx: Both<'_, A::Deriv, B::Deriv>,
        visit: impl FnMut(&ContactPoint, Vec3),
    );

    /// Adds the blocks of k K + b B for `factors` [k, b], those of the two ends being told apart as `ends` says.
    fn add_k_to_matrix<A: Anchored, B: Anchored>(
        factors: [f64; 2],
        contacts: Contacts<'_>,
        x: Both<'_, A::Coord, B::Coord>,
        ends: [End; 2],
        matrix: &mut dyn BlockSinkBetween,
    );

    /// f += F(x, v) on both states.
    #[inline]
    fn add_force<A: Anchored, B: Anchored>(
        contacts: Contacts<'_>,
        x: Both<'_, A::Coord, B::Coord>,
        v: Both<'_, A::Deriv, B::Deriv>,
        mut add_a: impl FnMut(u32, A::Deriv),
        mut add_b: impl FnMut(u32, B::Deriv),
    ) {
        Self::forces::<A, B>(contacts, x, v, |c, f| {
            A::push(&c.a, c.n_a, x.0, -f, &mut add_a);
            B::push(&c.b, c.n_b, x.1, f, &mut add_b);
        });
        rolling::moments::<A, B>(contacts, [1.0, 1.0], v, |c, turning, m| {
            A::twist(&c.a, c.n_a, &turning[0], [-m[0], -m[1]], &mut add_a);
            B::twist(&c.b, c.n_b, &turning[1], m, &mut add_b);
        });
    }

    /// df += k K dx + b B dx on both states; of those in `pushing` alone, where such a list is given.
    #[inline]
    fn add_d_force<A: Anchored, B: Anchored>(
        factors: [f64; 2],
        (contacts, pushing): (Contacts<'_>, Option<&[u32]>),
        x: Both<'_, A::Coord, B::Coord>,
        dx: Both<'_, A::Deriv, B::Deriv>,
        mut add_a: impl FnMut(u32, A::Deriv),
        mut add_b: impl FnMut(u32, B::Deriv),
    ) {
        let push = |c: &ContactPoint, df: Vec3| {
            A::push(&c.a, c.n_a, x.0, -df, &mut add_a);
            B::push(&c.b, c.n_b, x.1, df, &mut add_b);
        };
        match pushing {
            Some(pushing) => Self::d_forces_of::<A, B>(factors, contacts, pushing, x, dx, push),
            None => Self::d_forces::<A, B>(factors, contacts, x, dx, push),
        }
        rolling::moments::<A, B>(contacts, [0.0, factors[1]], dx, |c, turning, m| {
            A::twist(&c.a, c.n_a, &turning[0], [-m[0], -m[1]], &mut add_a);
            B::twist(&c.b, c.n_b, &turning[1], m, &mut add_b);
        });
    }

    /// [`Self::add_force`] where both ends lie on one state: contacts of an object with itself.
    #[inline]
    fn add_force_within<S: Anchored>(
        contacts: Contacts<'_>,
        x: &[S::Coord],
        v: &[S::Deriv],
        mut add: impl FnMut(u32, S::Deriv),
    ) {
        Self::forces::<S, S>(contacts, (x, x), (v, v), |c, f| {
            S::push(&c.a, c.n_a, x, -f, &mut add);
            S::push(&c.b, c.n_b, x, f, &mut add);
        });
        rolling::moments::<S, S>(contacts, [1.0, 1.0], (v, v), |c, turning, m| {
            twist_both::<S>(c, turning, m, &mut add);
        });
    }

    /// [`Self::add_d_force`] of all contacts where both ends lie on one state.
    #[inline]
    fn add_d_force_within<S: Anchored>(
        factors: [f64; 2],
        contacts: Contacts<'_>,
        x: &[S::Coord],
        dx: &[S::Deriv],
        mut add: impl FnMut(u32, S::Deriv),
    ) {
        Self::d_forces::<S, S>(factors, contacts, (x, x), (dx, dx), |c, df| {
            S::push(&c.a, c.n_a, x, -df, &mut add);
            S::push(&c.b, c.n_b, x, df, &mut add);
        });
        rolling::moments::<S, S>(contacts, [0.0, factors[1]], (dx, dx), |c, turning, m| {
            twist_both::<S>(c, turning, m, &mut add);
        });
    }
    /// [`Self::add_k_to_matrix`], and the blocks of moments.
    fn add_to_matrix<A: Anchored, B: Anchored>(
        factors: [f64; 2],
        contacts: Contacts<'_>,
        x: Both<'_, A::Coord, B::Coord>,
        ends: [End; 2],
        matrix: &mut dyn BlockSinkBetween,
    ) {
        Self::add_k_to_matrix::<A, B>(factors, contacts, x, ends, matrix);
        rolling::add_b_to_matrix::<A, B>(factors[1], contacts, ends, matrix);
    }
}

#[inline]
fn twist_both<S: Anchored>(
    c: &ContactPoint,
    turning: &[Turning; 2],
    m: [f64; 2],
    add: &mut impl FnMut(u32, S::Deriv),
) {
    S::twist(&c.a, c.n_a, &turning[0], [-m[0], -m[1]], add);
    S::twist(&c.b, c.n_b, &turning[1], m, add);
}
