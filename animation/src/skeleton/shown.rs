//! What is drawn of a crowd: the last complete generation, which nobody writes.

use std::ops::Index;

use super::transform::Matrix;
use super::vertex::Vertex;

/// The vertices of a model's mesh as they were filled last, in parts that lie by themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownMesh {
    pub parts: Vec<Vec<Vertex>>,
    pub per_part: usize,
    pub n_vertices: usize,
}

/// What is shown of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct ShownModel {
    pub matrices: Vec<Matrix>,
    pub meshes: Vec<ShownMesh>,
    /// The frame that it is of; none if nothing was filled since it came into view.
    pub frame: Option<u64>,
}

/// The last complete generation of a crowd: what who draws reads, while the next one is computed. Each model's is of the frame in which it
/// was animated last.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub(super) models: Vec<ShownModel>,
    pub(super) frame: u64,
}

impl Shown {
    /// Number of models.
    pub fn len(&self) -> usize {
        self.models.len()
    }

    /// Whether there are no models.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// The last frame that was completed.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The frame in which a model was animated last; none if it was not since it came into view.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn animated_in(&self, model: usize) -> Option<u64> {
        self.models[model].frame
    }

    /// The matrices of a model's joints, as it was animated last.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn matrices(&self, model: usize) -> &[Matrix] {
        &self.models[model].matrices
    }

    /// The vertices of a model's mesh as they were filled last; none if they are older than so many frames, or were not filled since the
    /// model came into view. A life below the interval less one makes models vanish between their turns.
    ///
    /// # Panics
    /// If there is no such model or mesh.
    pub fn vertices(&self, model: usize, mesh: usize, life: u64) -> Option<MeshVertices<'_>> {
        let of = &self.models[model];
        let age = self.frame.saturating_sub(of.frame?);
        (age <= life).then_some(MeshVertices(&of.meshes[mesh]))
    }

    /// What all vertices take \[bytes\].
    pub fn vertex_bytes(&self) -> usize {
        let meshes = self.models.iter().flat_map(|model| &model.meshes);
        meshes.map(|mesh| mesh.n_vertices * size_of::<Vertex>()).sum()
    }
}

/// The vertices of a model's mesh, in parts that lie by themselves.
#[derive(Clone, Copy)]
pub struct MeshVertices<'c>(&'c ShownMesh);

impl<'c> MeshVertices<'c> {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.0.n_vertices
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertices, part by part.
    pub fn parts(self) -> impl Iterator<Item = &'c [Vertex]> {
        self.0.parts.iter().map(Vec::as_slice)
    }

    /// The vertices, one by one.
    pub fn iter(self) -> Vertices<'c> {
        Vertices(self.0.parts.iter().flatten())
    }
}

impl Index<usize> for MeshVertices<'_> {
    type Output = Vertex;

    fn index(&self, vertex: usize) -> &Vertex {
        &self.0.parts[vertex / self.0.per_part][vertex % self.0.per_part]
    }
}

impl PartialEq for MeshVertices<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for MeshVertices<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'c> IntoIterator for MeshVertices<'c> {
    type Item = &'c Vertex;
    type IntoIter = Vertices<'c>;

    fn into_iter(self) -> Vertices<'c> {
        self.iter()
    }
}

/// The vertices of a mesh, one by one.
#[derive(Clone)]
pub struct Vertices<'c>(std::iter::Flatten<std::slice::Iter<'c, Vec<Vertex>>>);

impl<'c> Iterator for Vertices<'c> {
    type Item = &'c Vertex;

    fn next(&mut self) -> Option<&'c Vertex> {
        self.0.next()
    }
}
