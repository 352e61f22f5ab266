//! `FixedWeakConstraint`: springs that hold points and frames where they were at the beginning.

use sim_core::prelude::*;

use super::rest_shape_springs_force_field::RestShapeSpringsForceField;
use super::rest_spring::held_springs;

/// Springs that hold points and frames where they were at the beginning.
#[derive(Attributes)]
#[attributes(ignored("topology", "drawSpring", "springColor"))]
struct Settings {
    /// points that are held
    indices: Deferred<Indices>,
    /// whether all points are held, whatever `indices` says
    fix_all: bool,
    /// force per distance [N/m]
    #[attribute(default = "1")]
    stiffness: Real,
    /// torque per angle of a frame [N m/rad]
    #[attribute(default = "1")]
    angular_stiffness: Real,
}

/// The component in the registry.
///
/// f = −k (x − x₀) and, on frames, the torque −kₐ a, with the rotation vector a from the orientation at the beginning; the tangents are
/// −k and −kₐ.
///
/// **Source:** as SOFA's, the springs of [`RestShapeSpringsForceField`] with one stiffness for all, whose targets are the positions at the
/// beginning (`reset_position`, which SOFA stores after constraints have projected the initial state) and not those at rest. Without
/// `indices` and `fixAll` nothing is held.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "FixedWeakConstraint", build)
        .templates(&["Vec3", "Rigid3", "Vec1", "Vec2", "Vec6"])
        .built_last()
        .follows(Following::of_points(&["indices"]))
        .samples(&[
            Sample::new("stiffness='40' indices='1 0'"),
            Sample::new("stiffness='40' angularStiffness='7' indices='1'").template("Rigid3"),
        ]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let n = b.size(state);
    let points = if s.fix_all { (0..n as u32).collect() } else { s.indices.get(b)?.below(n)? };
    if points.is_empty() {
        b.warn(Some("indices"), "no point is named, so nothing is held");
    }
    for_state_type!(b, state, S in [Vec3Type, Rigid3Type, Vec1Type, Vec2Type, Vec6Type] => {
        let at = b.scene.initial_as::<S>(state).map_or(&[][..], |initial| &initial.position);
        let springs = held_springs::<S>(&points, at, [s.stiffness, s.angular_stiffness]);
        let parts = ForceFieldParts::<RestShapeSpringsForceField<S>>::new([true; 6], springs, vec![]);
        b.add_force_field(state, parts)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let mut random = Random::new(6);
        let targets = [Vec3::zeros(); 5];
        let x = random.moved(&targets, 1.0);
        let springs = held_springs::<Vec3Type>(&[3, 1], &targets, [40.0, 7.0]);
        let parts = ForceFieldParts::<RestShapeSpringsForceField<Vec3Type>>::new([true; 6], springs, vec![]);
        let check = ForceFieldCheck::new(&parts, x.clone(), random.derivs(5)).seed(1);
        check.assembled().symmetric().conservative().run();
    }

    #[test]
    fn points_are_named() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0 1 0 0")]).unwrap();
        t.add(&DESCRIPTION, root, &[("indices", "1"), ("stiffness", "5")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[]).unwrap();
        assert!(t.warnings[0].contains("nothing is held"));
        t.warnings.clear();
        t.add(&DESCRIPTION, root, &[("fixAll", "1"), ("indices", "7")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        let e = t.add(&DESCRIPTION, root, &[("indices", "2")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("indices"));
    }
}
