//! `PointProjectiveConstraint`, `LineProjectiveConstraint`, `PlaneProjectiveConstraint` and `DirectionProjectiveConstraint`: points that
//! stay at a point, on a line or in a plane.

use sim_core::component::attributes::AttributeGroups;
use sim_core::math::Mat3;
use sim_core::prelude::*;

/// Points that stay where they are put.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSize"))]
struct AtPoint {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// where they are put [m]
    #[attribute(default = "0 0 0")]
    point: Vec3,
    /// whether all points are concerned
    fix_all: bool,
}

/// Points that stay on a line.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSize"))]
struct OnLine {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// a point of the line [m]
    #[attribute(default = "0 0 0")]
    origin: Vec3,
    /// direction of the line
    #[attribute(default = "0 0 0")]
    direction: Vec3,
}

/// Points that stay in a plane.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSize"))]
struct InPlane {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// a point of the plane [m]
    #[attribute(default = "0 0 0")]
    origin: Vec3,
    /// direction across the plane
    #[attribute(default = "0 0 0")]
    normal: Vec3,
}

/// Points that move along a direction only.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSize"))]
struct AlongDirection {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// the direction
    #[attribute(default = "0 0 0")]
    direction: Vec3,
}

const fn component<A: AttributeGroups>(
    class: &'static str,
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
    samples: &'static [Sample],
) -> ComponentDescription {
    ComponentDescription::new::<A>(Family::Constraint, class, build)
        .follows(Following::of_points(&["indices"]))
        .at_run_time(RunTime::All)
        .templates(&[Vec3Type::NAME])
        .samples(samples)
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 4] = [
    component::<AtPoint>(
        "PointProjectiveConstraint",
        at_point,
        &[Sample::new("indices='0 1' point='0.1 0.2 0.3'")],
    ),
    component::<OnLine>(
        "LineProjectiveConstraint",
        on_line,
        &[Sample::new("indices='0 1' direction='0 2 0'")],
    ),
    component::<InPlane>(
        "PlaneProjectiveConstraint",
        in_plane,
        &[Sample::new("indices='0 1' normal='1 0 0'")],
    ),
    component::<AlongDirection>(
        "DirectionProjectiveConstraint",
        along_direction,
        &[Sample::new("indices='0 1' direction='1 0 0'")],
    ),
];

const POINT: usize = 0;
const LINE: usize = 1;
const PLANE: usize = 2;
const DIRECTION: usize = 3;

/// A point with the place from which it may move along the free directions.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    index: u32,
    origin: Vec3,
}

/// What a point may do, as a projection matrix: none, along a line, in a plane.
#[derive(Clone, Copy, Debug)]
pub struct Free {
    projection: Mat3,
    moves_velocity: bool,
}

/// Points that may move along some directions from an origin only.
///
/// **Source:** as SOFA's: d becomes P d; x becomes o + P (x - o), where o is the line's or plane's origin, or, for a direction, where the
/// point begins; v becomes P v, but at a point velocities are left. In an assembled matrix only a `PointProjectiveConstraint` clears rows
/// and columns: with an assembled linear solver the others bend what comes out of the solve, as in SOFA.
pub struct MotionProjection<const KIND: usize>;

impl<const KIND: usize> ProjectiveConstraint for MotionProjection<KIND> {
    type State = Vec3Type;
    type Constants = Free;
    /// The points, each with its origin.
    type Element = Kept;
    const NAME: &'static str = ALL[KIND].class;

    fn project_response(c: &Free, ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        for e in elements {
            let d = &mut d[e.index as usize];
            *d = c.projection * *d;
        }
    }

    fn project_velocity(c: &Free, ProjectVelocity { elements, v, .. }: ProjectVelocity<'_, Self>) {
        for e in elements.iter().filter(|_| c.moves_velocity) {
            let v = &mut v[e.index as usize];
            *v = c.projection * *v;
        }
    }

    fn project_position(c: &Free, ProjectPosition { elements, x, .. }: ProjectPosition<'_, Self>) {
        for e in elements {
            let x = &mut x[e.index as usize];
            *x = e.origin + c.projection * (*x - e.origin);
        }
    }

    fn fixed_dofs(_: &Free, elements: &[Kept], _: usize) -> Vec<u32> {
        if KIND == POINT { elements.iter().map(|e| e.index).collect() } else { Vec::new() }
    }
}

fn at_point(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, AtPoint::read(b)?);
    let n = b.size(state);
    let indices = if s.fix_all { (0..n as u32).collect() } else { s.indices.within(n, b)? };
    add::<POINT>(b, state, indices, |_| s.point, Mat3::zeros())
}

