//! Masses, evaluated directly.

use super::{add_derivs, coords, derivs};
use crate::component::mass::{AddGravity, AddInertiaForce, AddMDx, AddMToMatrix, Mass};
use crate::component::matrix::BlockSink;
use crate::math::{Deriv, Vec3};

/// A mass on flat vectors of its state.
pub trait DirectMass: Send {
    /// Whether the matrix is diagonal.
    fn is_diagonal(&self) -> bool;
    /// Whether the solver adds gravity to velocities instead.
    fn separate_gravity(&self) -> bool;
    /// f += M g, unless gravity is separate, and inertia forces at (x, v); g is that of its node, where it has one.
    fn add_force(&self, gravity: &Vec3, x: &[f64], v: &[f64], f: &mut [f64]);
    /// result += m M dx at x, where m is corrected by the component's own Rayleigh mass.
    fn add_m_dx(&self, m: f64, b: f64, x: &[f64], dx: &[f64], result: &mut [f64]);
    /// The 3 by 3 blocks that it puts into an assembled matrix.
    fn add_to_matrix(&self, m: f64, b: f64, x: &[f64], sink: &mut dyn BlockSink);
}

struct Direct<M: Mass> {
    constants: M::Constants,
    elements: Vec<M::Element>,
    separate_gravity: bool,
    own_gravity: Option<Vec3>,
    rayleigh_mass: f64,
}

impl<M: Mass> DirectMass for Direct<M> {
    fn is_diagonal(&self) -> bool {
        M::is_diagonal(&self.constants)
    }

    fn separate_gravity(&self) -> bool {
        self.separate_gravity
    }

    fn add_force(&self, gravity: &Vec3, x: &[f64], v: &[f64], f: &mut [f64]) {
        let (x, v) = (coords::<M::State>(x), derivs::<M::State>(v));
        let (mut force, elements) = (vec![Deriv::zero(); x.len()], &self.elements);
        if !self.separate_gravity {
            let gravity = self.own_gravity.unwrap_or(*gravity);
            M::add_gravity(&self.constants, AddGravity { elements, gravity, f: &mut force });
        }
        M::add_inertia_force(&self.constants, AddInertiaForce { elements, f: &mut force, x: &x, v: &v });
        add_derivs::<M::State>(&force, f);
    }

    fn add_m_dx(&self, m: f64, b: f64, x: &[f64], dx: &[f64], result: &mut [f64]) {
        let (x, dx) = (coords::<M::State>(x), derivs::<M::State>(dx));
        let mut product = vec![Deriv::zero(); x.len()];
        let (factor, elements) = (m - b * self.rayleigh_mass, &self.elements);
        M::add_m_dx(&self.constants, AddMDx { factor, elements, result: &mut product, dx: &dx, x: &x });
        add_derivs::<M::State>(&product, result);
    }

    fn add_to_matrix(&self, m: f64, b: f64, x: &[f64], sink: &mut dyn BlockSink) {
        let (factor, elements, x) = (m - b * self.rayleigh_mass, &self.elements, coords::<M::State>(x));
        M::add_m_to_matrix(&self.constants, AddMToMatrix { factor, elements, x: &x, matrix: sink });
    }
}

/// The evaluator of a mass with these arrays.
pub(in crate::visitor) fn direct_mass<M: Mass>(
    constants: M::Constants,
    elements: &[M::Element],
    (separate_gravity, own_gravity): (bool, Option<Vec3>),
    rayleigh_mass: f64,
) -> Box<dyn DirectMass> {
    let elements = elements.to_vec();
    Box::new(Direct::<M> { constants, elements, separate_gravity, own_gravity, rayleigh_mass })
}
