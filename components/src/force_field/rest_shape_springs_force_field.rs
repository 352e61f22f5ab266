//! `RestShapeSpringsForceField`: springs that pull points and frames back to where they rest.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// Springs that pull points and frames back to where they rest.
#[derive(Attributes)]
#[attributes(
    ignored("topology", "drawSpring", "springColor", "pivot_points", "recompute_indices"),
    unsupported("external_rest_shape", summary = "SOFA pulls toward the present positions of that state")
)]
struct Settings {
    /// points that are pulled; all if not given
    points: Indices,
    /// force per distance, one for each point, or one for all [N/m]
    #[attribute(default = "100")]
    stiffness: Vec<Real>,
    /// torque per angle, likewise; 100 where it is shorter than `stiffness` [N m/rad]
    angular_stiffness: Vec<Real>,
    /// points whose rest positions are the targets; the same points if not given
    #[attribute(name = "external_points")]
    external_points: Indices,
    /// which directions of a point (6 of a frame) are pulled; all if not given
    active_directions: Option<Vec<bool>>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "RestShapeSpringsForceField", build)
        .templates(&["Vec3", "Rigid3", "Vec1", "Vec2", "Vec6"])
        .samples(&[
            Sample::new("stiffness='40'"),
            Sample::new("stiffness='40' activeDirections='1 0 1' points='1 0' external_points='0 1'")
                .template("Vec3"),
            Sample::new("stiffness='40' angularStiffness='7'").template("Rigid3"),
        ]);

/// What SOFA takes where a list of angular stiffnesses is too short [N m/rad].
const DEFAULT_ANGULAR: Real = 100.0;

/// A point that is pulled.
#[derive(Clone, Copy, Debug)]
pub struct RestSpring<S: StateType> {
    point: u32,
    target: S::Coord,
    /// Stiffness of the translation [N/m] and of the rotation [N m/rad].
    stiffness: [Real; 2],
    /// What SOFA's assembled matrix takes for them.
    assembled: [Real; 2],
}

/// Springs of one stiffness that hold these points where they are `at`: a stiffness [N/m] and one of rotation [N m/rad].
pub(super) fn held_springs<S: StateType>(
    points: &[u32],
    at: &[S::Coord],
    stiffness: [Real; 2],
) -> Vec<RestSpring<S>> {
    let spring = |point: &u32| {
        let target = at.get(*point as usize).copied().unwrap_or_default();
        RestSpring { point: *point, target, stiffness, assembled: stiffness }
    };
    points.iter().map(spring).collect()
}

/// Springs between points and where they rest; the constants say which directions are pulled.
///
/// **Source:** as SOFA's: f = -k (x - x0), and for a frame a torque -k a with the rotation vector a from the resting orientation,
/// whose tangent is taken to be -k. `pivot_points` has no effect there either. Entry i of a list of stiffnesses belongs to
/// entry i of `points`; what the list is too short for takes the first. SOFA's assembled matrix takes the entry by the point's own
/// index instead, and leaves `activeDirections` out for translations. So does this one, and warns where that makes a difference.
pub struct RestShapeSpringsForceField<S>(PhantomData<S>);

/// What is left of a type's velocities without rotations.
type Translation<S> = <<S as StateType>::Deriv as Deriv>::Translation;

/// Which of the scalars of a velocity are pulled.
type Active = [bool; 6];

impl<S: StateType> RestShapeSpringsForceField<S> {
    /// From the target to the point: the translation, and the rotation vector, in directions that are pulled.
    fn away(active: &Active, x: &S::Coord, target: &S::Coord) -> [S::Deriv; 2] {
        let mut linear = S::Deriv::zero();
        linear.add_translation(&(x.position() - target.position()));
        let mut angular = S::Deriv::zero();
        if let (true, Some(q), Some(q0)) = (S::IS_FRAME, x.orientation(), target.orientation()) {
            angular.set_block(1, rotation_vector(&(q * q0.conjugate())));
        }
        [masked(active, linear), masked(active, angular)]
    }

    /// A displacement's translation and rotation, in directions that are pulled.
    fn parts_of(active: &Active, dx: &S::Deriv) -> [S::Deriv; 2] {
        let mut linear = S::Deriv::zero();
        linear.add_translation(&dx.translation());
        let angular = if S::IS_FRAME { *dx - linear } else { S::Deriv::zero() };
        [masked(active, linear), masked(active, angular)]
    }
}

fn masked<D: Deriv>(active: &Active, mut d: D) -> D {
    for (k, active) in active.iter().enumerate().take(D::SIZE) {
        if !active {
            *d.scalar_mut(k) = 0.0;
        }
    }
    d
}

