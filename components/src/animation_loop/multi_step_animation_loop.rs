//! SOFA's `MultiStepAnimationLoop`: several collision detections and integrations in one step.

use sim_core::component::animation_loop::{AnimationLoop, StepStage, SubStep};
use sim_core::prelude::*;

/// Several collision detections a step, and several integrations after each.
#[derive(Attributes)]
#[attributes(ignored("computeBoundingBox"))]
struct Settings {
    /// collision detections of a step
    #[attribute(default = "1")]
    collision_steps: i64,
    /// integrations after each of them
    #[attribute(default = "1")]
    integration_steps: i64,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::AnimationLoop, "MultiStepAnimationLoop", |b| {
        let Settings { collision_steps, integration_steps } = Settings::read(b)?;
        let collisions = count("collisionSteps", collision_steps)?;
        let integrations = count("integrationSteps", integration_steps)?;
        super::set(b, MultiStepAnimationLoop { collisions, integrations });
        Ok(())
    });

/// More sub-steps than that are a slip of the pen.
const MOST: i64 = 10_000;

fn count(name: &str, n: i64) -> Result<u32, BuildError> {
    if (1..=MOST).contains(&n) {
        return Ok(n as u32);
    }
    Err(BuildError::attribute(name, format!("`{name}` is {n}; it must be between 1 and {MOST}")))
}

/// c times: one collision detection, then i integrations by dt / (c i).
///
/// **Source:** as SOFA's MultiStepAnimationLoop, whose time after the k-th integration behind any of the detections is that
/// of the beginning plus k dt / (c i): with more than one detection the time of a step advances by dt / c only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiStepAnimationLoop {
    /// Collision detections of a step (c).
    pub collisions: u32,
    /// Integrations after each (i).
    pub integrations: u32,
}

impl AnimationLoop for MultiStepAnimationLoop {
    fn class(&self) -> &'static str {
        DESCRIPTION.class
    }

    fn stages(&self) -> Vec<StepStage> {
        let dt = 1.0 / f64::from(self.collisions * self.integrations);
        let integrate =
            (1..=self.integrations).map(|k| StepStage::Integrate(SubStep { dt, time: f64::from(k) * dt }));
        let round: Vec<StepStage> = std::iter::once(StepStage::Collide).chain(integrate).collect();
        (0..self.collisions).flat_map(|_| round.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_alternate() {
        let stages = MultiStepAnimationLoop { collisions: 2, integrations: 2 }.stages();
        let [first, second] = [0.25, 0.5].map(|time| StepStage::Integrate(SubStep { dt: 0.25, time }));
        assert_eq!(stages, [StepStage::Collide, first, second, StepStage::Collide, first, second]);
    }
}
