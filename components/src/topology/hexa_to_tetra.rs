//! `Hexa2TetraTopologicalMapping`: six tetrahedra for each hexahedron.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::topology::Topology;

use super::ends::{Ends, fill};
use super::{SetTopologyContainer, TopologyError};

/// How hexahedra are cut into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HexaCut {
    /// The same pattern everywhere: neighbors may disagree on the diagonal of their common face.
    Plain,
    /// Every second cell of a grid mirrored, so that diagonals meet; orientation restored.
    Mirrored,
    /// Mirrored without restoring the orientation: every second cell's tetrahedra have negative volumes. What
    /// SOFA's `TetrahedronFEMForceField` does for itself on a topology without tetrahedra.
    MirroredUnoriented,
}

/// The pattern for cells that were mirrored an even number of times.
const EVEN: [[usize; 4]; 6] =
    [[0, 5, 1, 6], [0, 1, 3, 6], [1, 3, 6, 2], [6, 3, 0, 7], [6, 7, 0, 5], [7, 5, 4, 0]];
/// The same tetrahedra with the last two nodes swapped.
const ODD: [[usize; 4]; 6] =
    [[0, 5, 6, 1], [0, 1, 6, 3], [1, 3, 2, 6], [6, 3, 7, 0], [6, 7, 5, 0], [7, 5, 0, 4]];

/// Cuts each hexahedron into six tetrahedra, in the order of the hexahedra.
///
/// Mirroring follows the cells of a grid with so many points per axis; without one, hexahedra count as a grid two cells wide and one high.
///
/// **Source:** as SOFA's `Hexa2TetraTopologicalMapping`.
pub fn cut_hexahedra(hexahedra: &[[u32; 8]], grid: Option<[usize; 3]>, cut: HexaCut) -> Vec<[u32; 4]> {
    let (nx, ny) = grid.map_or((2, 1), |n| (n[0].saturating_sub(1).max(1), n[1].saturating_sub(1).max(1)));
    let mut tetrahedra = Vec::with_capacity(6 * hexahedra.len());
    for (i, hexahedron) in hexahedra.iter().enumerate() {
        let mut c = *hexahedron;
        let mut odd = false;
        if cut != HexaCut::Plain {
            let mirrors = [
                ((i % nx).is_multiple_of(2), [[0, 1], [4, 5], [3, 2], [7, 6]]),
                (!((i / nx) % ny).is_multiple_of(2), [[4, 7], [5, 6], [1, 2], [0, 3]]),
                (!(i / (nx * ny)).is_multiple_of(2), [[4, 0], [5, 1], [6, 2], [7, 3]]),
            ];
            for (_, swaps) in mirrors.iter().filter(|(mirrored, _)| *mirrored) {
                odd = !odd;
                swaps.iter().for_each(|[a, b]| c.swap(*a, *b));
            }
        }
        let pattern = if odd && cut == HexaCut::Mirrored { &ODD } else { &EVEN };
        tetrahedra.extend(pattern.iter().map(|nodes| nodes.map(|k| c[k])));
    }
    tetrahedra
}

/// Fills a container with six tetrahedra for each hexahedron of another topology.
#[derive(Attributes, Clone, Copy, Debug, Default)]
pub struct Hexa2TetraTopologicalMapping {
    /// whether every second cell is mirrored, so that faces fit
    pub swapping: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Hexa2TetraTopologicalMapping, Ends)>(
        Family::Topology,
        "Hexa2TetraTopologicalMapping",
        |b| {
            let mapping = Hexa2TetraTopologicalMapping::read(b)?;
            fill(b, |t| mapping.build(t), |t| t.hexahedra.is_empty(), "hexahedra")
        },
    );

impl Hexa2TetraTopologicalMapping {
    /// What the output container holds: tetrahedra on the points of the input, without positions.
    ///
    /// # Errors
    /// None for an input that was built by this module.
    pub fn build(self, input: &Topology) -> Result<Topology, TopologyError> {
        let cut = if self.swapping { HexaCut::Mirrored } else { HexaCut::Plain };
        SetTopologyContainer {
            n_points: input.n_points,
            tetrahedra: cut_hexahedra(&input.hexahedra, input.counts, cut),
            ..Default::default()
        }
        .build()
    }
}

#[cfg(test)]
mod tests {
    use sim_core::math::Vec3;

    use super::super::{RegularGridTopology, derive};
    use super::*;

    fn volume(x: &[Vec3], t: &[u32; 4]) -> f64 {
        let [a, b, c, d] = t.map(|i| x[i as usize]);
        (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
    }

    #[test]
    fn all_cuts_fill_the_grid() {
        let grid = RegularGridTopology { n: [4, 3, 5], ..Default::default() }.build().unwrap();
        for cut in [HexaCut::Plain, HexaCut::Mirrored, HexaCut::MirroredUnoriented] {
            let tetrahedra = cut_hexahedra(&grid.hexahedra, grid.counts, cut);
            assert_eq!(tetrahedra.len(), 6 * 3 * 2 * 4);
            let volumes: Vec<f64> = tetrahedra.iter().map(|t| volume(&grid.points, t)).collect();
            let sum: f64 = volumes.iter().map(|v| v.abs()).sum();
            assert!((sum - 1.0).abs() < 1e-12, "{cut:?}: {sum}");
            let same_sign = volumes.iter().all(|v| v.signum() == volumes[0].signum());
            assert_eq!(same_sign, cut != HexaCut::MirroredUnoriented, "{cut:?}");
        }
    }

    #[test]
    fn mirrored_cells_agree_on_their_common_faces() {
        let grid = RegularGridTopology { n: [4, 3, 5], ..Default::default() }.build().unwrap();
        let tetrahedra = cut_hexahedra(&grid.hexahedra, grid.counts, HexaCut::Mirrored);
        let faces = derive::triangles_from_tetrahedra(&tetrahedra).len();
        let outer = 4 * (3 * 2 + 2 * 4 + 3 * 4);
        assert_eq!(faces, (4 * tetrahedra.len() + outer) / 2);
    }

    #[test]
    fn the_output_has_points_but_no_positions() {
        let grid = RegularGridTopology::default().build().unwrap();
        let out = Hexa2TetraTopologicalMapping { swapping: false }.build(&grid).unwrap();
        assert_eq!((out.n_points, out.points.len(), out.tetrahedra.len()), (8, 0, 6));
        assert_eq!(out.tetrahedra[0], [0, 5, 1, 7]);
    }
}
