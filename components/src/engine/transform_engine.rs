//! `TransformEngine`: positions scaled, turned and moved.

use sim_core::component::mechanical_state::{for_template, template_name};
use sim_core::component::value::Value;
use sim_core::math::quat_from_euler_degrees;
use sim_core::prelude::*;

/// Positions scaled, turned and moved, as a list that others link to.
#[derive(Attributes)]
#[attributes(ignored("output_position"))]
struct Settings {
    /// positions, rows of the template's coordinates [m]
    #[attribute(name = "input_position")]
    input_position: CoordRows,
    /// how far they move, last of all [m]
    #[attribute(default = "0 0 0")]
    translation: Vec3,
    /// angles about x, y and z, in this order, after the scale [degrees]
    #[attribute(default = "0 0 0")]
    rotation: Vec3,
    /// further rotation, as a quaternion x y z w
    #[attribute(default = "0 0 0 1")]
    quaternion: [f64; 4],
    /// factors along the axes, first of all; of centres only
    #[attribute(default = "1 1 1")]
    scale: Vec3,
    /// whether all is undone instead: the inverses in reverse order
    inverse: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "TransformEngine", build)
        .templates(&["Vec3", "Vec1", "Vec2", "Rigid2", "Rigid3"]);

/// One of the transforms of an engine: it scales, turns, then moves.
#[derive(Clone, Copy)]
struct Transform {
    scale: Vec3,
    rotation: Quat,
    translation: Vec3,
}

impl Transform {
    const NEUTRAL: Self = Self {
        scale: Vec3::new(1.0, 1.0, 1.0),
        rotation: NO_ROTATION,
        translation: Vec3::new(0.0, 0.0, 0.0),
    };
}

const NO_ROTATION: Quat = Quat::new(1.0, 0.0, 0.0, 0.0);

/// What is done to each position, one after the other.
///
/// **Source:** as SOFA's: scale, `rotation`, `quaternion`, `translation`, each only where it is not neutral. A frame's
/// centre is transformed, and its orientation turned in space.
fn transforms(s: &Settings) -> Result<Vec<Transform>, BuildError> {
    let mut transforms = Vec::new();
    if s.scale != Transform::NEUTRAL.scale {
        if s.inverse && s.scale.iter().any(|c| *c == 0.0) {
            return Err(BuildError::attribute("scale", "`scale` has a 0, which `inverse` cannot undo"));
        }
        let scale = if s.inverse { s.scale.map(|c| 1.0 / c) } else { s.scale };
        transforms.push(Transform { scale, ..Transform::NEUTRAL });
    }
    let [x, y, z, w] = s.quaternion;
    let given = Quat::new(w, x, y, z);
    if given.norm() == 0.0 {
        return Err(BuildError::attribute("quaternion", "`quaternion` is 0; 0 0 0 1 is no rotation"));
    }
    for rotation in [quat_from_euler_degrees(s.rotation), given.normalize()] {
        if rotation != NO_ROTATION {
            let rotation = if s.inverse { rotation.conjugate() } else { rotation };
            transforms.push(Transform { rotation, ..Transform::NEUTRAL });
        }
    }
    if s.translation != Vec3::zeros() {
        let translation = if s.inverse { -s.translation } else { s.translation };
        transforms.push(Transform { translation, ..Transform::NEUTRAL });
    }
    if s.inverse {
        transforms.reverse();
    }
    Ok(transforms)
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let transforms = transforms(&s)?;
    let template = b.attributes.template.as_deref().map_or(Vec3Type::NAME, template_name);
    let Some(output) = for_template!(template, S => transformed::<S>(&s.input_position, &transforms)) else {
        return Err(BuildError::attribute("template", format!("there are no coordinates of `{template}`")));
    };
    b.offer("output_position", Value::Reals(output?));
    Ok(())
}

fn transformed<S: StateType>(input: &CoordRows, transforms: &[Transform]) -> Result<Vec<f64>, BuildError> {
    let mut output = Vec::with_capacity(input.reals.len());
    for x in input.of::<S>()? {
        let x = transforms.iter().fold(x, |x, t| x.transformed(&t.scale, &t.rotation, &t.translation));
        x.scalars(&mut output);
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn output(attributes: &[(&'static str, &str)]) -> Vec<f64> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, attributes).unwrap();
        t.scene.component(c).fields["output_position"].reals().unwrap()
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn scales_then_turns_then_moves_and_back() {
        let there =
            [("translation", "5 6 7"), ("rotation", "0 0 90"), ("quaternion", "1 0 0 0"), ("scale", "2 3 4")];
        let there = [&[("input_position", "1 1 1")][..], &there].concat();
        // (2, 3, 4), turned to (-3, 2, 4), half a turn about x: (-3, -2, -4), moved.
        let moved = output(&there);
        assert!(near(&moved, &[2.0, 4.0, 3.0]), "{moved:?}");
        let back = [&there[1..], &[("input_position", "2 4 3"), ("inverse", "1")][..]].concat();
        assert!(near(&output(&back), &[1.0, 1.0, 1.0]), "{:?}", output(&back));
    }

    #[test]
    fn frames_turn_in_space() {
        let attributes =
            [("input_position", "1 0 0 0 0 0 1"), ("rotation", "0 0 180"), ("template", "Rigid3")];
        let turned = output(&attributes);
        assert!(near(&turned, &[-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]), "{turned:?}");
    }

    #[test]
    fn what_cannot_be_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        for (wrong, attribute) in [
            (&[("input_position", "1 2")][..], "input_position"),
            (&[("quaternion", "0 0 0 0")], "quaternion"),
            (&[("scale", "1 0 1"), ("inverse", "1")], "scale"),
        ] {
            let e = t.add(&DESCRIPTION, root, wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute), "{wrong:?}");
        }
    }
}
