//! `MeshTopology`: a mesh as given, with missing edges, triangles and quads derived.

use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::{TopologyError, derive};

/// The attributes of a `MeshTopology`.
///
/// **Source:** as SOFA's `MeshTopology`: element lists that are given are kept; an empty list of edges, triangles
/// or quads is derived (see [`derive`]).
#[derive(Clone, Debug, Default)]
pub struct MeshTopology {
    /// Positions [m]; may be empty, then the points are counted from the indices.
    pub points: Vec<Vec3>,
    /// Edges.
    pub edges: Vec<[u32; 2]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Quads.
    pub quads: Vec<[u32; 4]>,
    /// Tetrahedra.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Hexahedra.
    pub hexahedra: Vec<[u32; 8]>,
    /// Prisms: a triangle, then the opposite one.
    pub prisms: Vec<[u32; 6]>,
    /// Pyramids: the four nodes of the base, then the tip.
    pub pyramids: Vec<[u32; 5]>,
}

impl MeshTopology {
    /// The complete topology.
    ///
    /// # Errors
    /// An index out of range, or a position that is not finite.
    pub fn build(self) -> Result<Topology, TopologyError> {
        let mut topology = Topology {
            points: self.points,
            edges: self.edges,
            triangles: self.triangles,
            quads: self.quads,
            tetrahedra: self.tetrahedra,
            hexahedra: self.hexahedra,
            prisms: self.prisms,
            pyramids: self.pyramids,
            ..Topology::empty(TopologyKind::Mesh)
        };
        derive::count_and_check(&mut topology)?;
        derive::complete(&mut topology);
        Ok(topology)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_elements_are_kept() {
        let mesh = MeshTopology {
            edges: vec![[2, 0]],
            triangles: vec![[0, 1, 2]],
            tetrahedra: vec![[0, 1, 2, 3]],
            ..MeshTopology::default()
        };
        let t = mesh.build().unwrap();
        assert_eq!((t.n_points, t.edges.len(), t.triangles.len()), (4, 1, 1));
        assert!(t.points.is_empty());
    }

    #[test]
    fn an_index_out_of_range_is_named() {
        let mesh = MeshTopology {
            points: vec![Vec3::zeros(); 3],
            quads: vec![[0, 1, 2, 0], [0, 1, 2, 7]],
            ..MeshTopology::default()
        };
        let message = mesh.build().unwrap_err().to_string();
        assert_eq!(message, "quad 1 names point 7, but there are only 3 points");
    }

    #[test]
    fn a_huge_index_without_positions_is_refused() {
        let mesh = MeshTopology { edges: vec![[0, u32::MAX]], ..MeshTopology::default() };
        assert!(matches!(mesh.build(), Err(TopologyError::TooManyPoints { .. })));
    }
}
