//! Animation loops: which stages a step consists of.

use super::lagrangian_constraint::ConstraintOrder;

/// One stage of a step: a recorded graph, or a few, that the driver runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepStage {
    /// Bounds, broad phase, narrow phase, and the comparison of contacts with those of before.
    Collide,
    /// All solvers move their states.
    Integrate(SubStep),
    /// All solvers move free copies of their states, as if there were no constraints with multipliers.
    FreeMotion(ConstraintOrder),
    /// Multipliers are found, and the free motion, corrected by them, becomes the state.
    Correct(ConstraintOrder),
}

/// The part of a step that an integration covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubStep {
    /// Its time step, as a share of the step's.
    pub dt: f64,
    /// The time when it is done, since the beginning of the step, as a share of the step's.
    pub time: f64,
}

impl SubStep {
    /// The whole step.
    pub const WHOLE: Self = Self { dt: 1.0, time: 1.0 };
}

/// An animation loop: the list of stages of a step.
pub trait AnimationLoop: Send + Sync + 'static {
    /// SOFA's class name.
    fn class(&self) -> &'static str;

    /// The stages in their order. The driver asks once, before the first step.
    fn stages(&self) -> Vec<StepStage>;
}

/// Collision detection, then every solver.
///
/// **Source:** as SOFA's DefaultAnimationLoop, which a scene without any loop has too.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultAnimationLoop;

impl AnimationLoop for DefaultAnimationLoop {
    fn class(&self) -> &'static str {
        "DefaultAnimationLoop"
    }

    fn stages(&self) -> Vec<StepStage> {
        vec![StepStage::Collide, StepStage::Integrate(SubStep::WHOLE)]
    }
}
