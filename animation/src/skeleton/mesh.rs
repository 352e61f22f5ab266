//! What is drawn of a character.

use super::skin::Influences;

/// Where a shape moves a mesh's vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// By vertex; none if it moves no positions.
    pub positions: Vec<[f32; 3]>,
    /// By vertex; none if it turns no normals.
    pub normals: Vec<[f32; 3]>,
}

/// A mesh at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Its name.
    pub name: String,
    /// The joint that carries it; what a skin moves is not carried.
    pub joint: u32,
    /// The skin whose joints move its vertices, and by how much; none for a mesh that is carried.
    pub skin: Option<(u32, Influences)>,
    /// By vertex, in the file's unit of length.
    pub positions: Vec<[f32; 3]>,
    /// By vertex, of length one; none if the file has none.
    pub normals: Vec<[f32; 3]>,
    /// By vertex, its place in a texture; none if the file has none.
    pub texture: Vec<[f32; 2]>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Shapes that its vertices are moved to.
    pub targets: Vec<MorphTarget>,
    /// By target: how much of it is seen while no clip says so.
    pub weights: Vec<f32>,
}

impl Mesh {
    /// Positions and normals with so much of each target.
    ///
    /// # Panics
    /// If the lists are of other lengths than the mesh's.
    pub fn morph(&self, weights: &[f32], positions: &mut [[f32; 3]], normals: &mut [[f32; 3]]) {
        self.morph_part(weights, 0, (positions, normals));
    }

    /// The same for vertices from a first one on.
    pub(super) fn morph_part(
        &self,
        weights: &[f32],
        first: usize,
        (positions, normals): (&mut [[f32; 3]], &mut [[f32; 3]]),
    ) {
        positions.copy_from_slice(&self.positions[first..first + positions.len()]);
        if !normals.is_empty() {
            normals.copy_from_slice(&self.normals[first..first + normals.len()]);
        }
        for (target, &weight) in self.targets.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            let add = |to: &mut [[f32; 3]], by: &[[f32; 3]]| {
                let by = by.get(first..).unwrap_or_default();
                for (to, by) in to.as_flattened_mut().iter_mut().zip(by.as_flattened()) {
                    *to += weight * by;
                }
            };
            add(positions, &target.positions);
            add(normals, &target.normals);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_add_up() {
        let target =
            |x: f32| MorphTarget { positions: vec![[x, 0.0, 0.0], [0.0, x, 0.0]], normals: Vec::new() };
        let mesh = Mesh {
            positions: vec![[1.0; 3], [2.0; 3]],
            normals: vec![[0.0, 0.0, 1.0]; 2],
            targets: vec![target(1.0), target(10.0), target(100.0)],
            ..Mesh::default()
        };
        let (mut positions, mut normals) = (vec![[0.0; 3]; 2], vec![[0.0; 3]; 2]);
        mesh.morph(&[0.5, 2.0, 0.0], &mut positions, &mut normals);
        assert_eq!(positions, [[21.5, 1.0, 1.0], [2.0, 22.5, 2.0]]);
        assert_eq!(normals, mesh.normals);
    }
}
