//! `UniformMass`: the same mass at every point, or the same mass and inertia for every rigid frame. The file is long for points, frames
//! in space and in the plane, files of rigid bodies, and SOFA's rules of which attribute counts.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::component::mass::RigidBodyMass;
use sim_core::component::value::Value;
use sim_core::math::combination::add_scaled;
use sim_core::math::{RigidCoord, quat_to_matrix};
use sim_core::prelude::*;

use super::rigid_file::RigidFile;
use super::uniform_mass_rigid2::{Rigid2Inertia, UniformMassRigid2};
use super::weight_alone::WeightAlone;
use super::{add_diagonal, each, mass_of_all, require_not_negative, require_positive};

/// The same mass for every point, or the same mass and inertia for every rigid frame.
#[derive(Attributes)]
#[attributes(ignored("showX0", "compute_mapping_inertia", "topology"))]
struct Settings {
    /// mass of all points together; wins over vertexMass [kg]
    total_mass: Option<Real>,
    /// mass of each point (Rigid3: mass, volume, 9 of inertia / mass; Rigid2: mass, volume, inertia / mass) [kg]
    #[attribute(kind = RigidMasses)]
    vertex_mass: Option<Vec<Real>>,
    /// file of the rigid body's mass and inertia (Rigid3)
    #[attribute(kind = File)]
    filename: Option<String>,
    /// points that have mass; all if not given
    indices: Deferred<Indices>,
    /// first and last point that have mass; all where the last is the first or last point of all, or beyond
    #[attribute(default = "-1 -1")]
    local_range: [i64; 2],
    /// whether all points together weigh the same when some go or come
    preserve_total_mass: bool,
    /// whether inertia turns with the body (Rigid3); SOFA's does not
    gyroscopic: Deferred<bool>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mass, "UniformMass", build)
        .follows(FOLLOWING)
        .templates(TEMPLATES)
        .samples(&[
            Sample::new("totalMass='3'").template("Vec3"),
            Sample::new("vertexMass='0.3' rayleighMass='0.2'").template("Vec3"),
            Sample::new("totalMass='3' separateGravity='1'").template("Vec3"),
            Sample::new("vertexMass='2 1 0.1 0 0 0 0.2 0 0 0 0.35'").template("Rigid3"),
            Sample::new("totalMass='3' separateGravity='1' rayleighMass='0.2'").template("Rigid3"),
            Sample::new("totalMass='3'").template("Vec1"),
            Sample::new("vertexMass='0.3' rayleighMass='0.2'").template("Vec2"),
            Sample::new("totalMass='3'").template("Vec6"),
            Sample::new("vertexMass='2 1 0.3'").template("Rigid2"),
        ]);

/// **Source:** SOFA's mass keeps that of a point when points go and come, or the total with `preserveTotalMass`.
const FOLLOWING: Following =
    Following::of_points(&["indices"]).prepared(&["totalMass", "vertexMass"], by_point);

/// Uniform mass of points.
///
/// M = m I, with m from `vertexMass`, or `totalMass` over the number of points; the weight is m g.
///
/// **Source:** as SOFA's: a mass may be 0. A `localRange` counts only if its end is neither the first point nor the last one, nor beyond; else
/// all points have mass. Without any mass given there is a weight without inertia, [`WeightAlone`].
pub struct UniformMass<S>(PhantomData<S>);

impl<S: StateType> Mass for UniformMass<S> {
    type State = S;
    /// Mass of a point [kg].
    type Constants = Real;
    /// Points that have mass; none: all.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn is_diagonal(_: &Real) -> bool {
        true
    }

    fn add_gravity(m: &Real, AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        let weight = gravity * *m;
        each(elements, f.len(), |i| f[i].add_linear(&weight));
    }

    fn add_m_dx(m: &Real, AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        // The factor meets the mass first: SOFA's bits.
        let m = m * factor;
        if elements.is_empty() {
            add_scaled(result, dx, m);
        } else {
            each(elements, dx.len(), |i| result[i] += dx[i] * m);
        }
    }

    fn acc_from_f(m: &Real, AccFromF { elements, a, f, .. }: AccFromF<'_, Self>) {
        each(elements, f.len(), |i| a[i] = f[i].divided(*m));
    }

    fn add_m_to_matrix(m: &Real, at: AddMToMatrix<'_, Self>) {
        let AddMToMatrix { factor, elements, x, matrix } = at;
        add_diagonal::<S::Deriv>(elements, x.len(), |_| factor * *m, matrix);
    }

    fn total_mass(m: &Real, indices: &[u32], n_dofs: usize) -> Real {
        mass_of_all(*m, indices, n_dofs)
    }
}

