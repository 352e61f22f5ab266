//! `LinearVelocityProjectiveConstraint`: points whose velocity changes evenly between keys.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Points whose velocity changes evenly between keys.
#[derive(Attributes)]
#[attributes(ignored("topology"))]
struct Settings {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// times of the keys, ascending [s]
    key_times: Vec<f64>,
    /// velocity at each key, a row of the state's velocities [m/s]
    velocities: DerivRows,
    /// components of the velocity that are imposed; all if not given; of points only
    coordinates: Vec<i64>,
    /// whether points keep the last velocity after the last key, instead of being free
    continue_after_end: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "LinearVelocityProjectiveConstraint", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Vec6", "Rigid3", "Rigid2"])
        .samples(&[Sample::new("indices='0 1' keyTimes='0 0.05 1' velocities='0.2 0 0 0.1 0 0 0 0.1 0'")
            .template("Vec3")]);

/// A key, or a point: keys come first.
#[derive(Clone, Copy, Debug)]
pub enum Row<S: StateType> {
    /// When points are how fast.
    Key(Real, S::Deriv),
    /// A point and where it begins.
    Point(u32, S::Coord),
}

/// What holds for all points.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// Time of the first projection [s].
    begin: Real,
    continue_after_end: bool,
    /// The components that are imposed, one bit each.
    coordinates: u32,
}

/// Points whose velocity changes evenly between keys, and which are free outside of their times.
///
/// **Source:** as SOFA's: each projection adds the velocity times the step to the position that the last one gave, in the first step as at
/// init, so that the velocity at the beginning counts twice. SOFA keeps that position from step to step; here it is the sum, which has a
/// closed form between two keys, so that nothing is kept. It takes all steps to be as long as the present one. A frame turns about one axis
/// between two keys: other velocities have no such sum and are refused. An assembled matrix loses the rows and columns of the points while
/// they are moved; ours does at all times, as under a `LinearMovementProjectiveConstraint`.
pub struct LinearVelocityProjectiveConstraint<S>(PhantomData<S>);

/// Two keys after one another.
struct Stretch<D> {
    times: [Real; 2],
    velocities: [D; 2],
}

impl<D: Deriv> Stretch<D> {
    fn velocity(&self, time: Real) -> D {
        let [begin, end] = self.times;
        (self.velocities[1] - self.velocities[0]) * ((time - begin) / (end - begin)) + self.velocities[0]
    }
}

fn keys<S: StateType>(rows: &[Row<S>]) -> impl Iterator<Item = (Real, S::Deriv)> + Clone + '_ {
    rows.iter().map_while(|row| if let Row::Key(t, v) = row { Some((*t, *v)) } else { None })
}

fn points<S: StateType>(rows: &[Row<S>]) -> impl Iterator<Item = (usize, &S::Coord)> {
    rows.iter().filter_map(|row| if let Row::Point(i, x) = row { Some((*i as usize, x)) } else { None })
}

fn stretches<S: StateType>(rows: &[Row<S>]) -> impl Iterator<Item = Stretch<S::Deriv>> + '_ {
    keys::<S>(rows)
        .zip(keys::<S>(rows).skip(1))
        .map(|(a, b)| Stretch { times: [a.0, b.0], velocities: [a.1, b.1] })
}

/// How much later than a key a time must be to be told from it, in steps: times are sums of steps, and rounded.
const SAME_TIME: Real = 1e-6;

impl Course {
    /// The velocity at a time; none where points are free.
    fn velocity<S: StateType>(&self, rows: &[Row<S>], time: Real) -> Option<S::Deriv> {
        let inside = |s: &Stretch<S::Deriv>| s.times[0] <= time && time < s.times[1];
        let last = || keys::<S>(rows).last().filter(|(end, _)| self.continue_after_end && *end <= time);
        stretches::<S>(rows).find(inside).map(|s| s.velocity(time)).or_else(|| last().map(|(_, v)| v))
    }

