//! Mappings, evaluated directly.

use super::{add_derivs, coords, derivs, put_coords, put_derivs};
use crate::component::mapping::Mapping;
use crate::math::Deriv;

/// A mapping on flat vectors of its states.
pub trait DirectMapping: Send {
    /// Whether forces go back to the input.
    fn map_forces(&self) -> bool;
    /// x_out := map(x_in), or the points of x_out that this input gives; what the Jacobian needs stays in the evaluator.
    fn apply(&mut self, x_in: &[f64], x_out: &mut [f64]);
    /// v_out := J v_in at the last [`Self::apply`], or the points that this input gives.
    fn apply_j(&self, v_in: &[f64], v_out: &mut [f64]);
    /// f_in += J^T f_out.
    fn apply_jt(&self, f_out: &[f64], f_in: &mut [f64]);
}

struct Direct<M: Mapping> {
    constants: M::Constants,
    elements: Vec<M::Element>,
    stored: Vec<M::Stored>,
    map_forces: bool,
}

impl<M: Mapping> DirectMapping for Direct<M> {
    fn map_forces(&self) -> bool {
        self.map_forces
    }

    fn apply(&mut self, x_in: &[f64], x_out: &mut [f64]) {
        let mut out = coords::<M::Output>(x_out);
        M::apply(&self.constants, &self.elements, &mut self.stored, &mut out, &coords::<M::Input>(x_in));
        put_coords::<M::Output>(&out, x_out);
    }

    fn apply_j(&self, v_in: &[f64], v_out: &mut [f64]) {
        let mut out = derivs::<M::Output>(v_out);
        M::apply_j(&self.constants, &self.elements, &self.stored, &mut out, &derivs::<M::Input>(v_in));
        put_derivs::<M::Output>(&out, v_out);
    }

    fn apply_jt(&self, f_out: &[f64], f_in: &mut [f64]) {
        let n_in = derivs::<M::Input>(f_in).len();
        let mut force = vec![Deriv::zero(); n_in];
        let f_out = derivs::<M::Output>(f_out);
        M::apply_jt(&self.constants, &self.elements, &self.stored, &mut force, &f_out);
        add_derivs::<M::Input>(&force, f_in);
    }
}

/// The evaluator of a mapping with these arrays.
pub(in crate::visitor) fn direct_mapping<M: Mapping>(
    constants: M::Constants,
    elements: &[M::Element],
    stored: &[M::Stored],
    map_forces: bool,
) -> Box<dyn DirectMapping> {
    let (elements, stored) = (elements.to_vec(), stored.to_vec());
    Box::new(Direct::<M> { constants, elements, stored, map_forces })
}
