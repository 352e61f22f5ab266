//! What a mesh file holds.

use std::ops::Range;

use sim_core::math::Vec3;

/// A mesh as read from a file or generated: positions and elements, in the file's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions [m].
    pub positions: Vec<Vec3>,
    /// Edges.
    pub edges: Vec<[u32; 2]>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Quads, counter-clockwise seen from outside.
    pub quads: Vec<[u32; 4]>,
    /// Tetrahedra.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Hexahedra, node order as SOFA's (bottom counter-clockwise, then top).
    pub hexahedra: Vec<[u32; 8]>,
    /// Unit normals at the positions; empty where there are none.
    pub normals: Vec<Vec3>,
    /// Texture coordinates at the positions; empty where there are none.
    pub tex_coords: Vec<[f64; 2]>,
    /// Names of the materials used, in order of first use.
    pub materials: Vec<String>,
    /// Names of the files that say what the materials are.
    pub material_files: Vec<String>,
    /// Faces that share a material, in the file's order; empty where no material is used.
    pub groups: Vec<FaceGroup>,
    /// What is to be said of the file though it was read.
    pub warnings: Vec<String>,
}

/// Faces of a mesh that share a material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceGroup {
    /// The material: its place among the mesh's; none for faces before the first that is used.
    pub material: Option<usize>,
    /// Its triangles.
    pub triangles: Range<usize>,
    /// Its quads.
    pub quads: Range<usize>,
}

impl Mesh {
    /// Has something said of the file.
    pub(super) fn warn(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }

    /// Adds a polygon: four nodes make a quad unless `triangulate`, others a fan of triangles.
    pub(super) fn add_polygon(&mut self, nodes: &[u32], triangulate: bool) {
        match nodes {
            [a, b, c, d] if !triangulate => self.quads.push([*a, *b, *c, *d]),
            [first, rest @ ..] => self.triangles.extend(rest.windows(2).map(|w| [*first, w[0], w[1]])),
            [] => {}
        }
    }
}
