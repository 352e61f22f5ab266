//! `weft view` of a program that was built without its window.

use super::run;
use crate::arguments::{RunArguments, ViewArguments};
use crate::failure::Failure;

/// Says that there is no window.
///
/// # Errors
/// Always.
pub fn view(_: &ViewArguments) -> Result<(), Failure> {
    let text = "`view`: this program was built without its window (cargo's feature `view`); `weft run` simulates without one";
    Err(Failure::Usage(text.to_owned()))
}

/// What `weft` without a command does.
///
/// # Errors
/// See [`Failure`].
pub fn front() -> Result<(), Failure> {
    run(RunArguments::default())
}
