//! `TemplateForceField`: a spring from every point to a fixed center.
//!
//! The whole component: its attributes, its mathematics on slices, how it is built into a scene, its test.

use weft::prelude::*;

const ATTRIBUTES: &[AttributeDescription] = &[
    AttributeDescription::new("center", AttributeKind::Reals(3), "where the springs are fixed")
        .default("0 0 0")
        .unit("m"),
    AttributeDescription::new("stiffness", AttributeKind::Real, "stiffness of each spring")
        .default("1")
        .unit("N/m"),
];

/// What the registry is told.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "TemplateForceField",
    old_names: &[],
    family: Family::ForceField,
    summary: "A spring from every point to a fixed center",
    templates: &["Vec3"],
    attributes: &[ATTRIBUTES],
    samples: &[],
    build,
};

/// f = -k (x - center).
pub struct TemplateForceField;

/// Its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    center: Vec3,
    stiffness: Real,
}

impl ForceField for TemplateForceField {
    type State = Vec3Type;
    type Constants = Spring;
    type Element = ();
    /// What `add_force` leaves for `add_d_force`: here nothing.
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(
        c: &Spring,
        _: &MechanicalParams,
        _: &[()],
        _: &mut [()],
        f: &mut [Vec3],
        x: &[Vec3],
        _: &[Vec3],
    ) {
        for (f, x) in f.iter_mut().zip(x) {
            *f -= (x - c.center) * c.stiffness;
        }
    }

    fn add_d_force(c: &Spring, k_factor: Real, _: Real, _: &[()], _: &[()], df: &mut [Vec3], dx: &[Vec3]) {
        // K = df/dx = -k I
        for (df, dx) in df.iter_mut().zip(dx) {
            *df -= dx * (c.stiffness * k_factor);
        }
    }

    fn potential_energy(c: &Spring, _: &[()], x: &[Vec3]) -> Option<Real> {
        Some(x.iter().map(|x| 0.5 * c.stiffness * (x - c.center).norm_squared()).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    let constants = Spring { center: b.vec3("center")?, stiffness: b.real("stiffness")? };
    if constants.stiffness < 0.0 {
        return Err(BuildError::attribute("stiffness", "`stiffness` must not be negative"));
    }
    let parts = ForceFieldParts::<TemplateForceField> {
        constants,
        elements: Vec::new(),
        stored: Vec::new(),
        rayleigh_stiffness: 0.0,
    };
    b.scene.add_force_field(b.component, state, parts);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft::testing::{ForceFieldCheck, Random};

    /// `add_d_force` against finite differences of `add_force`, and this against the gradient of the energy.
    #[test]
    fn force_tangent_and_energy_agree() {
        let constants = Spring { center: Vec3::new(0.1, -0.2, 0.3), stiffness: 2.0 };
        let parts = ForceFieldParts::<TemplateForceField> {
            constants,
            elements: vec![],
            stored: vec![],
            rayleigh_stiffness: 0.0,
        };
        let x = Random::new(1).moved(&[Vec3::zeros(); 5], 1.0);
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 5]).seed(1).symmetric().conservative().run();
    }
}
