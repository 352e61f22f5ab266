//! `Gravity`: gravity as a component.

use sim_core::prelude::*;

/// Gravity as a component, in place of the root's attribute.
#[derive(Attributes)]
struct Settings {
    /// acceleration of what has mass [m/s^2]
    #[attribute(default = "0 0 0")]
    gravity: Vec3,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "Gravity", build);

/// Sets the gravity of the scene.
///
/// **Source:** as SOFA's, which overwrites the gravity of its node and of all below, at every step: in the root, that of the whole
/// scene, whatever the root's attribute says. A node with a gravity of its own does not exist here. So one below the root is taken
/// only where it says what the scene's gravity is, and one scene has at most one.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { gravity } = Settings::read(b)?;
    let of_class = |c: &ComponentId| b.scene.component(*c).class == DESCRIPTION.class;
    if b.scene.all_components().filter(of_class).count() > 1 {
        return Err(BuildError::new("a scene can have one Gravity; remove the others"));
    }
    if b.node == b.scene.root() {
        b.scene.gravity = gravity;
    } else if b.scene.gravity != gravity {
        let [x, y, z]: [f64; 3] = b.scene.gravity.into();
        let text = format!(
            "`gravity` of a part of the scene cannot differ from that of the whole, which is {x} {y} {z}; put this component into the root node"
        );
        return Err(BuildError::attribute("gravity", text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn in_the_root_it_is_the_gravity_of_the_scene() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&DESCRIPTION, root, &[("gravity", "1 -2 3")]).unwrap();
        assert_eq!(t.scene.gravity, Vec3::new(1.0, -2.0, 3.0));
        assert!(t.add(&DESCRIPTION, root, &[]).unwrap_err().message.contains("one Gravity"));
    }

    #[test]
    fn below_the_root_it_may_only_repeat_what_holds() {
        let mut t = TestScene::new();
        let child = t.child(t.root(), "child");
        t.add(&DESCRIPTION, child, &[("gravity", "0 -9.81 0")]).unwrap();
        let mut t = TestScene::new();
        let child = t.child(t.root(), "child");
        let e = t.add(&DESCRIPTION, child, &[]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("gravity"));
    }
}
