//! `LinearMovementProjectiveConstraint`: points that move evenly between keys. The file is long since the intervals between keys, and
//! quaternions between them, are those of the partial class too.

use std::f64::consts::PI;
use std::marker::PhantomData;

use sim_core::math::{Quat, quat_from_euler_degrees};
use sim_core::prelude::*;

/// Points that move evenly between keys.
#[derive(Attributes)]
#[attributes(ignored("topology", "showMovement"))]
struct Settings {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// times of the keys, ascending, or equal where points jump; a single one at 0 if none is given [s]
    key_times: Vec<f64>,
    /// how far points have moved at each key, a row of the state's velocities: of a frame, angles about x, then y, then z [m, rad]
    movements: DerivRows,
    /// whether movements are added to where points begin, instead of being where they are
    #[attribute(default = "1")]
    relative_movements: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "LinearMovementProjectiveConstraint", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Vec6", "Rigid3"])
        .follows(Following::of_points(&["indices"]).with_other_lists(&["keyTimes", "movements"]))
        .samples(&[Sample::new("indices='0 1' keyTimes='0 0.05 1' movements='0 0 0 0.1 0 0 0 0.1 0'")
            .template("Vec3")]);

/// A key, or a point: keys come first.
#[derive(Clone, Copy, Debug)]
pub enum Row<S: StateType> {
    /// When points have moved how far.
    Key(Real, S::Deriv),
    /// A point and where it begins.
    Point(u32, S::Coord),
}

/// Points that move evenly between keys, and are free outside of their times.
///
/// Between the times tₖ and tₖ₊₁ of two keys, with s = (t − tₖ)/(tₖ₊₁ − tₖ): x = x₀ + (1 − s) mₖ + s mₖ₊₁ with `movements` m and the
/// place x₀ at the beginning (without `relativeMovements`, 0), v = (mₖ₊₁ − mₖ)/(tₖ₊₁ − tₖ), and responses are 0.
///
/// **Source:** as SOFA's: an interval holds its first key and not its last; of keys of one time the last one counts from then on. Velocities are those of the interval. An assembled matrix loses
/// the rows and columns of the points at all times; multipliers move points that are free. A frame goes from orientation to orientation on the arc between both quaternions, in
/// the axes that it begins with; its angular velocity is the difference of the angles over the interval's length. Where points of the
/// topology go, a point keeps the place where it began; SOFA's has that of the point which had its number before, if it gets another one.
pub struct LinearMovementProjectiveConstraint<S>(PhantomData<S>);

/// The interval of a time: the movements of both keys, how much of it has passed, and its length.
pub(super) struct Interval<D> {
    movements: [D; 2],
    passed: Real,
    length: Real,
}

const ONES: Vec3 = Vec3::new(1.0, 1.0, 1.0);

impl<D: Deriv> Interval<D> {
    /// How far points have moved.
    pub(super) fn moved(&self) -> D {
        self.movements[0] + (self.movements[1] - self.movements[0]) * self.passed
    }

    /// The velocity with which they move.
    pub(super) fn velocity(&self) -> D {
        (self.movements[1] - self.movements[0]) * (1.0 / self.length)
    }

    /// Where a frame is that began somewhere; none for what has no orientation.
    pub(super) fn frame<S: StateType<Deriv = D>>(&self, begin: &S::Coord) -> Option<S::Coord> {
        let (turn, orientation) = (self.turn::<S>()?, begin.orientation()?);
        let center = begin.center() + self.moved().linear();
        Some(S::Coord::at(Vec3::zeros()).transformed(&ONES, &(orientation * turn), &center))
    }

