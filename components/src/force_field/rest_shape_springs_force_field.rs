//! `RestShapeSpringsForceField`: springs that pull points and frames back to where they rest. The file is long for targets at rest and in
//! another state, and for lists that follow changes of the topology.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::component::interaction_force_field::InteractionForceFieldParts;
use sim_core::component::value::Value;
use sim_core::prelude::*;

use super::external_rest_shape::{Pull, PullTowardState, targets};
use super::listed_points::{keep, keep_rows, numbers};
use super::rest_spring::{Active, RestSpring};

/// Springs that pull points and frames back to where they rest, or to where those of another state are.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSpring", "springColor", "pivot_points", "recompute_indices"))]
struct Settings {
    /// points that are pulled; all if not given
    points: Indices,
    /// force per distance, one for each point, or one for all [N/m]
    #[attribute(default = "100")]
    stiffness: Vec<Real>,
    /// torque per angle, likewise; 100 where it is shorter than `stiffness` [N m/rad]
    angular_stiffness: Vec<Real>,
    /// state whose present positions are the targets
    #[attribute(name = "external_rest_shape")]
    external_rest_shape: Option<LinkTarget>,
    /// points of that state that are the targets; all if not given. Without such a state every point is pulled to where it rests itself
    #[attribute(name = "external_points")]
    external_points: Indices,
    /// which directions of a point (6 of a frame) are pulled; all if not given
    active_directions: Option<Vec<bool>>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<Settings>(
    Family::ForceField,
    "RestShapeSpringsForceField",
    build,
)
.templates(&["Vec3", "Rigid3", "Vec1", "Vec2", "Vec6"])
.at_run_time(RunTime::Only(&[
    "points",
    "external_points",
    "stiffness",
    "angularStiffness",
    "activeDirections",
]))
.follows(
    Following::of_pairs(follow)
        .prepared(&["points", "external_points", "stiffness", "angularStiffness"], for_each_point),
)
.samples(&[
    Sample::new("stiffness='40'"),
    Sample::new("stiffness='40' activeDirections='1 0 1' points='1 0'").template("Vec3"),
    Sample::new("stiffness='40' angularStiffness='7'").template("Rigid3"),
    Sample::new(
        "mstate='{first}' external_rest_shape='{second}' stiffness='40' points='0' external_points='1'",
    ),
]);

/// What is left of a type's velocities without rotations.
type Translation<S> = <<S as StateType>::Deriv as Deriv>::Translation;

/// What SOFA takes where a list of angular stiffnesses is too short [N m/rad].
const DEFAULT_ANGULAR: Real = 100.0;

/// The attributes that list the ends of springs.
const ENDS: [&str; 2] = ["points", "external_points"];

/// Springs between points and where they rest; the constants say which directions are pulled. [`PullTowardState`] is what acts where
/// another state has the targets.
///
/// f = −k (x − x₀), and for a frame a torque −kₐ a with the rotation vector a from the resting orientation, whose tangent is taken to be
/// −kₐ; k is from `stiffness`, kₐ from `angularStiffness`.
///
/// **Source:** as SOFA's: `pivot_points` has no effect there either, nor have `external_points` without `external_rest_shape`. Entry i of a list of stiffnesses belongs to
/// entry i of `points`; what the list is too short for takes the first. SOFA's assembled matrix takes the entry by the point's own
/// index instead, and leaves `activeDirections` out for translations. So does this one, and warns where that makes a difference.
pub struct RestShapeSpringsForceField<S>(PhantomData<S>);

impl<S: StateType> ForceField for RestShapeSpringsForceField<S> {
    type State = S;
    type Constants = Active;
    type Element = RestSpring<S>;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(active: &Active, AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        for s in elements {
            let i = s.point as usize;
            s.forces(active, &x[i]).into_iter().for_each(|force| f[i] += force);
        }
    }

    fn add_d_force(active: &Active, at: AddDForce<'_, Self>) {
        for s in at.elements {
            let i = s.point as usize;
            s.changes(active, &at.dx[i], at.k_factor).into_iter().for_each(|change| at.df[i] += change);
        }
    }

    fn add_k_to_matrix(active: &Active, at: AddKToMatrix<'_, Self>) {
        for s in at.elements {
            s.blocks(active, at.k_factor, |k, block| at.matrix.add_block(k, k, &block));
        }
    }

