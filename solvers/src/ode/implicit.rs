//! What implicit integrators have in common.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::LinkTarget;

/// Their linear systems: damping, and who solves them.
#[derive(Attributes)]
pub(super) struct ImplicitAttributes {
    /// Rayleigh damping by stiffness [s]
    #[attribute(default = "0", non_negative)]
    pub rayleigh_stiffness: f64,
    /// Rayleigh damping by mass [1/s]
    #[attribute(default = "0", non_negative)]
    pub rayleigh_mass: f64,
    /// the linear solver; else the first found in this node or below
    _linear_solver: Option<LinkTarget>,
}
