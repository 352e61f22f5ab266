//! `HermiteSplineProjectiveConstraint`: points that run along a cubic curve. The file is long for its nine attributes and two curves, the
//! way and the time on it.

use std::marker::PhantomData;

use sim_core::prelude::*;

use super::parabolic::OnCurve;

/// Points that run along a cubic curve.
#[derive(Attributes)]
#[attributes(ignored("topology"))]
struct Settings {
    /// points concerned
    indices: Indices,
    /// when they begin [s]
    #[attribute(name = "BeginTime", default = "0")]
    begin_time: f64,
    /// when they arrive [s]
    #[attribute(name = "EndTime", default = "0")]
    end_time: f64,
    /// where the curve begins [m]
    #[attribute(name = "X0", default = "0 0 0")]
    x0: Vec3,
    /// tangent at its beginning [m]
    #[attribute(name = "dX0", default = "0 0 0")]
    dx0: Vec3,
    /// where it ends [m]
    #[attribute(name = "X1", default = "0 0 0")]
    x1: Vec3,
    /// tangent at its end [m]
    #[attribute(name = "dX1", default = "0 0 0")]
    dx1: Vec3,
    /// tangent of the curve that says how far along it the points are, at its beginning; the second number counts
    #[attribute(name = "SX0", default = "0 0")]
    sx0: [f64; 2],
    /// that at its end
    #[attribute(name = "SX1", default = "0 0")]
    sx1: [f64; 2],
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "HermiteSplineProjectiveConstraint", build)
        .templates(&[Vec3Type::NAME, Rigid3Type::NAME])
        .samples(&[Sample::new(SAMPLE).template("Vec3"), Sample::new(SAMPLE).template("Rigid3")]);

const SAMPLE: &str = "indices='0 1' EndTime='0.1' X1='0.1 0 0' dX0='0 0.1 0' SX0='0 1' SX1='0 1'";

/// The curve and its times.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    begin: Real,
    end: Real,
    ends: [Vec3; 2],
    tangents: [Vec3; 2],
    pace: [Real; 2],
}

/// The cubic Hermite functions of the ends, and of the tangents there.
fn hermite(u: Real) -> ([Real; 2], [Real; 2]) {
    let (u2, u3) = (u * u, u * u * u);
    ([2.0 * u3 - 3.0 * u2 + 1.0, -2.0 * u3 + 3.0 * u2], [u3 - 2.0 * u2 + u, u3 - u2])
}

/// Their derivatives.
fn slopes(u: Real) -> ([Real; 2], [Real; 2]) {
    let u2 = u * u;
    ([6.0 * u2 - 6.0 * u, -6.0 * u2 + 6.0 * u], [3.0 * u2 - 4.0 * u + 1.0, 3.0 * u2 - 2.0 * u])
}

impl Curve {
    /// How far along the curve the points are; none outside its times.
    fn along(&self, time: Real) -> Option<Real> {
        (self.begin <= time && time <= self.end).then(|| {
            let (ends, tangents) = hermite((time - self.begin) / (self.end - self.begin));
            tangents[0] * self.pace[0] + ends[1] + tangents[1] * self.pace[1]
        })
    }

    fn sum(&self, (ends, tangents): ([Real; 2], [Real; 2])) -> Vec3 {
        self.ends[0] * ends[0]
            + self.tangents[0] * tangents[0]
            + self.ends[1] * ends[1]
            + self.tangents[1] * tangents[1]
    }
}

/// Points on a curve between two times, free before and after.
///
/// x = (2u³ − 3u² + 1) X₀ + (u³ − 2u² + u) T₀ + (3u² − 2u³) X₁ + (u³ − u²) T₁, the ends X and tangents T given by `X0`, `dX0`, `X1`,
/// `dX1`; u goes from 0 to 1 by the same polynomial of (t − t₁)/(t₂ − t₁), with the ends 0 and 1 and the slopes of `SX0` and `SX1`.
///
/// **Source:** as SOFA's: velocities are the curve's derivative by its own parameter, not by time. The orientation of a frame and its
/// angular velocity stay as they are, though nothing turns it. An assembled matrix is left as it is; multipliers
/// do not move points on the curve.
pub struct HermiteSplineProjectiveConstraint<S>(PhantomData<S>);

impl<S: OnCurve> ProjectiveConstraint for HermiteSplineProjectiveConstraint<S> {
    type State = S;
    type Constants = Curve;
    /// The points.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;
    const MOVES_BY_TIME: bool = true;
    const PROJECTS_COLUMNS: Option<AtTime<Self>> = Some(|c, _, time| c.along(time).is_some());

    fn project_response(c: &Curve, ProjectResponse { params, elements, d }: ProjectResponse<'_, Self>) {
        if c.along(params.time).is_some() {
            elements.iter().for_each(|i| d[*i as usize] = S::Deriv::zero());
        }
    }

