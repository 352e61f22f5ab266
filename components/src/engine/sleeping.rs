//! `Sleeping`: objects that have come to rest are left alone.

use sim_core::component::sleeping::Sleeping;
use sim_core::prelude::*;

/// Lets objects that have come to rest sleep: they are not moved, and not looked at for contacts, until something stirs them. What time moves, or a StaticSolver, stays awake.
#[derive(Attributes)]
struct Settings {
    /// the root mean square of the speeds of the points of an object at rest, and over `delay`; the turning of a frame counts as a point's motion at a distance of 1 m [m/s]
    #[attribute(default = "0.01", non_negative)]
    speed: f64,
    /// how long all objects that touch each other must have been at rest [s]
    #[attribute(default = "0.5", non_negative)]
    delay: f64,
    /// the rate at which objects almost at rest lose their speed, beside all other damping; it ends slow swinging, and does not brake what falls [1/s]
    #[attribute(default = "0", non_negative)]
    damping: f64,
    /// the deceleration of objects almost at rest, beside all other damping; it holds what would else begin to move more slowly than that, and does not brake what falls [m/s^2]
    #[attribute(default = "0", non_negative)]
    braking: f64,
    /// the speed, measured as `speed` is, from which on `damping` and `braking` act: at this speed not at all, the more the slower an object is [m/s]
    #[attribute(default = "0.1", non_negative)]
    damping_speed: f64,
}

/// The component in the registry; of our own.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "Sleeping", |b| {
        let Settings { speed, delay, damping, braking, damping_speed } = Settings::read(b)?;
        if b.node != b.scene.root() {
            return Err(BuildError::new("Sleeping is of the whole scene; put it into the root node"));
        }
        if b.scene.sleeping().is_some() {
            return Err(BuildError::new(
                "a scene can have one Sleeping or SleepController; remove the others",
            ));
        }
        b.keep(Some(Sleeping { speed, delay, damping, braking, damping_speed, of_each: None }));
        Ok(())
    });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn a_scene_has_one() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&DESCRIPTION, root, &[("speed", "0.02")]).unwrap();
        let id = t.scene.all_components().next().unwrap();
        let found = t.scene.component(id).extension::<Sleeping>();
        let expected = Sleeping {
            speed: 0.02,
            delay: 0.5,
            damping: 0.0,
            braking: 0.0,
            damping_speed: 0.1,
            of_each: None,
        };
        assert_eq!(found, Some(&expected));
        assert!(t.add(&DESCRIPTION, root, &[]).unwrap_err().message.contains("one Sleeping"));
    }
}
