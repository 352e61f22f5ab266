//! `CharacterJoints`: frames of a character's joints, for a state to follow. `CharacterMesh`: its mesh, for a skin on these.

use animation::rig::math::affine::{Affine, compose, decompose, mul};
use animation::rig::math::quaternion::Quaternion;
use animation::skeleton::walk::Walker;
use animation::skeleton::{IDENTITY, Matrix, inverse};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::scene::ComponentId;

use super::character_file::{CharacterFile, character_of};
use crate::diagnostics::did_you_mean;

/// Frames of joints of a model of a character: a MechanicalObject whose `position` is linked to `position` follows them, with velocities
/// that are the differences of two steps. Before the first step they are where the mesh was bound to them.
#[derive(Attributes)]
struct Settings {
    /// the CharacterFile; that of this node or the nearest above if not given
    file: Option<LinkTarget>,
    /// which model
    #[attribute(default = "0", non_negative)]
    model: i64,
    /// names of joints: a row of positions for each; all joints that skins have (all, if there are no skins) if not given
    joints: Vec<String>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Loader, "CharacterJoints", build);

/// Frames of joints of a model of a character of the scene.
#[derive(Clone, Debug)]
pub struct CharacterFrames {
    /// The component with the character, a [`CharacterFile`].
    pub file: ComponentId,
    /// Which model.
    pub model: usize,
    /// Which joints.
    pub joints: Vec<u32>,
}

/// Places a model: where the origin of its file is, and its axes, in the world; lengths are those of the file.
pub fn placed(walker: &Walker, height: f64, unit: f64) -> Affine {
    let half = walker.heading / 2.0;
    compose([walker.at[0], height, walker.at[1]], [0.0, half.sin(), 0.0, half.cos()], [unit; 3])
}

/// A matrix of a joint as an affine map.
pub fn affine(m: &Matrix) -> Affine {
    std::array::from_fn(|k| f64::from(m[k % 4][k / 4]))
}

/// The frame of a joint of a model: scales are left out.
pub fn joint_frame(place: &Affine, joint: &Matrix) -> ([f64; 3], Quaternion) {
    let (at, turn, _) = decompose(&mul(place, &affine(joint)));
    (at, turn)
}

/// By joint: from the joint to the mesh, where the mesh was bound to it; at rest, where no mesh was.
fn bound(of: &CharacterFile) -> Vec<Matrix> {
    let character = &of.character;
    let mut matrices = vec![IDENTITY; character.skeleton.len()];
    character.skeleton.to_model(character.skeleton.rest(), &mut matrices);
    for skin in &character.skins {
        for (joint, bind) in skin.joints().iter().zip(skin.inverse_binds()) {
            // The reader has refused what cannot be inverted.
            if let Some(bound) = inverse(bind) {
                matrices[*joint as usize] = bound;
            }
        }
    }
    matrices
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let file = character_of(b, s.file)?;
    let Some(of) = b.scene.component(file).extension::<CharacterFile>().cloned() else {
        return Err(BuildError::attribute("file", "`file` leads to no CharacterFile"));
    };
    let model = s.model.max(0) as usize;
    let (Some(walker), Some(height)) = (of.models.get(model), of.heights.get(model)) else {
        let text = format!("there is no model {model}, there are {}", of.models.len());
        return Err(BuildError::attribute("model", text));
    };
    let skeleton = &of.character.skeleton;
    let mut joints = Vec::new();
    for name in &s.joints {
        joints.push(skeleton.find(name).ok_or_else(|| {
            let hint = did_you_mean(name, skeleton.joints().iter().map(|j| j.name.as_str()));
            let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
            BuildError::attribute("joints", format!("the character has no joint `{name}`{hint}"))
        })?);
    }
    if joints.is_empty() {
        let mut is_of_skin = vec![of.character.skins.is_empty(); skeleton.len()];
        let all = of.character.skins.iter().flat_map(|skin| skin.joints());
        all.for_each(|joint| is_of_skin[*joint as usize] = true);
        joints = (0..skeleton.len() as u32).filter(|joint| is_of_skin[*joint as usize]).collect();
    }
    let (place, bound) = (placed(walker, *height, of.unit), bound(&of));
    let rows = joints.iter().map(|joint| joint_frame(&place, &bound[*joint as usize]));
    let rows = rows.flat_map(|(p, q)| p.into_iter().chain(q)).collect();
    b.offer("position", Value::Reals(rows));
    b.keep(Some(CharacterFrames { file, model, joints }));
    Ok(())
}
