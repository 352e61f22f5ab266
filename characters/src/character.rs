//! What a file holds.

use animation::skeleton::{Clip, Mesh, Skeleton, Skin};

/// A character: a skeleton, what moves it and what is drawn of it.
#[derive(Clone, Debug)]
pub struct Character {
    /// All nodes of the file; those that no skin names are joints too.
    pub skeleton: Skeleton,
    /// Skins of meshes.
    pub skins: Vec<Skin>,
    /// Meshes, one for each node and set of triangles.
    pub meshes: Vec<Mesh>,
    /// By mesh: its color, red, green, blue and opacity from 0 to 1; white if the file says none.
    pub colors: Vec<[f32; 4]>,
    /// What moves it.
    pub clips: Vec<Clip>,
    /// What was mended or left out, a sentence each.
    pub warnings: Vec<String>,
}

impl Character {
    /// Number of vertices of all meshes.
    pub fn n_vertices(&self) -> usize {
        self.meshes.iter().map(|m| m.positions.len()).sum()
    }
}
