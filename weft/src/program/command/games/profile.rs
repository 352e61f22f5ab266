//! `weft profile` of a game: what its workers did with their time.

use std::fmt::Write;

use game::Profile;

use super::report::Shares;
use super::source::{DEFAULT_CYCLES, GameSource};
use crate::execution::Stepped;
use crate::program::arguments::ProfileArguments;
use crate::program::command::run::simulation_options;
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::say;

/// Runs a game and says what its workers did.
///
/// # Errors
/// See [`Failure`].
pub fn profile(source: &GameSource, arguments: &ProfileArguments) -> Result<(), Failure> {
    for (is_given, option) in [
        (arguments.html.is_some(), "--html"),
        (arguments.json.is_some(), "--json"),
        (arguments.trace.is_some(), "--trace"),
    ] {
        if is_given {
            let message = format!("{option}: not for games, which record no tasks on the engine");
            return Err(Failure::Usage(message));
        }
    }
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let cycles = arguments.steps.unwrap_or(DEFAULT_CYCLES);
    if arguments.report_from >= cycles {
        let message = format!("--report-from {} leaves none of the {cycles} steps", arguments.report_from);
        return Err(Failure::Usage(message));
    }
    let mut simulation = source.simulation(&options)?;
    if simulation.profile().is_none() {
        let message = "--executor sequential: systems that run in order have no workers to profile";
        return Err(Failure::Usage(message.to_owned()));
    }
    let (interrupt, progress) = (Interrupt::listen(), bar(cycles, arguments.quiet));
    while simulation.steps_done() < cycles && !interrupt.came() {
        if simulation.steps_done() == arguments.report_from {
            simulation.reset_profile();
        }
        simulation.step().map_err(|e| Failure::Simulation(e.to_string()))?;
        progress.set_position(simulation.steps_done());
    }
    progress.finish_and_clear();
    if let Some(profile) = simulation.profile() {
        say(table(&profile).trim_end());
    }
    Ok(())
}

fn table(profile: &Profile) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} cycles, {:.3} ms each on average; of the time of all workers: {}",
        profile.cycles,
        1e3 * profile.average_cycle().as_secs_f64(),
        Shares::of(profile).text()
    );
    let _ = writeln!(text, "worker   search %   tasks %   loops %    idle %     tasks   queries    thefts");
    for (k, worker) in profile.workers.iter().enumerate() {
        let total = worker.total().as_secs_f64().max(f64::MIN_POSITIVE);
        let percent = |part: std::time::Duration| 100.0 * part.as_secs_f64() / total;
        let _ = writeln!(
            text,
            "{k:6} {:10.2} {:9.2} {:9.2} {:9.2} {:9} {:9} {:9}",
            percent(worker.search),
            percent(worker.cycle_tasks),
            percent(worker.parallel_for),
            percent(worker.idle),
            worker.n_cycle_tasks,
            worker.n_queries,
            worker.n_thefts,
        );
    }
    text
}
