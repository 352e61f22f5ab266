//! Constraints with Lagrange multipliers: corrections give J C J^T, solvers find the multipliers.
//!
//! - `problem.rs`: violations, blocks and multipliers of a step, and how a block is solved.
//! - `compliance_matrix.rs`: W as sweeps read it; `block_motions.rs`: its products without it.
//! - `block_gauss_seidel.rs`: solvers that sweep over blocks; `improved_jacobi.rs`, `conjugate_residual.rs`: the sweeps of one of them;
//!   `sweep_components.rs`: their names and attributes.
//! - `null_space.rs`: which rows of W depend on each other; `eigenvalues.rs`: of symmetric matrices.
//! - `lcp.rs`: contacts alone, all with one coefficient of friction.
//! - `uncoupled.rs`: the compliance of a diagonal matrix; `linear_solver.rs`: that of a factorised one; `precomputed.rs`: that of the
//!   first step's, turned with the points; `by_factors.rs`: what the last two share.

mod block_gauss_seidel;
mod block_motions;
mod by_factors;
mod compliance_matrix;
mod conjugate_residual;
mod eigenvalues;
mod improved_jacobi;
mod lcp;
mod linear_solver;
mod null_space;
mod precomputed;
mod problem;
mod sweep_components;
mod sweep_settings;
mod uncoupled;

pub use block_gauss_seidel::SweepingConstraintSolver;

use sim_core::component::description::ComponentDescription;

/// All constraint solvers and corrections.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        sweep_components::BLOCK_GAUSS_SEIDEL,
        sweep_components::IMPROVED_JACOBI,
        sweep_components::NNCG,
        sweep_components::CONJUGATE_RESIDUAL,
        sweep_components::UNBUILT_GAUSS_SEIDEL,
        lcp::DESCRIPTION,
        linear_solver::GENERIC,
        linear_solver::LINEAR_SOLVER,
        precomputed::DESCRIPTION,
        uncoupled::DESCRIPTION,
    ]
}
