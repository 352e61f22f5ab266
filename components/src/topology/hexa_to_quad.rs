//! `Hexa2QuadTopologicalMapping`: the border quads of a hexahedral mesh.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::topology::Topology;

use super::derive::{FACES_OF_HEXAHEDRON, on_one_border};
use super::ends::{Ends, fill};
use super::{SetTopologyContainer, TopologyError};

/// Fills a container with the border quads of a hexahedral topology.
#[derive(Attributes, Clone, Copy, Debug, Default)]
pub struct Hexa2QuadTopologicalMapping {
    /// whether quads are turned inside out
    pub flip_normals: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Hexa2QuadTopologicalMapping, Ends)>(
        Family::Topology,
        "Hexa2QuadTopologicalMapping",
        |b| {
            let mapping = Hexa2QuadTopologicalMapping::read(b)?;
            fill(b, |t| mapping.build(t), |t| t.hexahedra.is_empty(), "hexahedra")
        },
    );

impl Hexa2QuadTopologicalMapping {
    /// What the output container holds: the input's quads that bound exactly one hexahedron, in the input's order.
    ///
    /// # Errors
    /// None for an input that was built by this module.
    ///
    /// **Source:** as SOFA's mapping of the same name: a turned quad has its four points in reverse.
    pub fn build(self, input: &Topology) -> Result<Topology, TopologyError> {
        let mut quads = on_one_border(&input.quads, &input.hexahedra, &FACES_OF_HEXAHEDRON);
        if self.flip_normals {
            quads.iter_mut().for_each(|q| q.reverse());
        }
        SetTopologyContainer { n_points: input.n_points, quads, ..Default::default() }.build()
    }
}

#[cfg(test)]
mod tests {
    use super::super::RegularGridTopology;
    use super::*;

    #[test]
    fn inner_faces_of_a_grid_are_left_out() {
        let grid = RegularGridTopology { n: [3, 2, 4], ..Default::default() }.build().unwrap();
        let out = Hexa2QuadTopologicalMapping::default().build(&grid).unwrap();
        assert_eq!((out.quads.len(), out.n_points), (2 * (2 + 2 * 3 + 3), 24));
        assert_eq!(out.quads[0], [0, 1, 4, 3], "the grid's own order and orientation");
        let flipped = Hexa2QuadTopologicalMapping { flip_normals: true }.build(&grid).unwrap();
        assert_eq!(flipped.quads[0], [3, 4, 1, 0]);
        assert!(out.hexahedra.is_empty() && out.points.is_empty());
    }
}
