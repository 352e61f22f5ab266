//! `LinearMovementProjectiveConstraint`: points that move evenly between keys.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Points that move evenly between keys.
#[derive(Attributes)]
#[attributes(ignored("topology", "showMovement"))]
struct Settings {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// times of the keys, ascending; a single one at 0 if none is given [s]
    key_times: Vec<f64>,
    /// how far points have moved at each key, a row of the state's velocities [m]
    movements: DerivRows,
    /// whether movements are added to where points begin, instead of being where they are
    #[attribute(default = "1")]
    relative_movements: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "LinearMovementProjectiveConstraint", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Vec6"])
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
/// **Source:** as SOFA's: an interval holds its first key and not its last. Velocities are those of the interval. An assembled matrix loses
/// the rows and columns of the points at all times.
pub struct LinearMovementProjectiveConstraint<S>(PhantomData<S>);

/// The interval of a time: the movements of both keys, how much of it has passed, and its length.
struct Interval<D> {
    movements: [D; 2],
    passed: Real,
    length: Real,
}

fn interval<S: StateType>(rows: &[Row<S>], time: Real) -> Option<Interval<S::Deriv>> {
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

impl<S: StateType> ProjectiveConstraint for LinearMovementProjectiveConstraint<S> {
    type State = S;
    /// Whether movements are relative.
    type Constants = bool;
    type Element = Row<S>;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(_: &bool, ProjectResponse { params, elements, d }: ProjectResponse<'_, Self>) {
        if interval(elements, params.time).is_some() {
            for row in elements {
                if let Row::Point(i, _) = row {
                    d[*i as usize] = S::Deriv::zero();
                }
            }
        }
    }

    fn project_velocity(_: &bool, ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        if let Some(at) = interval(elements, params.time) {
            let velocity = (at.movements[1] - at.movements[0]) * (1.0 / at.length);
            for row in elements {
                if let Row::Point(i, _) = row {
                    v[*i as usize] = velocity;
                }
            }
        }
    }

    fn project_position(relative: &bool, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        let Some(at) = interval(elements, params.time) else { return };
        let moved = at.movements[0] + (at.movements[1] - at.movements[0]) * at.passed;
        for row in elements {
            if let Row::Point(i, begin) = row {
                let begin = if *relative { *begin } else { S::Coord::at(Vec3::zeros()) };
                x[*i as usize] = begin.moved(&moved);
            }
        }
    }

    fn fixed_dofs(_: &bool, rows: &[Row<S>], _: usize) -> Vec<u32> {
        let point = |row: &Row<S>| if let Row::Point(i, _) = row { Some(*i) } else { None };
        rows.iter().filter_map(point).collect()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type, Vec6Type] => build_as::<S>(b, state, &s))
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let indices = s.indices.within(b.size(state), b)?;
    let movements = s.movements.of::<S>()?;
    if movements.len() != s.key_times.len() {
        let text = format!("`movements` has {} rows for {} `keyTimes`", movements.len(), s.key_times.len());
        return Err(BuildError::attribute("movements", text));
    }
    if s.key_times.windows(2).any(|t| t[1] <= t[0]) {
        return Err(BuildError::attribute("keyTimes", "`keyTimes` must ascend"));
    }
    if s.key_times.len() < 2 {
        b.warn(Some("keyTimes"), "there are fewer than two keys, so the points are never moved");
    }
    let positions = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.position);
    let keys = s.key_times.iter().zip(&movements).map(|(t, m)| Row::Key(*t, *m));
    let points = indices.iter().filter_map(|i| positions.get(*i as usize).map(|x| Row::Point(*i, *x)));
    let rows = keys.chain(points).collect();
    let relative = s.relative_movements;
    let mut parts = ProjectiveConstraintParts::<LinearMovementProjectiveConstraint<S>>::new(relative, rows);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    type C = LinearMovementProjectiveConstraint<Vec3Type>;

    fn rows() -> Vec<Row<Vec3Type>> {
        vec![Row::Key(1.0, Vec3::zeros()), Row::Key(3.0, Vec3::x() * 4.0), Row::Point(1, Vec3::y())]
    }

    #[test]
    fn points_move_evenly_between_keys() {
        let at = |time: f64, relative: bool| {
            let (params, rows) = (MechanicalParams { dt: 0.1, time }, rows());
            let (mut x, mut v) = ([Vec3::z(); 2], [Vec3::z(); 2]);
            C::project_position(&relative, ProjectPosition { params, elements: &rows, x: &mut x });
            C::project_velocity(&relative, ProjectVelocity { params, elements: &rows, v: &mut v });
            (x[1], v[1])
        };
        assert_eq!(at(2.0, true), (Vec3::new(2.0, 1.0, 0.0), Vec3::x() * 2.0));
        assert_eq!(at(1.0, false), (Vec3::zeros(), Vec3::x() * 2.0));
        assert_eq!(at(0.5, true), (Vec3::z(), Vec3::z()), "free before the first key");
        assert_eq!(at(3.0, true), (Vec3::z(), Vec3::z()), "free from the last key on");
        assert_eq!(C::fixed_dofs(&true, &rows(), 2), [1]);
    }

    #[test]
    fn keys_that_do_not_fit_are_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let e = t.add(&DESCRIPTION, root, &[("keyTimes", "0 1"), ("movements", "0 0 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("movements"));
        let down = [("keyTimes", "1 0"), ("movements", "0 0 0 1 0 0")];
        assert_eq!(t.add(&DESCRIPTION, root, &down).unwrap_err().attribute.as_deref(), Some("keyTimes"));
    }
}
