//! Integrators.

mod bdf_ode_solver;
mod central_difference_solver;
mod damp_velocity_solver;
mod euler_explicit_solver;
mod euler_implicit_solver;
mod implicit;
mod newmark_implicit_solver;
mod newton;
mod runge_kutta2_solver;
mod runge_kutta4_solver;
mod static_solver;
mod variational_symplectic_solver;

pub use bdf_ode_solver::BDFOdeSolver;
pub use central_difference_solver::CentralDifferenceSolver;
pub use damp_velocity_solver::DampVelocitySolver;
pub use euler_explicit_solver::EulerExplicitSolver;
pub use euler_implicit_solver::EulerImplicitSolver;
pub use newmark_implicit_solver::NewmarkImplicitSolver;
pub use runge_kutta2_solver::RungeKutta2Solver;
pub use runge_kutta4_solver::RungeKutta4Solver;
pub use static_solver::StaticSolver;
pub use variational_symplectic_solver::VariationalSymplecticSolver;

use engine::data::{Dot, Scalar, gather, set, val};
use engine::graph::{ComponentTag, Recorder};
use sim_core::component::description::ComponentDescription;
use sim_core::visitor::mechanical::MechanicalVisitor;
use sim_core::visitor::vectors::VecDerivId;

/// All integrators, and what stands beside them, in alphabetical order.
pub fn all() -> Vec<ComponentDescription> {
    vec![
        bdf_ode_solver::DESCRIPTION,
        central_difference_solver::DESCRIPTION,
        damp_velocity_solver::DESCRIPTION,
        euler_explicit_solver::DESCRIPTION,
        euler_implicit_solver::DESCRIPTION,
        newmark_implicit_solver::DESCRIPTION,
        newton::DESCRIPTION,
        runge_kutta2_solver::DESCRIPTION,
        runge_kutta4_solver::DESCRIPTION,
        static_solver::DESCRIPTION,
        variational_symplectic_solver::DESCRIPTION,
    ]
}

/// Records b := f on the independent states of the group, 0 on those that mappings move.
fn begin_right_hand_side(visitor: &mut MechanicalVisitor<'_, '_, '_>, b: VecDerivId, f: VecDerivId) {
    visitor.each_root("right_hand_side", |visit, at| visit.v_copy(at, b, f));
    clear_mapped(visitor, b);
}

/// Records a := 0 on the states of the group that mappings move.
fn clear_mapped(visitor: &mut MechanicalVisitor<'_, '_, '_>, a: VecDerivId) {
    if !visitor.has_mapped_states() {
        return;
    }
    visitor.visit.rec.sweep("clear_mapped");
    for object in visitor.group_objects() {
        for state in object.states.iter().filter(|s| **s != object.root) {
            let at = visitor.at(*state);
            visitor.visit.v_clear(at, a);
        }
    }
}

/// Records a dot product as a number, found here: what its vectors become later does not change it. Running sums are found where they
/// are gathered.
fn at_once(visitor: &mut MechanicalVisitor<'_, '_, '_>, name: &'static str, dot: Dot) -> Scalar<f64> {
    let tag = visitor.group.tag;
    let rec = &mut *visitor.visit.rec;
    let number = rec.scalar_value::<f64>();
    rec.sweep(name);
    rec.scalar(name, tag, (gather(dot), set(number)), |(dot, number)| *number = dot);
    number
}

/// Records that no linear system of a step was solved yet: what [`record_most`] raises.
fn begin_most(rec: &mut Recorder<'_>, tag: ComponentTag) -> Scalar<u32> {
    let most = rec.scalar_value::<u32>();
    rec.sweep("linear_iterations");
    rec.scalar("linear_iterations", tag, (set(most),), |(most,)| *most = 0);
    most
}

/// Records that a linear system took so many iterations, if its solver counts them.
fn record_most(
    rec: &mut Recorder<'_>,
    tag: ComponentTag,
    iterations: Option<Scalar<u32>>,
    most: Scalar<u32>,
) {
    let Some(iterations) = iterations else { return };
    rec.sweep("linear_iterations");
    rec.scalar("linear_iterations", tag, (val(iterations), set(most)), |(n, most)| *most = n.max(*most));
}