    /// The orientation between those of both keys, where the state has quaternions.
    fn turn<S: StateType<Deriv = D>>(&self) -> Option<Quat> {
        S::Coord::QUATERNION?;
        let [a, b] = self.movements.map(|m| quat_from_euler_degrees(m.block(1) * (180.0 / PI)));
        Some(on_the_arc(&a, &b, self.passed))
    }
}

/// The quaternion at a share of the way between two, on the arc between them.
///
/// **Source:** as SOFA's: the longer arc is taken where the quaternions have opposite signs; equal ones give the first; close to opposite
/// ones, where there is no arc, the mean.
fn on_the_arc(a: &Quat, b: &Quat, share: Real) -> Quat {
    let cosine = a.dot(b);
    if cosine.abs() >= 1.0 {
        return *a;
    }
    let (angle, sine) = (cosine.acos(), (1.0 - cosine * cosine).sqrt());
    if sine.abs() < 0.001 {
        return (a + b) * 0.5;
    }
    a * (((1.0 - share) * angle).sin() / sine) + b * ((share * angle).sin() / sine)
}

/// The interval that a time is in, if it is in any.
pub(super) fn interval<S: StateType>(rows: &[Row<S>], time: Real) -> Option<Interval<S::Deriv>> {
    let mut last: Option<(Real, S::Deriv)> = None;
    for row in rows {
        let Row::Key(t, m) = row else { break };
        if *t > time {
            let (begin, movement) = last?;
            let length = *t - begin;
            return Some(Interval { movements: [movement, *m], passed: (time - begin) / length, length });
        }
        last = Some((*t, *m));
    }
    None
}

/// The points that are moved.
pub(super) fn points<S: StateType>(rows: &[Row<S>]) -> impl Iterator<Item = u32> + '_ {
    rows.iter().filter_map(|row| if let Row::Point(i, _) = row { Some(*i) } else { None })
}

impl<S: StateType> ProjectiveConstraint for LinearMovementProjectiveConstraint<S> {
    type State = S;
    /// Whether movements are relative.
    type Constants = bool;
    type Element = Row<S>;
    const NAME: &'static str = DESCRIPTION.class;
    const MOVES_BY_TIME: bool = true;
    const PROJECTS_COLUMNS: Option<AtTime<Self>> = Some(|_, rows, time| interval(rows, time).is_some());

    fn project_response(_: &bool, ProjectResponse { params, elements, d }: ProjectResponse<'_, Self>) {
        if interval(elements, params.time).is_some() {
            points(elements).for_each(|i| d[i as usize] = S::Deriv::zero());
        }
    }

    fn project_velocity(_: &bool, ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        if let Some(at) = interval(elements, params.time) {
            let velocity = at.velocity();
            points(elements).for_each(|i| v[i as usize] = velocity);
        }
    }

    fn project_position(relative: &bool, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        let Some(at) = interval(elements, params.time) else { return };
        let moved = at.moved();
        for row in elements {
            if let Row::Point(i, begin) = row {
                let begin = if *relative { *begin } else { S::Coord::at(Vec3::zeros()) };
                x[*i as usize] = at.frame::<S>(&begin).unwrap_or_else(|| begin.moved(&moved));
            }
        }
    }

    fn fixed_dofs(_: &bool, rows: &[Row<S>], _: usize) -> Vec<u32> {
        points(rows).collect()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type, Vec6Type, Rigid3Type] => build_as::<S>(b, state, &s))
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let rows = rows::<S>(b, state, &s.indices, &s.key_times, &s.movements)?;
    let relative = s.relative_movements;
    let mut parts = ProjectiveConstraintParts::<LinearMovementProjectiveConstraint<S>>::new(relative, rows);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
}

