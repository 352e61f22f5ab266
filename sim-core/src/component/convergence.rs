//! What solvers that iterate leave to be read of how they have ended: for reports and warnings.

use engine::data::Scalar;

/// How Newton's method, or another loop around linear systems, has ended in a step.
#[derive(Clone, Copy, Debug)]
pub struct NewtonRecord {
    /// Greatest number of iterations.
    pub limit: u32,
    /// Whether the last iteration has reached a threshold, or what is not finite; of no meaning where there was none.
    pub ended: Scalar<bool>,
    /// Line searches of the step that have not lessened the residual; none where there is no line search.
    pub failed_line_searches: Option<Scalar<u32>>,
    /// Whether it is warned of where it ends at its limit.
    pub warns_of_divergence: bool,
    /// Whether it is warned of where a line search fails.
    pub warns_of_line_search: bool,
}

/// How a linear solver that iterates has ended, for the last of a step's systems.
#[derive(Clone, Copy, Debug)]
pub struct LinearRecord {
    /// Greatest number of iterations.
    pub limit: u32,
    /// Iterations of this system.
    pub iterations: Scalar<u32>,
    /// What is left of the residual, as the solver has it.
    pub residual: Scalar<f64>,
    /// What that is compared with.
    pub reference: Scalar<f64>,
    /// The ratio of both, as the solver compares it with its tolerance.
    pub ratio: fn(f64, f64) -> f64,
    /// The ratio at which it ends.
    pub tolerance: f64,
    /// Whether the last iteration has ended it by whatever rule; none where only the ratio says so.
    pub ended: Option<Scalar<bool>>,
}
