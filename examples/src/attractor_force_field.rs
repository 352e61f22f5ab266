//! `AttractorForceField`: pulls every point toward a fixed center, as a star does its planets.
//!
//! The whole component: what it says of itself, how it is built into a scene, its mathematics on slices, its test.
//! Handles, tasks and threads do not appear; Weft records the tasks.

use weft::prelude::*;

const ATTRIBUTES: &[AttributeDescription] = &[
    AttributeDescription::new("center", AttributeKind::Reals(3), "where everything is pulled to")
        .default("0 0 0")
        .unit("m"),
    AttributeDescription::new("strength", AttributeKind::Real, "pull at a distance of 1 m")
        .default("1")
        .unit("N m^2"),
    AttributeDescription::new("softening", AttributeKind::Real, "distance below which the pull levels off")
        .default("0.05")
        .unit("m"),
];

/// What the registry is told.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "AttractorForceField",
    old_names: &[],
    family: Family::ForceField,
    summary: "Pulls every point toward a fixed center",
    templates: &["Vec3"],
    attributes: &[ATTRIBUTES],
    samples: &[],
    build,
};

/// The pull of a softened point mass: f = -s r / (r^2 + e^2)^(3/2), r = x - center.
pub struct AttractorForceField;

/// Its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Attractor {
    center: Vec3,
    strength: Real,
    softening: Real,
}

impl ForceField for AttractorForceField {
    type State = Vec3Type;
    type Constants = Attractor;
    type Element = ();
    /// The tangent of each point, as `add_force` leaves it.
    type Stored = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(
        c: &Attractor,
        _: &MechanicalParams,
        _: &[()],
        tangents: &mut [Mat3],
        f: &mut [Vec3],
        x: &[Vec3],
        _: &[Vec3],
    ) {
        for ((f, x), tangent) in f.iter_mut().zip(x).zip(tangents) {
            let r = x - c.center;
            let d2 = r.norm_squared() + c.softening * c.softening;
            let k = c.strength / (d2 * d2.sqrt());
            *f -= r * k;
            // K = df/dx = k (3 r r^T / d^2 - I)
            *tangent = (r * r.transpose() * (3.0 / d2) - Mat3::identity()) * k;
        }
    }

    fn add_d_force(
        _: &Attractor,
        k_factor: Real,
        _: Real,
        _: &[()],
        tangents: &[Mat3],
        df: &mut [Vec3],
        dx: &[Vec3],
    ) {
        for ((df, dx), tangent) in df.iter_mut().zip(dx).zip(tangents) {
            *df += tangent * dx * k_factor;
        }
    }

    fn potential_energy(c: &Attractor, _: &[()], x: &[Vec3]) -> Option<Real> {
        let of = |x: &Vec3| -c.strength / ((x - c.center).norm_squared() + c.softening * c.softening).sqrt();
        Some(x.iter().map(of).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    let constants = Attractor {
        center: b.vec3("center")?,
        strength: b.real("strength")?,
        softening: b.real("softening")?,
    };
    if constants.softening <= 0.0 {
        return Err(BuildError::attribute("softening", "`softening` must be greater than 0"));
    }
    let stored = vec![Mat3::zeros(); b.scene.initial(state).len()];
    let parts = ForceFieldParts::<AttractorForceField> {
        constants,
        elements: Vec::new(),
        stored,
        rayleigh_stiffness: 0.0,
    };
    b.scene.add_force_field(b.component, state, parts);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let constants = Attractor { center: Vec3::new(0.1, -0.2, 0.3), strength: 2.0, softening: 0.1 };
        let parts = ForceFieldParts::<AttractorForceField> {
            constants,
            elements: vec![],
            stored: vec![Mat3::zeros(); 5],
            rayleigh_stiffness: 0.0,
        };
        let x = Random::new(1).moved(&[Vec3::zeros(); 5], 1.0);
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 5]).seed(1).symmetric().conservative().run();
    }
}
