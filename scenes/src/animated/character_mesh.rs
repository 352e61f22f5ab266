//! `CharacterMesh`: a character's mesh, for a skin on the frames of its joints.

use animation::rig::math::affine::{compose, decompose, mul, point};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::scene::ComponentId;

use super::character_file::CharacterFile;
use super::character_joints::{CharacterFrames, affine, placed};

/// A mesh of a character as it was bound to its joints: what a topology, a MechanicalObject and a SkinningMapping (`indices`, `weight`,
/// `nbRef`) on the frames of a CharacterJoints are linked to.
#[derive(Attributes)]
struct Settings {
    /// the CharacterJoints whose frames carry it; that of this node or the nearest above if not given
    joints: Option<LinkTarget>,
    /// which mesh of the file
    #[attribute(default = "0", non_negative)]
    mesh: i64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "CharacterMesh", build);

/// Scales of a bone in the mesh and in the pose may differ by so much: frames have none.
const SCALES: f64 = 1e-3;

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let frames = |c: ComponentId| b.scene.component(c).extension::<CharacterFrames>().cloned();
    let frames = match s.joints {
        Some(LinkTarget::Component(c)) => frames(c),
        Some(_) => None,
        None => b.scene.upward(b.node).flat_map(|n| b.scene.components_of(n)).find_map(frames),
    };
    let frames = frames.ok_or_else(|| {
        BuildError::attribute("joints", "there is no CharacterJoints where it looks for one")
    })?;
    let Some(of) = b.scene.component(frames.file).extension::<CharacterFile>().cloned() else {
        return Err(BuildError::attribute("joints", "its CharacterFile is gone"));
    };
    let (character, k) = (&of.character, s.mesh.max(0) as usize);
    let Some(mesh) = character.meshes.get(k) else {
        let text = format!("there is no mesh {k} in the file, there are {}", character.meshes.len());
        return Err(BuildError::attribute("mesh", text));
    };
    let Some((skin, influences)) = &mesh.skin else {
        let text = "it follows one joint, not a skin; put it below that joint's frame with a RigidMapping";
        return Err(BuildError::attribute("mesh", text));
    };
    if !mesh.targets.is_empty() {
        b.warn(Some("mesh"), "its morph targets are left out".to_owned());
    }
    let skin = &character.skins[*skin as usize];
    let row = |joint: u16| frames.joints.iter().position(|j| *j == skin.joints()[usize::from(joint)]);
    let place = placed(&of.models[frames.model], of.heights[frames.model], of.unit);
    let (mut counts, mut indices, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for vertex in 0..influences.len() {
        let mut list: Vec<(u16, f32)> = influences.of(vertex).filter(|(_, w)| *w > 0.0).collect();
        // As a SkinningMapping has them; of equals the first stays first.
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        counts.push(list.len() as i64);
        for (joint, weight) in list {
            let Some(row) = row(joint) else {
                let name = &character.skeleton.joints()[skin.joints()[usize::from(joint)] as usize].name;
                let text = format!(
                    "vertex {vertex} follows `{name}`, which is not among the joints of the CharacterJoints"
                );
                return Err(BuildError::attribute("joints", text));
            };
            indices.push(row as i64);
            weights.push(f64::from(weight));
        }
    }
    warn_of_scales(b, &of, skin);
    let points = mesh.positions.iter().flat_map(|p| point(&place, p.map(f64::from)));
    b.offer("position", Value::Reals(points.collect()));
    let corners = mesh.triangles.as_flattened().iter().map(|v| i64::from(*v));
    b.offer("triangles", Value::Integers(corners.collect()));
    b.offer("nbRef", Value::Integers(counts));
    b.offer("indices", Value::Integers(indices));
    b.offer("weight", Value::Reals(weights));
    Ok(())
}

/// Frames have no scale: a bone that has another one in the pose than where the mesh was bound would be seen otherwise.
fn warn_of_scales(b: &mut Builder<'_>, of: &CharacterFile, skin: &animation::skeleton::Skin) {
    let skeleton = &of.character.skeleton;
    let mut model = vec![animation::skeleton::IDENTITY; skeleton.len()];
    skeleton.to_model(skeleton.rest(), &mut model);
    let no_scale = compose([0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    for (joint, bind) in skin.joints().iter().zip(skin.inverse_binds()) {
        let moved = mul(&affine(&model[*joint as usize]), &mul(&affine(bind), &no_scale));
        let (.., scales) = decompose(&moved);
        if scales.iter().any(|s| (s - 1.0).abs() > SCALES) {
            let name = &skeleton.joints()[*joint as usize].name;
            b.warn(Some("mesh"), format!("`{name}` scales the mesh by {scales:.3?}, which frames do not"));
            return;
        }
    }
}
