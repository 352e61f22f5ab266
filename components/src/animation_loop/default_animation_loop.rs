//! SOFA's `DefaultAnimationLoop`.

use sim_core::component::animation_loop::DefaultAnimationLoop;
use sim_core::prelude::*;

/// Collision detection, then every solver, then mappings; a scene without any loop has this one.
#[derive(Attributes)]
#[attributes(ignored("parallelODESolving", "computeBoundingBox"))]
struct Settings {}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::AnimationLoop, "DefaultAnimationLoop", |b| {
        Settings::read(b)?;
        super::set(b, DefaultAnimationLoop);
        Ok(())
    });
