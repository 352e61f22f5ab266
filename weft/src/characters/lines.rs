//! Joints of each frame, as lines of JSON.

use std::io::{self, Write};

use animation::skeleton::{Matrix, product};
use serde::Serialize;

use super::CharacterSimulation;

/// The joints of each model after each frame: `{"step":3,"time":0.05,"model":0,"clip":"walk","joints":[{"name":"hip","matrix":[...],
/// "skin":[...]},...]}`. Where clips follow each other, the one that is named is seen most. Matrices are 16 numbers by columns. `matrix` is from the joint to the model; `skin`, which joints of a skin have,
/// is from the mesh at rest to the model: `matrix` times the inverse bind matrix (of the first skin that has the joint).
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
    joints: Vec<Joint<'s>>,
}

#[derive(Serialize)]
struct Joint<'s> {
    name: &'s str,
    matrix: [f32; 16],
    #[serde(skip_serializing_if = "Option::is_none")]
    skin: Option<[f32; 16]>,
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
        let bind = |joint: usize| {
            character.skins.iter().find_map(|skin| {
                let at = skin.joints().iter().position(|j| *j as usize == joint)?;
                Some(&skin.inverse_binds()[at])
            })
        };
        let binds: Vec<Option<&Matrix>> = (0..joints.len()).map(bind).collect();
        for model in 0..simulation.n_models() {
            let with = joints.iter().zip(simulation.matrices(model)).zip(&binds);
            let joints = with.map(|((joint, matrix), bind)| Joint {
                name: &joint.name,
                matrix: flat(matrix),
                skin: bind.map(|bind| flat(&product(matrix, bind))),
            });
            let clip = simulation.clip_at(time).map(animation::skeleton::Clip::name);
            let line = Line { step, time, model, clip, joints: joints.collect() };
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
