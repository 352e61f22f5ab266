//! Mappings, evaluated directly.

use super::{add_derivs, coords, derivs, put_coords, put_derivs};
use crate::component::mapping::{AddGeometricStiffness, Apply, ApplyJ, ApplyJt, Mapping, MappingParts};
use crate::component::matrix::BlockSink;
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
    /// Adds k times its geometric stiffness under these forces, where that counts.
    fn add_geometric_stiffness(&self, k: f64, f_out: &[f64], matrix: &mut dyn BlockSink);
}

struct Direct<M: Mapping> {
    constants: M::Constants,
    elements: Vec<M::Element>,
    stored: Vec<M::Stored>,
    map_forces: bool,
    geometric_stiffness: bool,
}

impl<M: Mapping> DirectMapping for Direct<M> {
    fn map_forces(&self) -> bool {
        self.map_forces
    }

    fn apply(&mut self, x_in: &[f64], x_out: &mut [f64]) {
        let (mut out, x_in) = (coords::<M::Output>(x_out), coords::<M::Input>(x_in));
        let (elements, stored) = (&self.elements, &mut self.stored);
        M::apply(&self.constants, Apply { elements, stored, x_out: &mut out, x_in: &x_in });
        put_coords::<M::Output>(&out, x_out);
    }

    fn apply_j(&self, v_in: &[f64], v_out: &mut [f64]) {
        let (mut out, v_in) = (derivs::<M::Output>(v_out), derivs::<M::Input>(v_in));
        let (elements, stored) = (&self.elements, &self.stored);
        M::apply_j(&self.constants, ApplyJ { elements, stored, v_out: &mut out, v_in: &v_in });
        put_derivs::<M::Output>(&out, v_out);
    }

    fn apply_jt(&self, f_out: &[f64], f_in: &mut [f64]) {
        let n_in = derivs::<M::Input>(f_in).len();
        let mut force = vec![Deriv::zero(); n_in];
        let f_out = derivs::<M::Output>(f_out);
        let (elements, stored) = (&self.elements, &self.stored);
        M::apply_jt(&self.constants, ApplyJt { elements, stored, f_in: &mut force, f_out: &f_out });
        add_derivs::<M::Input>(&force, f_in);
    }

    fn add_geometric_stiffness(&self, k_factor: f64, f_out: &[f64], matrix: &mut dyn BlockSink) {
        if self.geometric_stiffness && self.map_forces {
            let f_out = &derivs::<M::Output>(f_out)[..];
            let (elements, stored) = (&self.elements[..], &self.stored[..]);
            let at = AddGeometricStiffness { k_factor, elements, stored, f_out, matrix };
            M::add_geometric_stiffness(&self.constants, at);
        }
    }
}

/// The evaluator of a mapping with these arrays.
pub(in crate::visitor) fn direct_mapping<M: Mapping>(
    parts: &MappingParts<M>,
    elements: &[M::Element],
    stored: &[M::Stored],
) -> Box<dyn DirectMapping> {
    let (elements, stored) = (elements.to_vec(), stored.to_vec());
    let MappingParts { constants, map_forces, geometric_stiffness, .. } = *parts;
    Box::new(Direct::<M> { constants, elements, stored, map_forces, geometric_stiffness })
}
