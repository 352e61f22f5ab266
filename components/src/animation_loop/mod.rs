//! Animation loops: which stages a step consists of, and what is done before the first.

mod default_animation_loop;
mod free_motion_animation_loop;
mod mechanical_state_controller;
mod multi_step_animation_loop;

pub use free_motion_animation_loop::FreeMotionAnimationLoop;
pub use mechanical_state_controller::MechanicalStateController;
pub use multi_step_animation_loop::MultiStepAnimationLoop;

use sim_core::component::animation_loop::AnimationLoop;
use sim_core::component::description::ComponentDescription;
use sim_core::prelude::*;

/// The descriptions of all animation loops and of what acts where a step begins.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        default_animation_loop::DESCRIPTION,
        free_motion_animation_loop::DESCRIPTION,
        mechanical_state_controller::DESCRIPTION,
        multi_step_animation_loop::DESCRIPTION,
    ]
}

/// Takes a loop over into the scene, if it stands at the root.
fn set(b: &mut Builder<'_>, animation_loop: impl AnimationLoop) {
    if b.node == b.scene.root() {
        b.scene.animation_loop = Box::new(animation_loop);
    } else {
        b.warn(None, "an animation loop below the root node has no effect, as in SOFA");
    }
}
