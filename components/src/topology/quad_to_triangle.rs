//! `Quad2TriangleTopologicalMapping`: two triangles for each quad.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::BuildError;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::topology::Topology;

use super::ends::{Ends, fill};
use super::{SetTopologyContainer, TopologyError};

/// Fills a container with two triangles for each quad of another topology.
#[derive(Attributes, Clone, Copy, Debug)]
pub struct Quad2TriangleTopologicalMapping {
    /// whether diagonals alternate from quad to quad, so that none of both directions is preferred
    #[attribute(default = "1")]
    pub swapping: bool,
}

impl Default for Quad2TriangleTopologicalMapping {
    fn default() -> Self {
        Self { swapping: true }
    }
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Quad2TriangleTopologicalMapping, Ends)>(
        Family::Topology,
        "Quad2TriangleTopologicalMapping",
        |b| {
            let mapping = Quad2TriangleTopologicalMapping::read(b)?;
            let without_quads = |t: &Topology| t.quads.is_empty();
            let input = Ends::read(b)?.input(b)?;
            let grid = b.scene.topology(input).and_then(|t| t.counts);
            if grid.is_some_and(|n| in_a_row(n) == 0) {
                return Err(BuildError::attribute("input", "a grid in one dimension has no quads to cut"));
            }
            fill(b, |t| mapping.build(t), without_quads, "quads")
        },
    );

/// Quads in a row of a grid: along x, or along y where the grid has one layer in x.
fn in_a_row(n: [usize; 3]) -> usize {
    let cells = |axis: usize| n[axis].saturating_sub(1);
    if cells(0) > 0 { cells(0) } else { cells(1) }
}

impl Quad2TriangleTopologicalMapping {
    /// What the output container holds: triangles on the points of the input, in the order of its quads, without positions.
    ///
    /// # Errors
    /// None for an input that was built by this module.
    ///
    /// **Source:** as SOFA's mapping of the same name. A quad (a, b, c, d) becomes (b, c, a) and (d, a, c), or, where only one of its
    /// number in its row and the number of the row is odd, (a, b, d) and (c, d, b). A row of what is no grid has two quads. Without
    /// `swapping` (SOFA has it since June 2026) all are cut in the first way.
    pub fn build(self, input: &Topology) -> Result<Topology, TopologyError> {
        let row = input.counts.map_or(2, in_a_row).max(1);
        let cut = |(i, [a, b, c, d]): (usize, &[u32; 4])| {
            let other = self.swapping && !(i % row + i / row).is_multiple_of(2);
            if other { [[*a, *b, *d], [*c, *d, *b]] } else { [[*b, *c, *a], [*d, *a, *c]] }
        };
        let triangles = input.quads.iter().enumerate().flat_map(cut).collect();
        SetTopologyContainer { n_points: input.n_points, triangles, ..Default::default() }.build()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MeshTopology, RegularGridTopology};
    use super::*;

    #[test]
    fn each_quad_is_cut_in_its_own_orientation() {
        let mesh = MeshTopology { quads: vec![[0, 1, 2, 3]], ..Default::default() }.build().unwrap();
        let out = Quad2TriangleTopologicalMapping::default().build(&mesh).unwrap();
        assert_eq!(out.triangles, [[1, 2, 0], [3, 0, 2]]);
        assert_eq!(out.edges.len(), 5);
    }

    #[test]
    fn neighbors_of_a_grid_are_cut_along_opposite_diagonals() {
        let grid = RegularGridTopology { n: [4, 3, 1], ..Default::default() }.build().unwrap();
        let out = Quad2TriangleTopologicalMapping::default().build(&grid).unwrap();
        assert_eq!(out.triangles.len(), 12);
        // The diagonals of a grid of 3 by 2 quads that alternate meet in every second inner point.
        let diagonal = |q: usize| {
            let [s, t] = [out.triangles[2 * q], out.triangles[2 * q + 1]];
            let mut both: Vec<u32> = s.into_iter().filter(|p| t.contains(p)).collect();
            both.sort_unstable();
            both
        };
        assert_eq!(diagonal(0), [0, 5]);
        assert_eq!(diagonal(1), [2, 5]);
        assert_eq!(diagonal(3), [5, 8]);
        assert_eq!(diagonal(4), [5, 10]);
        let plain = Quad2TriangleTopologicalMapping { swapping: false }.build(&grid).unwrap();
        for (k, [a, b, c, d]) in grid.quads.iter().enumerate() {
            assert_eq!(plain.triangles[2 * k..2 * k + 2], [[*b, *c, *a], [*d, *a, *c]]);
        }
    }

    #[test]
    fn a_layer_along_y_and_z_counts_rows_along_y() {
        let grid = RegularGridTopology { n: [1, 4, 3], ..Default::default() }.build().unwrap();
        assert_eq!(in_a_row(grid.counts.unwrap()), 3);
        let out = Quad2TriangleTopologicalMapping::default().build(&grid).unwrap();
        assert_eq!(out.triangles[..2], [[1, 5, 0], [4, 0, 5]]);
        assert_eq!(out.triangles[2..4], [[1, 2, 5], [6, 5, 2]]);
    }
}
