//! glTF 2.0: nodes become joints, whose transforms animations move; meshes follow skins or are carried by their node.

mod accessor;
mod animation;
mod binary;
mod buffers;
mod meshes;
mod nodes;
mod parse;
mod references;
mod words;
mod wrong;

use std::path::Path;

use crate::character::Character;
use crate::error::LoadError;
use wrong::{Wrong, wrong};

/// Reads a glTF file, JSON or binary; `path` is what errors call it, and `folder` where files that it names are; none if it may name
/// none.
///
/// All nodes are joints of one skeleton, whatever scene they are in; those without a name are called by their index. Meshes are those of
/// the file's scene (its first one, if it does not say which; all, if it has none). Of materials the base color is read; pictures, cameras
/// and lights are not. What only looks (`KHR_materials_...`, textures, lights) may be required, and numbers of meshes may be whole
/// (`KHR_mesh_quantization`); what else changes the geometry's form (Draco, meshopt) may not.
///
/// **Source:** the glTF 2.0 specification.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn read_gltf(path: &str, bytes: &[u8], folder: Option<&Path>) -> Result<Character, LoadError> {
    read(bytes, folder).map_err(|Wrong { at, what }| LoadError::Part { path: path.to_owned(), at, what })
}

/// Beginnings of the names of extensions that a file may require: most say how surfaces look, of which nothing is read; whole numbers in
/// meshes are read everywhere.
const HARMLESS: [&str; 12] = [
    "EXT_lights_",
    "KHR_technique_webgl",
    "KHR_techniques_webgl",
    "KHR_environment_map",
    "ADOBE_materials_",
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_dds",
    "KHR_lights_punctual",
    "KHR_xmp",
    "KHR_mesh_quantization",
];

fn read(bytes: &[u8], folder: Option<&Path>) -> Result<Character, Wrong> {
    let mut warnings = Vec::new();
    let gltf = parse::parse(bytes, &mut warnings)?;
    let json = gltf.document.as_json();
    let is_foreign = |name: &&String| !HARMLESS.iter().any(|known| name.starts_with(known));
    if let Some(name) = json.extensions_required.iter().find(is_foreign) {
        let what = format!("the file requires the extension `{name}`, which is not supported");
        return Err(wrong("extensionsRequired", what));
    }
    for name in json.extensions_used.iter().filter(is_foreign) {
        warnings.push(format!("the file uses the extension `{name}`: what it says is left out"));
    }
    references::check(json)?;
    words::check(json)?;
    let buffers = buffers::buffers(&gltf, folder)?;
    let (skeleton, place) = nodes::skeleton(&gltf.document, &mut warnings)?;
    let skins = nodes::skins(&gltf.document, &buffers, &place, &mut warnings)?;
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
    Ok(Character { skeleton, skins, meshes, colors, clips, warnings }.with_warnings_of_reach())
}

#[cfg(test)]
mod tests;
