//! How far states are from what files say: `CompareState`.

use std::fmt;

use scenes::mesh::General;
use scenes::playback::{ReadingPlace, StateComparison, StateVector};
use serde::Serialize;
use sim_core::scene::ComponentId;

use super::states::vector;
use crate::simulation::{Simulation, due_time};

/// How far a state was from what a file says, summed over the frames of the file.
///
/// **Source:** SOFA's `CompareState`. The error of a frame is the mean of the absolute differences of its numbers, where those of the
/// state are rounded to six significant digits as those of the file are; that per point is divided by the number of points once more.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StateDifference {
    /// Path of the component.
    pub path: String,
    /// Frames that were compared.
    pub frames: u64,
    /// Error of the positions [m].
    pub position: f64,
    /// The same per point [m].
    pub position_per_point: f64,
    /// Error of the velocities [m/s].
    pub velocity: f64,
    /// The same per point [m/s].
    pub velocity_per_point: f64,
}

impl fmt::Display for StateDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, frames, position, position_per_point, velocity, velocity_per_point } = self;
        if *frames == 0 {
            return write!(f, "{path}: nothing was compared, since no frame of the file was due");
        }
        write!(
            f,
            "{path}: {frames} frames, positions {position:.3e} m ({position_per_point:.3e} per point)"
        )?;
        if *velocity > 0.0 {
            write!(f, ", velocities {velocity:.3e} m/s ({velocity_per_point:.3e} per point)")?;
        }
        Ok(())
    }
}

/// One comparison on its way.
pub(super) struct StateComparer {
    component: ComponentId,
    comparison: StateComparison,
    place: ReadingPlace,
    pub(super) difference: StateDifference,
}

impl StateComparer {
    pub(super) fn new(simulation: &Simulation, component: ComponentId, comparison: &StateComparison) -> Self {
        let difference =
            StateDifference { path: simulation.world().scene.path(component), ..StateDifference::default() };
        Self { component, comparison: comparison.clone(), place: ReadingPlace::default(), difference }
    }

    /// Compares with the frame that is due, if there is one.
    pub(super) fn before_step(&mut self, simulation: &Simulation) {
        if !simulation.world().scene.has_component(self.component) {
            return;
        }
        let file = &self.comparison.0;
        let time = due_time(simulation.time(), simulation.dt());
        let Some(frame) = file.due(&mut self.place, time) else { return };
        let n = simulation.world().vectors[file.state.0 as usize].len().max(1) as f64;
        self.difference.frames += 1;
        if let Some(x) = &frame.position {
            let error = mean_difference(x, &vector(simulation, file.state, StateVector::Position));
            self.difference.position += error;
            self.difference.position_per_point += error / n;
        }
        if let Some(v) = &frame.velocity {
            let error = mean_difference(v, &vector(simulation, file.state, StateVector::Velocity));
            self.difference.velocity += error;
            self.difference.velocity_per_point += error / n;
        }
    }
}

fn mean_difference(of_file: &[f64], of_state: &[f64]) -> f64 {
    let rounded = |x: f64| General(x, 6).to_string().parse().unwrap_or(x);
    let n = of_file.len().min(of_state.len());
    let sum: f64 = of_file.iter().zip(of_state).map(|(a, b)| (a - rounded(*b)).abs()).sum();
    if n == 0 { 0.0 } else { sum / n as f64 }
}