/// The axis of a rotation times its angle, at most half a turn.
fn rotation_vector(q: &Quat) -> Vec3 {
    let q = q.normalize();
    let q = if q.w < 0.0 { -q } else { q };
    let (v, sine) = (q.imag(), q.imag().norm());
    // Near the identity the arc cosine loses digits.
    let angle = if q.w > 0.999 { 2.0 * sine.min(1.0).asin() } else { 2.0 * q.w.acos() };
    if sine > 0.0 { v * (angle / sine) } else { Vec3::zeros() }
}

impl<S: StateType> ForceField for RestShapeSpringsForceField<S> {
    type State = S;
    type Constants = Active;
    type Element = RestSpring<S>;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(active: &Active, AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        for s in elements {
            let i = s.point as usize;
            let [linear, angular] = Self::away(active, &x[i], &s.target);
            f[i] -= linear * s.stiffness[0];
            f[i] -= angular * s.stiffness[1];
        }
    }

    fn add_d_force(active: &Active, at: AddDForce<'_, Self>) {
        for s in at.elements {
            let i = s.point as usize;
            let [linear, angular] = Self::parts_of(active, &at.dx[i]);
            at.df[i] -= linear * (s.stiffness[0] * at.k_factor);
            at.df[i] -= angular * (s.stiffness[1] * at.k_factor);
        }
    }

    fn add_k_to_matrix(active: &Active, at: AddKToMatrix<'_, Self>) {
        for s in at.elements {
            let blocks = S::Deriv::BLOCKS as u32;
            for k in 0..blocks {
                let turns = S::IS_FRAME && k == 1;
                let factor = -s.assembled[usize::from(turns)] * at.k_factor;
                let mut block = S::Deriv::identity_block(k as usize) * factor;
                for (axis, active) in active[3..].iter().enumerate().filter(|_| turns) {
                    block[(axis, axis)] = if *active { factor } else { 0.0 };
                }
                at.matrix.add_block(s.point * blocks + k, s.point * blocks + k, &block);
            }
        }
    }

    fn potential_energy(active: &Active, springs: &[RestSpring<S>], x: &[S::Coord]) -> Option<Real> {
        let energy = |s: &RestSpring<S>| {
            let away = Self::away(active, &x[s.point as usize], &s.target);
            let of = |k: usize| 0.5 * s.stiffness[k] * away[k].inner(&away[k]);
            of(0) + of(1)
        };
        Some(springs.iter().map(energy).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type, Vec1Type, Vec2Type, Vec6Type] => {
        build_as::<S>(b, state, &s)
    })
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let n = b.size(state);
    let points = s.points.below_or_all(n)?;
    let targets = if s.external_points.is_empty() { points.clone() } else { s.external_points.below(n)? };
    if points.len() != targets.len() {
        let text = format!("there are {} `external_points` for {} points", targets.len(), points.len());
        return Err(BuildError::attribute("external_points", text));
    }
    let stiffness = if s.stiffness.is_empty() { vec![100.0] } else { s.stiffness.clone() };
    let mut angular = s.angular_stiffness.clone();
    angular.resize(stiffness.len(), DEFAULT_ANGULAR);
    let active = active::<S>(s.active_directions.as_deref())?;
    let rest = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.rest_position);
    let of = |list: &[Real], i: usize| list.get(i).or(list.first()).copied().unwrap_or_default();
    let both = |i: usize| [of(&stiffness, i), of(&angular, i)];
    let spring = |(i, (point, target)): (usize, (&u32, &u32))| {
        let target = rest.get(*target as usize).copied().unwrap_or_default();
        RestSpring { point: *point, target, stiffness: both(i), assembled: both(*point as usize) }
    };
    let springs: Vec<_> = points.iter().zip(&targets).enumerate().map(spring).collect();
    let moved_entries = springs.iter().any(|s| s.stiffness != s.assembled);
    let translates = &active[..Translation::<S>::SIZE.min(6)];
    if moved_entries || translates.contains(&false) {
        let text = "an assembled matrix takes entries of `stiffness` by the index of the point, and all directions, as SOFA's does; matrix-free solvers take what is given";
        b.warn(None, text);
    }
    b.add_force_field(state, ForceFieldParts::<RestShapeSpringsForceField<S>>::new(active, springs, vec![]))
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
            (&[("activeDirections", "1 0")], "activeDirections"),
        ] {
            let e = t.add(&DESCRIPTION, root, wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute), "{wrong:?}");
        }
    }
}
