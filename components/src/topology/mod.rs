//! Topologies: points and elements of a mesh, with SOFA's derived elements in SOFA's order.
//!
//! Every function here works on plain index lists; positions matter only to a grid. What a component of this
//! family produces is a [`sim_core::topology::Topology`], complete and immutable.

pub mod adjacency;
pub mod articulation;
mod bent_grid;
pub mod changes;
mod companions;
mod containers;
mod corners;
mod counts;
mod cube_topology;
pub mod derive;
pub mod distance;
mod edge_to_quad;
mod ends;
mod error;
mod field;
mod grid;
mod hexa_to_prism;
mod hexa_to_quad;
mod hexa_to_tetra;
mod lists;
mod mesh_to_point;
mod mesh_topology;
mod quad_to_triangle;
mod regular_grid_topology;
mod set_topology_container;
mod simple_tesselated_tetra;
mod sparse;
mod subset;
mod subset_multi;
mod tetra_to_triangle;
mod triangle_to_edge;

pub(crate) use containers::PointsOfElements;
pub use ends::ElementPoint;
pub(crate) use ends::{element_points, filled_from};
pub use error::TopologyError;
pub use hexa_to_quad::Hexa2QuadTopologicalMapping;
pub use hexa_to_tetra::{Hexa2TetraTopologicalMapping, HexaCut, cut_hexahedra};
pub use mesh_to_point::Mesh2PointTopologicalMapping;
pub use mesh_topology::MeshTopology;
pub use quad_to_triangle::Quad2TriangleTopologicalMapping;
pub use regular_grid_topology::RegularGridTopology;
pub use set_topology_container::SetTopologyContainer;
pub use simple_tesselated_tetra::SimpleTesselatedTetraTopologicalMapping;
pub use tetra_to_triangle::Tetra2TriangleTopologicalMapping;
pub use triangle_to_edge::Triangle2EdgeTopologicalMapping;

use sim_core::component::description::ComponentDescription;

/// The most points of one topology; more is taken for a mistake in the input.
pub const MAX_POINTS: usize = 1 << 27;

/// The components of this family.
pub fn all() -> Vec<ComponentDescription> {
    COMPONENTS.iter().flat_map(|group| group.iter().copied()).collect()
}

const COMPONENTS: &[&[ComponentDescription]] = &[
    &articulation::ALL,
    &containers::ALL,
    &bent_grid::ALL,
    &sparse::ALL,
    &[
        changes::BOUNDING_TRASHER,
        changes::DESCRIPTION,
        cube_topology::DESCRIPTION,
        edge_to_quad::DESCRIPTION,
        grid::DESCRIPTION,
        hexa_to_prism::DESCRIPTION,
        hexa_to_quad::DESCRIPTION,
        hexa_to_tetra::DESCRIPTION,
        mesh_to_point::DESCRIPTION,
        quad_to_triangle::DESCRIPTION,
        simple_tesselated_tetra::DESCRIPTION,
        subset::DESCRIPTION,
        subset_multi::DESCRIPTION,
        tetra_to_triangle::DESCRIPTION,
        triangle_to_edge::DESCRIPTION,
    ],
    &companions::ALL,
];

#[cfg(test)]
mod tests;
