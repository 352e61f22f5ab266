//! Reads characters from files: glTF 2.0 (`.gltf`, `.glb`) and BVH.
//!
//! [`load`] gives a [`Character`]: the skeleton of all nodes, the clips that move it, and meshes with their skins. What is wrong with a file
//! is a [`LoadError`] that says where; what was mended is in [`Character::warnings`].
//! - `bvh`: motion capture, a skeleton and one clip;
//! - `gltf`: buffers and accessors, nodes, meshes, animations.

mod bvh;
mod character;
mod error;
mod gltf;

use std::path::Path;

pub use bvh::read_bvh;
pub use character::Character;
pub use error::LoadError;
pub use gltf::read_gltf;

/// Endings of the names of files that [`load`] reads.
pub const ENDINGS: [&str; 3] = ["glb", "gltf", "bvh"];

/// Whether a file is a character, by its name.
pub fn is_character(path: &Path) -> bool {
    path.extension().is_some_and(|e| ENDINGS.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// Reads a file, and files that it names.
///
/// # Errors
/// It cannot be read, or what is wrong with it.
pub fn load(path: &Path) -> Result<Character, LoadError> {
    let shown = path.display().to_string();
    let bytes =
        std::fs::read(path).map_err(|e| LoadError::Read { path: shown.clone(), what: e.to_string() })?;
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bvh")) {
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(LoadError::Read { path: shown, what: "it is no text".to_owned() });
        };
        read_bvh(&shown, text)
    } else {
        read_gltf(&shown, &bytes, path.parent())
    }
}
