//! `Triangle2EdgeTopologicalMapping`: the border edges of a mesh of triangles.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::topology::Topology;

use super::derive::{EDGES_IN_TRIANGLE, on_one_border};
use super::ends::{Ends, fill};
use super::{SetTopologyContainer, TopologyError};

/// Fills a container with the border edges of a topology of triangles.
#[derive(Attributes, Clone, Copy, Debug, Default)]
pub struct Triangle2EdgeTopologicalMapping;

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Triangle2EdgeTopologicalMapping, Ends)>(
        Family::Topology,
        "Triangle2EdgeTopologicalMapping",
        |b| {
            let mapping = Triangle2EdgeTopologicalMapping;
            fill(b, |t| mapping.build(t), |t| t.triangles.is_empty(), "triangles")
        },
    );

impl Triangle2EdgeTopologicalMapping {
    /// What the output container holds: the input's edges of exactly one triangle, in the input's order and direction.
    ///
    /// # Errors
    /// None for an input that was built by this module.
    ///
    /// **Source:** as SOFA's mapping of the same name.
    pub fn build(self, input: &Topology) -> Result<Topology, TopologyError> {
        let edges = on_one_border(&input.edges, &input.triangles, &EDGES_IN_TRIANGLE);
        SetTopologyContainer { n_points: input.n_points, edges, ..Default::default() }.build()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeshTopology;
    use super::*;

    #[test]
    fn the_edge_of_two_triangles_is_left_out() {
        let triangles = vec![[0, 1, 2], [2, 1, 3]];
        let input = MeshTopology { triangles, ..Default::default() }.build().unwrap();
        let out = Triangle2EdgeTopologicalMapping.build(&input).unwrap();
        assert_eq!(input.edges, [[1, 2], [2, 0], [0, 1], [1, 3], [3, 2]]);
        assert_eq!(out.edges, [[2, 0], [0, 1], [1, 3], [3, 2]]);
        assert_eq!(out.n_points, 4);
    }

    #[test]
    fn a_closed_surface_has_no_border() {
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let input = MeshTopology { triangles, ..Default::default() }.build().unwrap();
        assert!(Triangle2EdgeTopologicalMapping.build(&input).unwrap().edges.is_empty());
    }
}
