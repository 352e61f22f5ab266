//! `weft check` of a game.

use super::source::GameSource;
use crate::execution::{ExecutorKind, SimulationOptions};
use crate::program::command::scene::count;
use crate::program::failure::Failure;
use crate::program::say::say;

/// Makes a game and says what it has.
///
/// # Errors
/// It would not run.
pub fn check(source: &GameSource) -> Result<(), Failure> {
    let options = SimulationOptions { executor: ExecutorKind::Sequential, ..SimulationOptions::default() };
    let simulation = source.simulation(&options)?;
    let rules = simulation.flock().options().rules;
    say(&format!(
        "{}: would run ({}): {} members in a world from {:?} to {:?} m; they know neighbours within {} m",
        source.name(),
        count(&[]),
        simulation.flock().len(),
        rules.bounds.min,
        rules.bounds.max,
        rules.reach(),
    ));
    say(animation::game::flock::TREE.trim_end());
    Ok(())
}