fn on_line(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, OnLine::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    let n = unit("direction", &s.direction)?;
    add::<LINE>(b, state, indices, |_| s.origin, n * n.transpose())
}

fn in_plane(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, InPlane::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    let n = unit("normal", &s.normal)?;
    add::<PLANE>(b, state, indices, |_| s.origin, Mat3::identity() - n * n.transpose())
}

fn along_direction(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, AlongDirection::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    let n = unit("direction", &s.direction)?;
    let begin: Vec<Vec3> =
        b.scene.initial_as::<Vec3Type>(state).map(|initial| initial.position.clone()).unwrap_or_default();
    add::<DIRECTION>(
        b,
        state,
        indices,
        |i| begin.get(i as usize).copied().unwrap_or_default(),
        n * n.transpose(),
    )
}

fn unit(name: &'static str, given: &Vec3) -> Result<Vec3, BuildError> {
    given
        .try_normalize(0.0)
        .ok_or_else(|| BuildError::attribute(name, format!("`{name}` is 0; give a direction")))
}

fn add<const KIND: usize>(
    b: &mut Builder<'_>,
    state: StateId,
    indices: Vec<u32>,
    origin: impl Fn(u32) -> Vec3,
    projection: Mat3,
) -> Result<(), BuildError> {
    let elements = indices.into_iter().map(|index| Kept { index, origin: origin(index) }).collect();
    let constants = Free { projection, moves_velocity: KIND != POINT };
    let mut parts = ProjectiveConstraintParts::<MotionProjection<KIND>>::new(constants, elements);
    (parts.projects_position, parts.projects_velocity) = (true, KIND != POINT);
    b.add_projective_constraint(state, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    /// Initial positions and velocities of two points after a constraint was put on them.
    fn begun(class: usize, attributes: &[(&'static str, &str)]) -> (Vec<Vec3>, Vec<Vec3>) {
        let mut t = TestScene::new();
        let root = t.root();
        let at = [("position", "1 2 3 4 5 6"), ("velocity", "1 1 1 2 2 2")];
        let c = t.add(&mechanical_object::DESCRIPTION, root, &at).unwrap();
        t.add(&ALL[class], root, attributes).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let initial = t.scene.initial_as::<Vec3Type>(state).unwrap();
        (initial.position.clone(), initial.velocity.clone())
    }

    #[test]
    fn points_are_moved_to_where_they_stay() {
        let (x, v) = begun(0, &[("indices", "1"), ("point", "7 8 9")]);
        assert_eq!((x[0], x[1]), (Vec3::new(1.0, 2.0, 3.0), Vec3::new(7.0, 8.0, 9.0)));
        assert_eq!(v[1], Vec3::new(2.0, 2.0, 2.0), "a velocity that a point has stays");
        let (x, v) = begun(1, &[("indices", "1"), ("direction", "0 3 0"), ("origin", "1 0 0")]);
        assert_eq!((x[1], v[1]), (Vec3::new(1.0, 5.0, 0.0), Vec3::new(0.0, 2.0, 0.0)));
        let (x, v) = begun(2, &[("indices", "1"), ("normal", "2 0 0"), ("origin", "1 0 0")]);
        assert_eq!((x[1], v[1]), (Vec3::new(1.0, 5.0, 6.0), Vec3::new(0.0, 2.0, 2.0)));
        let (x, v) = begun(3, &[("indices", "1"), ("direction", "0 0 1")]);
        assert_eq!((x[1], v[1]), (Vec3::new(4.0, 5.0, 6.0), Vec3::new(0.0, 0.0, 2.0)));
    }

    #[test]
    fn responses_keep_their_free_part() {
        let n = Vec3::new(0.6, 0.0, 0.8);
        let c = Free { projection: n * n.transpose(), moves_velocity: true };
        let mut d = [Vec3::new(1.0, 2.0, 3.0); 2];
        let elements = [Kept { index: 1, origin: Vec3::zeros() }];
        let params = crate::test_support::AT_START;
        MotionProjection::<LINE>::project_response(
            &c,
            ProjectResponse { params, elements: &elements, d: &mut d },
        );
        assert_eq!(d[0], Vec3::new(1.0, 2.0, 3.0));
        assert!((d[1] - n * 3.0).norm() < 1e-15);
        assert!(MotionProjection::<LINE>::fixed_dofs(&c, &elements, 2).is_empty());
        assert_eq!(MotionProjection::<POINT>::fixed_dofs(&c, &elements, 2), [1]);
    }

    #[test]
    fn a_direction_of_no_length_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        for (class, name) in [(1, "direction"), (2, "normal"), (3, "direction")] {
            assert_eq!(t.add(&ALL[class], root, &[]).unwrap_err().attribute.as_deref(), Some(name));
        }
    }
}
