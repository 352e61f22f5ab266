//! `LinearVelocityProjectiveConstraint`: points whose velocity changes evenly between keys. The file is long for what SOFA keeps from
//! step to step, so that a stage does not move points twice.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Points whose velocity changes evenly between keys.
#[derive(Attributes)]
#[attributes(ignored("topology"))]
struct Settings {
    /// points concerned
    #[attribute(default = "0")]
    indices: Indices,
    /// times of the keys, ascending, or equal where velocities jump [s]
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
    /// A point, and where its projections have led.
    Point(u32, Led<S>),
}

/// Where a point's projections have led.
#[derive(Clone, Copy, Debug)]
pub struct Led<S: StateType> {
    place: S::Coord,
    last: Projected,
}

/// When a point was projected last.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Projected {
    Never,
    AtInit,
    /// In the step that begins at this time [s].
    At(Real),
}

/// What holds for all points.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    continue_after_end: bool,
    /// The components that are imposed, one bit each.
    coordinates: u32,
}

/// Points whose velocity changes evenly between keys, and which are free outside of their times.
///
/// Between the times tₖ and tₖ₊₁ of two keys, with s = (t − tₖ)/(tₖ₊₁ − tₖ): v = (1 − s) vₖ + s vₖ₊₁ in the directions of `coordinates`,
/// x goes on by v h in each step h, and responses are 0.
///
/// **Source:** as SOFA's: the projection of each step adds the velocity times the step to the place that the one before gave, and the one at
/// init does so too, so that the velocity at the beginning counts twice. The last key's time counts, too; after it, with `continueAfterEnd`,
/// the velocity stays the one that the last stretch led to (older SOFA goes on with its slope). Where positions are projected several times in a step (stages,
/// estimates), SOFA adds each time; here the first does, and the others give the same place. An assembled matrix loses the rows and columns of
/// the points while they are moved; ours does at all times, as under a `LinearMovementProjectiveConstraint`. Multipliers
/// move the points at all times.
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

fn points<S: StateType>(rows: &[Row<S>]) -> impl Iterator<Item = usize> {
    rows.iter().filter_map(|row| if let Row::Point(i, _) = row { Some(*i as usize) } else { None })
}

fn stretches<S: StateType>(rows: &[Row<S>]) -> impl Iterator<Item = Stretch<S::Deriv>> + '_ {
    keys::<S>(rows)
        .zip(keys::<S>(rows).skip(1))
        .map(|(a, b)| Stretch { times: [a.0, b.0], velocities: [a.1, b.1] })
}

