//! `PointProjectiveConstraint`, `LineProjectiveConstraint`, `PlaneProjectiveConstraint` and `DirectionProjectiveConstraint`: points that
//! stay at a point, on a line or in a plane. The file is long for its four classes, which are one projection.

use std::marker::PhantomData;

use sim_core::component::attributes::AttributeGroups;
use sim_core::prelude::*;

/// Points that stay where they are put.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSize"))]
struct AtPoint {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// where they are put, a row of the state's coordinates; the origin if not given [m]
    point: CoordRows,
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
    /// a point of the line, a row of the state's coordinates; the origin if not given [m]
    origin: CoordRows,
    /// direction of the line; along x if it is not given, or 0
    direction: CoordRows,
}

/// Points that stay in a plane.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSize"))]
struct InPlane {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// a point of the plane, a row of the state's coordinates; the origin if not given [m]
    origin: CoordRows,
    /// direction across the plane; points are free if it is not given, or 0
    normal: CoordRows,
}

/// Points that move along a direction only.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSize"))]
struct AlongDirection {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// the direction; points stay where they begin if it is not given, or 0
    direction: CoordRows,
}

const fn component<A: AttributeGroups>(
    class: &'static str,
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
    templates: &'static [&'static str],
    samples: &'static [Sample],
) -> ComponentDescription {
    ComponentDescription::new::<A>(Family::Constraint, class, build)
        .follows(Following::of_points(&["indices"]))
        .at_run_time(RunTime::All)
        .templates(templates)
        .samples(samples)
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 4] = [
    component::<AtPoint>(
        "PointProjectiveConstraint",
        at_point,
        &["Vec3", "Vec2", "Vec1", "Vec6"],
        &[Sample::new("indices='0 1' point='0.1 0.2 0.3'").template("Vec3")],
    ),
    component::<OnLine>(
        "LineProjectiveConstraint",
        on_line,
        &["Vec3", "Vec2"],
        &[Sample::new("indices='0 1' direction='0 2 0'").template("Vec3")],
    ),
    component::<InPlane>(
        "PlaneProjectiveConstraint",
        in_plane,
        &["Vec3", "Vec2"],
        &[Sample::new("indices='0 1' normal='1 0 0'").template("Vec3")],
    ),
    component::<AlongDirection>(
        "DirectionProjectiveConstraint",
        along_direction,
        &["Vec3", "Vec2"],
        &[Sample::new("indices='0 1' direction='1 0 0'").template("Vec3")],
    ),
];

const POINT: usize = 0;
const LINE: usize = 1;
const PLANE: usize = 2;
const DIRECTION: usize = 3;

/// A point with the place from which it may move along the free directions.
#[derive(Clone, Copy, Debug)]
pub struct Kept<S: StateType> {
    index: u32,
    origin: S::Coord,
    /// Whether its velocities and forces are projected, too.
    moves_along: bool,
}

/// Points that may move along some directions from an origin only: none, along a line or a direction, in a plane.
///
/// With the projection P: 0 of a point, n nᵀ of a line or direction n, I − n nᵀ of a plane with the normal n, n of length 1.
///
/// **Source:** as SOFA's: d becomes P d; x becomes o + P (x - o), where o is the line's or plane's origin, or, for a direction, where the
/// point begins; v becomes P v. In an assembled matrix, and in the Jacobians of multipliers, only a `PointProjectiveConstraint` clears
/// columns: with an assembled linear solver the others bend what comes out of the solve. SOFA goes through sorted `indices` of the others
/// and never comes past one that is listed twice: of points with greater numbers, positions are projected, and neither velocities nor
/// forces.
pub struct MotionProjection<const KIND: usize, S>(PhantomData<S>);

/// The velocities of a state of points.
type Vector<S> = <<S as StateType>::Deriv as Deriv>::Translation;

/// A velocity of a state of points.
fn deriv<S: StateType>(v: &Vector<S>) -> S::Deriv {
    let mut all = S::Deriv::zero();
    all.add_translation(v);
    all
}

/// What is left of a vector; n is of length 1, or 0.
fn projected<const KIND: usize, D: Deriv>(n: &D, d: D) -> D {
    match KIND {
        POINT => D::zero(),
        PLANE => d - *n * d.inner(n),
        _ => *n * d.inner(n),
    }
}

impl<const KIND: usize, S: StateType> MotionProjection<KIND, S> {
    fn project(n: &Vector<S>, elements: &[Kept<S>], vectors: &mut [S::Deriv]) {
        for e in elements.iter().filter(|e| e.moves_along) {
            let v = &mut vectors[e.index as usize];
            *v = deriv::<S>(&projected::<KIND, _>(n, v.translation()));
        }
    }
}

impl<const KIND: usize, S: StateType> ProjectiveConstraint for MotionProjection<KIND, S> {
    type State = S;
    /// The direction of the line, or across the plane.
    type Constants = Vector<S>;
    /// The points, each with its origin.
    type Element = Kept<S>;
    const NAME: &'static str = ALL[KIND].class;

