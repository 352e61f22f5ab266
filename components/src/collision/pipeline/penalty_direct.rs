//! `PenalityContactForceField` evaluated directly: on plain numbers, apart from tasks and solvers.

use sim_core::component::MechanicalParams;
use sim_core::math::Deriv;
use sim_core::visitor::direct::{DirectInteraction, add_derivs, coords, derivs};

use crate::collision::response::penalty::{add_d_force, add_force};
use crate::collision::response::{Anchored, ContactPoint};

/// The contacts of one detection between two states, which may be the same.
struct Direct<A, B> {
    points: Vec<ContactPoint>,
    types: std::marker::PhantomData<fn() -> (A, B)>,
}

/// The evaluator of these contacts.
pub(super) fn direct<A: Anchored, B: Anchored>(points: &[ContactPoint]) -> Box<dyn DirectInteraction> {
    Box::new(Direct::<A, B> { points: points.to_vec(), types: std::marker::PhantomData })
}

impl<A: Anchored, B: Anchored> DirectInteraction for Direct<A, B> {
    fn add_force(&self, _: &MechanicalParams, x: [&[f64]; 2], _: [&[f64]; 2], [to_a, to_b]: [&mut [f64]; 2]) {
        let (xa, xb) = (coords::<A>(x[0]), coords::<B>(x[1]));
        let (mut fa, mut fb) = (vec![A::Deriv::zero(); xa.len()], vec![B::Deriv::zero(); xb.len()]);
        let add_a = |i: u32, f: A::Deriv| fa[i as usize] += f;
        add_force::<A, B>(&self.points, &xa, &xb, add_a, |i, f| fb[i as usize] += f);
        add_derivs::<A>(&fa, to_a);
        add_derivs::<B>(&fb, to_b);
    }

    fn add_d_force(
        &self,
        [k, _]: [f64; 2],
        x: [&[f64]; 2],
        _: [&[f64]; 2],
        dx: [&[f64]; 2],
        [to_a, to_b]: [&mut [f64]; 2],
    ) {
        let (xa, xb) = (coords::<A>(x[0]), coords::<B>(x[1]));
        let (dxa, dxb) = (derivs::<A>(dx[0]), derivs::<B>(dx[1]));
        let (mut fa, mut fb) = (vec![A::Deriv::zero(); xa.len()], vec![B::Deriv::zero(); xb.len()]);
        let add_a = |i: u32, f: A::Deriv| fa[i as usize] += f;
        let add_b = |i: u32, f: B::Deriv| fb[i as usize] += f;
        add_d_force::<A, B>(k, &self.points, (&xa, &xb), (&dxa, &dxb), add_a, add_b);
        add_derivs::<A>(&fa, to_a);
        add_derivs::<B>(&fb, to_b);
    }
}
