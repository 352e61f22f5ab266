//! Joints of each frame, as lines of JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use animation::skeleton::{Matrix, Skin, product};
use characters::Character;
use serde::Serialize;

use super::CharacterSimulation;

/// The joints of each model after each frame: `{"step":3,"time":0.05,"model":0,"clip":"walk","animated":3,"joints":[{"name":"hip",
/// "matrix":[...],"skin":[...]},...]}`. Where clips follow each other, the one that is named is seen most. `animated` is the frame that
/// the pose is of: an earlier one where the model waits for its turn, null before its first, in which it is at rest. Matrices are 16
/// numbers by columns. `matrix` is from the joint to the model; `skin`, which joints of a skin have, is from the mesh at rest to the
/// model: `matrix` times the inverse bind matrix. It is of the first skin with the joint that a mesh has, of the first one at all if no mesh
/// has any. A joint of several skins has all of them in `skins`, by their place in the file.
pub struct PoseLines<W: Write> {
    out: W,
}

#[derive(Serialize)]
struct Line<'s> {
    step: u64,
    time: f64,
    model: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<&'s str>,
    animated: Option<u64>,
    joints: Vec<Joint<'s>>,
}

#[derive(Serialize)]
struct Joint<'s> {
    name: &'s str,
    matrix: [f32; 16],
    #[serde(skip_serializing_if = "Option::is_none")]
    skin: Option<[f32; 16]>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    skins: BTreeMap<usize, [f32; 16]>,
}

/// The inverse bind matrices of a joint, each with its skin; first that of a skin that a mesh has.
fn binds(character: &Character, joint: usize) -> Vec<(usize, &Matrix)> {
    let is_worn = |k: usize| {
        let mut worn = character.meshes.iter().filter_map(|mesh| mesh.skin.as_ref());
        worn.any(|(skin, _)| *skin as usize == k)
    };
    let of = |(k, skin): (usize, &'_ Skin)| {
        skin.joints().iter().position(|j| *j as usize == joint).map(|at| (k, at))
    };
    let mut all: Vec<(usize, usize)> = character.skins.iter().enumerate().filter_map(of).collect();
    all.sort_by_key(|(k, _)| !is_worn(*k));
    all.into_iter().map(|(k, at)| (k, &character.skins[k].inverse_binds()[at])).collect()
}

fn flat(m: &Matrix) -> [f32; 16] {
    std::array::from_fn(|k| m[k / 4][k % 4])
}

impl<W: Write> PoseLines<W> {
    /// Into a writer.
    pub fn new(out: W) -> Self {
        Self { out }
    }

    /// Writes a line for each model.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&mut self, step: u64, time: f64, simulation: &CharacterSimulation) -> io::Result<()> {
        let (joints, character) = (simulation.skeleton().joints(), simulation.character());
        let binds: Vec<_> = (0..joints.len()).map(|joint| binds(character, joint)).collect();
        for model in 0..simulation.n_models() {
            let with = joints.iter().zip(simulation.matrices(model)).zip(&binds);
            let joints = with.map(|((joint, matrix), binds)| {
                let skin = |(k, bind): &(usize, &Matrix)| (*k, flat(&product(matrix, bind)));
                let several = if binds.len() > 1 { binds } else { &[][..] };
                Joint {
                    name: &joint.name,
                    matrix: flat(matrix),
                    skin: binds.first().map(|of| skin(of).1),
                    skins: several.iter().map(skin).collect(),
                }
            });
            let clip = simulation.clip_at(time).map(animation::skeleton::Clip::name);
            let animated = simulation.animated_in(model);
            let line = Line { step, time, model, clip, animated, joints: joints.collect() };
            serde_json::to_writer(&mut self.out, &line)?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes what is left, and gives the writer back.
    ///
    /// # Errors
    /// What the writer says.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}
