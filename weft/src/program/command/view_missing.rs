//! `weft view` of a program that was built without its window.

use super::run;
use crate::program::Program;
use crate::program::arguments::{RunArguments, ViewArguments};
use crate::program::failure::Failure;

/// Says that there is no window.
///
/// # Errors
/// Always.
pub fn view(program: &Program, _: &ViewArguments) -> Result<(), Failure> {
    let text = "`view`: this program was built without its window (cargo's feature `view` of `weft`)";
    Err(Failure::Usage(format!("{text}; `{} run` simulates without one", program.name)))
}

/// What `weft` without a command does.
///
/// # Errors
/// See [`Failure`].
pub fn front(program: &Program) -> Result<(), Failure> {
    run(program, RunArguments::default())
}
