//! What joins two states, evaluated directly.

use super::{ContactEnd, FrictionalContact, add_derivs, coords, derivs};
use crate::component::MechanicalParams;
use crate::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, InteractionForceField,
};
use crate::component::matrix::{BlockSinkBetween, End};
use crate::math::{Deriv, Mat3};
use engine::data::Adder;

/// Something between two states, on flat vectors of each: `[first, second]`. Of what lies within one state, both are that
/// state's, and the sum of the two results is meant.
pub trait DirectInteraction: Send {
    /// f += F(x, v) [N].
    fn add_force(&self, p: &MechanicalParams, x: [&[f64]; 2], v: [&[f64]; 2], f: [&mut [f64]; 2]);
    /// df += k K dx, the tangent taken at (x, v), with the component's own Rayleigh term.
    fn add_d_force(
        &self,
        factors: [f64; 2],
        x: [&[f64]; 2],
        v: [&[f64]; 2],
        dx: [&[f64]; 2],
        df: [&mut [f64]; 2],
    );
    /// Whether its tangent is part of an assembled matrix.
    fn is_assembled(&self, x: [&[f64]; 2], v: [&[f64]; 2]) -> bool {
        let _ = (x, v);
        true
    }
    /// Of an end whose forces act on points of the contacts' own: how each of these hangs on the end's state.
    fn contact_points(&self) -> [Option<Vec<ContactEnd>>; 2] {
        [None, None]
    }
    /// [`Self::add_d_force`] of one contact alone, without moments; of all, where there are no contacts.
    fn add_d_force_of(
        &self,
        contact: usize,
        factors: [f64; 2],
        [x, v]: [[&[f64]; 2]; 2],
        dx: [&[f64]; 2],
        df: [&mut [f64]; 2],
    ) {
        let _ = contact;
        self.add_d_force(factors, x, v, dx, df);
    }
    /// The contacts whose friction is not among these forces: what it is depends on the steps before.
    fn frictional(&self) -> &[FrictionalContact] {
        &[]
    }
}

struct Direct<F: InteractionForceField> {
    constants: F::Constants,
    rayleigh_stiffness: f64,
    elements: Vec<F::Element>,
}

/// Counts blocks.
struct Count(usize);

impl BlockSinkBetween for Count {
    fn add_block(&mut self, _: (End, u32), _: (End, u32), _: &Mat3) {
        self.0 += 1;
    }
}

impl<F: InteractionForceField> DirectInteraction for Direct<F> {
    fn is_assembled(&self, x: [&[f64]; 2], v: [&[f64]; 2]) -> bool {
        let (x1, x2) = (coords::<F::State1>(x[0]), coords::<F::State2>(x[1]));
        let (v1, v2) = (derivs::<F::State1>(v[0]), derivs::<F::State2>(v[1]));
        let mut blocks = Count(0);
        let at = AddKToMatrixBetween {
            k_factor: 1.0,
            elements: &self.elements,
            x1: &x1,
            x2: &x2,
            v1: &v1,
            v2: &v2,
            matrix: &mut blocks,
        };
        F::add_k_to_matrix(&self.constants, at);
        blocks.0 > 0
    }

    fn add_force(&self, p: &MechanicalParams, x: [&[f64]; 2], v: [&[f64]; 2], f: [&mut [f64]; 2]) {
        let (x1, x2) = (coords::<F::State1>(x[0]), coords::<F::State2>(x[1]));
        let (v1, v2) = (derivs::<F::State1>(v[0]), derivs::<F::State2>(v[1]));
        let (mut f1, mut f2) = (vec![Deriv::zero(); x1.len()], vec![Deriv::zero(); x2.len()]);
        let (a1, a2) = (Adder::direct(&mut f1), Adder::direct(&mut f2));
        let at = AddForceBetween {
            params: *p,
            elements: &self.elements,
            f1: a1,
            f2: a2,
            x1: &x1,
            x2: &x2,
            v1: &v1,
            v2: &v2,
        };
        F::add_force(&self.constants, at);
        let [to1, to2] = f;
        add_derivs::<F::State1>(&f1, to1);
        add_derivs::<F::State2>(&f2, to2);
    }

    fn add_d_force(
        &self,
        [k, b]: [f64; 2],
        x: [&[f64]; 2],
        v: [&[f64]; 2],
        dx: [&[f64]; 2],
        df: [&mut [f64]; 2],
    ) {
        let (x1, x2) = (coords::<F::State1>(x[0]), coords::<F::State2>(x[1]));
        let (v1, v2) = (derivs::<F::State1>(v[0]), derivs::<F::State2>(v[1]));
        let (dx1, dx2) = (derivs::<F::State1>(dx[0]), derivs::<F::State2>(dx[1]));
        let (mut f1, mut f2) = (vec![Deriv::zero(); x1.len()], vec![Deriv::zero(); x2.len()]);
        let (a1, a2) = (Adder::direct(&mut f1), Adder::direct(&mut f2));
        let (c, k) = (&self.constants, k + b * self.rayleigh_stiffness);
        let at = AddDForceBetween {
            k_factor: k,
            elements: &self.elements,
            df1: a1,
            df2: a2,
            x1: &x1,
            x2: &x2,
            v1: &v1,
            v2: &v2,
            dx1: &dx1,
            dx2: &dx2,
        };
        F::add_d_force(c, at);
        let [to1, to2] = df;
        add_derivs::<F::State1>(&f1, to1);
        add_derivs::<F::State2>(&f2, to2);
    }
}

/// The evaluator of an interaction force field with these arrays.
pub(in crate::visitor) fn direct_interaction<F: InteractionForceField>(
    constants: F::Constants,
    rayleigh_stiffness: f64,
    elements: &[F::Element],
) -> Box<dyn DirectInteraction> {
    Box::new(Direct::<F> { constants, rayleigh_stiffness, elements: elements.to_vec() })
}
