//! Animations as clips.

use ::animation::skeleton::{Clip, ClipError, Interpolation, Mesh, MorphTrack, Track};
use gltf::animation::{Channel, Interpolation as Way, Property};
use gltf::{Document, Node};

use super::accessor::floats;
use super::wrong::{Wrong, wrong};

/// The clips of a file. By node: its joint; by mesh: its node. A clip lasts as long as all its channels do, those that are left out, too.
pub(super) fn clips(
    document: &Document,
    buffers: &[Vec<u8>],
    (n_joints, place): (usize, &[u32]),
    (of_node, meshes): (&[usize], &[Mesh]),
    warnings: &mut Vec<String>,
) -> Result<Vec<Clip>, Wrong> {
    let mut clips = Vec::new();
    for animation in document.animations() {
        let (mut translations, mut rotations, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        let (mut morphs, mut end) = (Vec::new(), 0.0);
        for channel in animation.channels() {
            let at = format!("animations[{}].channels[{}]", animation.index(), channel.index());
            let (target, times) = (channel.target(), times(&channel, buffers)?);
            let way = match channel.sampler().interpolation() {
                Way::Linear => Interpolation::Linear,
                Way::Step => Interpolation::Step,
                Way::CubicSpline => Interpolation::CubicSpline,
            };
            let (joint, output) = (place[target.node().index()], channel.sampler().output());
            let fail = |e: ClipError| wrong(at.as_str(), e);
            match target.property() {
                Property::Translation => {
                    translations
                        .push(Track::new(joint, times, floats(&output, buffers)?, way).map_err(fail)?);
                }
                Property::Scale => {
                    scales.push(Track::new(joint, times, floats(&output, buffers)?, way).map_err(fail)?);
                }
                Property::Rotation => {
                    let values = floats(&output, buffers)?;
                    rotations.push(Track::rotation(joint, times, values, way).map_err(fail)?);
                }
                Property::MorphTargetWeights => {
                    let values = floats::<1>(&output, buffers)?.as_flattened().to_vec();
                    let moved = (0..).zip(of_node).filter(|(_, node)| **node == target.node().index());
                    let before = morphs.len();
                    for (mesh, _) in moved.filter(|(k, _): &(usize, _)| !meshes[*k].targets.is_empty()) {
                        let n = meshes[mesh].targets.len();
                        let track = MorphTrack::new(mesh as u32, n, times.clone(), values.clone(), way);
                        morphs.push(track.map_err(fail)?);
                    }
                    if morphs.len() == before {
                        warnings.push(left_out(&at, &target.node()));
                        end = times.iter().copied().filter(|t| t.is_finite()).fold(end, f32::max);
                    }
                }
            }
        }
        let name = animation.name().map_or_else(|| format!("clip {}", animation.index()), str::to_owned);
        let clip = Clip::new(name, n_joints, (translations, rotations, scales), morphs);
        let clip = clip.map_err(|e| {
            let node = |joint: u32| place.iter().position(|p| *p == joint).unwrap_or_default();
            let what = match e {
                ClipError::Twice { what, joint } => {
                    format!("two channels are for the {what} of nodes[{}]", node(joint))
                }
                e => e.to_string(),
            };
            wrong(format!("animations[{}]", animation.index()), what)
        })?;
        clips.push(clip.until(end));
    }
    Ok(clips)
}

/// What is said of a channel of weights that weighs nothing that is drawn.
fn left_out(at: &str, node: &Node<'_>) -> String {
    let mut primitives = node.mesh().into_iter().flat_map(|mesh| mesh.primitives());
    let k = node.index();
    match primitives.any(|primitive| primitive.morph_targets().len() > 0) {
        true => format!("{at} weighs targets of nodes[{k}], which are not drawn: it is left out"),
        false => format!("{at} weighs targets, but nodes[{k}] has none: it is left out"),
    }
}

fn times(channel: &Channel<'_>, buffers: &[Vec<u8>]) -> Result<Vec<f32>, Wrong> {
    Ok(floats::<1>(&channel.sampler().input(), buffers)?.as_flattened().to_vec())
}
