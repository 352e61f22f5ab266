//! Linear solvers.

mod assembled;
mod cg_linear_solver;

pub use cg_linear_solver::{CGLinearSolver, MatrixForm};

use sim_core::component::description::ComponentDescription;

/// All linear solvers, in alphabetical order.
pub fn all() -> Vec<ComponentDescription> {
    vec![cg_linear_solver::DESCRIPTION]
}
