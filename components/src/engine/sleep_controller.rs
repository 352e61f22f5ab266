//! `SleepController`: objects that have come to rest are left alone, as SOFA's.

use sim_core::component::sleeping::{OfEachPoint, Sleeping};
use sim_core::prelude::*;

/// Lets the objects of nodes with `canChangeSleepingState` sleep while they rest, until something that moves touches them.
#[derive(Attributes)]
struct Settings {
    /// how long an object moves after it woke before it may sleep again [s]
    #[attribute(default = "0.1", non_negative)]
    min_time_since_wake_up: f64,
    /// every point of an object at rest is slower than this [m/s]
    #[attribute(name = "immobileThreshold", default = "0.001", non_negative)]
    speed: f64,
    /// every frame of it turns slower than this; 0: turning does not count [rad/s]
    #[attribute(name = "rotationThreshold", default = "0", non_negative)]
    rotation: f64,
}

/// The component in the registry.
///
/// **Source:** as SOFA's `SleepController`, of its plugin for user interaction: at the beginning of a step every state that rests falls
/// asleep, and after the detection those wake that touch something awake that moves. States that a solver moves together, or that a
/// force field or mapping joins, sleep and wake together here, node by node there.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "SleepController", |b| {
        let Settings { min_time_since_wake_up, speed, rotation } = Settings::read(b)?;
        if b.scene.sleeping().is_some() {
            return Err(BuildError::new(
                "a scene can have one Sleeping or SleepController; remove the others",
            ));
        }
        if !b.scene.depth_first().iter().any(|n| b.scene.node(*n).can_sleep) {
            b.warn(None, "no node has `canChangeSleepingState`, so that nothing sleeps");
        }
        let of_each = Some(OfEachPoint { rotation });
        let delay = min_time_since_wake_up;
        b.keep(Some(Sleeping { speed, delay, damping: 0.0, braking: 0.0, damping_speed: 0.0, of_each }));
        Ok(())
    });

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::RigidDeriv;

    use crate::engine::sleeping;
    use crate::test_support::TestScene;

    #[test]
    fn it_stands_anywhere_and_alone() {
        let mut t = TestScene::new();
        let root = t.root();
        let below = t.scene.add_node(root, "below", Default::default());
        t.add(&DESCRIPTION, below, &[("immobileThreshold", "0.02")]).unwrap();
        let found = t.scene.sleeping().expect("it is found");
        assert_eq!(
            (found.speed, found.delay, found.of_each),
            (0.02, 0.1, Some(OfEachPoint { rotation: 0.0 }))
        );
        assert!(t.add(&sleeping::DESCRIPTION, root, &[]).is_err());
    }

    #[test]
    fn every_point_counts_and_turning_where_it_is_asked_for() {
        let rests = |rotation: f64, linear: f64, angular: f64| {
            let v = [RigidDeriv { linear: Vec3::x() * linear, angular: Vec3::y() * angular }];
            OfEachPoint { rotation }.rests::<Rigid3Type>(0.01, &v)
        };
        assert!(rests(0.0, 0.009, 5.0) && !rests(0.1, 0.009, 5.0) && rests(0.1, 0.009, 0.09));
        let points = [Vec3::zeros(), Vec3::new(0.0, 0.01, 0.0)];
        assert!(!OfEachPoint { rotation: 0.0 }.rests::<Vec3Type>(0.01, &points));
    }
}
