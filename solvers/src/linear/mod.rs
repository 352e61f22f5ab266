//! Linear solvers.

mod assembled;
mod cg_linear_solver;
mod direct;
mod system;

pub use cg_linear_solver::{CGLinearSolver, MatrixForm};
pub use direct::{DirectSolver, Method, SystemFactors};

use sim_core::component::description::ComponentDescription;

/// All linear solvers, in alphabetical order.
pub fn all() -> Vec<ComponentDescription> {
    let mut all = direct::descriptions();
    all.push(cg_linear_solver::DESCRIPTION);
    all.extend(system::descriptions());
    all.sort_by_key(|d| d.class);
    all
}
