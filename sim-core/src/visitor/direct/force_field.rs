//! Force fields, evaluated directly.

use super::{add_derivs, coords, derivs};
use crate::component::MechanicalParams;
use crate::component::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField};
use crate::component::matrix::BlockSink;
use crate::math::Deriv;

/// A force field on flat vectors of its state.
pub trait DirectForceField: Send {
    /// f += F(x, v) [N]; what the component stores for its tangent stays in the evaluator.
    fn add_force(&mut self, p: &MechanicalParams, x: &[f64], v: &[f64], f: &mut [f64]);
    /// df += k K dx + b B dx with the tangent of the last [`Self::add_force`], and the component's own Rayleigh term.
    fn add_d_force(&self, k: f64, b: f64, dx: &[f64], df: &mut [f64]);
    /// The 3 by 3 blocks that it puts into an assembled matrix: those of the same factors, or none where it acts explicitly.
    fn add_to_matrix(&self, k: f64, b: f64, sink: &mut dyn BlockSink);
}

struct Direct<F: ForceField> {
    constants: F::Constants,
    rayleigh_stiffness: f64,
    elements: Vec<F::Element>,
    stored: Vec<F::Stored>,
}

impl<F: ForceField> DirectForceField for Direct<F> {
    fn add_force(&mut self, p: &MechanicalParams, x: &[f64], v: &[f64], f: &mut [f64]) {
        let (x, v) = (coords::<F::State>(x), derivs::<F::State>(v));
        let mut force = vec![Deriv::zero(); x.len()];
        let at = AddForce {
            params: *p,
            elements: &self.elements,
            stored: &mut self.stored,
            f: &mut force,
            x: &x,
            v: &v,
        };
        F::add_force(&self.constants, at);
        add_derivs::<F::State>(&force, f);
    }

    fn add_d_force(&self, k: f64, b: f64, dx: &[f64], df: &mut [f64]) {
        if F::HAS_STIFFNESS {
            let dx = derivs::<F::State>(dx);
            let mut change = vec![Deriv::zero(); dx.len()];
            let at = AddDForce {
                k_factor: k + b * self.rayleigh_stiffness,
                b_factor: b,
                elements: &self.elements,
                stored: &self.stored,
                df: &mut change,
                dx: &dx,
            };
            F::add_d_force(&self.constants, at);
            add_derivs::<F::State>(&change, df);
        }
    }

    fn add_to_matrix(&self, k: f64, b: f64, sink: &mut dyn BlockSink) {
        let (k_factor, b_factor) = (k + b * self.rayleigh_stiffness, b);
        let (elements, stored) = (&self.elements, &self.stored);
        F::add_k_to_matrix(
            &self.constants,
            AddKToMatrix { k_factor, b_factor, elements, stored, matrix: sink },
        );
    }
}

/// The evaluator of a force field with these arrays.
pub(in crate::visitor) fn direct_force_field<F: ForceField>(
    constants: F::Constants,
    rayleigh_stiffness: f64,
    elements: &[F::Element],
    stored: &[F::Stored],
) -> Box<dyn DirectForceField> {
    let (elements, stored) = (elements.to_vec(), stored.to_vec());
    Box::new(Direct::<F> { constants, rayleigh_stiffness, elements, stored })
}
