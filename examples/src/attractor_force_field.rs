//! `AttractorForceField`: f = -s r / (r^2 + e^2)^(3/2) with r = x - center. The whole component is in this file.

use weft::prelude::*;

/// Pulls every point toward a fixed center, as a star does its planets.
#[derive(Attributes, Clone, Copy, Debug)]
pub struct AttractorForceField {
    /// where everything is pulled to [m]
    #[attribute(default = "0 0 0")]
    center: Vec3,
    /// pull at a distance of 1 m [N m^2]
    #[attribute(default = "1")]
    strength: Real,
    /// distance below which the pull levels off [m]
    #[attribute(default = "0.05", positive)]
    softening: Real,
}

/// What the registry is told.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::of_points::<AttractorForceField>();

impl ForceField for AttractorForceField {
    type State = Vec3Type;
    type Constants = Self;
    type Element = ();
    /// The tangent of each point, as `add_force` leaves it.
    type Stored = Mat3;
    const NAME: &'static str = "AttractorForceField";

    fn add_force(c: &Self, at: AddForce<'_, Self>) {
        for ((f, x), tangent) in at.f.iter_mut().zip(at.x).zip(at.stored) {
            let r = x - c.center;
            let d2 = r.norm_squared() + c.softening * c.softening;
            let k = c.strength / (d2 * d2.sqrt());
            *f -= r * k;
            // K = df/dx = k (3 r r^T / d^2 - I)
            *tangent = (r * r.transpose() * (3.0 / d2) - Mat3::identity()) * k;
        }
    }

    fn add_d_force(_: &Self, at: AddDForce<'_, Self>) {
        for ((df, dx), tangent) in at.df.iter_mut().zip(at.dx).zip(at.stored) {
            *df += tangent * dx * at.k_factor;
        }
    }

    fn add_k_to_matrix(_: &Self, at: AddKToMatrix<'_, Self>) {
        for (i, tangent) in (0..).zip(at.stored) {
            at.matrix.add_block(i, i, &(tangent * at.k_factor));
        }
    }

    fn potential_energy(c: &Self, _: &[()], x: &[Vec3]) -> Option<Real> {
        let of = |x: &Vec3| -c.strength / ((x - c.center).norm_squared() + c.softening * c.softening).sqrt();
        Some(x.iter().map(of).sum())
    }
}

#[test]
fn conforms() {
    use weft::testing::{ForceFieldCheck, Random};
    let c = AttractorForceField { center: Vec3::new(0.1, -0.2, 0.3), strength: 2.0, softening: 0.1 };
    let parts = ForceFieldParts::<AttractorForceField>::of_points(c, 5);
    let x = Random::new(1).moved(&[Vec3::zeros(); 5], 1.0);
    ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 5])
        .seed(1)
        .symmetric()
        .conservative()
        .assembled()
        .run();
}
