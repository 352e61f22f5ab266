//! What is written of each frame.

use std::path::PathBuf;

use crate::program::arguments::OutputArguments;
use crate::program::failure::Failure;

/// Files that a run fills after each frame, as its kind of scene has them.
pub trait Exports<S> {
    /// Writes what there is to say after a frame.
    ///
    /// # Errors
    /// A file that cannot be filled.
    fn write(&mut self, simulation: &S) -> Result<(), Failure>;

    /// Ends all files, and says which there are.
    ///
    /// # Errors
    /// A file that cannot be filled.
    fn finish(self) -> Result<Vec<PathBuf>, Failure>;
}

/// Options that say nothing for what has no mechanics are refused, rather than forgotten; `hint` says what writes states instead.
///
/// # Errors
/// One of them was given.
pub fn refuse_mechanics(output: &OutputArguments, what: &str, hint: &str) -> Result<(), Failure> {
    if output.export_state.is_some() {
        let message = format!("--export-state: {what} has no mechanical states; {hint}");
        return Err(Failure::Usage(message));
    }
    Ok(())
}
