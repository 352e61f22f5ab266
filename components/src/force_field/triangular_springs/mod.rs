//! Springs along the sides and at the corners of triangles that stand for an elastic membrane.
//!
//! [`rest`] has what a triangle is at rest, with the constants of its springs; [`tangent`] the stiffness that both laws share.
//!
//! **Source:** as SOFA's fields of triangular springs after Delingette (2008), *Biquadratic and quadratic springs for modeling St Venant
//! Kirchhoff materials*.

pub mod rest;
pub mod tangent;

use sim_core::prelude::*;

/// Attributes of membranes of springs.
#[derive(Attributes)]
pub(super) struct MembraneAttributes {
    /// topology with the triangles; else the last one of the node, or above
    _topology: Option<LinkTarget>,
    /// Young's modulus times the thickness [N/m]
    #[attribute(default = "1000")]
    pub young_modulus: Real,
    /// Poisson's ratio in the plane, not 1
    #[attribute(default = "0.3")]
    pub poisson_ratio: Real,
}

impl MembraneAttributes {
    /// λ and μ of a plane.
    ///
    /// **Source:** as SOFA's: λ = E ν / (1 − ν²), μ = E / (1 + ν), twice the usual shear modulus.
    ///
    /// # Errors
    /// A Poisson's ratio of 1 or -1.
    pub fn lame(&self) -> Result<[Real; 2], BuildError> {
        let p = self.poisson_ratio;
        if 1.0 - p * p == 0.0 || !p.is_finite() {
            let text = format!(
                "`poissonRatio` is {p}, for which a plane has no stiffness; it must be between -1 and 1"
            );
            return Err(BuildError::attribute("poissonRatio", text));
        }
        let young = self.young_modulus / (1.0 - p * p);
        Ok([young * p, young * (1.0 - p)])
    }
}
