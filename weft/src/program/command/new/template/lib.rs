//! `TemplateForceField`: f = -k (x - center). The whole component is in this file.

use weft::prelude::*;

/// A spring from every point to a fixed center.
#[derive(Attributes, Clone, Copy, Debug)]
pub struct TemplateForceField {
    /// where the springs are fixed [m]
    #[attribute(default = "0 0 0")]
    center: Vec3,
    /// stiffness of each spring [N/m]
    #[attribute(default = "1", non_negative)]
    stiffness: Real,
}

/// What the registry is told.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::of_points::<TemplateForceField>();

impl ForceField for TemplateForceField {
    type State = Vec3Type;
    type Constants = Self;
    type Element = ();
    /// What `add_force` leaves for `add_d_force`, for each point: here nothing.
    type Stored = ();
    const NAME: &'static str = "TemplateForceField";

    fn add_force(c: &Self, at: AddForce<'_, Self>) {
        for (f, x) in at.f.iter_mut().zip(at.x) {
            *f -= (x - c.center) * c.stiffness;
        }
    }

    fn add_d_force(c: &Self, at: AddDForce<'_, Self>) {
        // K = df/dx = -k I
        for (df, dx) in at.df.iter_mut().zip(at.dx) {
            *df -= dx * (c.stiffness * at.k_factor);
        }
    }

    fn add_k_to_matrix(c: &Self, at: AddKToMatrix<'_, Self>) {
        // The same K for direct solvers: one block for each point. Without it the field would act explicitly there.
        let block = Mat3::identity() * (-c.stiffness * at.k_factor);
        for i in 0..at.stored.len() as u32 {
            at.matrix.add_block(i, i, &block);
        }
    }

    fn potential_energy(c: &Self, _: &[()], x: &[Vec3]) -> Option<Real> {
        Some(x.iter().map(|x| 0.5 * c.stiffness * (x - c.center).norm_squared()).sum())
    }
}

/// `add_d_force` against finite differences of `add_force` and against the matrix, and the force against the gradient of the energy.
#[test]
fn force_tangent_and_energy_agree() {
    use weft::testing::{ForceFieldCheck, Random};
    let constants = TemplateForceField { center: Vec3::new(0.1, -0.2, 0.3), stiffness: 2.0 };
    let parts = ForceFieldParts::<TemplateForceField>::of_points(constants, 5);
    let x = Random::new(1).moved(&[Vec3::zeros(); 5], 1.0);
    ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 5])
        .seed(1)
        .symmetric()
        .conservative()
        .assembled()
        .run();
}