impl Course {
    /// The velocity at a time; none where points are free.
    fn velocity<S: StateType>(&self, rows: &[Row<S>], time: Real) -> Option<S::Deriv> {
        let inside = |s: &Stretch<S::Deriv>| s.times[0] <= time && time < s.times[1];
        if let Some(stretch) = stretches::<S>(rows).find(inside) {
            return Some(stretch.velocity(time));
        }
        let ((begin, _), (end, last)) = (keys::<S>(rows).next()?, keys::<S>(rows).last()?);
        if begin < end && time == end {
            return Some(last);
        }
        let kept = || keys::<S>(rows).find(|(t, _)| *t == end).map(|(_, v)| v);
        if self.continue_after_end && end < time { kept() } else { None }
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
    const MOVES_BY_TIME: bool = true;

    fn project_response(c: &Course, ProjectResponse { params, elements, d }: ProjectResponse<'_, Self>) {
        if c.velocity::<S>(elements, params.time).is_some() {
            points::<S>(elements).for_each(|i| d[i] = S::Deriv::zero());
        }
    }

    fn project_velocity(c: &Course, ProjectVelocity { params, elements, v }: ProjectVelocity<'_, Self>) {
        if let Some(velocity) = c.velocity::<S>(elements, params.time) {
            for i in points::<S>(elements) {
                for k in (0..S::Deriv::SIZE).filter(|k| c.imposes(*k)) {
                    *v[i].scalar_mut(k) = velocity.scalar(k);
                }
            }
        }
    }

    fn project_position(c: &Course, ProjectPosition { params, elements, x }: ProjectPosition<'_, Self>) {
        let velocity = c.velocity::<S>(elements, params.time);
        for row in elements {
            let Row::Point(i, led) = row else { continue };
            let (i, before) = (*i as usize, led.last);
            led.last =
                if before == Projected::Never { Projected::AtInit } else { Projected::At(params.time) };
            let Some(velocity) = velocity else { continue };
            if before != led.last {
                led.place = led.place.moved(&(velocity * params.dt));
            }
            if c.imposes_all::<S>() {
                x[i] = led.place;
                continue;
            }
            // Points only, whose positions are their translations.
            let (there, here) = (led.place.position(), x[i].position());
            let mut left = S::Deriv::zero();
            for k in (0..S::Deriv::SIZE).filter(|k| c.imposes(*k)) {
                *left.scalar_mut(k) = there.scalar(k) - here.scalar(k);
            }
            x[i] = x[i].moved(&left);
        }
    }

    fn fixed_dofs(_: &Course, rows: &[Row<S>], _: usize) -> Vec<u32> {
        points::<S>(rows).map(|i| i as u32).collect()
    }

    fn projected_columns(_: &Course, _: &[Row<S>], _: usize) -> Vec<u32> {
        Vec::new()
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
    let course = Course { continue_after_end: s.continue_after_end, coordinates };
    let positions = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.position);
    let place = |i: &u32| positions.get(*i as usize).map(|x| Led { place: *x, last: Projected::Never });
    let points = indices.iter().filter_map(|i| place(i).map(|led| Row::Point(*i, led)));
    let keys = s.key_times.iter().zip(&velocities).map(|(t, v)| Row::Key(*t, *v));
    let rows = keys.chain(points).collect();
    let mut parts = ProjectiveConstraintParts::<LinearVelocityProjectiveConstraint<S>>::new(course, rows);
    (parts.projects_position, parts.projects_velocity) = (true, true);
    b.add_projective_constraint(state, parts)
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

    fn point<S: StateType>(i: u32, place: S::Coord) -> Row<S> {
        Row::Point(i, Led { place, last: Projected::Never })
    }

    /// Where the last of the rows is after the projection at init and those of steps of these lengths, each done twice.
    fn led<S: StateType>(c: &Course, rows: &mut [Row<S>], steps: &[Real]) -> S::Coord {
        let mut x = [S::Coord::default()];
        let mut project = |time: Real, dt: Real| {
            let params = MechanicalParams { dt, time };
            C::<S>::project_position(c, ProjectPosition { params, elements: rows, x: &mut x });
        };
        project(0.0, steps[0]);
        let mut time = 0.0;
        for dt in steps {
            project(time, *dt);
            project(time, *dt);
            time += dt;
        }
        x[0]
    }

    #[test]
    fn each_step_adds_its_length_times_the_velocity_at_its_beginning() {
        let rows = || [Row::Key(0.2, Vec3::x()), Row::Key(0.6, Vec3::x() * 3.0), point(0, Vec3::y())];
        let course = Course { continue_after_end: true, coordinates: 0b111 };
        let at = |steps: &[Real]| led::<Vec3Type>(&course, &mut rows(), steps);
        assert_eq!(at(&[0.1, 0.05]), Vec3::zeros(), "points are free before the first key");
        // Another length from the second step on: velocities at 0.2, 0.25, 0.35 and, after the end, 0.75.
        let x = at(&[0.2, 0.05, 0.1, 0.4, 0.5]);
        let wanted = 1.0 * 0.05 + 1.25 * 0.1 + 1.75 * 0.4 + 3.0 * 0.5;
        assert!((x - Vec3::new(wanted, 1.0, 0.0)).norm() < 1e-14, "{x:?}");
        let course = Course { continue_after_end: false, ..course };
        let x = led::<Vec3Type>(&course, &mut rows(), &[0.2, 0.5, 1.0]);
        assert!((x - Vec3::new(0.5, 1.0, 0.0)).norm() < 1e-14, "free after the last key: {x:?}");
        // From the beginning, the projection at init counts, too.
        let mut rows = [Row::Key(0.0, Vec3::x()), Row::Key(2.0, Vec3::x() * 3.0), point(0, Vec3::y())];
        let x = led::<Vec3Type>(&course, &mut rows, &[0.5, 0.25]);
        assert!((x - Vec3::new(0.5 + 0.5 + 1.5 * 0.25, 1.0, 0.0)).norm() < 1e-14, "{x:?}");
    }

    #[test]
    fn the_time_of_the_last_key_counts() {
        let rows = || [Row::Key(0.25, Vec3::x()), Row::Key(0.5, Vec3::x() * 3.0), point(0, Vec3::y())];
        for (continue_after_end, after) in [(false, 0.0), (true, 3.0)] {
            let course = Course { continue_after_end, coordinates: 0b111 };
            let x = led::<Vec3Type>(&course, &mut rows(), &[0.25; 4]);
            assert!((x.x - 0.25 * (1.0 + 3.0 + after)).abs() < 1e-15, "{x:?}");
        }
        // A jump at the end is over when the end is.
        let keys = [(0.0, 1.0), (1.0, 2.0), (1.0, 9.0)].map(|(t, v)| Row::Key(t, Vec3::x() * v));
        let course = Course { continue_after_end: true, coordinates: 0b111 };
        let at = |time| course.velocity::<Vec3Type>(&keys, time).map(|v| v.x);
        assert_eq!([at(-0.1), at(0.5), at(1.0), at(1.5)], [None, Some(1.5), Some(9.0), Some(2.0)]);
    }

    #[test]
    fn a_frame_turns_step_by_step() {
        let v = |y: f64, z: f64| RigidDeriv { linear: Vec3::x(), angular: Vec3::new(0.0, y, z) };
        let begin = RigidCoord::default();
        let course = Course { continue_after_end: true, coordinates: 0b11_1111 };
        // SOFA's own example, after five steps of 0.05 s.
        let mut rows: [Row<Rigid3Type>; 3] =
            [Row::Key(0.0, v(0.0, 0.0)), Row::Key(2.0, v(0.0, 0.3)), point(0, begin)];
        let x = led(&course, &mut rows, &[0.05; 5]);
        assert!((x.orientation.k - 0.001_874_998_901_37).abs() < 1e-12, "{x:?}");
        // About an axis that changes.
        let mut rows: [Row<Rigid3Type>; 3] =
            [Row::Key(0.0, v(1.0, 0.0)), Row::Key(1.0, v(0.0, 1.0)), point(0, begin)];
        let x = led(&course, &mut rows, &[0.5, 0.5]);
        let wanted = [v(1.0, 0.0), v(1.0, 0.0), v(0.5, 0.5)].iter().fold(begin, |x, v| x.moved(&(*v * 0.5)));
        assert_eq!(x, wanted);
    }

    #[test]
    fn only_chosen_components_are_imposed() {
        let mut rows: [Row<Vec3Type>; 3] =
            [Row::Key(0.0, Vec3::x()), Row::Key(1.0, Vec3::x()), point(1, Vec3::zeros())];
        let c = Course { continue_after_end: false, coordinates: 1 };
        let params = MechanicalParams { dt: 0.5, time: 0.5 };
        let (mut x, mut v, mut d) = ([Vec3::y() * 7.0; 2], [Vec3::y(); 2], [Vec3::y(); 2]);
        C::project_position(&c, ProjectPosition { params, elements: &mut rows, x: &mut x });
        C::project_velocity(&c, ProjectVelocity { params, elements: &rows, v: &mut v });
        C::project_response(&c, ProjectResponse { params, elements: &rows, d: &mut d });
        assert_eq!((x[1], v[1]), (Vec3::new(0.5, 7.0, 0.0), Vec3::new(1.0, 1.0, 0.0)));
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
        let one = [two[0], ("velocities", "0 0 0 0 0 1")];
        assert_eq!(refused(&mut t, one, ("continueAfterEnd", "1")), "velocities");
        let down = [("keyTimes", "1 0"), two[1]];
        assert_eq!(refused(&mut t, down, ("continueAfterEnd", "1")), "keyTimes");
    }
}
