//! `Gravity`: gravity as a component.

use sim_core::prelude::*;
use sim_core::scene::NodeGravity;

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

/// Sets the gravity of its node and of all below; in the root, that of the scene.
///
/// **Source:** as SOFA's, which overwrites the gravity of its node and of all below from the first step on: in the root, that of the
/// whole scene, whatever the root's attribute says; below it, what is given deepest holds, and of several in one node the last. A mass
/// has the weight of the node in which it stands.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { gravity } = Settings::read(b)?;
    b.keep(Some(NodeGravity(gravity)));
    if b.node == b.scene.root() {
        b.scene.gravity = gravity;
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
        assert_eq!(t.scene.own_gravity(root), None);
    }

    #[test]
    fn below_the_root_it_holds_for_its_node_and_those_below() {
        let mut t = TestScene::new();
        let [a, other] = ["a", "other"].map(|name| t.child(t.root(), name));
        let below = t.child(a, "below");
        let deepest = t.child(below, "deepest");
        t.add(&DESCRIPTION, a, &[("gravity", "1 1 1")]).unwrap();
        t.add(&DESCRIPTION, a, &[("gravity", "0 -5 0")]).unwrap();
        t.add(&DESCRIPTION, deepest, &[("gravity", "0 0 7")]).unwrap();
        assert_eq!(t.scene.gravity, Vec3::new(0.0, -9.81, 0.0));
        let own = [a, below, deepest, other].map(|node| t.scene.own_gravity(node).map(<[f64; 3]>::from));
        assert_eq!(own, [Some([0.0, -5.0, 0.0]), Some([0.0, -5.0, 0.0]), Some([0.0, 0.0, 7.0]), None]);
    }
}
