//! What may be drawn of characters.

use animation::skeleton::{Matrix, Mesh, MeshVertices, Shown};

/// The last complete frame of characters: what who draws reads, while the next one is computed.
#[derive(Clone, Copy, Debug)]
pub struct ShownCharacters<'s> {
    pub(super) shown: &'s Shown,
    pub(super) places: &'s [[f64; 3]],
    pub(super) meshes: &'s [Mesh],
    pub(super) life: u64,
}

impl<'s> ShownCharacters<'s> {
    /// Number of models.
    pub fn n_models(&self) -> usize {
        self.shown.len()
    }

    /// Where a model stands; none before the first frame.
    pub fn place(&self, model: usize) -> Option<[f64; 3]> {
        self.places.get(model).copied()
    }

    /// Whether a model was animated since it came, or came into view: else nothing is to be drawn of it.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn is_filled(&self, model: usize) -> bool {
        self.shown.animated_in(model).is_some()
    }

    /// The matrices of a model's joints, from the joint to the model.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn matrices(&self, model: usize) -> &'s [Matrix] {
        self.shown.matrices(model)
    }

    /// The meshes of each model whose vertices are moved.
    pub fn meshes(&self) -> &'s [Mesh] {
        self.meshes
    }

    /// The vertices of a model's mesh; none before the first frame, if vertices are not moved, or if those there are have outlived their life.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn vertices(&self, model: usize, mesh: usize) -> Option<MeshVertices<'s>> {
        self.meshes.get(mesh)?;
        self.shown.vertices(model, mesh, self.life)
    }
}
