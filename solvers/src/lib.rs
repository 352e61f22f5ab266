//! ODE solvers and linear solvers of Weft, written as sequences of visitors and loops.

use sim_core::component::description::ComponentDescription;

/// The descriptions of all solvers, for the registry.
pub fn all() -> Vec<ComponentDescription> {
    Vec::new()
}
