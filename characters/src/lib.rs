//! Reads characters from files: glTF 2.0 (`.gltf`, `.glb`), BVH and ozz archives.
//!
//! [`load`] gives a [`Character`]: the skeleton of all nodes, the clips that move it, and meshes with their skins. What is wrong with a file
//! is a [`LoadError`] that says where; what was mended is in [`Character::warnings`].
//! - `bvh`: motion capture, a skeleton and one clip;
//! - `gltf`: buffers and accessors, nodes, meshes, animations;
//! - `ozz`: skeletons and clips of ozz-animation, in files of their own.
//! - [`walker_glb`]: a file made by arithmetic, and [`walker`], what is in it.

mod bvh;
mod character;
mod error;
mod generate;
mod gltf;
mod ozz;
mod reach;
mod retarget;

use std::path::{Path, PathBuf};

pub use bvh::read_bvh;
pub use character::Character;
pub use error::LoadError;
pub use generate::{walker, walker_glb};
pub use gltf::read_gltf;
pub use ozz::read_ozz;

/// Endings of the names of files that [`load`] reads.
pub const ENDINGS: [&str; 4] = ["glb", "gltf", "bvh", "ozz"];

/// Whether a file is a character, by its name.
pub fn is_character(path: &Path) -> bool {
    path.extension().is_some_and(|e| ENDINGS.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// Reads a file, and files that it names.
///
/// If a skeleton is named, the clips of the file are played on it, by the names of joints, and what is seen is that file's.
///
/// A clip of ozz has its skeleton in a file of its own. If none is named, it is the only skeleton of so many joints beside the clip, and
/// a warning says which.
///
/// # Errors
/// It cannot be read, or what is wrong with it.
pub fn load(path: &Path, skeleton: Option<&Path>) -> Result<Character, LoadError> {
    let ends = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
    if let (Some(skeleton), false) = (skeleton, ends("ozz")) {
        return retarget::retargeted((load(path, None)?, path), (load(skeleton, None)?, skeleton));
    }
    let (shown, bytes) = read(path)?;
    if ends("ozz") {
        let found = if skeleton.is_none() { skeleton_beside(path, &bytes) } else { None };
        let other = skeleton.or(found.as_deref()).map(read).transpose()?;
        let other = other.as_ref().map(|(shown, bytes)| (shown.as_str(), bytes.as_slice()));
        let mut character = read_ozz(&shown, &bytes, other)?;
        if let Some(found) = found {
            let n = character.skeleton.len();
            let text = format!("its skeleton is {}, the only one of {n} joints beside it", found.display());
            character.warnings.push(text);
        }
        Ok(character)
    } else if ends("bvh") {
        read_bvh_bytes(&shown, &bytes)
    } else {
        read_gltf(&shown, &bytes, path.parent())
    }
}

/// A BVH file's bytes: names of joints may be in another encoding than UTF-8, numbers are ASCII in all.
fn read_bvh_bytes(shown: &str, bytes: &[u8]) -> Result<Character, LoadError> {
    if let Some(zero) = bytes.iter().position(|b| *b == 0) {
        let line = bytes[..zero].iter().filter(|b| **b == b'\n').count() + 1;
        let what = format!(
            "byte {zero} is zero: this is no text, or one in UTF-16; a BVH file should be in ASCII or UTF-8"
        );
        return Err(LoadError::Line { path: shown.to_owned(), line, what });
    }
    let text = String::from_utf8_lossy(bytes);
    let mut character = read_bvh(shown, &text)?;
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let warning = "names are not in UTF-8: letters that are unknown are shown as \u{fffd}";
        character.warnings.push(warning.to_owned());
    }
    Ok(character)
}

/// What a file is called in errors, and what is in it.
fn read(path: &Path) -> Result<(String, Vec<u8>), LoadError> {
    let shown = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => Ok((shown, bytes)),
        Err(e) => Err(LoadError::Read { path: shown, what: e.to_string() }),
    }
}

/// The only skeleton in the folder of a clip that has as many joints; none if the file is no clip.
fn skeleton_beside(path: &Path, clip: &[u8]) -> Option<PathBuf> {
    let (n, false) = ozz::joints_of(clip)? else { return None };
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let files = files.filter(|f| f.extension().is_some_and(|e| e.eq_ignore_ascii_case("ozz")));
    let is_it = |f: &PathBuf| std::fs::read(f).is_ok_and(|b| ozz::joints_of(&b) == Some((n, true)));
    let mut skeletons = files.filter(is_it);
    let first = skeletons.next();
    first.filter(|_| skeletons.next().is_none())
}
