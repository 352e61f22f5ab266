//! Checks that words and numbers that must be of a list are, before the library that reads them takes that for granted.

use gltf::json::Root;
use gltf::json::validation::Checked;

use super::wrong::{Wrong, wrong};

fn known<T>(word: &Checked<T>, at: impl Fn() -> String) -> Result<(), Wrong> {
    match word {
        Checked::Valid(_) => Ok(()),
        Checked::Invalid => Err(wrong(at(), "it is none of the words or numbers that glTF has for it")),
    }
}

/// Checks a whole file.
pub(super) fn check(root: &Root) -> Result<(), Wrong> {
    for (k, accessor) in root.accessors.iter().enumerate() {
        known(&accessor.component_type, || format!("accessors[{k}].componentType"))?;
        known(&accessor.type_, || format!("accessors[{k}].type"))?;
        if let Some(sparse) = &accessor.sparse {
            known(&sparse.indices.component_type, || format!("accessors[{k}].sparse.indices.componentType"))?;
        }
    }
    for (k, mesh) in root.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            known(&primitive.mode, || format!("meshes[{k}].primitives[{p}].mode"))?;
            for semantic in primitive.attributes.keys() {
                known(semantic, || format!("meshes[{k}].primitives[{p}].attributes"))?;
            }
        }
    }
    for (k, animation) in root.animations.iter().enumerate() {
        for (s, sampler) in animation.samplers.iter().enumerate() {
            known(&sampler.interpolation, || format!("animations[{k}].samplers[{s}].interpolation"))?;
        }
        for (c, channel) in animation.channels.iter().enumerate() {
            known(&channel.target.path, || format!("animations[{k}].channels[{c}].target.path"))?;
        }
    }
    Ok(())
}
