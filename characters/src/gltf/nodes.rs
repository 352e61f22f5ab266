//! Nodes as joints, and skins.

use ::animation::rig::math::affine::{Affine, axis, compose, decompose};
use ::animation::rig::math::vector::{cross, norm, perpendicular};
use ::animation::skeleton::{Joint, Matrix, Skeleton, Skin, Transform};
use gltf::Document;
use gltf::scene::Transform as Given;

use super::accessor::floats;
use super::wrong::{Wrong, wrong};

/// The skeleton of all nodes, and by node where it is.
pub(super) fn skeleton(
    document: &Document,
    warnings: &mut Vec<String>,
) -> Result<(Skeleton, Vec<u32>), Wrong> {
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
    for (k, node) in document.as_json().nodes.iter().enumerate() {
        let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
        if node.matrix.is_some() && has_parts {
            let text = format!("nodes[{k}] has a matrix, and translation, rotation or scale, too");
            warnings.push(format!("{text}: the matrix is taken"));
        }
    }
    let mut joints = Vec::with_capacity(parents.len());
    for (node, parent) in document.nodes().zip(parents) {
        let name = node.name().map_or_else(|| format!("node {}", node.index()), str::to_owned);
        let rest = match node.transform() {
            Given::Decomposed { rotation: [0.0, 0.0, 0.0, 0.0], .. } => {
                return Err(wrong(
                    format!("nodes[{}].rotation", node.index()),
                    "it is zero, which is no rotation",
                ));
            }
            Given::Decomposed { translation, rotation, scale } => Transform { translation, rotation, scale },
            Given::Matrix { matrix } => {
                let (rest, is_sheared) = of_matrix(&matrix);
                let at = node.index();
                if is_sheared {
                    warnings.push(format!("nodes[{at}]: its matrix shears, which is left out"));
                }
                if matrix.map(|column| column[3]) != LAST_ROW {
                    let text = "the last row of its matrix is not 0, 0, 0, 1, which is taken for it";
                    warnings.push(format!("nodes[{at}]: {text}"));
                }
                rest
            }
        };
        joints.push(Joint { name, parent, rest });
    }
    Skeleton::new(joints).map_err(|e| wrong("nodes", e))
}

/// The last row of a matrix that moves, turns and scales.
const LAST_ROW: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Differences from an axis of a matrix that are rounding, relative to its length.
const ROUNDING: f64 = 1e-4;

/// A matrix by columns as translation, rotation and scale, computed in `f64`; whether it is more than that.
fn of_matrix(matrix: &[[f32; 4]; 4]) -> (Transform, bool) {
    let affine = std::array::from_fn(|k| f64::from(matrix[k % 4][k / 4]));
    let (t, q, mut s) = decompose(&upright(&affine));
    let is_flat = |k: usize| norm(axis(&affine, k)) == 0.0;
    s.iter_mut().enumerate().filter(|(k, _)| is_flat(*k)).for_each(|(_, s)| *s = 0.0);
    let made = compose(t, q, s);
    let leans = |k: usize| {
        let off: [f64; 3] = std::array::from_fn(|row| made[4 * row + k] - affine[4 * row + k]);
        norm(off) > ROUNDING * norm(axis(&affine, k))
    };
    let number = |x: f64| x as f32;
    let rest = Transform { translation: t.map(number), rotation: q.map(number), scale: s.map(number) };
    (rest, (0..3).any(leans))
}

/// The same map with axes in place of those that vanish, at right angles to the others.
fn upright(affine: &Affine) -> Affine {
    let mut made = *affine;
    let is_flat = |k: usize| norm(axis(affine, k % 3)) == 0.0;
    let mut put = |k: usize, to: [f64; 3]| (0..3).for_each(|row| made[4 * row + k % 3] = to[row]);
    for k in (0..3).filter(|k| !is_flat(*k)) {
        let along = axis(affine, k);
        match (is_flat(k + 1), is_flat(k + 2)) {
            (true, true) => {
                put(k + 1, perpendicular(along));
                put(k + 2, cross(along, perpendicular(along)));
            }
            // Its two neighbours in turn are this one and the one before.
            (true, false) => put(k + 1, cross(axis(affine, (k + 2) % 3), along)),
            _ => {}
        }
    }
    made
}

/// Makes last rows 0, 0, 0, 1 that are so but for rounding; whether there were any.
fn with_last_rows(binds: &mut [Matrix]) -> bool {
    const ROUNDING: f32 = 1e-5;
    let mut any = false;
    for bind in binds {
        let row = bind.map(|column| column[3]);
        if row != LAST_ROW && row.iter().zip(LAST_ROW).all(|(x, y)| (x - y).abs() <= ROUNDING) {
            bind.iter_mut().zip(LAST_ROW).for_each(|(column, last)| column[3] = last);
            any = true;
        }
    }
    any
}

/// By node: whether it is in the scene that is shown.
pub(super) fn shown(document: &Document) -> Vec<bool> {
    let Some(scene) = document.default_scene().or_else(|| document.scenes().next()) else {
        return vec![true; document.nodes().len()];
    };
    let mut is_shown = vec![false; document.nodes().len()];
    let mut open: Vec<_> = scene.nodes().collect();
    while let Some(node) = open.pop() {
        // A node that is named twice is opened once.
        if !std::mem::replace(&mut is_shown[node.index()], true) {
            open.extend(node.children());
        }
    }
    is_shown
}

/// The skins, with their joints in the skeleton.
pub(super) fn skins(
    document: &Document,
    buffers: &[Vec<u8>],
    place: &[u32],
    warnings: &mut Vec<String>,
) -> Result<Vec<Skin>, Wrong> {
    let mut skins = Vec::new();
    for skin in document.skins() {
        let at = format!("skins[{}]", skin.index());
        let joints: Vec<u32> = skin.joints().map(|node| place[node.index()]).collect();
        let mut binds: Vec<Matrix> = Vec::new();
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
            if with_last_rows(&mut binds) {
                let text = "last rows of its inverse bind matrices are not quite 0, 0, 0, 1, which is taken for them";
                warnings.push(format!("{at}: {text}"));
            }
        }
        skins.push(Skin::new(joints, binds, place.len()).map_err(|e| wrong(at, e))?);
    }
    Ok(skins)
}
