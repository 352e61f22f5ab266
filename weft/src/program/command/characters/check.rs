//! `weft check` of a character.

use super::source::CharacterSource;
use crate::program::failure::Failure;
use crate::program::say::say;

/// Reads a character and says what it has.
///
/// # Errors
/// It would not run.
pub fn check(source: &CharacterSource, name: &str) -> Result<(), Failure> {
    let character = source.load()?;
    say(&format!(
        "{name}: would run ({} warnings): {} joints, {} skins, {} meshes with {} vertices",
        character.warnings.len(),
        character.skeleton.len(),
        character.skins.len(),
        character.meshes.len(),
        character.n_vertices(),
    ));
    for clip in &character.clips {
        say(&format!("    clip {}: {} s, {} tracks", clip.name(), clip.duration(), clip.n_tracks()));
    }
    Ok(())
}
