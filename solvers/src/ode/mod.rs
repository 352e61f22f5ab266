//! Integrators.

mod euler_explicit_solver;
mod euler_implicit_solver;
mod runge_kutta4_solver;

pub use euler_explicit_solver::EulerExplicitSolver;
pub use euler_implicit_solver::EulerImplicitSolver;
pub use runge_kutta4_solver::RungeKutta4Solver;

use sim_core::component::description::ComponentDescription;

/// All integrators, in alphabetical order.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        euler_explicit_solver::DESCRIPTION,
        euler_implicit_solver::DESCRIPTION,
        runge_kutta4_solver::DESCRIPTION,
    ]
}
