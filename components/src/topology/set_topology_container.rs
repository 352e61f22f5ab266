//! The `...SetTopologyContainer` family: points, edges, triangles, quads, tetrahedra, hexahedra.

use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::{TopologyError, derive};

/// The attributes of any container of the family (`PointSet...` to `HexahedronSetTopologyContainer`).
///
/// **Source:** as SOFA's containers: positions, if there are any, give the number of points, then `nbPoints`, then
/// the indices; missing triangles, quads and edges are derived as for `MeshTopology`.
#[derive(Clone, Debug, Default)]
pub struct SetTopologyContainer {
    /// Positions [m]; empty for a container that a topological mapping fills.
    pub points: Vec<Vec3>,
    /// Number of points where there are no positions; 0: from the largest index.
    pub n_points: usize,
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
}

impl SetTopologyContainer {
    /// The complete topology.
    ///
    /// # Errors
    /// An index out of range, or a position that is not finite.
    pub fn build(self) -> Result<Topology, TopologyError> {
        let mut topology = Topology {
            n_points: self.n_points,
            points: self.points,
            edges: self.edges,
            triangles: self.triangles,
            quads: self.quads,
            tetrahedra: self.tetrahedra,
            hexahedra: self.hexahedra,
            ..Topology::empty(TopologyKind::SetContainer)
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
    fn the_number_of_points_may_exceed_the_indices() {
        let container =
            SetTopologyContainer { n_points: 9, tetrahedra: vec![[0, 1, 2, 3]], ..Default::default() };
        let t = container.build().unwrap();
        assert_eq!((t.n_points, t.edges.len(), t.triangles.len()), (9, 6, 4));
        let container =
            SetTopologyContainer { n_points: 3, tetrahedra: vec![[0, 1, 2, 3]], ..Default::default() };
        assert!(container.build().is_err());
    }
}
