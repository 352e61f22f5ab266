//! `FixedPlaneProjectiveConstraint`: points that no force moves along a direction.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Points that no force moves along a direction.
#[derive(Attributes)]
#[attributes(ignored("topology"))]
struct Settings {
    /// the direction, a row of the state's coordinates; used as it is, not scaled to length 1; nothing is held if it is not given, or 0
    direction: CoordRows,
    /// points between two planes across the direction are concerned too: position along it beyond which they begin [m]
    #[attribute(default = "0")]
    dmin: Real,
    /// position along the direction at which they end; none are chosen where it equals `dmin` [m]
    #[attribute(default = "0")]
    dmax: Real,
    /// points concerned
    indices: Indices,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Constraint, "FixedPlaneProjectiveConstraint", build)
        .old_names(&["FixedPlaneConstraint"])
        // SOFA's planes choose among the points of the beginning only.
        .follows(Following::of_points(&["indices"]).without_new_points())
        .templates(&["Vec3", "Rigid3", "Vec6"])
        .samples(&[
            Sample::new("direction='0 1 0' indices='0 1'").template("Vec3"),
            Sample::new("direction='0 0 1' dmin='-0.1' dmax='0.1'").template("Vec3"),
            Sample::new("direction='1 0 0 0 0 0 1' indices='0 1'").template("Rigid3"),
            Sample::new("direction='0 1 0 0 0 0' indices='0 1'").template("Vec6"),
        ]);

/// What is left of a type's velocities without rotations.
type Translation<S> = <<S as StateType>::Deriv as Deriv>::Translation;

/// Points of a state that no force moves along a direction, which is the constant.
///
/// **Source:** as SOFA's: d becomes d - n (d . n) with n as given, also where it is not of length 1; a point that is listed
/// twice, or listed and between the planes, is projected twice. Positions and velocities are never projected. The planes choose
/// among the initial positions, with both bounds left out. An assembled matrix loses the rows and columns of every axis along
/// which n has a component: right for a direction along an axis, more than the constraint for any other.
pub struct FixedPlaneProjectiveConstraint<S>(PhantomData<S>);

impl<S: StateType> ProjectiveConstraint for FixedPlaneProjectiveConstraint<S> {
    type State = S;
    /// The direction.
    type Constants = Translation<S>;
    /// The points.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn project_response(n: &Translation<S>, ProjectResponse { elements, d, .. }: ProjectResponse<'_, Self>) {
        for i in elements {
            let d = &mut d[*i as usize];
            let along = *n * d.translation().inner(n);
            d.add_translation(&-along);
        }
    }

    fn fixed_dofs(_: &Translation<S>, _: &[u32], _: usize) -> Vec<u32> {
        Vec::new()
    }

    fn fixed_scalars(n: &Translation<S>, points: &[u32], _: usize) -> Vec<u32> {
        let size = S::Deriv::SIZE as u32;
        let axes = || (0..Translation::<S>::SIZE).filter(|k| n.scalar(*k) != 0.0).map(|k| k as u32);
        points.iter().flat_map(|i| axes().map(move |k| size * i + k)).collect()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type, Vec6Type] => build_as::<S>(b, state, &s))
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let n = direction::<S>(b, s)?;
    let mut points = s.indices.within(b.size(state), b)?;
    if s.dmin != s.dmax {
        let positions = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.position);
        let between = |x: &S::Coord| {
            let along = x.position().inner(&n);
            along > s.dmin && along < s.dmax
        };
        points.extend((0..).zip(positions).filter(|(_, x)| between(x)).map(|(i, _)| i));
    }
    if points.is_empty() {
        b.warn(None, "no point is concerned; give `indices`, or `dmin` and `dmax`");
    }
    let parts = ProjectiveConstraintParts::<FixedPlaneProjectiveConstraint<S>>::new(n, points);
    b.add_projective_constraint(state, parts)
}

