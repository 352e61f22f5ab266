//! Meshes of nodes.

use ::animation::skeleton::{InfluenceBlock, Influences, Mesh, MorphTarget, Skin};
use gltf::mesh::{Mode, Primitive};
use gltf::{Document, Node, Semantic};

use super::accessor::{floats, indices};
use super::wrong::{Wrong, wrong};

/// A set of triangles of a node.
pub(super) struct NodeMesh {
    /// The node, by its place in the file.
    pub node: usize,
    pub mesh: Mesh,
    /// The base color of its material.
    pub color: [f32; 4],
}

/// One mesh for each node and set of triangles.
pub(super) fn meshes(
    document: &Document,
    buffers: &[Vec<u8>],
    (place, skins): (&[u32], &[Skin]),
    warnings: &mut Vec<String>,
) -> Result<Vec<NodeMesh>, Wrong> {
    let (mut meshes, shown) = (Vec::new(), super::nodes::shown(document));
    for node in document.nodes() {
        let Some(mesh) = node.mesh() else { continue };
        if !shown[node.index()] {
            let text = format!("meshes[{}] of nodes[{}] is not in the scene", mesh.index(), node.index());
            warnings.push(format!("{text} that is shown: it is left out"));
            continue;
        }
        for primitive in mesh.primitives() {
            let at = format!("meshes[{}].primitives[{}]", mesh.index(), primitive.index());
            if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
                warnings.push(format!("{at} is of points or lines, which are not drawn"));
                continue;
            }
            let mut made = Mesh { joint: place[node.index()], ..Mesh::default() };
            made.name = mesh.name().map_or_else(|| format!("mesh {}", mesh.index()), str::to_owned);
            shape(&primitive, buffers, &at, &mut made)?;
            made.triangles = triangles(&primitive, buffers, (&at, made.positions.len()))?;
            let n = made.targets.len();
            let weights = node.weights().or(mesh.weights()).unwrap_or_default();
            if !weights.is_empty() && weights.len() != n {
                let (of, k) = match node.weights() {
                    Some(_) => ("nodes", node.index()),
                    None => ("meshes", mesh.index()),
                };
                let text = format!("{of}[{k}].weights: {} are given for {n} targets", weights.len());
                let text = format!("{text}: those that are missing are zero, those beyond are left out");
                // A mesh says so for all its parts.
                if !warnings.contains(&text) {
                    warnings.push(text);
                }
            }
            made.weights = weights.iter().copied().chain(std::iter::repeat(0.0)).take(n).collect();
            made.skin = influences(&node, &primitive, buffers, (skins, &at), warnings)?;
            let color = primitive.material().pbr_metallic_roughness().base_color_factor();
            meshes.push(NodeMesh { node: node.index(), mesh: made, color });
        }
    }
    Ok(meshes)
}

/// Three of `n` vertices each.
fn triangles(
    primitive: &Primitive<'_>,
    buffers: &[Vec<u8>],
    (at, n): (&str, usize),
) -> Result<Vec<[u32; 3]>, Wrong> {
    let corners: Vec<u32> = match primitive.indices() {
        Some(accessor) => indices::<1>(&accessor, buffers)?.as_flattened().to_vec(),
        None => (0..n as u32).collect(),
    };
    let triangles: Vec<[u32; 3]> = match primitive.mode() {
        // Every second one is turned over, so that all face the same way.
        Mode::TriangleStrip => (0..corners.len().saturating_sub(2))
            .map(|k| if k % 2 == 0 { [k, k + 1, k + 2] } else { [k + 1, k, k + 2] }.map(|k| corners[k]))
            .collect(),
        Mode::TriangleFan => {
            (1..corners.len().saturating_sub(1)).map(|k| [0, k, k + 1].map(|k| corners[k])).collect()
        }
        _ => corners.as_chunks().0.to_vec(),
    };
    match triangles.as_flattened().iter().find(|v| **v as usize >= n) {
        Some(vertex) => Err(wrong(at, format!("a triangle has the vertex {vertex}, but there are {n}"))),
        None => Ok(triangles),
    }
}