    fn project_response(n: &Vector<S>, ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        Self::project(n, elements, d);
    }

    fn project_velocity(n: &Vector<S>, ProjectVelocity { elements, v, .. }: ProjectVelocity<'_, Self>) {
        Self::project(n, elements, v);
    }

    fn project_position(n: &Vector<S>, ProjectPosition { elements, x, .. }: ProjectPosition<'_, Self>) {
        for e in elements {
            let x = &mut x[e.index as usize];
            let away = x.position() - e.origin.position();
            *x = if KIND == PLANE {
                x.moved(&deriv::<S>(&(*n * -away.inner(n))))
            } else {
                e.origin.moved(&deriv::<S>(&projected::<KIND, _>(n, away)))
            };
        }
    }

    fn fixed_dofs(_: &Vector<S>, elements: &[Kept<S>], _: usize) -> Vec<u32> {
        if KIND == POINT { elements.iter().map(|e| e.index).collect() } else { Vec::new() }
    }
}

fn at_point(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, AtPoint::read(b)?);
    let n = b.size(state);
    let indices = if s.fix_all { (0..n as u32).collect() } else { s.indices.within(n, b)? };
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type, Vec6Type] => {
        let point = row::<S>("point", &s.point)?;
        add::<POINT, S>(b, state, &indices, |_| point, Vector::<S>::zero())
    })
}

fn on_line(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, OnLine::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    for_state_type!(b, state, S in [Vec3Type, Vec2Type] => {
        let origin = row::<S>("origin", &s.origin)?;
        let n = unit::<S>("direction", &s.direction)?.unwrap_or_else(|| {
            b.warn(Some("direction"), "there is no direction, so the line is along x, as in SOFA");
            Vector::<S>::from_linear(&Vec3::x())
        });
        add::<LINE, S>(b, state, &indices, |_| origin, n)
    })
}

fn in_plane(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, InPlane::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    for_state_type!(b, state, S in [Vec3Type, Vec2Type] => {
        let origin = row::<S>("origin", &s.origin)?;
        let n = unit::<S>("normal", &s.normal)?.unwrap_or_else(|| {
            b.warn(Some("normal"), "there is no normal, so points are free, as in SOFA");
            Vector::<S>::zero()
        });
        add::<PLANE, S>(b, state, &indices, |_| origin, n)
    })
}

fn along_direction(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, AlongDirection::read(b)?);
    let indices = s.indices.within(b.size(state), b)?;
    for_state_type!(b, state, S in [Vec3Type, Vec2Type] => {
        let n = unit::<S>("direction", &s.direction)?.unwrap_or_else(|| {
            b.warn(Some("direction"), "there is no direction, so points stay where they begin, as in SOFA");
            Vector::<S>::zero()
        });
        let begin = begin::<S>(b, state);
        add::<DIRECTION, S>(b, state, &indices, |i| begin.get(i as usize).copied().unwrap_or_default(), n)
    })
}

/// Where the points of a state begin.
fn begin<S: VectorsAccess>(b: &Builder<'_>, state: StateId) -> Vec<S::Coord> {
    b.scene.initial_as::<S>(state).map(|initial| initial.position.clone()).unwrap_or_default()
}

/// A place; the origin where none is given.
fn row<S: StateType>(name: &'static str, given: &CoordRows) -> Result<S::Coord, BuildError> {
    match given.of::<S>()?[..] {
        [] => Ok(S::Coord::default()),
        [x] => Ok(x),
        ref several => {
            let text =
                format!("`{name}` is one row of a {}'s coordinates; there are {}", S::NAME, several.len());
            Err(BuildError::attribute(name, text))
        }
    }
}

/// A direction, of length 1; none where it is not given, or 0.
fn unit<S: StateType>(name: &'static str, given: &CoordRows) -> Result<Option<Vector<S>>, BuildError> {
    let n = row::<S>(name, given)?.position();
    let length = n.inner(&n).sqrt();
    Ok((length != 0.0).then(|| n * (1.0 / length)))
}

fn add<const KIND: usize, S: VectorsAccess>(
    b: &mut Builder<'_>,
    state: StateId,
    indices: &[u32],
    origin: impl Fn(u32) -> S::Coord,
    n: Vector<S>,
) -> Result<(), BuildError> {
    let last = if KIND == POINT { None } else { first_twice(indices) };
    if let Some(last) = last.filter(|last| indices.iter().any(|i| i > last)) {
        let text = format!(
            "point {last} is listed twice: of points after it, positions are projected, and neither velocities nor forces, as in SOFA"
        );
        b.warn(Some("indices"), text);
    }
    let kept = |index: &u32| Kept::<S> {
        index: *index,
        origin: origin(*index),
        moves_along: last.is_none_or(|last| *index <= last),
    };
    let elements = indices.iter().map(kept).collect();
    let mut parts = ProjectiveConstraintParts::<MotionProjection<KIND, S>>::new(n, elements);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
}

/// The smallest number that is listed more than once.
fn first_twice(indices: &[u32]) -> Option<u32> {
    let mut sorted = indices.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

#[cfg(test)]
mod tests;
