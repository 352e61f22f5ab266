//! `SimpleTesselatedTetraTopologicalMapping`: each tetrahedron cut into eight.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;
use sim_core::topology::Topology;

use super::derive::{EDGES_IN_TETRAHEDRON, first_equal, parts, sorted};
use super::ends::{Ends, fill};
use super::{SetTopologyContainer, TopologyError};

/// Fills a container with the tetrahedra of another topology, each cut into eight at the middles of its edges.
#[derive(Attributes, Clone, Copy, Debug, Default)]
#[attributes(ignored(
    "tetrahedraMappedFromTetra",
    "tetraSource",
    "pointMappedFromPoint",
    "pointMappedFromEdge",
    "pointSource"
))]
pub struct SimpleTesselatedTetraTopologicalMapping;

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(SimpleTesselatedTetraTopologicalMapping, Ends)>(
        Family::Topology,
        "SimpleTesselatedTetraTopologicalMapping",
        |b| {
            let mapping = SimpleTesselatedTetraTopologicalMapping;
            fill(b, |t| mapping.build(t), |t| t.tetrahedra.is_empty(), "tetrahedra")
        },
    );

/// The corners of the eight, as numbers of the four nodes, and 4 more than those of the six edges.
const EIGHT: [[usize; 4]; 8] = [
    [0, 4, 5, 6],
    [1, 4, 8, 7],
    [2, 5, 7, 9],
    [3, 6, 9, 8],
    [5, 4, 7, 9],
    [5, 4, 9, 6],
    [8, 4, 9, 7],
    [8, 4, 6, 9],
];

impl SimpleTesselatedTetraTopologicalMapping {
    /// What the output container holds: the points of the input, the middles of its edges in their order, and eight tetrahedra for each.
    ///
    /// # Errors
    /// None for an input that was built by this module.
    ///
    /// **Source:** as SOFA's mapping of the same name: four tetrahedra at the nodes, then the four that the inner octahedron is cut into.
    pub fn build(self, input: &Topology) -> Result<Topology, TopologyError> {
        let of_elements = parts(&input.tetrahedra, &EDGES_IN_TETRAHEDRON);
        let keys: Vec<[u32; 2]> = input.edges.iter().chain(&of_elements).map(|e| sorted(*e)).collect();
        let edge = first_equal(&keys);
        let middle =
            |element: usize, k: usize| input.n_points as u32 + edge[input.edges.len() + 6 * element + k];
        let cut = |(i, nodes): (usize, &[u32; 4])| {
            EIGHT.map(|corners| corners.map(|c| if c < 4 { nodes[c] } else { middle(i, c - 4) }))
        };
        let tetrahedra = input.tetrahedra.iter().enumerate().flat_map(cut).collect();
        let mut points = input.points.clone();
        if !points.is_empty() {
            let at = |p: u32| -> Vec3 { input.points[p as usize] };
            points.extend(input.edges.iter().map(|[a, b]| (at(*a) + at(*b)) * 0.5));
        }
        SetTopologyContainer {
            points,
            n_points: input.n_points + input.edges.len(),
            tetrahedra,
            ..Default::default()
        }
        .build()
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeshTopology;
    use super::*;

    #[test]
    fn the_eight_fill_the_one() {
        let points =
            vec![Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 3.0, Vec3::z(), Vec3::new(2.0, 3.0, 1.0)];
        let mesh =
            MeshTopology { points, tetrahedra: vec![[0, 1, 2, 3], [1, 2, 3, 4]], ..Default::default() };
        let input = mesh.build().unwrap();
        let out = SimpleTesselatedTetraTopologicalMapping.build(&input).unwrap();
        assert_eq!((out.n_points, out.points.len(), out.tetrahedra.len()), (5 + 9, 14, 16));
        let volume = |t: &[u32; 4], x: &[Vec3]| {
            let [a, b, c, d] = t.map(|p| x[p as usize]);
            (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
        };
        for (i, whole) in input.tetrahedra.iter().enumerate() {
            let whole = volume(whole, &input.points);
            for part in &out.tetrahedra[8 * i..8 * i + 8] {
                assert!((volume(part, &out.points).abs() - whole.abs() / 8.0).abs() < 1e-15, "{part:?}");
            }
        }
        assert_eq!(
            out.points[5],
            (input.points[input.edges[0][0] as usize] + input.points[input.edges[0][1] as usize]) * 0.5
        );
    }
}
