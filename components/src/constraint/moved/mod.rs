//! Points that a schedule moves: no force does.
//!
//! **Source:** as in SOFA, the time is that at the beginning of the step when positions are projected after the solve, so motions lag a step.

mod linear_movement;
mod linear_velocity;
mod oscillator;
mod parabolic;
mod partial_linear_movement;
mod scheduled;
mod skeletal_motion;
mod skeleton_text;
mod spline;

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::ComponentDescription;

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 9] = [
    linear_movement::DESCRIPTION,
    linear_velocity::DESCRIPTION,
    oscillator::DESCRIPTION,
    parabolic::DESCRIPTION,
    partial_linear_movement::DESCRIPTION,
    scheduled::ALL[0],
    scheduled::ALL[1],
    skeletal_motion::DESCRIPTION,
    spline::DESCRIPTION,
];

/// Whether keys make sense: a row for each time, and times that do not descend; at two keys of one time points jump, as in SOFA. Warns where there are too few for anything to move, and of rows
/// without a time, which count nowhere, as in SOFA.
fn check_keys(b: &mut Builder<'_>, times: &[f64], rows: usize, name: &'static str) -> Result<(), BuildError> {
    if rows != times.len() {
        let text = format!("`{name}` has {rows} rows for {} `keyTimes`", times.len());
        if rows < times.len() {
            return Err(BuildError::attribute(name, text));
        }
        b.warn(Some(name), format!("{text}: the last ones are left out, as in SOFA"));
    }
    if times.windows(2).any(|t| t[1] < t[0]) {
        return Err(BuildError::attribute("keyTimes", "`keyTimes` must not descend"));
    }
    if times.len() < 2 {
        b.warn(Some("keyTimes"), "there are fewer than two keys, so the points are never moved");
    }
    Ok(())
}