    fn project_velocity(c: &Curve, ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        if let Some(s) = c.along(params.time) {
            let slope = c.sum(slopes(s));
            elements.iter().for_each(|i| S::go(&mut v[*i as usize], slope));
        }
    }

    fn project_position(c: &Curve, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        if let Some(s) = c.along(params.time) {
            let at = c.sum(hermite(s));
            elements.iter().for_each(|i| S::put(&mut x[*i as usize], at));
        }
    }

    fn fixed_dofs(_: &Curve, _: &[u32], _: usize) -> Vec<u32> {
        Vec::new()
    }

    fn projected_columns(_: &Curve, points: &[u32], _: usize) -> Vec<u32> {
        all_scalars::<Self>(points.iter().copied())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    if indices.is_empty() {
        b.warn(Some("indices"), "there are no points, so nothing moves");
    } else if s.end_time <= s.begin_time {
        let text = format!("`EndTime` is {}, not after `BeginTime` {}", s.end_time, s.begin_time);
        return Err(BuildError::attribute("EndTime", text));
    }
    let curve = Curve {
        begin: s.begin_time,
        end: s.end_time,
        ends: [s.x0, s.x1],
        tangents: [s.dx0, s.dx1],
        pace: [s.sx0[1], s.sx1[1]],
    };
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type] => {
        let mut parts = ProjectiveConstraintParts::<HermiteSplineProjectiveConstraint<S>>::new(curve, indices);
        (parts.projects_position, parts.projects_velocity) = (true, true);
        b.add_projective_constraint(state, parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv};

    fn curve() -> Curve {
        let (x, y) = (Vec3::x(), Vec3::y());
        Curve { begin: 1.0, end: 3.0, ends: [x, y * 5.0], tangents: [y, x], pace: [1.0, 1.0] }
    }

    #[test]
    fn the_curve_has_its_ends_and_tangents() {
        let c = curve();
        assert_eq!((c.sum(hermite(0.0)), c.sum(hermite(1.0))), (c.ends[0], c.ends[1]));
        assert_eq!((c.sum(slopes(0.0)), c.sum(slopes(1.0))), (c.tangents[0], c.tangents[1]));
        let h = 1e-6;
        let slope = (c.sum(hermite(0.3 + h)) - c.sum(hermite(0.3 - h))) / (2.0 * h);
        assert!((slope - c.sum(slopes(0.3))).norm() < 1e-8);
    }

    #[test]
    fn a_curve_of_no_time_is_refused_where_it_moves_points() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        t.add(&DESCRIPTION, root, &[]).unwrap();
        assert!(t.warnings[0].contains("no points"), "{:?}", t.warnings);
        assert_eq!(
            t.add(&DESCRIPTION, root, &[("indices", "0")]).unwrap_err().attribute.as_deref(),
            Some("EndTime")
        );
    }

    #[test]
    fn points_are_free_outside_its_times() {
        let c = curve();
        assert!(c.along(0.9).is_none() && c.along(3.1).is_none());
        assert!((c.along(2.0).unwrap() - 0.5).abs() < 1e-15, "a pace of 1 is even");
        let mut d = [Vec3::x(); 2];
        let params = MechanicalParams { dt: 0.1, time: 0.0 };
        type C = HermiteSplineProjectiveConstraint<Vec3Type>;
        C::project_response(&c, ProjectResponse { params, elements: &[1], d: &mut d });
        assert_eq!(d[1], Vec3::x());
        let params = MechanicalParams { dt: 0.1, time: 1.0 };
        C::project_response(&c, ProjectResponse { params, elements: &[1], d: &mut d });
        assert_eq!(d, [Vec3::x(), Vec3::zeros()]);
    }

    #[test]
    fn a_frame_goes_along_the_curve_and_keeps_its_orientation() {
        let (c, params) = (curve(), MechanicalParams { dt: 0.1, time: 2.0 });
        let spin = RigidDeriv { linear: Vec3::y(), angular: Vec3::z() };
        let (mut x, mut v) = ([RigidCoord::default()], [spin]);
        type C = HermiteSplineProjectiveConstraint<Rigid3Type>;
        C::project_position(&c, ProjectPosition { params, elements: &mut [0], x: &mut x });
        C::project_velocity(&c, ProjectVelocity { params, elements: &[0], v: &mut v });
        assert!((x[0].center - c.sum(hermite(0.5))).norm() < 1e-15);
        assert_eq!(v[0], RigidDeriv { linear: c.sum(slopes(0.5)), ..spin });
        let moves = C::PROJECTS_COLUMNS.unwrap();
        assert_eq!([0.9, 1.0, 3.0, 3.1].map(|t| moves(&c, &[0], t)), [false, true, true, false]);
        assert_eq!(C::projected_columns(&c, &[1], 2), [6, 7, 8, 9, 10, 11]);
    }
}