    /// Where a point is that began at `x`, after the projections of all steps up to the time.
    fn place<S: StateType>(&self, rows: &[Row<S>], params: MechanicalParams, x: S::Coord) -> S::Coord {
        let (h, step) = (params.dt, |time: Real| (time - self.begin) / params.dt);
        let now = step(params.time).round();
        let at_begin = self.velocity::<S>(rows, self.begin);
        let mut x = at_begin.map_or(x, |v| x.moved(&(v * h)));
        for s in stretches::<S>(rows) {
            let from = (step(s.times[0]) - SAME_TIME).ceil().max(0.0);
            let to = now.min((step(s.times[1]) - SAME_TIME).ceil() - 1.0);
            let n = to - from + 1.0;
            if n >= 1.0 {
                let [first, last] = [from, to].map(|k| s.velocity(self.begin + k * h));
                x = x.moved(&((first + last) * (0.5 * n * h)));
            }
        }
        if let Some((end, v)) = keys::<S>(rows).last().filter(|_| self.continue_after_end) {
            let n = now - (step(end) - SAME_TIME).ceil().max(0.0) + 1.0;
            if n >= 1.0 {
                x = x.moved(&(v * (n * h)));
            }
        }
        x
    }

    fn imposes(&self, k: usize) -> bool {
        self.coordinates >> k & 1 == 1
    }

    fn imposes_all<S: StateType>(&self) -> bool {
        (0..S::Deriv::SIZE).all(|k| self.imposes(k))
    }
}

impl<S: StateType> ProjectiveConstraint for LinearVelocityProjectiveConstraint<S> {
    type State = S;
    type Constants = Course;
    type Element = Row<S>;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(c: &Course, ProjectResponse { params, elements, d }: ProjectResponse<'_, Self>) {
        if c.velocity::<S>(elements, params.time).is_some() {
            points::<S>(elements).for_each(|(i, _)| d[i] = S::Deriv::zero());
        }
    }

    fn project_velocity(c: &Course, ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        if let Some(velocity) = c.velocity::<S>(elements, params.time) {
            for (i, _) in points::<S>(elements) {
                for k in (0..S::Deriv::SIZE).filter(|k| c.imposes(*k)) {
                    *v[i].scalar_mut(k) = velocity.scalar(k);
                }
            }
        }
    }

    fn project_position(c: &Course, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        if c.velocity::<S>(elements, params.time).is_none() {
            return;
        }
        for (i, begin) in points::<S>(elements) {
            let place = c.place::<S>(elements, params, *begin);
            if c.imposes_all::<S>() {
                x[i] = place;
                continue;
            }
            // Points only, whose positions are their translations.
            let (there, here) = (place.position(), x[i].position());
            let mut left = S::Deriv::zero();
            for k in (0..S::Deriv::SIZE).filter(|k| c.imposes(*k)) {
                *left.scalar_mut(k) = there.scalar(k) - here.scalar(k);
            }
            x[i] = x[i].moved(&left);
        }
    }