    fn potential_energy(active: &Active, springs: &[RestSpring<S>], x: &[S::Coord]) -> Option<Real> {
        Some(springs.iter().map(|s| s.energy(active, &x[s.point as usize])).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type, Vec1Type, Vec2Type, Vec6Type] => {
        build_as::<S>(b, state, &s)
    })
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let ends = s.points.below_or_all(b.size(state)).and_then(|points| {
        let (external, targets) = targets(b, state, s.external_rest_shape, &s.external_points, &points)?;
        Ok((points, external, targets))
    });
    let (points, external, targets) = match ends {
        // As SOFA's, which pulls nothing then.
        Err(e) if e.attribute.as_deref().is_some_and(|name| ENDS.contains(&name)) => {
            b.warn(e.attribute.as_deref(), format!("{}; so nothing is pulled, as in SOFA", e.message));
            (Vec::new(), None, Vec::new())
        }
        ends => ends?,
    };
    let stiffness = if s.stiffness.is_empty() { vec![100.0] } else { s.stiffness.clone() };
    let mut angular = s.angular_stiffness.clone();
    angular.resize(stiffness.len(), DEFAULT_ANGULAR);
    let active = active::<S>(s.active_directions.as_deref())?;
    let of = |list: &[Real], i: usize| list.get(i).or(list.first()).copied().unwrap_or_default();
    let both = |i: usize| [of(&stiffness, i), of(&angular, i)];
    let pull = |(i, (point, target)): (usize, (&u32, &u32))| Pull {
        point: *point,
        target: *target,
        stiffness: both(i),
        assembled: both(*point as usize),
    };
    let pulls: Vec<_> = points.iter().zip(&targets).enumerate().map(pull).collect();
    let moved_entries = pulls.iter().any(|s| s.stiffness != s.assembled);
    let translates = &active[..Translation::<S>::SIZE.min(6)];
    if moved_entries || translates.contains(&false) {
        let text = "an assembled matrix takes entries of `stiffness` by the index of the point, and all directions, as SOFA's does; matrix-free solvers take what is given";
        b.warn(None, text);
    }
    if let Some(external) = external {
        let parts = InteractionForceFieldParts::<PullTowardState<S>>::new(active, pulls);
        return b.add_interaction_force_field(state, external, parts);
    }
    let rest = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.rest_position);
    let springs = pulls.iter().map(|p| p.toward(rest)).collect();
    b.add_force_field(state, ForceFieldParts::<RestShapeSpringsForceField<S>>::new(active, springs, vec![]))
}

/// What is left of springs that are given point by point; of those toward another state, of which both ends are.
fn follow(attributes: &mut AttributeValues, [points, targets]: [Option<&[u32]>; 2]) {
    let external = attributes.links.contains_key("external_rest_shape");
    let ends = [("points", "external_points", points), ("external_points", "points", targets)];
    for (name, other, now) in ends.into_iter().take(if external { 2 } else { 1 }) {
        let Some(kept) = now.and_then(|now| keep(attributes, name, now)) else { continue };
        if external {
            let list = attributes.set.get(other).and_then(Value::integers).unwrap_or_default();
            let left = kept.iter().filter_map(|k| list.get(*k).copied()).collect();
            attributes.set.insert(other, Value::Integers(left));
        }
        for list in ["stiffness", "angularStiffness"] {
            if attributes.set.get(list).map_or(0, Value::len) > 1 {
                keep_rows(attributes, list, 1, &kept);
            }
        }
        if kept.is_empty() {
            // No list would be all points.
            ["stiffness", "angularStiffness"]
                .into_iter()
                .for_each(|list| drop(attributes.set.insert(list, Value::Reals(vec![0.0]))));
        }
    }
}

/// The same with all points, and the stiffness of each where these differ.
fn for_each_point(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let points = s.points.below_or_all(b.size(state))?;
    let mut attributes = b.attributes.clone();
    let n = points.len();
    attributes.set.insert("points", numbers(&points));
    if let Some(link) = s.external_rest_shape {
        let of = b.state_at(link, "external_rest_shape")?;
        attributes.set.insert("external_points", numbers(&s.external_points.below_or_all(b.size(of))?));
    }
    let mut angular = s.angular_stiffness.clone();
    if s.stiffness.len() > 1 {
        angular.resize(s.stiffness.len(), DEFAULT_ANGULAR);
    }
    for (name, list) in [("stiffness", &s.stiffness), ("angularStiffness", &angular)] {
        if list.len() > 1 {
            let each = (0..n).map(|i| list.get(i).copied().unwrap_or(list[0])).collect();
            attributes.set.insert(name, Value::Reals(each));
        }
    }
    Ok(attributes)
}

