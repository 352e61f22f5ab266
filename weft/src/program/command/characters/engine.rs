//! How characters are simulated.

use super::source::CharacterSource;
use crate::output::report::Choices;
use crate::program::arguments::{EngineArguments, Executor};
use crate::program::command::run::simulation_options;
use crate::program::failure::Failure;
use crate::program::say::complain;
use crate::simulation::SimulationOptions;

/// How a character is simulated: as the command line says, and where that says nothing of workers, as its file of options says. No workers
/// are the plain path.
///
/// # Errors
/// See [`Failure`].
pub fn options(
    source: &CharacterSource,
    engine: &EngineArguments,
    dt: Option<f64>,
) -> Result<(SimulationOptions, Choices), Failure> {
    let threads = engine.threads.or(source.settings().threads);
    let mut engine = EngineArguments { threads, ..engine.clone() };
    if threads == Some(0) {
        if engine.executor.is_some_and(|e| e != Executor::Sequential) {
            complain("without workers the executor is the sequential one, whatever --executor says");
        }
        (engine.threads, engine.executor) = (Some(1), Some(Executor::Sequential));
    }
    let (mut options, choices) = simulation_options(&engine, dt)?;
    if threads.is_none() && source.settings().draw {
        // A core is left to who draws.
        options.threads = options.threads.saturating_sub(1).max(1);
    }
    Ok((options, choices))
}
