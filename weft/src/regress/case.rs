//! One scene: its run, and how far its states are from those that they should be.

use serde::{Deserialize, Serialize};

use super::list::Case;
use super::reference::{Form, Frames, Reference};
use crate::simulation::{Simulation, StateView};

/// What came of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// The states are what they should be.
    Passed,
    /// They are not.
    Differs,
    /// It could not be compared: no reference, a scene that does not run.
    Failed,
    /// A reference was written.
    Written,
    /// There was a reference, which was kept.
    Kept,
}

impl Status {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Differs => "differs",
            Self::Failed => "failed",
            Self::Written => "written",
            Self::Kept => "kept",
        }
    }
    /// Whether it is as it should be.
    pub fn is_good(self) -> bool {
        !matches!(self, Self::Differs | Self::Failed)
    }
}

/// How far one state is from what it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectError {
    /// Path of the state.
    pub path: String,
    /// Sum over the frames, as SOFA measures it; see [`compare`].
    pub error: f64,
    /// The largest difference of a number, in any frame [m].
    pub largest: f64,
}

/// How a scene did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The scene as the list names it.
    pub scene: String,
    /// List and line.
    pub place: String,
    /// What came of it.
    pub status: Status,
    /// The error, where it was compared.
    pub error: Option<f64>,
    /// The largest error that passes.
    pub epsilon: f64,
    /// Which references there were.
    pub form: Option<Form>,
    /// Frames that were compared or written.
    pub frames: usize,
    /// Steps that were computed.
    pub steps: u64,
    /// Wall time [s].
    pub seconds: f64,
    /// Why it failed, or what was written; empty where there is nothing to say.
    pub message: String,
    /// The states.
    pub objects: Vec<ObjectError>,
}

impl Outcome {
    /// Of a scene of which nothing is known yet.
    pub fn failed(case: &Case, list: &std::path::Path, message: String) -> Self {
        Self {
            scene: case.name.clone(),
            place: format!("{}:{}", list.display(), case.line),
            status: Status::Failed,
            error: None,
            epsilon: case.epsilon,
            form: None,
            frames: 0,
            steps: 0,
            seconds: 0.0,
            message,
            objects: Vec::new(),
        }
    }
}

/// The states that count, in the order of the scene: those that a solver moves; states that mappings move only if wanted.
fn compared(simulation: &Simulation, case: &Case) -> Vec<StateView> {
    let mut states = simulation.states();
    states.retain(|s| s.simulated && (case.mapped || !s.mapped));
    states
}

/// Runs a scene and compares its states with a reference; fills in the outcome.
///
/// **Source:** SOFA's regression programs. The state of time t is that after round(t / dt) steps. With text references, a state's error
/// is the sum over the frames of the difference's norm divided by how many numbers it has, and the mean over the states must not be
/// greater than epsilon; with JSON references the norm is divided by the root of that number, and each state's error must not be greater.
/// A text has six digits: what rounding to six digits explains counts as no difference.
///
/// # Errors
/// States that do not fit the reference, a step that fails.
pub fn compare(
    simulation: &mut Simulation,
    case: &Case,
    reference: &Reference,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let states = compared(simulation, case);
    let (n, given) = (states.len(), reference.objects.len());
    if n != given {
        return Err(format!("{n} states are compared, and there are references of {given}"));
    }
    if n == 0 {
        return Err("no solver moves anything, so there is nothing to compare".to_owned());
    }
    outcome.form = Some(reference.form);
    outcome.objects =
        states.iter().map(|s| ObjectError { path: s.path.clone(), error: 0.0, largest: 0.0 }).collect();
    let dt = simulation.dt();
    let steps =
        |frames: &Frames| -> Vec<u64> { frames.iter().map(|(t, _)| (t / dt).round() as u64).collect() };
    let wanted = steps(&reference.objects[0].1);
    if let Some((path, _)) = reference.objects.iter().find(|(_, frames)| steps(frames) != wanted) {
        return Err(format!("{} has other times than the first reference", path.display()));
    }
    if let Some(beyond) = wanted.iter().find(|step| **step > case.steps) {
        return Err(format!("the reference reaches step {beyond}, and the list says {} steps", case.steps));
    }
    for (k, step) in wanted.into_iter().enumerate() {
        advance(simulation, step)?;
        let states = compared(simulation, case);
        for ((state, (path, frames)), error) in
            states.iter().zip(&reference.objects).zip(&mut outcome.objects)
        {
            let x = state.position.concat();
            let wanted = &frames[k].1;
            if x.len() != wanted.len() {
                let (n, wanted) = (x.len(), wanted.len());
                return Err(format!("{}: {n} numbers, {} has {wanted}", state.path, path.display()));
            }
            add_frame(error, reference.form, &x, wanted);
        }
        outcome.frames += 1;
    }
    let errors = || outcome.objects.iter().map(|o| o.error);
    let error = match reference.form {
        Form::Text => errors().sum::<f64>() / n as f64,
        Form::Json => errors().fold(0.0, |a, b| if b > a || b.is_nan() { b } else { a }),
    };
    outcome.error = Some(error);
    outcome.steps = simulation.step_index();
    outcome.status = if error <= case.epsilon { Status::Passed } else { Status::Differs };
    Ok(())
}