    fn fixed_dofs(_: &Course, rows: &[Row<S>], _: usize) -> Vec<u32> {
        points::<S>(rows).map(|(i, _)| i as u32).collect()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type, Vec6Type, Rigid3Type, Rigid2Type] => build_as::<S>(b, state, &s))
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let indices = s.indices.within(b.size(state), b)?;
    let velocities = s.velocities.of::<S>()?;
    super::check_keys(b, &s.key_times, velocities.len(), "velocities")?;
    let coordinates = coordinates::<S>(&s.coordinates)?;
    let turns = |v: &S::Deriv| v.block(1);
    let about_two_axes = |v: &[S::Deriv]| {
        turns(&v[0]).cross(&turns(&v[1])).norm() > 1e-12 * turns(&v[0]).norm() * turns(&v[1]).norm()
    };
    if S::Coord::QUATERNION.is_some() && velocities.windows(2).any(about_two_axes) {
        let text = "a frame must turn about the same axis at two `velocities` after one another";
        return Err(BuildError::attribute("velocities", text));
    }
    let course = Course { begin: b.scene.time, continue_after_end: s.continue_after_end, coordinates };
    let positions = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.position);
    let begins: Vec<(u32, S::Coord)> =
        indices.iter().filter_map(|i| positions.get(*i as usize).map(|x| (*i, *x))).collect();
    let keys = s.key_times.iter().zip(&velocities).map(|(t, v)| Row::Key(*t, *v));
    let rows: Vec<Row<S>> = keys.chain(begins.iter().map(|(i, x)| Row::Point(*i, *x))).collect();
    let first = course.velocity::<S>(&rows, course.begin);
    let mut parts = ProjectiveConstraintParts::<LinearVelocityProjectiveConstraint<S>>::new(course, rows);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)?;
    // The projection at init is one, where that of the first step, at the same time, is the second.
    let dt = b.scene.dt;
    if let (Some(v), Some(initial)) = (first, S::of_mut(b.scene.initial_mut(state))) {
        for (i, x) in begins.iter().filter(|_| course.imposes_all::<S>()) {
            initial.position[*i as usize] = x.moved(&(v * dt));
        }
    }
    Ok(())
}

