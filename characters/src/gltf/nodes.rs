//! Nodes as joints, and skins.

use ::animation::skeleton::{Joint, Skeleton, Skin, Transform};
use gltf::Document;

use super::accessor::floats;
use super::wrong::{Wrong, wrong};

/// The skeleton of all nodes, and by node where it is.
pub(super) fn skeleton(document: &Document) -> Result<(Skeleton, Vec<u32>), Wrong> {
    let mut parents = vec![None; document.nodes().len()];
    for node in document.nodes() {
        for child in node.children() {
            let parent = &mut parents[child.index()];
            if let Some(first) = parent.replace(node.index() as u32) {
                let what = format!("it is a child of nodes[{first}] and of nodes[{}]", node.index());
                return Err(wrong(format!("nodes[{}]", child.index()), what));
            }
        }
    }
    let joints = document.nodes().zip(parents).map(|(node, parent)| {
        let (translation, rotation, scale) = node.transform().decomposed();
        let name = node.name().map_or_else(|| format!("node {}", node.index()), str::to_owned);
        Joint { name, parent, rest: Transform { translation, rotation, scale } }
    });
    Skeleton::new(joints.collect()).map_err(|e| wrong("nodes", e))
}

/// The skins, with their joints in the skeleton.
pub(super) fn skins(document: &Document, buffers: &[Vec<u8>], place: &[u32]) -> Result<Vec<Skin>, Wrong> {
    let mut skins = Vec::new();
    for skin in document.skins() {
        let at = format!("skins[{}]", skin.index());
        let joints: Vec<u32> = skin.joints().map(|node| place[node.index()]).collect();
        let mut binds = Vec::new();
        if let Some(accessor) = skin.inverse_bind_matrices() {
            let columns = floats::<16>(&accessor, buffers)?;
            binds = columns
                .iter()
                .map(|m| std::array::from_fn(|c| std::array::from_fn(|r| m[4 * c + r])))
                .collect();
            // A file may have more than it uses.
            binds.truncate(joints.len());
            if binds.is_empty() {
                return Err(wrong(at, "its inverse bind matrices are none"));
            }
        }
        skins.push(Skin::new(joints, binds, place.len()).map_err(|e| wrong(at, e))?);
    }
    Ok(skins)
}
