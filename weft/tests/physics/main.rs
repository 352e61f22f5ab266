//! Scenes against closed forms: each test states the form it compares with, and where it comes from.
//!
//! Most oracles are *discrete*: the exact solution of the scheme's own recurrence, so that a comparison to rounding is
//! fair. Where a scheme only approximates, the order of convergence is measured by halving the step or the mesh size.

mod animation_loop;
mod arch;
mod articulated;
mod attached;
mod benchmarks;
mod collision;
mod continuous;
mod direct;
mod elasticity;
mod energy;
mod executors;
mod factors_ahead;
mod failure;
mod free_fall;
mod friction;
mod hyperelasticity;
mod mapping;
mod multiplier_stiffness;
mod multipliers;
mod oscillator;
mod pendulum;
mod placement;
mod playback;
mod prescribed;
mod projected_columns;
mod rigid;
mod robustness;
mod rolling;
mod shape_matching;
mod solids;
mod solver;
mod spring;
mod state_types;
mod support;
