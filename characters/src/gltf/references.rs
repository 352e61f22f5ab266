//! Checks that everything that parts of a file refer to is there, before the library that reads it takes that for granted.

use gltf::json::{Index, Root};

use super::wrong::{Wrong, wrong};

/// A file, for how many there are of each part.
struct Counts<'r>(&'r Root);

impl Counts<'_> {
    /// Something at a place refers to the part of an index of so many.
    fn check<T>(
        &self,
        at: impl Fn() -> String,
        index: Index<T>,
        (n, of): (usize, &str),
    ) -> Result<(), Wrong> {
        if index.value() < n {
            return Ok(());
        }
        Err(wrong(at(), format!("there is no {of}[{}], there are {n}", index.value())))
    }

    fn accessor<T>(&self, at: impl Fn() -> String, index: Index<T>) -> Result<(), Wrong> {
        self.check(at, index, (self.0.accessors.len(), "accessors"))
    }

    fn node<T>(&self, at: impl Fn() -> String, index: Index<T>) -> Result<(), Wrong> {
        self.check(at, index, (self.0.nodes.len(), "nodes"))
    }

    fn view<T>(&self, at: impl Fn() -> String, index: Index<T>) -> Result<(), Wrong> {
        self.check(at, index, (self.0.buffer_views.len(), "bufferViews"))
    }
}

/// Checks a whole file.
pub(super) fn check(root: &Root) -> Result<(), Wrong> {
    let counts = Counts(root);
    for (k, view) in root.buffer_views.iter().enumerate() {
        counts.check(|| format!("bufferViews[{k}].buffer"), view.buffer, (root.buffers.len(), "buffers"))?;
    }
    for (k, accessor) in root.accessors.iter().enumerate() {
        if let Some(view) = accessor.buffer_view {
            counts.view(|| format!("accessors[{k}].bufferView"), view)?;
        }
        if let Some(sparse) = &accessor.sparse {
            counts.view(|| format!("accessors[{k}].sparse.indices"), sparse.indices.buffer_view)?;
            counts.view(|| format!("accessors[{k}].sparse.values"), sparse.values.buffer_view)?;
        }
    }
    for (k, node) in root.nodes.iter().enumerate() {
        for &child in node.children.iter().flatten() {
            counts.node(|| format!("nodes[{k}].children"), child)?;
        }
        if let Some(mesh) = node.mesh {
            counts.check(|| format!("nodes[{k}].mesh"), mesh, (root.meshes.len(), "meshes"))?;
        }
        if let Some(skin) = node.skin {
            counts.check(|| format!("nodes[{k}].skin"), skin, (root.skins.len(), "skins"))?;
        }
    }
    for (k, skin) in root.skins.iter().enumerate() {
        for &joint in &skin.joints {
            counts.node(|| format!("skins[{k}].joints"), joint)?;
        }
        if let Some(node) = skin.skeleton {
            counts.node(|| format!("skins[{k}].skeleton"), node)?;
        }
        if let Some(accessor) = skin.inverse_bind_matrices {
            counts.accessor(|| format!("skins[{k}].inverseBindMatrices"), accessor)?;
        }
    }
    if let Some(scene) = root.scene {
        counts.check(|| "scene".to_owned(), scene, (root.scenes.len(), "scenes"))?;
    }
    for (k, scene) in root.scenes.iter().enumerate() {
        for &node in &scene.nodes {
            counts.node(|| format!("scenes[{k}].nodes"), node)?;
        }
    }
    meshes(&counts)?;
    animations(&counts)
}

fn meshes(counts: &Counts<'_>) -> Result<(), Wrong> {
    for (k, mesh) in counts.0.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let at = |what: &str| format!("meshes[{k}].primitives[{p}].{what}");
            for &accessor in primitive.attributes.values() {
                counts.accessor(|| at("attributes"), accessor)?;
            }
            if let Some(accessor) = primitive.indices {
                counts.accessor(|| at("indices"), accessor)?;
            }
            if let Some(material) = primitive.material {
                counts.check(|| at("material"), material, (counts.0.materials.len(), "materials"))?;
            }
            for target in primitive.targets.iter().flatten() {
                for accessor in [target.positions, target.normals, target.tangents].into_iter().flatten() {
                    counts.accessor(|| at("targets"), accessor)?;
                }
            }
        }
    }
    Ok(())
}

fn animations(counts: &Counts<'_>) -> Result<(), Wrong> {
    for (k, animation) in counts.0.animations.iter().enumerate() {
        for (s, sampler) in animation.samplers.iter().enumerate() {
            counts.accessor(|| format!("animations[{k}].samplers[{s}].input"), sampler.input)?;
            counts.accessor(|| format!("animations[{k}].samplers[{s}].output"), sampler.output)?;
        }
        for (c, channel) in animation.channels.iter().enumerate() {
            let at = |what: &str| format!("animations[{k}].channels[{c}].{what}");
            counts.check(|| at("sampler"), channel.sampler, (animation.samplers.len(), "samplers"))?;
            counts.node(|| at("target.node"), channel.target.node)?;
        }
    }
    Ok(())
}
