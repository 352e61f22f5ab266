//! Linear solvers.

mod assembled;
mod cg_linear_solver;
mod direct;
mod min_res_linear_solver;
mod pcg_linear_solver;
mod precomputed_warp_preconditioner;
mod system;
mod warp_preconditioner;

pub use cg_linear_solver::{CGLinearSolver, MatrixForm};
pub(crate) use direct::record_once;
pub use direct::{
    DirectSolver, Factors, KeptNames, Method, Reuse, Several, SystemFactors, TOGETHER, groups_of,
};
pub use min_res_linear_solver::MinResLinearSolver;
pub use pcg_linear_solver::PCGLinearSolver;
pub use warp_preconditioner::WarpPreconditioner;

use sim_core::component::description::ComponentDescription;

/// All linear solvers, in alphabetical order.
pub fn all() -> Vec<ComponentDescription> {
    let mut all = direct::descriptions();
    all.push(cg_linear_solver::DESCRIPTION);
    all.push(min_res_linear_solver::DESCRIPTION);
    all.push(pcg_linear_solver::DESCRIPTION);
    all.push(precomputed_warp_preconditioner::DESCRIPTION);
    all.push(warp_preconditioner::DESCRIPTION);
    all.extend(system::descriptions());
    all.sort_by_key(|d| d.class);
    all
}
