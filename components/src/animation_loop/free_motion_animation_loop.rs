//! SOFA's `FreeMotionAnimationLoop`: a free motion, then its correction by Lagrange multipliers.

use sim_core::component::animation_loop::{AnimationLoop, StepStage};
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::prelude::*;

/// A free motion, collision detection, and the correction of the motion by Lagrange multipliers.
#[derive(Attributes)]
#[attributes(ignored(
    "computeBoundingBox",
    "parallelCollisionDetectionAndFreeMotion",
    "parallelODESolving",
    "threadSafeVisitor"
))]
struct Settings {
    /// multipliers correct velocities only, and positions follow
    solve_velocity_constraint_first: bool,
    /// the constraint solver; else the first of the scene, else a BlockGaussSeidelConstraintSolver
    _constraint_solver: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::AnimationLoop, "FreeMotionAnimationLoop", |b| {
        let order = if Settings::read(b)?.solve_velocity_constraint_first {
            ConstraintOrder::Velocity
        } else {
            ConstraintOrder::Position
        };
        super::set(b, FreeMotionAnimationLoop(order));
        Ok(())
    });

/// The free motion of all solvers, contacts where states were at the beginning, and multipliers for what these ask.
///
/// **Source:** as SOFA's FreeMotionAnimationLoop. What stands above all solvers is not evaluated; what has a solver and no
/// constraint correction stays where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeMotionAnimationLoop(pub ConstraintOrder);

impl AnimationLoop for FreeMotionAnimationLoop {
    fn class(&self) -> &'static str {
        DESCRIPTION.class
    }

    fn stages(&self) -> Vec<StepStage> {
        vec![StepStage::FreeMotion(self.0), StepStage::Collide, StepStage::Correct(self.0)]
    }
}