/// The direction; warns of one for which products and assembled matrices are constrained differently.
fn direction<S: StateType>(b: &mut Builder<'_>, s: &Settings) -> Result<Translation<S>, BuildError> {
    let wrong = |what: String| BuildError::attribute("direction", format!("`direction` {what}"));
    let rows = s.direction.of::<S>()?;
    if rows.len() > 1 {
        return Err(wrong(format!("is one row of a {}'s coordinates; there are {}", S::NAME, rows.len())));
    }
    let given = rows.first().copied().unwrap_or_default();
    let n = given.position();
    let length = n.inner(&n).sqrt();
    if length == 0.0 {
        b.warn(Some("direction"), "there is no direction, so nothing is held, as in SOFA");
        return Ok(n);
    }
    if given.orientation().is_some_and(|q| q.imag().norm() != 0.0) {
        return Err(wrong("has an orientation; only the translation can be kept still".to_owned()));
    }
    if (length - 1.0).abs() > 1e-6 {
        b.warn(Some("direction"), "`direction` is not of length 1; it is used as it is, as in SOFA");
    }
    if (0..Translation::<S>::SIZE).filter(|k| n.scalar(*k) != 0.0).count() > 1 {
        let text = "`direction` is not along an axis: a linear solver with an assembled matrix keeps all its axes still, as in SOFA";
        b.warn(Some("direction"), text);
    }
    Ok(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidDeriv;

    type Points = FixedPlaneProjectiveConstraint<Vec3Type>;
    type Frames = FixedPlaneProjectiveConstraint<Rigid3Type>;

    #[test]
    fn what_is_along_the_direction_goes() {
        let n = Vec3::new(0.6, 0.0, 0.8);
        let mut d = [Vec3::new(1.0, 2.0, 3.0); 3];
        Points::project_response(
            &n,
            ProjectResponse { params: crate::test_support::AT_START, elements: &[2], d: &mut d },
        );
        assert_eq!(d[..2], [Vec3::new(1.0, 2.0, 3.0); 2]);
        assert!(d[2].dot(&n).abs() < 1e-15 && d[2].y == 2.0);
        assert!((d[2] - Vec3::new(-0.8, 2.0, 0.6)).norm() < 1e-15);
        let mut d = [RigidDeriv { linear: Vec3::new(1.0, 2.0, 3.0), angular: Vec3::new(4.0, 5.0, 6.0) }];
        Frames::project_response(
            &Vec3::y(),
            ProjectResponse { params: crate::test_support::AT_START, elements: &[0], d: &mut d },
        );
        let left = RigidDeriv { linear: Vec3::new(1.0, 0.0, 3.0), angular: Vec3::new(4.0, 5.0, 6.0) };
        assert_eq!(d, [left]);
    }

    #[test]
    fn a_matrix_loses_all_axes_of_the_direction() {
        assert_eq!(Points::fixed_scalars(&Vec3::new(0.6, 0.0, 0.8), &[0, 3], 4), [0, 2, 9, 11]);
        assert_eq!(Frames::fixed_scalars(&Vec3::y(), &[1], 2), [7]);
    }

    #[test]
    fn points_between_the_planes_are_chosen() {
        let mut t = TestScene::new();
        let root = t.root();
        let at = [("position", "0 0 0 0 1 0 0 2 0"), ("rest_position", "0 9 0 0 9 0 0 9 0")];
        t.add(&mechanical_object::DESCRIPTION, root, &at).unwrap();
        let planes = [("direction", "0 2 0"), ("dmin", "0"), ("dmax", "4")];
        t.add(&DESCRIPTION, root, &planes).unwrap();
        assert!(t.warnings.iter().any(|w| w.contains("length 1")), "{:?}", t.warnings);
        let n = t.scene.parts.constraints.len();
        t.warnings.clear();
        t.add(&DESCRIPTION, root, &[("direction", "0 1 0"), ("dmin", "5"), ("dmax", "6")]).unwrap();
        assert!(t.warnings[0].contains("no point"), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[("direction", "0.6 0.8 0"), ("indices", "0")]).unwrap();
        assert!(t.warnings[1].contains("axis"), "{:?}", t.warnings);
        assert_eq!(t.scene.parts.constraints.len(), n + 2);
        for without in [&[][..], &[("direction", "0 0 0")]] {
            t.warnings.clear();
            t.add(&DESCRIPTION, root, &[without, &[("indices", "0")]].concat()).unwrap();
            assert!(t.warnings[0].contains("nothing is held"), "{:?}", t.warnings);
        }
        assert_eq!(Points::fixed_scalars(&Vec3::zeros(), &[1], 2), Vec::<u32>::new());
        for (wrong, attribute) in [
            (&[("direction", "0 1")][..], "direction"),
            (&[("direction", "0 1 0 1 0 0")], "direction"),
            (&[("direction", "0 1 0"), ("indices", "-1")], "indices"),
        ] {
            let e = t.add(&DESCRIPTION, root, wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute), "{wrong:?}");
        }
    }
}
