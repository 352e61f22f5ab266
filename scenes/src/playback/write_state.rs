//! `WriteState`: states into a file.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::scene::{NodeId, StateId};

use super::state_text::StateVector;

/// Writes positions, velocities and forces of a state into a file, at given times or in every step.
#[derive(Attributes)]
#[attributes(ignored("DOFsX", "DOFsV"))]
struct Settings {
    /// file; compressed if it ends in `.gz`
    filename: Option<String>,
    /// whether positions are written
    #[attribute(name = "writeX", default = "1")]
    positions: bool,
    /// whether rest positions are written
    #[attribute(name = "writeX0")]
    rest_positions: bool,
    /// whether velocities are written
    #[attribute(name = "writeV")]
    velocities: bool,
    /// whether the forces are written that the last step has left
    #[attribute(name = "writeF")]
    forces: bool,
    /// times of the first frames; 0 if not given [s]
    time: Vec<f64>,
    /// time between frames after those; the time step if neither this nor `time` is given [s]
    period: Option<f64>,
    /// change of the kinetic energy within `keperiod` below which nothing more is written; 0 for never [J]
    #[attribute(default = "0")]
    stop_at: f64,
    /// time within which the kinetic energy must change [s]
    #[attribute(default = "0")]
    keperiod: f64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "WriteState", build);

/// What is written of a state, and when.
///
/// **Source:** SOFA's `WriteState`: it writes at the beginning of a step, the state and time from which the step starts, with six
/// significant digits. Forces are those that the integrator has left in the state's vector `force`: all that act on the state where it
/// evaluated them last, mostly at the beginning of the step before (weight, contacts by penalties and what mapped states bring up included;
/// neither what damping adds to an implicit right-hand side nor multipliers), 0 before the first step. SOFA leaves them out of compressed
/// files; here they are in these, too.
#[derive(Clone, Debug)]
pub struct StateWriter {
    /// The state.
    pub state: StateId,
    /// The file as the scene names it.
    pub filename: String,
    /// Which of its vectors.
    pub vectors: Vec<StateVector>,
    /// Times of the first frames, ascending [s].
    pub times: Vec<f64>,
    /// Time between frames after those, if there are any [s]; the time step where it is none.
    pub period: Option<Option<f64>>,
    /// When it ends before the simulation does.
    pub stop: Option<Stop>,
}

/// Nothing more is written once the kinetic energy hardly changes.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// The node whose mass counts.
    pub node: NodeId,
    /// The least change [J].
    pub change: f64,
    /// Within this time [s].
    pub within: f64,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let state = b.state()?;
    let Some(filename) = s.filename.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()) else {
        b.warn(Some("filename"), "no file is given; nothing is written");
        return Ok(());
    };
    if let Some(wrong) = s.time.iter().enumerate().find(|(k, t)| **t < 0.0 || (*k > 0 && **t == 0.0)) {
        return Err(BuildError::attribute(
            "time",
            format!("`time` holds {}; times must be positive", wrong.1),
        ));
    }
    let mut times = s.time;
    if s.period.is_some() && times.len() > 1 {
        b.warn(Some("time"), format!("with a `period` there is one first time; {} counts", times[0]));
        times.truncate(1);
    }
    let period = match (s.period, times.is_empty()) {
        (Some(period), _) if period <= 0.0 => {
            return Err(BuildError::attribute(
                "period",
                format!("`period` is {period}; it must be positive"),
            ));
        }
        (Some(period), _) => Some(Some(period)),
        (None, true) => Some(None),
        (None, false) => None,
    };
    if times.is_empty() {
        times.push(0.0);
    }
    let wanted = [
        (s.positions, StateVector::Position),
        (s.rest_positions, StateVector::RestPosition),
        (s.velocities, StateVector::Velocity),
        (s.forces, StateVector::Force),
    ];
    let vectors = wanted.into_iter().filter_map(|(wanted, vector)| wanted.then_some(vector)).collect();
    let stop = (s.stop_at > 0.0).then_some(Stop { node: b.node, change: s.stop_at, within: s.keperiod });
    b.keep(Some(StateWriter { state, filename, vectors, times, period, stop }));
    Ok(())
}