/// Mass and inertia of a rigid body.
#[derive(Clone, Copy, Debug)]
pub struct RigidInertia {
    /// Mass [kg].
    pub mass: Real,
    /// Inertia about the centre [kg m^2]: in world axes, or in the body's where `gyroscopic`.
    pub inertia: Mat3,
    /// Its inverse.
    pub inverse: Mat3,
    /// Whether the inertia turns with the body, and with it the torque -w x (I w).
    pub gyroscopic: bool,
}

impl RigidInertia {
    /// From the mass and the inertia per unit of mass; `None` where the latter is singular.
    pub fn new(mass: Real, per_mass: &Mat3, gyroscopic: bool) -> Option<Self> {
        let inertia = per_mass * mass;
        Some(Self { mass, inertia, inverse: inertia.try_inverse()?, gyroscopic })
    }

    /// I w in world axes.
    fn times(&self, w: &Vec3, x: Option<&RigidCoord>) -> Vec3 {
        self.in_world(&self.inertia, w, x)
    }

    /// I^-1 t in world axes.
    fn solve(&self, t: &Vec3, x: Option<&RigidCoord>) -> Vec3 {
        self.in_world(&self.inverse, t, x)
    }

    fn in_world(&self, m: &Mat3, v: &Vec3, x: Option<&RigidCoord>) -> Vec3 {
        match x {
            Some(x) if self.gyroscopic => {
                let r = quat_to_matrix(&x.orientation);
                r * (m * r.tr_mul(v))
            }
            _ => m * v,
        }
    }
}

/// Uniform mass and inertia of rigid frames.
///
/// M = (m I, m J) of translations and rotations, J the inertia by mass of `vertexMass` or the file, else 1. With `gyroscopic` it is (m I,
/// m R J Rᵀ) with the body's rotation R, and there is the torque −ω × (m R J Rᵀ ω).
///
/// **Source:** as SOFA's UniformMass of Rigid3: the inertia stays in world axes and there is no gyroscopic torque; with
/// the attribute `gyroscopic` it is Euler's true rigid body.
pub struct UniformMassRigid3;

impl Mass for UniformMassRigid3 {
    type State = Rigid3Type;
    type Constants = RigidInertia;
    /// Frames that have mass; none: all.
    type Element = u32;
    const NAME: &'static str = DESCRIPTION.class;

    fn is_diagonal(_: &RigidInertia) -> bool {
        true
    }

    fn add_gravity(c: &RigidInertia, AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        let weight = gravity * c.mass;
        each(elements, f.len(), |i| f[i].linear += weight);
    }

    fn add_inertia_force(c: &RigidInertia, at: AddInertiaForce<'_, Self>) {
        let AddInertiaForce { elements, f, x, v } = at;
        if c.gyroscopic {
            each(elements, f.len(), |i| {
                let w = v[i].angular;
                f[i].angular -= w.cross(&c.times(&w, x.get(i)));
            });
        }
    }

    fn add_m_dx(c: &RigidInertia, AddMDx { factor, elements, result, dx, x }: AddMDx<'_, Self>) {
        each(elements, dx.len(), |i| {
            result[i].linear += (dx[i].linear * c.mass) * factor;
            result[i].angular += c.times(&dx[i].angular, x.get(i)) * factor;
        });
    }

    fn acc_from_f(c: &RigidInertia, AccFromF { elements, a, f, x }: AccFromF<'_, Self>) {
        each(elements, f.len(), |i| {
            a[i].linear = f[i].linear / c.mass;
            a[i].angular = c.solve(&f[i].angular, x.get(i));
        });
    }