/// Positions, normals and targets.
fn shape(primitive: &Primitive<'_>, buffers: &[Vec<u8>], at: &str, mesh: &mut Mesh) -> Result<(), Wrong> {
    let positions = primitive.get(&Semantic::Positions);
    let positions = positions.ok_or_else(|| wrong(at, "it has no POSITION"))?;
    mesh.positions = floats(&positions, buffers)?;
    let n = mesh.positions.len();
    let of = |what: &str, list: Vec<[f32; 3]>| {
        let is_finite = list.as_flattened().iter().all(|x| x.is_finite());
        match (list.len() == n, is_finite) {
            (true, true) => Ok(list),
            (false, _) => Err(wrong(at, format!("{n} vertices have {} of {what}", list.len()))),
            (_, false) => Err(wrong(at, format!("{what} has a number that is not finite"))),
        }
    };
    mesh.positions = of("POSITION", std::mem::take(&mut mesh.positions))?;
    if let Some(normals) = primitive.get(&Semantic::Normals) {
        mesh.normals = of("NORMAL", floats(&normals, buffers)?)?;
    }
    if let Some(accessor) = primitive.get(&Semantic::TexCoords(0)) {
        mesh.texture = floats(&accessor, buffers)?;
        if mesh.texture.len() != n {
            return Err(wrong(at, format!("{n} vertices have {} of TEXCOORD_0", mesh.texture.len())));
        }
    }
    for target in primitive.morph_targets() {
        let mut made = MorphTarget::default();
        if let Some(accessor) = target.positions() {
            made.positions = of("a target's POSITION", floats(&accessor, buffers)?)?;
        }
        if let Some(accessor) = target.normals().filter(|_| !mesh.normals.is_empty()) {
            made.normals = of("a target's NORMAL", floats(&accessor, buffers)?)?;
        }
        mesh.targets.push(made);
    }
    Ok(())
}

/// The skin of a node's mesh, and its influences.
fn influences(
    node: &Node<'_>,
    primitive: &Primitive<'_>,
    buffers: &[Vec<u8>],
    (skins, at): (&[Skin], &str),
    warnings: &mut Vec<String>,
) -> Result<Option<(u32, Influences)>, Wrong> {
    let Some(skin) = node.skin() else {
        if primitive.get(&Semantic::Joints(0)).is_some() {
            warnings.push(format!(
                "{at} has joints, but nodes[{}] has no skin: its node carries it",
                node.index()
            ));
        }
        return Ok(None);
    };
    let mut blocks: Vec<InfluenceBlock> = Vec::new();
    while let Some(joints) = primitive.get(&Semantic::Joints(blocks.len() as u32)) {
        let k = blocks.len();
        let weights = primitive.get(&Semantic::Weights(k as u32));
        let weights = weights.ok_or_else(|| wrong(at, format!("it has JOINTS_{k}, but no WEIGHTS_{k}")))?;
        let joints = indices::<4>(&joints, buffers)?;
        let joints = joints.iter().map(|j| j.map(|j| u16::try_from(j).unwrap_or(u16::MAX))).collect();
        blocks.push((joints, floats::<4>(&weights, buffers)?));
    }
    if blocks.is_empty() {
        warnings.push(format!("{at} has a skin, but no joints: its node carries it"));
        return Ok(None);
    }
    let n = primitive.get(&Semantic::Positions).map_or(0, |a| a.count());
    let of = Influences::new(n, skins[skin.index()].joints().len(), &blocks).map_err(|e| wrong(at, e))?;
    if of.n_normalized() > 0 {
        warnings.push(format!(
            "{at}: weights of {} vertices did not sum to one and were made to",
            of.n_normalized()
        ));
    }
    Ok(Some((skin.index() as u32, of)))
}
