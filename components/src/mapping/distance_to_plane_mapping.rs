//! `DistanceToPlaneMapping`: how far points are above a plane.

use sim_core::prelude::*;

use super::geometric_stiffness::GeometricStiffness;
use super::measure::{Gradient, Measure, Measured, add_measured};

/// How far the points are above a plane.
#[derive(Attributes)]
struct Settings {
    /// normal of the plane, of any length
    #[attribute(default = "0 0 0")]
    plane_normal: Vec3,
    /// a point of the plane [m]
    #[attribute(default = "0 0 0")]
    plane_point: Vec3,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "DistanceToPlaneMapping", build)
        .templates(&["Vec3,Vec1", "Rigid3,Vec1"])
        .samples(&[Sample::new("planeNormal='1 2 0' planePoint='0.1 0 0'").template("Vec3,Vec1")]);

/// The distance (x - p) . n to a plane, with a normal of length 1.
///
/// **Source:** as SOFA's, on which `applyRestPosition` has no effect: it maps rest positions before it counts as valid, when it maps nothing.
/// A normal without length, which is an error here, leaves SOFA's mapping without effect.
pub struct DistanceToPlane;

/// A plane.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    normal: Vec3,
    point: Vec3,
}

impl Measure<1> for DistanceToPlane {
    const NAME: &'static str = DESCRIPTION.class;
    const MAPS_REST_POSITIONS: bool = false;
    type Fixed = Plane;

    fn value(plane: &Plane, [x]: &[Vec3; 1]) -> (Real, [Vec3; 1]) {
        ((x - plane.point).dot(&plane.normal), [plane.normal])
    }

    fn second_derivative(_: &Plane, _: &Gradient<1>, _: usize, _: usize) -> Mat3 {
        Mat3::zeros()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, ends) = (Settings::read(b)?, b.mapping_ends()?);
    let length = s.plane_normal.norm();
    if length < Real::EPSILON {
        return Err(BuildError::attribute("planeNormal", "the normal of the plane has no length"));
    }
    let fixed = Plane { normal: s.plane_normal / length, point: s.plane_point };
    let n = b.size(ends.0) as u32;
    let elements = (0..n).map(|k| Measured { nodes: [k], fixed, rest: 0.0 }).collect();
    add_measured::<DistanceToPlane, 1>(b, ends, elements, GeometricStiffness::None)
}

#[cfg(test)]
mod tests {
    use super::super::measure::check;
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn conforms() {
        check::<DistanceToPlane, 1>(Plane { normal: Vec3::new(0.6, 0.0, 0.8), point: Vec3::y() });
    }

    #[test]
    fn the_normal_may_have_any_length_but_none() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "1 5 2 1 -1 2")]).unwrap();
        let child = t.child(root, "heights");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("template", "Vec1")]).unwrap();
        let error = t.add(&DESCRIPTION, child, &[]).unwrap_err();
        assert_eq!(error.attribute.as_deref(), Some("planeNormal"));
        let plane = [("planeNormal", "0 9 0"), ("planePoint", "7 1 7"), ("applyRestPosition", "1")];
        t.add(&DESCRIPTION, child, &plane).unwrap();
        let state = t.scene.initial_as::<Vec1Type>(t.scene.state_of_component(c).unwrap()).unwrap();
        assert_eq!(state.position.iter().map(|x| x.x).collect::<Vec<_>>(), [4.0, -2.0]);
        assert_eq!(state.rest_position.iter().map(|x| x.x).collect::<Vec<_>>(), [0.0, 0.0]);
        assert!(t.warnings[0].contains("has no effect here"), "{:?}", t.warnings);
    }
}