    fn add_m_to_matrix(c: &RigidInertia, at: AddMToMatrix<'_, Self>) {
        let AddMToMatrix { factor, elements, x, matrix } = at;
        each(elements, x.len(), |i| {
            let block = 2 * i as u32;
            matrix.add_block(block, block, &(Mat3::identity() * (factor * c.mass)));
            let r = quat_to_matrix(&x[i].orientation);
            let inertia = if c.gyroscopic { r * c.inertia * r.transpose() } else { c.inertia };
            matrix.add_block(block + 1, block + 1, &(inertia * factor));
        });
    }

    fn total_mass(c: &RigidInertia, indices: &[u32], n_dofs: usize) -> Real {
        mass_of_all(c.mass, indices, n_dofs)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let has_file = s.filename.as_deref().is_some_and(|name| name != "unused");
    if s.total_mass.is_none() && s.vertex_mass.is_none() && !has_file {
        return add_weight_alone(b, state, &s);
    }
    let n = b.size(state);
    let indices = indices(b, &s, n)?;
    if s.local_range != [-1, -1] && range(&s, n).is_none() {
        let [first, last] = s.local_range;
        let text = format!(
            "`localRange` {first} {last} is not taken for {n} points, as in SOFA; `indices` count, else all"
        );
        b.warn(Some("localRange"), text);
    }
    let count = if indices.is_empty() { n } else { indices.len() };
    let volume = s.vertex_mass.as_ref().and_then(|given| given.get(1)).copied().unwrap_or(1.0);
    if b.scene.initial_as::<Rigid2Type>(state).is_some() {
        let (mass, per_mass) = rigid2(b, &s, count)?;
        offer(b, &[mass, volume, per_mass], count);
        let inertia = Rigid2Inertia::new(mass, per_mass);
        return b.add_mass(state, MassParts::<UniformMassRigid2>::new(inertia, indices));
    }
    if b.scene.initial_as::<Rigid3Type>(state).is_none() {
        let mass = mass_of_point(b, &s, count)?;
        offer(b, &[mass], count);
        return for_state_type!(b, state, S in [Vec3Type, Vec1Type, Vec2Type, Vec6Type] => {
            b.add_mass(state, MassParts::<UniformMass<S>>::new(mass, indices))
        });
    }
    let gyroscopic = s.gyroscopic.get(b)?;
    let (mass, per_mass) = rigid(b, &s, count)?;
    let of_frame: Vec<Real> =
        [mass, volume].into_iter().chain(per_mass.transpose().iter().copied()).collect();
    offer(b, &of_frame, count);
    let inertia = RigidInertia::new(mass, &per_mass, gyroscopic).ok_or_else(|| {
        BuildError::attribute(
            "vertexMass",
            "the mass or the inertia of the rigid body is singular; both must be positive",
        )
    })?;
    b.keep(Some(RigidBodyMass { mass, inverse: inertia.inverse, turns: gyroscopic }));
    let mut parts = MassParts::<UniformMassRigid3>::new(inertia, indices);
    parts.has_inertia_force = gyroscopic;
    b.add_mass(state, parts)
}

/// Where nothing is given, a weight is left of the mass.
fn add_weight_alone(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let text = "there is no `totalMass` and no `vertexMass`: each point weighs 1 kg and has no inertia, as in SOFA; give one of them";
    b.warn(Some("totalMass"), text);
    let indices = indices(b, s, b.size(state))?;
    for_state_type!(b, state, S in [Vec3Type, Vec1Type, Vec2Type, Vec6Type, Rigid2Type, Rigid3Type] => {
        b.add_mass(state, MassParts::<WeightAlone<S>>::new((), indices))
    })
}

/// Offers the mass of a point or a frame and that of all, whichever was given.
fn offer(b: &mut Builder<'_>, of_one: &[Real], count: usize) {
    b.offer("vertexMass", Value::Reals(of_one.to_vec()));
    b.offer("totalMass", Value::Real(of_one[0] * count as Real));
}

/// The mass of a point in the place of a total mass, or the other way round where the total is to stay.
fn by_point(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    if b.scene.initial_as::<Rigid3Type>(state).is_some() || b.scene.initial_as::<Rigid2Type>(state).is_some()
    {
        return Err(BuildError::new("the mass of frames does not follow changes of the topology"));
    }
    if s.local_range[0] >= 0 {
        let text = "`localRange` does not follow changes of the topology; list `indices` instead";
        return Err(BuildError::attribute("localRange", text));
    }
    let n = b.size(state);
    let indices = indices(b, &s, n)?;
    let count = if indices.is_empty() { n } else { indices.len() };
    let mut attributes = b.attributes.clone();
    match (s.total_mass, s.vertex_mass.as_deref()) {
        (Some(total), _) if !s.preserve_total_mass => {
            attributes.set.remove("totalMass");
            attributes.set.insert("vertexMass", Value::Reals(vec![per_point(total, count)?]));
        }
        (None, Some([mass])) if s.preserve_total_mass => {
            attributes.set.remove("vertexMass");
            attributes.set.insert("totalMass", Value::Real(mass * count as Real));
        }
        _ => {}
    }
    Ok(attributes)
}

fn indices(b: &Builder<'_>, s: &Settings, n: usize) -> Result<Vec<u32>, BuildError> {
    match range(s, n) {
        Some(range) => Ok(range.collect()),
        None => s.indices.get(b)?.below(n),
    }
}

/// The points of `localRange`, where SOFA takes it.
fn range(s: &Settings, n: usize) -> Option<std::ops::RangeInclusive<u32>> {
    let [first, last] = s.local_range;
    (0 <= first && first <= last && 0 < last && last + 1 < n as i64).then_some(first as u32..=last as u32)
}

fn per_point(total: Real, count: usize) -> Result<Real, BuildError> {
    let total = require_positive(total, "totalMass")?;
    Ok(if count == 0 { 0.0 } else { total / count as Real })
}

fn warn_of_file(b: &mut Builder<'_>, s: &Settings) {
    if s.filename.is_some() {
        b.warn(Some("filename"), "`filename` is for Rigid3 only; it is not read");
    }
}

/// Mass, and inertia per unit of mass, of each frame in a plane.
fn rigid2(b: &mut Builder<'_>, s: &Settings, count: usize) -> Result<(Real, Real), BuildError> {
    warn_of_file(b, s);
    let given = s.vertex_mass.as_deref();
    let mass = match (s.total_mass, given) {
        (Some(total), _) => per_point(total, count)?,
        (None, Some([mass, ..])) => require_positive(*mass, "vertexMass")?,
        (None, _) => return Err(missing()),
    };
    let per_mass = match given {
        None | Some([_] | [_, _]) => 1.0,
        Some([_, _, per_mass]) => require_positive(*per_mass, "vertexMass")?,
        Some(_) => {
            let text = "`vertexMass` of a Rigid2 is a mass, or mass, volume and inertia / mass";
            return Err(BuildError::attribute("vertexMass", text));
        }
    };
    Ok((mass, per_mass))
}

fn mass_of_point(b: &mut Builder<'_>, s: &Settings, count: usize) -> Result<Real, BuildError> {
    warn_of_file(b, s);
    let mass = match (s.total_mass, s.vertex_mass.as_deref()) {
        (Some(total), given) => {
            if given.is_some() {
                let text = "`totalMass` and `vertexMass` are both given; `totalMass` is used";
                b.warn(Some("vertexMass"), text);
            }
            require_not_negative(total, "totalMass")? / count.max(1) as Real
        }
        (None, Some([mass])) => require_not_negative(*mass, "vertexMass")?,
        (None, Some(_)) => {
            let text = "`vertexMass` of points is one number: the mass of each";
            return Err(BuildError::attribute("vertexMass", text));
        }
        (None, None) => return Err(missing()),
    };
    if mass == 0.0 {
        b.warn(
            None,
            "the points have a mass of 0: only implicit solvers with forces on all of them move them",
        );
    }
    Ok(mass)
}

fn missing() -> BuildError {
    BuildError::attribute("totalMass", "a UniformMass needs `totalMass` or `vertexMass`; give one of them")
}

/// Mass, and inertia per unit of mass, of each frame.
fn rigid(b: &mut Builder<'_>, s: &Settings, count: usize) -> Result<(Real, Mat3), BuildError> {
    let (mut mass, mut per_mass) = (None, Mat3::identity());
    if let Some(given) = &s.vertex_mass {
        if given.len() > 11 {
            let text =
                format!("the last {} of {} numbers are left out, as in SOFA", given.len() - 11, given.len());
            b.warn(Some("vertexMass"), text);
        }
        if !matches!(given.len(), 1 | 2 | 11..) {
            return Err(BuildError::attribute(
                "vertexMass",
                "`vertexMass` of a Rigid3 is a mass, or mass, volume and the 9 entries of inertia / mass",
            ));
        }
        mass = Some(require_positive(given[0], "vertexMass")?);
        if given.len() >= 11 {
            per_mass = Mat3::from_row_slice(&given[2..11]);
        }
    }
    let mut total = s.total_mass;
    if s.filename.as_deref().is_some_and(|name| name != "unused") {
        let path = b.file("filename")?;
        let file = RigidFile::read(&path).map_err(|m| BuildError::attribute("filename", m))?;
        for warning in file.warnings {
            b.warn(Some("filename"), warning);
        }
        if let Some(m) = file.mass {
            // As in SOFA: the file's mass takes the place of a total mass, unless the scene gives a vertex mass too.
            if total.is_some() && mass.is_none() {
                b.warn(Some("totalMass"), format!("the mass {m} of the file is used, not `totalMass`"));
                total = None;
            }
            mass = Some(require_positive(m, "filename")?);
        }
        per_mass = file.inertia.unwrap_or(per_mass);
    }
    if let Some(total) = total {
        mass = Some(per_point(total, count)?);
    }
    mass.map(|m| (m, per_mass)).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::RigidDeriv;
    use sim_core::math::{Vec1, Vec6};
    use sim_core::testing::{Random, mass};

    fn parts<M: Mass>(constants: M::Constants, elements: Vec<M::Element>, inertia: bool) -> MassParts<M> {
        let (separate_gravity, rayleigh_mass) = (false, 0.0);
        MassParts { constants, elements, separate_gravity, rayleigh_mass, has_inertia_force: inertia }
    }

    fn inertia(gyroscopic: bool) -> RigidInertia {
        let j = Mat3::new(1.0, 0.1, 0.0, 0.1, 2.0, 0.3, 0.0, 0.3, 1.5);
        RigidInertia::new(4.0, &j, gyroscopic).unwrap()
    }

    #[test]
    fn conforms() {
        let mut random = Random::new(1);
        let points = random.moved(&[Vec3::zeros(); 5], 1.0);
        mass(&parts::<UniformMass<Vec3Type>>(2.5, vec![], false), &points, 1);
        mass(&parts::<UniformMass<Vec1Type>>(2.5, vec![], false), &random.moved(&[Vec1::zeros(); 3], 1.0), 4);
        mass(&parts::<UniformMass<Vec6Type>>(2.5, vec![], false), &random.moved(&[Vec6::zeros(); 3], 1.0), 5);
        let frames = random.moved(&[RigidCoord::default(); 3], 2.0);
        mass(&parts::<UniformMassRigid3>(inertia(false), vec![], false), &frames, 2);
        mass(&parts::<UniformMassRigid3>(inertia(true), vec![], true), &frames, 3);
    }

    #[test]
    fn only_the_indices_have_mass() {
        let mut f = [Vec3::zeros(); 3];
        let gravity = Vec3::new(0.0, -10.0, 0.0);
        UniformMass::<Vec3Type>::add_gravity(&2.0, AddGravity { elements: &[1], gravity, f: &mut f });
        assert_eq!(f, [Vec3::zeros(), Vec3::new(0.0, -20.0, 0.0), Vec3::zeros()]);
        assert_eq!(UniformMass::<Vec3Type>::total_mass(&2.0, &[1], 3), 2.0);
    }

    /// Torque-free precession: Euler's equations in the body's frame.
    #[test]
    fn the_gyroscopic_torque_is_eulers() {
        let c = RigidInertia::new(2.0, &Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0)), true).unwrap();
        let w = Vec3::new(0.3, -0.4, 0.5);
        let v = [RigidDeriv { linear: Vec3::zeros(), angular: w }];
        let (mut f, mut a) = ([RigidDeriv::default()], [RigidDeriv::default()]);
        let x = [RigidCoord::default()];
        UniformMassRigid3::add_inertia_force(&c, AddInertiaForce { elements: &[], f: &mut f, x: &x, v: &v });
        UniformMassRigid3::acc_from_f(&c, AccFromF { elements: &[], a: &mut a, f: &f, x: &x });
        let (i1, i2, i3) = (2.0, 4.0, 6.0);
        let expected =
            Vec3::new((i2 - i3) / i1 * w.y * w.z, (i3 - i1) / i2 * w.z * w.x, (i1 - i2) / i3 * w.x * w.y);
        assert!((a[0].angular - expected).norm() < 1e-15);
    }

    fn build_with(
        template: &str,
        attributes: &[(&'static str, &str)],
    ) -> (Result<(), BuildError>, TestScene) {
        let mut t = TestScene::new();
        let root = t.root();
        let position = [("template", template), ("size", "4")];
        t.add(&mechanical_object::DESCRIPTION, root, &position).unwrap();
        let built = t.add(&DESCRIPTION, root, attributes).map(|_| ());
        (built, t)
    }

    #[test]
    fn attributes_and_what_is_wrong_with_them() {
        let (built, t) = build_with("Vec3", &[("totalMass", "8"), ("vertexMass", "1")]);
        assert!(built.is_ok());
        assert!(t.warnings[0].contains("`totalMass` is used"));
        assert_eq!(t.scene.parts.masses.len(), 1);
        let attribute = |template: &str, a: &[(&'static str, &str)]| {
            build_with(template, a).0.unwrap_err().attribute.unwrap_or_default()
        };
        for template in ["Vec3", "Rigid2", "Rigid3"] {
            let (built, t) = build_with(template, &[]);
            assert!(built.is_ok() && t.scene.parts.masses.len() == 1, "{template}");
            assert!(t.warnings[0].contains("weighs 1 kg and has no inertia"), "{:?}", t.warnings);
        }
        assert_eq!(attribute("Vec3", &[("vertexMass", "-1")]), "vertexMass");
        assert_eq!(attribute("Rigid3", &[("totalMass", "0")]), "totalMass");
        let (built, t) = build_with("Vec3", &[("totalMass", "0")]);
        assert!(built.is_ok() && t.warnings[0].contains("mass of 0"), "{:?}", t.warnings);
        assert_eq!(attribute("Vec3", &[("vertexMass", "1"), ("indices", "4")]), "indices");
        for (range, taken) in [("1 2", true), ("0 1", true), ("0 0", false), ("1 3", false), ("2 4", false)] {
            let (built, t) = build_with("Vec3", &[("vertexMass", "1"), ("localRange", range)]);
            assert!(built.is_ok() && t.warnings.is_empty() == taken, "{range}: {:?}", t.warnings);
        }
        assert_eq!(attribute("Rigid3", &[("vertexMass", "1 1 0 0 0 0 0 0 0 0 0")]), "vertexMass");
        assert_eq!(attribute("Rigid3", &[("vertexMass", "1 1 1")]), "vertexMass");
        assert!(build_with("Rigid3", &[("vertexMass", "1 1 0.01 0 0 0 0.1 0 0 0 0.1")]).0.is_ok());
        let (built, t) = build_with("Rigid3", &[("vertexMass", "1 1 0.01 0 0 0 0.1 0 0 0 0.1 7")]);
        assert!(built.is_ok() && t.warnings[0].contains("the last 1 of 12"), "{:?}", t.warnings);
        assert_eq!(attribute("Rigid2", &[("vertexMass", "1 1 0")]), "vertexMass");
        assert_eq!(attribute("Rigid2", &[("vertexMass", "1 1 1 1")]), "vertexMass");
        for template in ["Vec1", "Vec2", "Vec6", "Rigid2"] {
            assert!(build_with(template, &[("totalMass", "8")]).0.is_ok(), "{template}");
        }
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&DESCRIPTION, root, &[("totalMass", "1")]).is_err(), "no state");
    }

    #[test]
    fn a_rigid_file_gives_mass_and_inertia() {
        let shared =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/sofa-regression/share");
        let path = shared.join("BehaviorModels/torus.rigid");
        if !path.exists() {
            println!("skipped: {} is not there", path.display());
            return;
        }
        let mut t = TestScene::new();
        let root = t.root();
        t.file("torus.rigid", path);
        t.add(&mechanical_object::DESCRIPTION, root, &[("template", "Rigid3")]).unwrap();
        t.add(&DESCRIPTION, root, &[("filename", "torus.rigid"), ("totalMass", "7")]).unwrap();
        assert!(t.warnings[0].contains("the mass 5 of the file is used"), "{:?}", t.warnings);
    }
}
