//! `PlaneForceField`: a plane that pushes back what gets behind it.

use engine::data::InnerProduct;
use sim_core::component::MechanicalParams;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
use sim_core::component::force_field::{ForceField, ForceFieldParts};
use sim_core::component::matrix::BlockSink;
use sim_core::math::{Coord, Deriv, Mat3, Real, Rigid3Type, StateType, Vec3, Vec3Type};
use sim_core::scene::StateId;
use sim_core::visitor::vectors::VectorsAccess;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::attributes::{FORCE_FIELD, attribute};

const ATTRIBUTES: &[AttributeDescription] = &[
    attribute("normal", AttributeKind::Reals(3), "normal; used as it is, not scaled to length 1")
        .default("0 1 0"),
    attribute("d", AttributeKind::Real, "distance of the plane from the origin along the normal")
        .default("0")
        .unit("m"),
    attribute("stiffness", AttributeKind::Real, "force per depth").default("500").unit("N/m"),
    attribute("damping", AttributeKind::Real, "force per depth and velocity").default("5").unit("N s/m^2"),
    attribute("maxForce", AttributeKind::Real, "largest force on a point; 0: no limit")
        .default("0")
        .unit("N"),
    attribute("bilateral", AttributeKind::Bool, "whether points in front are pulled too").default("0"),
    attribute("localRange", AttributeKind::Integers(2), "first and last point that are concerned")
        .default("-1 -1"),
    attribute("showPlane", AttributeKind::Bool, "whether it is drawn with the force fields").default("1"),
    attribute("showPlaneSize", AttributeKind::Real, "half the length of the square that is drawn")
        .default("10")
        .unit("m"),
    attribute("planeColor", AttributeKind::Text, "its color: a name, or red green blue alpha from 0 to 1")
        .default("0 0.5 0.2 1"),
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "PlaneForceField",
    old_names: &[],
    family: Family::ForceField,
    summary: "A plane that pushes back what gets behind it",
    templates: &["Vec3", "Rigid3"],
    attributes: &[ATTRIBUTES, FORCE_FIELD],
    samples: &[
        Sample::new("normal='0.6 0.8 0' d='0.5' stiffness='300' damping='5'"),
        Sample::new("normal='0 1 0' d='-0.02' stiffness='300' damping='5'"),
    ],
    build,
};

/// The plane n . x = d and how it pushes.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    normal: Vec3,
    d: Real,
    stiffness: Real,
    damping: Real,
    max_force: Real,
    bilateral: bool,
    /// The first point concerned, and how many there are.
    range: [usize; 2],
}

const ZERO: Mat3 = Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);

/// What is drawn of a plane: a square around its point that is nearest to the origin; kept with the component.
///
/// **Source:** as SOFA's PlaneForceField, which draws it only with `showPlane="1"`, and here only without `showPlane="0"`.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneShape {
    /// Normal, as the scene gives it.
    pub normal: Vec3,
    /// Distance from the origin along the normal [m].
    pub d: Real,
    /// Half the length of the square [m].
    pub size: Real,
    /// The text of the attribute `planeColor`.
    pub color: String,
}

/// Forces of a plane on the centres of a state.
///
/// **Source:** as SOFA's PlaneForceField: with depth e = n . x - d < 0, f = -k e n + c e v; the damping grows with the
/// depth, and the tangent -k n nᵀ knows neither it nor the limit.
pub struct PlaneForceField<S>(PhantomData<S>);

impl Plane {
    fn force(&self, x: &Vec3, v: &Vec3) -> Option<Vec3> {
        let depth = x.inner(&self.normal) - self.d;
        if !self.bilateral && depth >= 0.0 {
            return None;
        }
        let mut force = self.normal * (-self.stiffness * depth);
        force += v * (self.damping * depth);
        if self.max_force > 0.0 {
            let amplitude = force.norm();
            if amplitude > self.max_force {
                force *= self.max_force / amplitude;
            }
        }
        Some(force)
    }
}

impl<S: StateType> ForceField for PlaneForceField<S> {
    type State = S;
    type Constants = Plane;
    type Element = ();
    /// Whether each point of the range touched the plane.
    type Stored = bool;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(
        c: &Plane,
        _: &MechanicalParams,
        _: &[()],
        touched: &mut [bool],
        f: &mut [S::Deriv],
        x: &[S::Coord],
        v: &[S::Deriv],
    ) {
        for (k, touched) in touched.iter_mut().enumerate() {
            let i = c.range[0] + k;
            let force = c.force(&x[i].center(), &v[i].linear());
            *touched = force.is_some();
            if let Some(force) = force {
                f[i].add_linear(&force);
            }
        }
    }

    fn add_d_force(
        c: &Plane,
        k_factor: Real,
        _: Real,
        _: &[()],
        touched: &[bool],
        df: &mut [S::Deriv],
        dx: &[S::Deriv],
    ) {
        let fact = -c.stiffness * k_factor;
        for (k, _) in touched.iter().enumerate().filter(|(_, touched)| **touched) {
            let i = c.range[0] + k;
            df[i].add_linear(&(c.normal * (fact * dx[i].linear().inner(&c.normal))));
        }
    }

    fn add_k_to_matrix(
        c: &Plane,
        k_factor: Real,
        _: Real,
        _: &[()],
        touched: &[bool],
        matrix: &mut dyn BlockSink,
    ) {
        let block = c.normal * c.normal.transpose() * (-c.stiffness * k_factor);
        let blocks_per_dof = (S::Deriv::SIZE / 3) as u32;
        // Points that do not touch write zeros: the matrix keeps the places that it found at first.
        for (k, touched) in touched.iter().enumerate() {
            let i = (c.range[0] + k) as u32 * blocks_per_dof;
            matrix.add_block(i, i, if *touched { &block } else { &ZERO });
        }
    }

