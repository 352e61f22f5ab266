//! What is seen of characters: their meshes, or their skeletons as lines where there are none.

use std::sync::Arc;

use sim_core::math::Vec3;
use viewer::surface::{Color, Faces, Look, Motion, Role, Rows, Surface};
use viewer::viewed::Viewed;

use super::{CharacterSimulation, ShownCharacters};

const BONES: Color = [0.15, 0.17, 0.22, 1.0];
/// Colors of meshes that are white in the file or not colored, in turn.
const MESHES: [Color; 4] =
    [[0.85, 0.62, 0.50, 1.0], [0.45, 0.60, 0.80, 1.0], [0.55, 0.70, 0.45, 1.0], [0.80, 0.70, 0.40, 1.0]];
const WHITE: Color = [1.0; 4];
/// Down, for who looks: characters stand on the xz plane.
const DOWN: [f64; 3] = [0.0, -9.81, 0.0];

/// What is seen of models of a character, which stand on a square grid.
#[derive(Debug)]
pub struct CharacterShapes {
    /// How many models there will be at most.
    models: usize,
    /// Lines between joints.
    bones: Vec<[u32; 2]>,
    joints: usize,
    /// By mesh: its vertices.
    meshes: Vec<usize>,
}

impl CharacterShapes {
    /// Of characters that have been animated for a frame, since their size is known only then.
    pub fn of(simulation: &CharacterSimulation) -> Self {
        let joints = simulation.skeleton().joints();
        let bone = |(k, parent): (u32, Option<u32>)| parent.map(|parent| [parent, k]);
        let bones = (0..).zip(joints.iter().map(|joint| joint.parent)).filter_map(bone).collect();
        let meshes = simulation.meshes().iter().map(|mesh| mesh.positions.len()).collect();
        Self { models: simulation.most_models(), bones, joints: joints.len(), meshes }
    }

    /// How many lists of positions a model has.
    fn lists(&self) -> usize {
        self.meshes.len().max(1)
    }

    /// The model whose positions are in a list.
    pub fn model_of(&self, list: usize) -> Option<usize> {
        Some(list / self.lists()).filter(|model| *model < self.models)
    }

    /// What a window needs to know before the first state.
    pub fn viewed(&self, title: &str, simulation: &CharacterSimulation) -> Viewed {
        let surfaces = self.surfaces(simulation).into_iter().map(Arc::new).collect();
        Viewed { title: title.to_owned(), surfaces, gravity: Vec3::from(DOWN), ..Viewed::default() }
    }

    /// The surfaces of all models.
    pub fn surfaces(&self, simulation: &CharacterSimulation) -> Vec<Surface> {
        let mut surfaces = Vec::with_capacity(self.models * self.lists());
        for model in 0..self.models {
            let first = model * self.lists();
            if self.meshes.is_empty() {
                let faces = Faces { lines: self.bones.clone(), ..Faces::default() };
                let motion = Motion::Points(first, self.joints);
                let path = format!("/model {model}/skeleton");
                surfaces.push(Surface::new(path, Role::Visual, Some(model as u32), motion, faces, BONES));
            }
            for (k, mesh) in simulation.meshes().iter().enumerate() {
                let color = simulation.character().colors[k];
                let color = if color == WHITE { MESHES[(model + k) % MESHES.len()] } else { color };
                surfaces.push(Surface {
                    path: format!("/model {model}/{}", mesh.name),
                    role: Role::Visual,
                    object: Some(model as u32),
                    motion: Motion::Points(first + k, self.meshes[k]),
                    faces: Faces::new(mesh.triangles.clone(), Vec::new()),
                    look: Look::from(color),
                    patches: Vec::new(),
                });
            }
        }
        surfaces
    }

    /// Writes where joints and vertices are over `out`, whose lists keep their memory.
    pub fn positions(&self, shown: &ShownCharacters<'_>, out: &mut Vec<Rows>) {
        out.resize_with(self.models * self.lists(), Rows::default);
        for (model, rows) in out.chunks_mut(self.lists()).enumerate() {
            self.model(shown, model, rows);
        }
    }

    /// A model at its place. Of one that is not there, and vertices that must not be drawn, all points are one, so that nothing is seen of
    /// them.
    fn model(&self, shown: &ShownCharacters<'_>, model: usize, out: &mut [Rows]) {
        for rows in &mut *out {
            rows.stride = 3;
            rows.values.clear();
        }
        let is_there = model < shown.n_models() && shown.is_filled(model);
        let place = shown.place(model).unwrap_or_default();
        let at = |p: [f32; 3]| [0, 1, 2].map(|k| place[k] + f64::from(p[k]));
        if self.meshes.is_empty() {
            // The last column of a joint's matrix.
            let matrices = if is_there { shown.matrices(model) } else { &[] };
            out[0].values.extend(matrices.iter().map(|m| [m[3][0], m[3][1], m[3][2]]).flat_map(at));
            out[0].values.resize(3 * self.joints, 0.0);
        }
        for (k, (rows, n)) in out.iter_mut().zip(&self.meshes).enumerate() {
            match Some(k).filter(|_| is_there).and_then(|k| shown.vertices(model, k)) {
                Some(vertices) => {
                    for part in vertices.parts() {
                        rows.values.extend(part.iter().flat_map(|v| at(v.position)));
                    }
                }
                None => rows.values.extend((0..*n).flat_map(|_| place)),
            }
        }
    }
}
