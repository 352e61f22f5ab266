//! Graphs that scenes of the gallery run: X3D files and rigs of our own, inside the program.

use super::GalleryError;
use crate::diagnostics::did_you_mean;

const FILES: &[(&str, &str)] = &[
    ("crane.rig", include_str!("../../gallery/crane.rig")),
    ("humanoid.x3dv", include_str!("../../gallery/humanoid.x3dv")),
    ("plaza.x3dv", include_str!("../../gallery/plaza.x3dv")),
    ("puppet.x3dv", include_str!("../../gallery/puppet.x3dv")),
];

/// The text of one of them.
///
/// # Errors
/// There is none of this name; with the nearest one.
pub fn graph_text(name: &str) -> Result<&'static str, GalleryError> {
    let found = FILES.iter().find(|(n, _)| *n == name).map(|(_, text)| *text);
    found.ok_or_else(|| GalleryError {
        message: format!("there is no file `{name}` in the gallery"),
        suggestion: did_you_mean(name, FILES.iter().map(|(n, _)| *n)),
    })
}
