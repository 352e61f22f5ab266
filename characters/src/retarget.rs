//! The clips of one file on the skeleton of another.

use std::path::Path;

use animation::skeleton::Retarget;

use crate::character::Character;
use crate::error::LoadError;

/// Names that a warning has at most.
const MOST_NAMES: usize = 30;

/// The character of a file with the clips of another one, by the names of joints. One warning says which joints are missing on either side.
///
/// # Errors
/// There are no clips, or they move no joint of the character.
pub(crate) fn retargeted(
    (clips, clips_path): (Character, &Path),
    (model, path): (Character, &Path),
) -> Result<Character, LoadError> {
    let wrong = |what: String| LoadError::Read { path: clips_path.display().to_string(), what };
    if clips.clips.is_empty() {
        return Err(wrong(format!("it has no clips, so none can be played on {}", path.display())));
    }
    let retarget = Retarget::new(&clips.skeleton, &model.skeleton);
    let moved = clips.clips.iter().map(|clip| retarget.clip(clip)).collect::<Result<Vec<_>, _>>();
    let moved = moved.map_err(|e| wrong(e.to_string()))?;
    let (missing, at_rest) = (retarget.missing(&clips.clips), retarget.at_rest());
    if moved.iter().all(|clip| clip.n_tracks() == 0) {
        let names = listed(&missing);
        return Err(wrong(format!(
            "none of the joints that its clips move is in {}: {names}",
            path.display()
        )));
    }
    let mut warnings = clips.warnings;
    let mut told = Vec::new();
    if !missing.is_empty() {
        told.push(format!("{} has no {}, which the clips move", path.display(), listed(&missing)));
    }
    if !at_rest.is_empty() {
        told.push(format!("their skeleton has no {}, which stay at rest", listed(&at_rest)));
    }
    if !told.is_empty() {
        warnings.push(format!("joints are found by their names: {}", told.join("; ")));
    }
    if clips.clips.iter().any(|clip| !clip.morphs().is_empty()) {
        warnings.push("weights of morph targets in clips of another file are left out".to_owned());
    }
    warnings.extend(model.warnings);
    Ok(Character { clips: moved, warnings, ..model }.with_warnings_of_reach())
}

/// Names with commas between, as many as one can read.
fn listed(names: &[&str]) -> String {
    let some: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    match names.len() - some.len() {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}