/// The keys and the points of a component.
pub(super) fn rows<S: VectorsAccess>(
    b: &mut Builder<'_>,
    state: StateId,
    indices: &Indices,
    key_times: &[f64],
    movements: &DerivRows,
) -> Result<Vec<Row<S>>, BuildError> {
    let indices = indices.within(b.size(state), b)?;
    let movements = movements.of::<S>()?;
    super::check_keys(b, key_times, movements.len(), "movements")?;
    let positions = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.position);
    let keys = key_times.iter().zip(&movements).map(|(t, m)| Row::Key(*t, *m));
    let points = indices.iter().filter_map(|i| positions.get(*i as usize).map(|x| Row::Point(*i, *x)));
    Ok(keys.chain(points).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv};

    type C = LinearMovementProjectiveConstraint<Vec3Type>;

    fn three() -> Vec<Row<Vec3Type>> {
        vec![Row::Key(1.0, Vec3::zeros()), Row::Key(3.0, Vec3::x() * 4.0), Row::Point(1, Vec3::y())]
    }

    #[test]
    fn points_move_evenly_between_keys() {
        let at = |time: f64, relative: bool| {
            let (params, mut rows) = (MechanicalParams { dt: 0.1, time }, three());
            let (mut x, mut v) = ([Vec3::z(); 2], [Vec3::z(); 2]);
            C::project_position(&relative, ProjectPosition { params, elements: &mut rows, x: &mut x });
            C::project_velocity(&relative, ProjectVelocity { params, elements: &rows, v: &mut v });
            (x[1], v[1])
        };
        assert_eq!(at(2.0, true), (Vec3::new(2.0, 1.0, 0.0), Vec3::x() * 2.0));
        assert_eq!(at(1.0, false), (Vec3::zeros(), Vec3::x() * 2.0));
        assert_eq!(at(0.5, true), (Vec3::z(), Vec3::z()), "free before the first key");
        assert_eq!(at(3.0, true), (Vec3::z(), Vec3::z()), "free from the last key on");
        assert_eq!(C::fixed_dofs(&true, &three(), 2), [1]);
    }

    #[test]
    fn points_jump_at_two_keys_of_one_time() {
        let keys = [(0.0, 0.0), (1.0, 2.0), (1.0, 5.0), (2.0, 7.0)];
        let mut rows: Vec<Row<Vec3Type>> = keys.iter().map(|(t, m)| Row::Key(*t, Vec3::x() * *m)).collect();
        rows.push(Row::Point(0, Vec3::zeros()));
        let mut at = |time: f64| {
            let (params, mut x) = (MechanicalParams { dt: 0.1, time }, [Vec3::y()]);
            C::project_position(&true, ProjectPosition { params, elements: &mut rows, x: &mut x });
            x[0]
        };
        assert_eq!([at(0.5), at(1.0), at(1.5)].map(|x| x.x), [1.0, 5.0, 6.0]);
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let jump = [("keyTimes", "0 1 1"), ("movements", "0 0 0 1 0 0 2 0 0")];
        t.add(&DESCRIPTION, root, &jump).unwrap();
    }

    #[test]
    fn multipliers_move_points_that_are_free() {
        let moves = C::PROJECTS_COLUMNS.unwrap();
        assert_eq!([0.5, 1.0, 2.9, 3.0].map(|t| moves(&true, &three(), t)), [false, true, true, false]);
        assert_eq!(C::projected_columns(&true, &three(), 2), [3, 4, 5]);
    }

    #[test]
    fn a_frame_turns_on_the_arc_between_two_orientations() {
        let begin =
            RigidCoord { center: Vec3::y(), orientation: quat_from_euler_degrees(Vec3::new(0.0, 0.0, 30.0)) };
        let end = RigidDeriv { linear: Vec3::x() * 4.0, angular: Vec3::z() * (PI / 3.0) };
        let mut rows: [Row<Rigid3Type>; 3] =
            [Row::Key(0.0, RigidDeriv::default()), Row::Key(2.0, end), Row::Point(0, begin)];
        let (params, mut x) = (MechanicalParams { dt: 0.1, time: 1.0 }, [RigidCoord::default()]);
        type F = LinearMovementProjectiveConstraint<Rigid3Type>;
        F::project_position(&true, ProjectPosition { params, elements: &mut rows, x: &mut x });
        assert_eq!(x[0].center, Vec3::new(2.0, 1.0, 0.0));
        let halfway = quat_from_euler_degrees(Vec3::new(0.0, 0.0, 60.0));
        assert!((x[0].orientation - halfway).norm() < 1e-15, "{:?}", x[0].orientation);
        let mut v = [RigidDeriv::default()];
        F::project_velocity(&true, ProjectVelocity { params, elements: &rows, v: &mut v });
        assert!((v[0].angular - Vec3::z() * (PI / 6.0)).norm() < 1e-15);
    }

    #[test]
    fn keys_that_do_not_fit_are_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let e = t.add(&DESCRIPTION, root, &[("keyTimes", "0 1"), ("movements", "0 0 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("movements"));
        let more = [("keyTimes", "0 1"), ("movements", "0 0 0 1 0 0 2 0 0")];
        t.add(&DESCRIPTION, root, &more).unwrap();
        assert!(t.warnings[0].contains("3 rows for 2"), "{:?}", t.warnings);
        let down = [("keyTimes", "1 0"), ("movements", "0 0 0 1 0 0")];
        assert_eq!(t.add(&DESCRIPTION, root, &down).unwrap_err().attribute.as_deref(), Some("keyTimes"));
    }
}
