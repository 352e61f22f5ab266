//! `Tetra2TriangleTopologicalMapping`: the border triangles of a tetrahedral mesh.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::topology::Topology;

use super::derive::{FACES_OF_TETRAHEDRON, on_one_border};
use super::ends::{Ends, fill};
use super::{SetTopologyContainer, TopologyError};

/// Fills a container with the border triangles of a tetrahedral topology.
#[derive(Attributes, Clone, Copy, Debug, Default)]
pub struct Tetra2TriangleTopologicalMapping {
    /// whether triangles are turned inside out
    pub flip_normals: bool,
    /// whether the output starts empty
    pub no_initial_triangles: bool,
    /// whether faces that lie bare when tetrahedra go are left out
    pub no_new_triangles: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Tetra2TriangleTopologicalMapping, Ends)>(
        Family::Topology,
        "Tetra2TriangleTopologicalMapping",
        |b| {
            let mapping = Tetra2TriangleTopologicalMapping::read(b)?;
            fill(b, |t| mapping.build(t), |t| t.tetrahedra.is_empty(), "tetrahedra")
        },
    );

impl Tetra2TriangleTopologicalMapping {
    /// What the output container holds: the input's triangles that bound exactly one tetrahedron, in the input's order.
    ///
    /// # Errors
    /// None for an input that was built by this module.
    ///
    /// **Source:** as SOFA's mapping of the same name.
    pub fn build(self, input: &Topology) -> Result<Topology, TopologyError> {
        let triangles = if self.no_initial_triangles { Vec::new() } else { self.border(input) };
        SetTopologyContainer { n_points: input.n_points, triangles, ..Default::default() }.build()
    }

    fn border(self, input: &Topology) -> Vec<[u32; 3]> {
        let mut triangles = on_one_border(&input.triangles, &input.tetrahedra, &FACES_OF_TETRAHEDRON);
        if self.flip_normals {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeshTopology;
    use super::*;

    #[test]
    fn the_inner_face_is_left_out() {
        let mesh = MeshTopology { tetrahedra: vec![[0, 1, 2, 3], [1, 2, 3, 4]], ..Default::default() };
        let input = mesh.build().unwrap();
        let out = Tetra2TriangleTopologicalMapping::default().build(&input).unwrap();
        assert_eq!((input.triangles.len(), out.triangles.len(), out.n_points), (7, 6, 5));
        assert!(!out.triangles.contains(&[1, 2, 3]));
        let flipped = Tetra2TriangleTopologicalMapping { flip_normals: true, ..Default::default() };
        let t = out.triangles[0];
        assert_eq!(flipped.build(&input).unwrap().triangles[0], [t[0], t[2], t[1]]);
        let none = Tetra2TriangleTopologicalMapping { no_initial_triangles: true, ..Default::default() };
        assert!(none.build(&input).unwrap().triangles.is_empty());
    }
}
