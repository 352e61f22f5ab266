//! `ParabolicProjectiveConstraint`: points that run along a parabola. The file is long since points and frames are put on curves here for
//! both classes of curves.

use std::marker::PhantomData;

use sim_core::math::{RigidCoord, RigidDeriv};
use sim_core::prelude::*;

/// Points that run along a parabola.
#[derive(Attributes)]
#[attributes(ignored("topology"))]
struct Settings {
    /// points concerned
    indices: Indices,
    /// where the curve begins [m]
    #[attribute(name = "P1", default = "0 0 0")]
    p1: Vec3,
    /// a point of the curve [m]
    #[attribute(name = "P2", default = "0 0 0")]
    p2: Vec3,
    /// where it ends [m]
    #[attribute(name = "P3", default = "0 0 0")]
    p3: Vec3,
    /// when the points begin [s]
    #[attribute(name = "BeginTime", default = "0")]
    begin_time: f64,
    /// when they arrive [s]
    #[attribute(name = "EndTime", default = "0")]
    end_time: f64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "ParabolicProjectiveConstraint", build)
        .templates(&[Vec3Type::NAME, Rigid3Type::NAME])
        .samples(&[
            Sample::new("indices='0 1' P2='0.1 0.1 0' P3='0.3 0 0' EndTime='0.1'").template("Vec3"),
            Sample::new("indices='0 1' P2='0.1 0.1 0' P3='0.3 0 0' EndTime='0.1'").template("Rigid3"),
        ]);

/// The curve and its times.
#[derive(Clone, Copy, Debug)]
pub struct Parabola {
    begin: Real,
    end: Real,
    /// Where it begins [m].
    from: Vec3,
    /// Unit vectors towards its end and across, in its plane.
    axes: [Vec3; 2],
    /// How far away its end is [m].
    length: Real,
    /// Height = linear d + quadratic d^2 at the distance d.
    linear: Real,
    quadratic: Real,
}

impl Parabola {
    /// The one through three points; none where they lie on a line.
    fn through([p1, p2, p3]: [Vec3; 3], [begin, end]: [Real; 2]) -> Option<Self> {
        let (chord, inner) = (p3 - p1, p2 - p1);
        let along = chord.try_normalize(0.0)?;
        let across = chord.cross(&inner).cross(&chord).try_normalize(0.0)?;
        let (length, x, y) = (along.dot(&chord), along.dot(&inner), across.dot(&inner));
        let divisor = length * x - x * x;
        (divisor != 0.0).then(|| Self {
            begin,
            end,
            from: p1,
            axes: [along, across],
            length,
            linear: length * y / divisor,
            quadratic: -y / divisor,
        })
    }

    fn holds(&self, time: Real) -> bool {
        self.begin <= time && time <= self.end
    }

    fn at(&self, time: Real) -> Vec3 {
        let d = self.length * (time - self.begin) / (self.end - self.begin);
        self.from + self.axes[0] * d + self.axes[1] * (self.linear * d + self.quadratic * d * d)
    }
}

/// A state whose points, or origins of frames, can be put on a curve.
pub trait OnCurve: StateType {
    /// Puts it there.
    fn put(x: &mut Self::Coord, at: Vec3);
    /// Gives it a velocity [m/s].
    fn go(v: &mut Self::Deriv, velocity: Vec3);
}

impl OnCurve for Vec3Type {
    fn put(x: &mut Vec3, at: Vec3) {
        *x = at;
    }

    fn go(v: &mut Vec3, velocity: Vec3) {
        *v = velocity;
    }
}

impl OnCurve for Rigid3Type {
    fn put(x: &mut RigidCoord, at: Vec3) {
        x.center = at;
    }

    fn go(v: &mut RigidDeriv, velocity: Vec3) {
        v.linear = velocity;
    }
}

/// Points on a parabola between two times, which run along its chord evenly; free before and after.
///
/// x = P₁ + d e + (a d + b d²) n between `BeginTime` and `EndTime`: the parabola through P₁, P₂ and P₃ in their plane, with the direction
/// e from P₁ to P₃ at the distance l, n across it, and d = l (t − `BeginTime`)/(`EndTime` − `BeginTime`). With P₂ = P₁ + p e + q n,
/// a = l q/(l p − p²) and b = −q/(l p − p²).
///
/// **Source:** as SOFA's: the velocity is the way of the next step over its length, of the *first* point; the others have velocity 0, since
/// SOFA asks for both ends of the way at the same time. The next step is a whole one, also where a MultiStepAnimationLoop divides it. The orientation of a frame and its angular velocity stay as they are, though
/// nothing turns it. An assembled matrix is left as it is; multipliers
/// do not move points on the curve.
pub struct ParabolicProjectiveConstraint<S>(PhantomData<S>);

impl<S: OnCurve> ProjectiveConstraint for ParabolicProjectiveConstraint<S> {
    type State = S;
    type Constants = Parabola;
    /// The points.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;
    const MOVES_BY_TIME: bool = true;
    const PROJECTS_COLUMNS: Option<AtTime<Self>> = Some(|c, _, time| c.holds(time));