    fn potential_energy(c: &Plane, _: &[()], x: &[S::Coord]) -> Option<Real> {
        let of = |x: &S::Coord| {
            let depth = x.center().inner(&c.normal) - c.d;
            if c.bilateral || depth < 0.0 { 0.5 * c.stiffness * depth * depth } else { 0.0 }
        };
        Some(x[c.range[0]..][..c.range[1]].iter().map(of).sum())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    if b.scene.initial(state).template() == Vec3Type::NAME {
        build_as::<Vec3Type>(b, state)
    } else {
        build_as::<Rigid3Type>(b, state)
    }
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId) -> Result<(), BuildError> {
    let n = b.scene.initial(state).len();
    let normal = b.vec3("normal")?;
    if normal.norm() <= 0.0 {
        return Err(BuildError::attribute("normal", "`normal` is 0; a plane needs a direction"));
    }
    if (normal.norm() - 1.0).abs() > 1e-6 {
        b.warn(Some("normal"), "`normal` is not of length 1; it is used as it is, as in SOFA");
    }
    let [first, last] = b.integers("localRange")?[..] else {
        return Err(BuildError::attribute("localRange", "`localRange` must be two indices"));
    };
    let mut range = [0, n];
    if first >= 0 && last >= 0 {
        let within = usize::try_from(last).ok().filter(|last| first <= *last as i64 && *last < n);
        let last = within.ok_or_else(|| {
            let text = format!("`localRange` is {first} {last}, but there are {n} points");
            BuildError::attribute("localRange", text)
        })?;
        range = [first as usize, last + 1 - first as usize];
    }
    let constants = Plane {
        normal,
        d: b.real("d")?,
        stiffness: b.real("stiffness")?,
        damping: b.real("damping")?,
        max_force: b.real("maxForce")?,
        bilateral: b.boolean("bilateral")?,
        range,
    };
    let (size, color) = (b.real("showPlaneSize")?, b.text("planeColor")?.to_owned());
    let shape = b.boolean("showPlane")?.then_some(PlaneShape { normal, d: constants.d, size, color });
    let rayleigh_stiffness = b.real("rayleighStiffness")?;
    // When it is built again, the shape of before goes.
    b.scene.component_mut(b.component).extension = shape.map(|s| Arc::new(s) as _);
    b.scene.add_force_field(
        b.component,
        state,
        ForceFieldParts::<PlaneForceField<S>> {
            constants,
            elements: Vec::new(),
            stored: vec![false; range[1]],
            rayleigh_stiffness,
        },
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::{RigidCoord, RigidDeriv};
    use sim_core::testing::{ForceFieldCheck, Random};

    fn plane(n: usize) -> Plane {
        Plane {
            normal: Vec3::new(0.6, 0.8, 0.0),
            d: 0.1,
            stiffness: 300.0,
            damping: 0.0,
            max_force: 0.0,
            bilateral: false,
            range: [0, n],
        }
    }

    fn parts<S: StateType>(constants: Plane) -> ForceFieldParts<PlaneForceField<S>> {
        let stored = vec![false; constants.range[1]];
        ForceFieldParts { constants, elements: vec![], stored, rayleigh_stiffness: 0.0 }
    }

    #[test]
    fn conforms_without_damping() {
        let mut random = Random::new(2);
        let x = random.moved(&[Vec3::zeros(); 9], 1.0);
        let parts3 = parts::<Vec3Type>(plane(9));
        let check = ForceFieldCheck::new(&parts3, x, random.derivs(9)).seed(2).assembled();
        check.symmetric().conservative().run();
        let x = random.moved(&[RigidCoord::default(); 4], 1.0);
        ForceFieldCheck::new(&parts::<Rigid3Type>(plane(4)), x, random.derivs(4)).seed(3).assembled().run();
    }

    #[test]
    fn damping_grows_with_depth_and_the_force_is_limited() {
        let mut c = Plane { normal: Vec3::y(), d: 0.0, damping: 5.0, ..plane(1) };
        let v = Vec3::new(1.0, 0.0, 0.0);
        let f = c.force(&Vec3::new(0.0, -0.2, 0.0), &v).unwrap();
        assert!((f - Vec3::new(-1.0, 60.0, 0.0)).norm() < 1e-12);
        c.max_force = 6.0;
        assert!((c.force(&Vec3::new(0.0, -0.2, 0.0), &v).unwrap().norm() - 6.0).abs() < 1e-12);
        assert!(c.force(&Vec3::new(0.0, 0.2, 0.0), &v).is_none());
        c.bilateral = true;
        assert!(c.force(&Vec3::new(0.0, 0.2, 0.0), &v).is_some());
        let mut f = [RigidDeriv::default()];
        let x = [RigidCoord { center: Vec3::new(0.0, -1.0, 0.0), ..Default::default() }];
        let p = MechanicalParams { dt: 0.01, time: 0.0 };
        PlaneForceField::<Rigid3Type>::add_force(
            &c,
            &p,
            &[],
            &mut [false],
            &mut f,
            &x,
            &[RigidDeriv::default()],
        );
        assert_eq!(f[0].angular, Vec3::zeros());
    }

    #[test]
    fn a_plane_needs_a_normal_and_a_range_within_the_points() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "3")]).unwrap();
        t.add(&DESCRIPTION, root, &[("localRange", "1 2"), ("normal", "0 2 0")]).unwrap();
        assert_eq!(t.warnings.len(), 1);
        let e = t.add(&DESCRIPTION, root, &[("normal", "0 0 0")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("normal"));
        let e = t.add(&DESCRIPTION, root, &[("localRange", "2 3")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("localRange"));
    }
}
