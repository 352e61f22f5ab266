//! `OscillatorProjectiveConstraint`: points and frames that swing about a mean.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Points and frames that swing about a mean.
#[derive(Attributes)]
#[attributes(ignored("topology"))]
struct Settings {
    /// for each point: its index, mean [m], amplitude (of a frame a rotation vector, too) [m, rad], pulsation [rad/s] and phase [rad]
    oscillators: Vec<Real>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "OscillatorProjectiveConstraint", build)
        .templates(&["Vec3", "Rigid3"])
        .samples(&[
            Sample::new("oscillators='0 0 0 0 0.1 0 0 5 0.3  1 1 0 0 0 0.1 0 3 0'").template("Vec3"),
            Sample::new("oscillators='0 0 0 0 0 0 0 1 0.1 0 0 0 0.2 0.1 5 0.3'").template("Rigid3"),
        ]);

/// A point that swings.
#[derive(Clone, Copy, Debug)]
pub struct Swing<S: StateType> {
    index: u32,
    mean: S::Coord,
    amplitude: S::Deriv,
    pulsation: Real,
    phase: Real,
}

/// Points at mean + amplitude sin(pulsation t + phase).
///
/// With the pulsation ω, the velocity is amplitude ω cos(ω t + phase).
///
/// **Source:** as SOFA's: responses are 0, multipliers do not move the points, and an assembled matrix is left as it is. A frame is turned from its mean by the rotation vector
/// amplitude sin(pulsation t + phase).
pub struct OscillatorProjectiveConstraint<S>(PhantomData<S>);

impl<S: StateType> ProjectiveConstraint for OscillatorProjectiveConstraint<S> {
    type State = S;
    type Constants = ();
    /// The points.
    type Element = Swing<S>;
    const NAME: &'static str = DESCRIPTION.class;
    const MOVES_BY_TIME: bool = true;

    fn project_response(_: &(), ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        elements.iter().for_each(|e| d[e.index as usize] = S::Deriv::zero());
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
            x[e.index as usize] = e.mean.moved(&(e.amplitude * angle.sin()));
        }
    }

    fn fixed_dofs(_: &(), _: &[Swing<S>], _: usize) -> Vec<u32> {
        Vec::new()
    }

    fn projected_columns(_: &(), elements: &[Swing<S>], _: usize) -> Vec<u32> {
        all_scalars::<Self>(elements.iter().map(|e| e.index))
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type] => build_as::<S>(b, state, &s.oscillators))
}

fn build_as<S: VectorsAccess>(
    b: &mut Builder<'_>,
    state: StateId,
    numbers: &[Real],
) -> Result<(), BuildError> {
    let wrong = |text: String| BuildError::attribute("oscillators", text);
    let (n, after_mean) = (b.size(state), 1 + S::Coord::SIZE);
    let width = after_mean + S::Deriv::SIZE + 2;
    if !numbers.len().is_multiple_of(width) {
        let text = "has rows of an index, a mean, an amplitude, a pulsation and a phase, which is";
        let text =
            format!("`oscillators` {text} {width} numbers of a {}; there are {}", S::NAME, numbers.len());
        return Err(wrong(text));
    }
    let swing = |c: &[Real]| {
        let is_index = c[0].fract() == 0.0 && (0.0..n as f64).contains(&c[0]);
        if !is_index {
            return Err(wrong(format!("`oscillators` names point {}, but there are {n}", c[0])));
        }
        Ok(Swing {
            index: c[0] as u32,
            mean: S::Coord::from_scalars(&c[1..after_mean]).unwrap_or_default(),
            amplitude: S::Deriv::from_scalars(&c[after_mean..width - 2]).unwrap_or_default(),
            pulsation: c[width - 2],
            phase: c[width - 1],
        })
    };
    let elements = numbers.chunks_exact(width).map(swing).collect::<Result<_, _>>()?;
    let mut parts = ProjectiveConstraintParts::<OscillatorProjectiveConstraint<S>>::new((), elements);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv};

    #[test]
    fn velocities_are_those_of_positions() {
        let mut elements = [Swing::<Vec3Type> {
            index: 1,
            mean: Vec3::x(),
            amplitude: Vec3::new(1.0, 2.0, 0.0),
            pulsation: 3.0,
            phase: 0.4,
        }];
        let mut at = |time: f64| {
            let params = MechanicalParams { dt: 0.1, time };
            let (mut x, mut v) = ([Vec3::zeros(); 2], [Vec3::zeros(); 2]);
            type C = OscillatorProjectiveConstraint<Vec3Type>;
            C::project_position(&(), ProjectPosition { params, elements: &mut elements, x: &mut x });
            C::project_velocity(&(), ProjectVelocity { params, elements: &elements, v: &mut v });
            (x[1], v[1])
        };
        let h = 1e-6;
        let slope = (at(0.7 + h).0 - at(0.7 - h).0) / (2.0 * h);
        assert!((slope - at(0.7).1).norm() < 1e-8);
        assert!((at(0.0).0 - Vec3::new(1.0 + 0.4_f64.sin(), 2.0 * 0.4_f64.sin(), 0.0)).norm() < 1e-15);
    }

    /// About a fixed axis, the angle of a frame is the amplitude times the sine, and its angular velocity the derivative of that.
    #[test]
    fn a_frame_turns_as_its_velocity_says() {
        let mut t = TestScene::new();
        let root = t.root();
        let frame = [("template", "Rigid3"), ("position", "0 0 0 0 0 0 1")];
        t.add(&mechanical_object::DESCRIPTION, root, &frame).unwrap();
        let row = [("oscillators", "0  1 2 3 0 0 0 1  0.5 0 0 0 0 0.8  4 0.3")];
        t.add(&DESCRIPTION, root, &row).unwrap();
        let short = [("oscillators", "0  1 1 1  1 0 0  1 5")];
        assert!(t.add(&DESCRIPTION, root, &short).unwrap_err().to_string().contains("16 numbers"));
        let amplitude = RigidDeriv { linear: Vec3::x() * 0.5, angular: Vec3::z() * 0.8 };
        let mean =
            RigidCoord { center: Vec3::new(1.0, 2.0, 3.0), orientation: Quat::new(1.0, 0.0, 0.0, 0.0) };
        let mut elements = [Swing::<Rigid3Type> { index: 0, mean, amplitude, pulsation: 4.0, phase: 0.3 }];
        let mut at = |time: f64| {
            let params = MechanicalParams { dt: 0.1, time };
            let (mut x, mut v) = ([RigidCoord::default()], [RigidDeriv::default()]);
            type C = OscillatorProjectiveConstraint<Rigid3Type>;
            C::project_position(&(), ProjectPosition { params, elements: &mut elements, x: &mut x });
            C::project_velocity(&(), ProjectVelocity { params, elements: &elements, v: &mut v });
            (x[0], v[0])
        };
        let angle = |time: f64| 0.8 * (4.0 * time + 0.3).sin();
        let (x, v) = at(0.6);
        assert!((x.orientation.k - (angle(0.6) / 2.0).sin()).abs() < 1e-15);
        assert!((x.center.x - 1.0 - 0.5 / 0.8 * angle(0.6)).abs() < 1e-15);
        let h = 1e-6;
        let slope = (angle(0.6 + h) - angle(0.6 - h)) / (2.0 * h);
        assert!((v.angular.z - slope).abs() < 1e-8 && (v.linear.x - 0.5 / 0.8 * slope).abs() < 1e-8);
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
