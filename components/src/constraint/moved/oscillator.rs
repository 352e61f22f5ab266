//! `OscillatorProjectiveConstraint`: points that swing about a mean.

use sim_core::prelude::*;

/// Points that swing about a mean.
#[derive(Attributes)]
#[attributes(ignored("topology"))]
struct Settings {
    /// for each point: its index, mean [m], amplitude [m], pulsation [rad/s] and phase [rad]
    oscillators: Vec<[f64; 9]>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "OscillatorProjectiveConstraint", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("oscillators='0 0 0 0 0.1 0 0 5 0.3  1 1 0 0 0 0.1 0 3 0'")]);

/// A point that swings.
#[derive(Clone, Copy, Debug)]
pub struct Swing {
    index: u32,
    mean: Vec3,
    amplitude: Vec3,
    pulsation: Real,
    phase: Real,
}

/// Points at mean + amplitude sin(pulsation t + phase).
///
/// **Source:** as SOFA's: responses are 0, and an assembled matrix is left as it is.
pub struct OscillatorProjectiveConstraint;

impl ProjectiveConstraint for OscillatorProjectiveConstraint {
    type State = Vec3Type;
    type Constants = ();
    /// The points.
    type Element = Swing;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(_: &(), ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        elements.iter().for_each(|e| d[e.index as usize] = Vec3::zeros());
    }

    fn project_velocity(_: &(), ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        for e in elements {
            let angle = e.pulsation * params.time + e.phase;
            v[e.index as usize] = e.amplitude * (e.pulsation * angle.cos());
        }
    }

    fn project_position(_: &(), ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        for e in elements {
            let angle = e.pulsation * params.time + e.phase;
            x[e.index as usize] = e.mean + e.amplitude * angle.sin();
        }
    }

    fn fixed_dofs(_: &(), _: &[Swing], _: usize) -> Vec<u32> {
        Vec::new()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let n = b.size(state);
    let swing = |c: &[f64; 9]| {
        let is_index = c[0].fract() == 0.0 && (0.0..n as f64).contains(&c[0]);
        let wrong = || {
            let text = format!("`oscillators` names point {}, but there are {n}", c[0]);
            BuildError::attribute("oscillators", text)
        };
        is_index
            .then(|| Swing {
                index: c[0] as u32,
                mean: Vec3::new(c[1], c[2], c[3]),
                amplitude: Vec3::new(c[4], c[5], c[6]),
                pulsation: c[7],
                phase: c[8],
            })
            .ok_or_else(wrong)
    };
    let elements = s.oscillators.iter().map(swing).collect::<Result<_, _>>()?;
    let mut parts = ProjectiveConstraintParts::<OscillatorProjectiveConstraint>::new((), elements);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn velocities_are_those_of_positions() {
        let mut elements = [Swing {
            index: 1,
            mean: Vec3::x(),
            amplitude: Vec3::new(1.0, 2.0, 0.0),
            pulsation: 3.0,
            phase: 0.4,
        }];
        let mut at = |time: f64| {
            let params = MechanicalParams { dt: 0.1, time };
            let (mut x, mut v) = ([Vec3::zeros(); 2], [Vec3::zeros(); 2]);
            type C = OscillatorProjectiveConstraint;
            C::project_position(&(), ProjectPosition { params, elements: &mut elements, x: &mut x });
            C::project_velocity(&(), ProjectVelocity { params, elements: &elements, v: &mut v });
            (x[1], v[1])
        };
        let h = 1e-6;
        let slope = (at(0.7 + h).0 - at(0.7 - h).0) / (2.0 * h);
        assert!((slope - at(0.7).1).norm() < 1e-8);
        assert!((at(0.0).0 - Vec3::new(1.0 + 0.4_f64.sin(), 2.0 * 0.4_f64.sin(), 0.0)).norm() < 1e-15);
    }

    #[test]
    fn a_point_that_is_not_there_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        for wrong in ["2 0 0 0 1 0 0 1 0", "0.5 0 0 0 1 0 0 1 0", "-1 0 0 0 1 0 0 1 0", "1 2 3"] {
            let e = t.add(&DESCRIPTION, root, &[("oscillators", wrong)]).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some("oscillators"), "{wrong}");
        }
    }
}
