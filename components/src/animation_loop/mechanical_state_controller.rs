//! `MechanicalStateController`: constraints project states where a step begins, too.

use sim_core::prelude::*;

/// Has constraints project states where a step begins, too; SOFA's also lets a mouse move a frame.
#[derive(Attributes)]
#[attributes(ignored(
    "index",
    "onlyTranslation",
    "buttonDeviceState",
    "mainDirection",
    "handleEventTriggersUpdate"
))]
struct Settings {
    /// whether it hears that a step begins; else it does nothing
    listening: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::AnimationLoop, "MechanicalStateController", build)
        .samples(&[Sample::new("listening='1'")]);

/// Kept by a controller that listens: constraints of its node and of those below project positions and velocities at the
/// beginning of each step, and mappings follow.
///
/// **Source:** as SOFA's, which does so whether a mouse has moved anything or not, before anything collides. The time is that of the step's
/// beginning: beside a constraint that moves, forces see states of now instead of those of the step before. A constraint that goes on with
/// each projection, LinearVelocityProjectiveConstraint, goes on twice in a step there and once here.
#[derive(Clone, Copy, Debug)]
pub struct MechanicalStateController;

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    b.keep(Settings::read(b)?.listening.then_some(MechanicalStateController));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn only_one_that_listens_does_anything() {
        let mut t = TestScene::new();
        let root = t.root();
        for (attributes, listens) in [(&[("listening", "true")][..], true), (&[][..], false)] {
            let c = t.add(&DESCRIPTION, root, attributes).unwrap();
            assert_eq!(t.scene.component(c).extension::<MechanicalStateController>().is_some(), listens);
        }
    }
}