    fn project_response(c: &Parabola, ProjectResponse { params, elements, d }: ProjectResponse<'_, Self>) {
        if c.holds(params.time) {
            elements.iter().for_each(|i| d[*i as usize] = S::Deriv::zero());
        }
    }

    fn project_velocity(c: &Parabola, ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        if c.holds(params.time) {
            elements.iter().for_each(|i| S::go(&mut v[*i as usize], Vec3::zeros()));
            if let Some(first) = elements.first() {
                let way = c.at(params.time + params.dt) - c.at(params.time);
                S::go(&mut v[*first as usize], way / params.dt);
            }
        }
    }

    fn project_position(c: &Parabola, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        if c.holds(params.time) {
            let at = c.at(params.time);
            elements.iter().for_each(|i| S::put(&mut x[*i as usize], at));
        }
    }

    fn fixed_dofs(_: &Parabola, _: &[u32], _: usize) -> Vec<u32> {
        Vec::new()
    }

    fn projected_columns(_: &Parabola, points: &[u32], _: usize) -> Vec<u32> {
        all_scalars::<Self>(points.iter().copied())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    if indices.is_empty() {
        b.warn(Some("indices"), "there are no points, so nothing moves");
        return Ok(());
    }
    if s.end_time <= s.begin_time {
        let text = format!("`EndTime` is {}, not after `BeginTime` {}", s.end_time, s.begin_time);
        return Err(BuildError::attribute("EndTime", text));
    }
    let parabola = Parabola::through([s.p1, s.p2, s.p3], [s.begin_time, s.end_time]);
    let parabola =
        parabola.ok_or_else(|| BuildError::attribute("P2", "`P1`, `P2` and `P3` make no parabola"))?;
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type] => {
        let mut parts = ProjectiveConstraintParts::<ParabolicProjectiveConstraint<S>>::new(parabola, indices);
        (parts.projects_position, parts.projects_velocity) = (true, true);
        b.add_projective_constraint(state, parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn the_curve_goes_through_its_points_evenly_along_the_chord() {
        let points = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(2.0, 3.0, 0.0), Vec3::new(5.0, 1.0, 0.0)];
        let c = Parabola::through(points, [1.0, 5.0]).unwrap();
        for (time, wanted) in [(1.0, points[0]), (2.0, points[1]), (5.0, points[2])] {
            assert!((c.at(time) - wanted).norm() < 1e-14, "{time}");
        }
        assert!(!c.holds(0.99) && c.holds(1.0) && c.holds(5.0) && !c.holds(5.01));
        let params = MechanicalParams { dt: 0.5, time: 2.0 };
        let (mut x, mut v) = ([Vec3::zeros(); 3], [Vec3::z(); 3]);
        type C = ParabolicProjectiveConstraint<Vec3Type>;
        C::project_position(&c, ProjectPosition { params, elements: &mut [2, 0], x: &mut x });
        C::project_velocity(&c, ProjectVelocity { params, elements: &[2, 0], v: &mut v });
        assert!((x[2] - points[1]).norm() < 1e-14 && x[0] == x[2] && x[1] == Vec3::zeros());
        assert!((v[2] * 0.5 - (c.at(2.5) - c.at(2.0))).norm() < 1e-14);
        assert_eq!(v[..2], [Vec3::zeros(), Vec3::z()], "the second point of the list stands still");
    }

    #[test]
    fn a_frame_goes_along_the_curve_and_keeps_its_orientation() {
        let c = Parabola::through([Vec3::zeros(), Vec3::new(1.0, 1.0, 0.0), Vec3::x() * 4.0], [0.0, 1.0])
            .unwrap();
        let params = MechanicalParams { dt: 0.25, time: 0.25 };
        let turned = RigidCoord { center: Vec3::z(), ..RigidCoord::default() };
        let spin = RigidDeriv { linear: Vec3::y(), angular: Vec3::z() };
        let (mut x, mut v, mut d) = ([turned], [spin], [spin]);
        type C = ParabolicProjectiveConstraint<Rigid3Type>;
        C::project_position(&c, ProjectPosition { params, elements: &mut [0], x: &mut x });
        C::project_velocity(&c, ProjectVelocity { params, elements: &[0], v: &mut v });
        C::project_response(&c, ProjectResponse { params, elements: &[0], d: &mut d });
        assert!((x[0].center - c.at(0.25)).norm() < 1e-14);
        assert!((v[0].linear - (c.at(0.5) - c.at(0.25)) * 4.0).norm() < 1e-13 && v[0].angular == Vec3::z());
        assert_eq!(d[0], RigidDeriv::zero());
    }

    #[test]
    fn what_is_no_parabola_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let wrong = |t: &mut TestScene, more: &[(&'static str, &str)]| {
            t.add(&DESCRIPTION, root, &[&[("indices", "0")], more].concat()).unwrap_err().attribute.unwrap()
        };
        assert_eq!(wrong(&mut t, &[]), "EndTime");
        let on_a_line = [("EndTime", "1"), ("P2", "1 0 0"), ("P3", "2 0 0")];
        assert_eq!(wrong(&mut t, &on_a_line), "P2");
        assert_eq!(wrong(&mut t, &[("EndTime", "1"), ("P2", "0 1 0"), ("P3", "2 0 0")]), "P2");
    }
}
