//! glTF 2.0: nodes become joints, whose transforms animations move; meshes follow skins or are carried by their node.

mod accessor;
mod animation;
mod buffers;
mod meshes;
mod nodes;
mod references;
mod words;
mod wrong;

use std::path::Path;

use ::gltf::Gltf;

use crate::character::Character;
use crate::error::LoadError;
use wrong::{Wrong, wrong};

/// Reads a glTF file, JSON or binary; `path` is what errors call it, and `folder` where files that it names are; none if it may name
/// none.
///
/// All nodes are joints of one skeleton, whatever scene they are in; those without a name are called by their index. Of materials the
/// base color is read; pictures, cameras and lights are not. What only looks (`KHR_materials_...`) may be required; what changes the geometry's form (Draco, mesh
/// quantisation) may not.
///
/// **Source:** the glTF 2.0 specification.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn read_gltf(path: &str, bytes: &[u8], folder: Option<&Path>) -> Result<Character, LoadError> {
    read(bytes, folder).map_err(|Wrong { at, what }| LoadError::Part { path: path.to_owned(), at, what })
}

/// Extensions that a file may require although nothing of them is read: they say how surfaces look.
const HARMLESS: &str = "KHR_materials_";

fn read(bytes: &[u8], folder: Option<&Path>) -> Result<Character, Wrong> {
    let gltf = Gltf::from_slice_without_validation(bytes).map_err(|e| wrong("the file", e))?;
    let required = gltf.document.extensions_required();
    if let Some(name) = required.into_iter().find(|name| !name.starts_with(HARMLESS)) {
        let what = format!("the file requires the extension `{name}`, which is not supported");
        return Err(wrong("extensionsRequired", what));
    }
    let json = gltf.document.as_json();
    if !json.asset.version.starts_with("2.") {
        let what = format!("glTF of version {} is not supported, 2.0 is", json.asset.version);
        return Err(wrong("asset.version", what));
    }
    references::check(json)?;
    words::check(json)?;
    let buffers = buffers::buffers(&gltf, folder)?;
    let mut warnings = Vec::new();
    let (skeleton, place) = nodes::skeleton(&gltf.document)?;
    let skins = nodes::skins(&gltf.document, &buffers, &place)?;
    let meshes = meshes::meshes(&gltf.document, &buffers, (&place, &skins), &mut warnings)?;
    let colors = meshes.iter().map(|of| of.color).collect();
    let (of_node, meshes): (Vec<usize>, Vec<_>) = meshes.into_iter().map(|of| (of.node, of.mesh)).unzip();
    let clips = animation::clips(
        &gltf.document,
        &buffers,
        (skeleton.len(), &place),
        (&of_node, &meshes),
        &mut warnings,
    )?;
    Ok(Character { skeleton, skins, meshes, colors, clips, warnings })
}

#[cfg(test)]
mod tests;
