//! ODE solvers and linear solvers of Weft, written as sequences of visitors and loops.
//!
//! A solver never touches a vector: it records operations on named vectors of every state of its group.
//! [`ode`] has the integrators, [`linear`] the linear solvers.

pub mod constraint;
pub mod linear;
pub mod ode;

use sim_core::component::description::ComponentDescription;

/// All solvers of this crate.
pub fn all() -> Vec<ComponentDescription> {
    let mut list = ode::all();
    list.extend(linear::all());
    list.extend(constraint::all());
    list
}