fn coordinates<S: StateType>(given: &[i64]) -> Result<u32, BuildError> {
    let n = S::Deriv::SIZE;
    if given.is_empty() {
        return Ok((1 << n) - 1);
    }
    if S::IS_FRAME {
        return Err(BuildError::attribute(
            "coordinates",
            "`coordinates` are of points only; this state has frames",
        ));
    }
    given.iter().try_fold(0, |bits, k| match usize::try_from(*k) {
        Ok(k) if k < n => Ok(bits | 1 << k),
        _ => Err(BuildError::attribute(
            "coordinates",
            format!("`coordinates` holds {k}, but a velocity has {n} components"),
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv};

    type C<S> = LinearVelocityProjectiveConstraint<S>;

    /// What SOFA does: the position of the last projection plus the velocity times the step, from the projection at init on.
    fn step_by_step<S: StateType>(
        c: &Course,
        rows: &[Row<S>],
        x: S::Coord,
        dt: Real,
        steps: usize,
    ) -> S::Coord {
        let mut x = x;
        for time in std::iter::once(0.0).chain((0..steps).map(|k| k as Real * dt)) {
            if let Some(v) = c.velocity::<S>(rows, time) {
                x = x.moved(&(v * dt));
            }
        }
        x
    }

    fn placed<S: StateType>(c: &Course, rows: &[Row<S>], dt: Real, steps: usize) -> S::Coord {
        let params = MechanicalParams { dt, time: (steps - 1) as Real * dt };
        let mut x = [S::Coord::default()];
        C::<S>::project_position(c, ProjectPosition { params, elements: rows, x: &mut x });
        x[0]
    }

    #[test]
    fn the_sum_is_that_of_all_steps() {
        let v = |x: f64| Vec3::new(x, 1.0, 0.0);
        let rows: [Row<Vec3Type>; 4] =
            [Row::Key(0.2, v(1.0)), Row::Key(0.5, v(3.0)), Row::Key(0.93, v(-1.0)), Row::Point(0, Vec3::x())];
        let course = Course { begin: 0.0, continue_after_end: true, coordinates: 0b111 };
        for steps in [4, 5, 11, 12, 60] {
            let (x, wanted) =
                (placed(&course, &rows, 0.05, steps), step_by_step(&course, &rows, Vec3::x(), 0.05, steps));
            if steps > 4 {
                assert!((x - wanted).norm() < 1e-13, "{steps}: {x:?} {wanted:?}");
            } else {
                assert_eq!(x, Vec3::zeros(), "points are free before the first key");
            }
        }
        let course = Course { continue_after_end: false, ..course };
        assert_eq!(placed(&course, &rows, 0.05, 30), Vec3::zeros(), "and after the last one");
    }

    #[test]
    fn a_frame_turns_by_the_sum_of_angles() {
        let v = |z: f64| RigidDeriv { linear: Vec3::x(), angular: Vec3::z() * z };
        let begin = RigidCoord::default();
        let rows: [Row<Rigid3Type>; 3] = [Row::Key(0.0, v(0.0)), Row::Key(2.0, v(0.3)), Row::Point(0, begin)];
        let course = Course { begin: 0.0, continue_after_end: true, coordinates: 0b11_1111 };
        // SOFA's own example, after five steps of 0.05 s.
        let x = placed(&course, &rows, 0.05, 5);
        assert!((x.orientation.k - 0.001_874_998_901_37).abs() < 1e-12, "{x:?}");
        for steps in [1, 17, 41, 80] {
            let (x, wanted) =
                (placed(&course, &rows, 0.05, steps), step_by_step(&course, &rows, begin, 0.05, steps));
            assert!(
                (x.center - wanted.center).norm() < 1e-13
                    && (x.orientation - wanted.orientation).norm() < 1e-13
            );
        }
    }

    #[test]
    fn only_chosen_components_are_imposed() {
        let rows: [Row<Vec3Type>; 3] =
            [Row::Key(0.0, Vec3::x()), Row::Key(1.0, Vec3::x()), Row::Point(1, Vec3::zeros())];
        let c = Course { begin: 0.0, continue_after_end: false, coordinates: 1 };
        let params = MechanicalParams { dt: 0.5, time: 0.5 };
        let (mut x, mut v, mut d) = ([Vec3::y() * 7.0; 2], [Vec3::y(); 2], [Vec3::y(); 2]);
        C::project_position(&c, ProjectPosition { params, elements: &rows, x: &mut x });
        C::project_velocity(&c, ProjectVelocity { params, elements: &rows, v: &mut v });
        C::project_response(&c, ProjectResponse { params, elements: &rows, d: &mut d });
        assert_eq!((x[1], v[1]), (Vec3::new(1.5, 7.0, 0.0), Vec3::new(1.0, 1.0, 0.0)));
        assert_eq!(d, [Vec3::y(), Vec3::zeros()]);
        assert_eq!(C::fixed_dofs(&c, &rows, 2), [1]);
    }

    #[test]
    fn the_projection_at_init_is_one_step() {
        let mut t = TestScene::new();
        let root = t.root();
        t.scene.dt = 0.5;
        let c = t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let keys = [("indices", "1"), ("keyTimes", "0 1"), ("velocities", "2 0 0 2 0 0")];
        t.add(&DESCRIPTION, root, &keys).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let initial = t.scene.initial_as::<Vec3Type>(state).unwrap();
        assert_eq!(initial.position, [Vec3::zeros(), Vec3::x()]);
        assert_eq!(initial.velocity, [Vec3::zeros(), Vec3::x() * 2.0]);
    }

    #[test]
    fn what_cannot_be_done_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("template", "Rigid3")]).unwrap();
        let refused = |t: &mut TestScene, keys: [(&'static str, &str); 2], more: (&'static str, &str)| {
            t.add(&DESCRIPTION, root, &[keys[0], keys[1], more]).unwrap_err().attribute.unwrap()
        };
        let two = [("keyTimes", "0 1"), ("velocities", "0 0 0 0 0 1 0 0 0 0 0 2")];
        assert_eq!(refused(&mut t, two, ("coordinates", "0")), "coordinates");
        let axes = [two[0], ("velocities", "0 0 0 0 0 1 0 0 0 0 1 0")];
        assert_eq!(refused(&mut t, axes, ("continueAfterEnd", "1")), "velocities");
        let one = [two[0], ("velocities", "0 0 0 0 0 1")];
        assert_eq!(refused(&mut t, one, ("continueAfterEnd", "1")), "velocities");
        let down = [("keyTimes", "1 0"), two[1]];
        assert_eq!(refused(&mut t, down, ("continueAfterEnd", "1")), "keyTimes");
    }
}