fn advance(simulation: &mut Simulation, to: u64) -> Result<(), String> {
    while simulation.step_index() < to {
        simulation.step().map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn add_frame(error: &mut ObjectError, form: Form, x: &[f64], wanted: &[f64]) {
    let difference = |(x, wanted): (&f64, &f64)| match form {
        Form::Text => ((wanted - x).abs() - rounding(*wanted)).max(0.0),
        Form::Json => (wanted - x).abs(),
    };
    let differences: Vec<f64> = x.iter().zip(wanted).map(difference).collect();
    let norm = differences.iter().map(|d| d * d).sum::<f64>().sqrt();
    let n = x.len().max(1) as f64;
    error.error += norm / if form == Form::Text { n } else { n.sqrt() };
    error.largest = differences.into_iter().fold(error.largest, f64::max);
}

/// Half of the last of six significant digits.
fn rounding(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { 0.500_001 * 10f64.powf(x.abs().log10().floor() - 5.0) }
}

/// Runs a scene and returns the frames that a reference holds: the beginning, so many between, the end.
///
/// # Errors
/// A step that fails, a state that is not finite, nothing that a solver moves.
pub fn record(simulation: &mut Simulation, case: &Case) -> Result<Vec<(f64, Vec<StateView>)>, String> {
    let dt = simulation.dt();
    let mut frames = Vec::new();
    for k in 0..=case.frames {
        // Rounded to whole steps, and the last one is the last.
        let step = (k * case.steps).div_ceil(case.frames);
        advance(simulation, step)?;
        simulation.state_hash().map_err(|e| e.to_string())?;
        let states = compared(simulation, case);
        if states.is_empty() {
            return Err("no solver moves anything, so there is nothing to write".to_owned());
        }
        frames.push((dt * step as f64, states));
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_digits_explain_half_of_the_last() {
        assert!(rounding(1.0) > 4.9e-6 && rounding(1.0) < 5.1e-6);
        assert!(rounding(-0.012) > 4.9e-8 && rounding(-0.012) < 5.1e-8);
        assert_eq!(rounding(0.0), 0.0);
        let mut text = ObjectError { path: String::new(), error: 0.0, largest: 0.0 };
        let mut json = text.clone();
        let (x, wanted) = ([1.000_004, 2.0, 3.1, 4.0], [1.0, 2.0, 3.0, 4.0]);
        add_frame(&mut text, Form::Text, &x, &wanted);
        add_frame(&mut json, Form::Json, &x, &wanted);
        assert!((text.error - 0.1 / 4.0).abs() < 1e-5 && text.largest < 0.1, "{text:?}");
        assert!((json.error - 0.1 / 2.0).abs() < 1e-9, "{json:?}");
    }
}