fn active<S: StateType>(given: Option<&[bool]>) -> Result<Active, BuildError> {
    let mut active = [true; 6];
    let Some(given) = given else { return Ok(active) };
    let size = S::Deriv::SIZE;
    if given.len() < size {
        let text =
            format!("`activeDirections` has {} entries; a {} has {size} directions", given.len(), S::NAME);
        return Err(BuildError::attribute("activeDirections", text));
    }
    active[..size].copy_from_slice(&given[..size]);
    Ok(active)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv, Vec1, quat_from_euler_degrees};
    use sim_core::testing::{ForceFieldCheck, Random};

    type Field<S> = RestShapeSpringsForceField<S>;

    fn springs<S: StateType>(targets: &[S::Coord], active: Active) -> ForceFieldParts<Field<S>> {
        let spring = |(i, target): (u32, &S::Coord)| {
            let stiffness = [40.0 + f64::from(i), 7.0];
            RestSpring { point: i, target: *target, stiffness, assembled: stiffness }
        };
        let springs = (0..).zip(targets).map(spring).collect();
        ForceFieldParts::new(active, springs, vec![])
    }

    #[test]
    fn conforms() {
        let mut random = Random::new(6);
        let x = random.moved(&[Vec3::zeros(); 5], 1.0);
        let parts = springs::<Vec3Type>(&[Vec3::zeros(); 5], [true; 6]);
        let check = ForceFieldCheck::new(&parts, x.clone(), random.derivs(5)).seed(1);
        check.assembled().symmetric().conservative().run();
        let x = random.moved(&[Vec1::zeros(); 5], 1.0);
        let parts = springs::<Vec1Type>(&[Vec1::zeros(); 5], [true; 6]);
        ForceFieldCheck::new(&parts, x, random.derivs(5))
            .seed(2)
            .assembled()
            .symmetric()
            .conservative()
            .run();
    }

    /// The tangent of the torque is exact where a frame is as it rests.
    #[test]
    fn frames_conform_in_their_resting_orientation() {
        let mut random = Random::new(7);
        let q = quat_from_euler_degrees(Vec3::new(30.0, -20.0, 75.0));
        let targets = [RigidCoord { center: Vec3::zeros(), orientation: q }; 3];
        let x: Vec<RigidCoord> = targets.iter().map(|t| RigidCoord { center: random.vec3(), ..*t }).collect();
        let mask = [true, true, true, true, false, true];
        let parts = springs::<Rigid3Type>(&targets, mask);
        ForceFieldCheck::new(&parts, x, random.derivs(3)).seed(3).assembled().symmetric().run();
    }

    #[test]
    fn a_torque_turns_a_frame_back_the_short_way() {
        let q0 = quat_from_euler_degrees(Vec3::new(10.0, 20.0, 30.0));
        for degrees in [0.01_f64, 1.0, 90.0, 170.0, -60.0] {
            let turn = quat_from_euler_degrees(Vec3::new(0.0, degrees, 0.0));
            let x = [RigidCoord { center: Vec3::zeros(), orientation: turn * q0 }];
            let parts = springs::<Rigid3Type>(&[RigidCoord { orientation: q0, ..x[0] }], [true; 6]);
            let mut f = [RigidDeriv::default()];
            let params = MechanicalParams { dt: 0.01, time: 0.0 };
            let v = [RigidDeriv::default()];
            let at = AddForce { params, elements: &parts.elements, stored: &mut [], f: &mut f, x: &x, v: &v };
            Field::<Rigid3Type>::add_force(&[true; 6], at);
            let wanted = Vec3::y() * (-7.0 * degrees.to_radians());
            assert!((f[0].angular - wanted).norm() < 1e-10, "{degrees}: {} {wanted}", f[0].angular);
            assert_eq!(f[0].linear, Vec3::zeros());
        }
    }

    #[test]
    fn stiffness_goes_by_the_place_in_the_list_and_in_the_matrix_by_the_point() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0 1 0 0 2 0 0")]).unwrap();
        let list = [("points", "2 0"), ("stiffness", "10 20")];
        t.add(&DESCRIPTION, root, &list).unwrap();
        assert!(t.warnings[0].contains("assembled"), "{:?}", t.warnings);
        t.warnings.clear();
        t.add(&DESCRIPTION, root, &[("stiffness", "10")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        for (wrong, attribute) in [
            (&[("points", "3")][..], "points"),
            (&[("points", "0 1"), ("external_points", "1")], "external_points"),
        ] {
            t.warnings.clear();
            t.add(&DESCRIPTION, root, wrong).unwrap();
            let warning = format!("{:?}", t.warnings);
            assert!(warning.contains(attribute) && warning.contains("nothing is pulled"), "{warning}");
            let field = &t.scene.parts.force_fields.last().unwrap().node;
            let springs = field.unfrozen_elements().unwrap().downcast_ref::<Vec<RestSpring<Vec3Type>>>();
            assert!(springs.unwrap().is_empty());
        }
        let e = t.add(&DESCRIPTION, root, &[("activeDirections", "1 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("activeDirections"));
    }
}
