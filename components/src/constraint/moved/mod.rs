//! Points that a schedule moves: no force does.
//!
//! **Source:** as in SOFA, the time is that at the beginning of the step when positions are projected after the solve, so motions lag a step.

mod linear_movement;
mod oscillator;
mod scheduled;
mod spline;

use sim_core::component::description::ComponentDescription;

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 5] = [
    linear_movement::DESCRIPTION,
    oscillator::DESCRIPTION,
    scheduled::ALL[0],
    scheduled::ALL[1],
    spline::DESCRIPTION,
];
