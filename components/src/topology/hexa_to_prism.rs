//! `Hexa2PrismTopologicalMapping`: two prisms for each hexahedron.

use sim_core::component::attributes::Attributes;
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::topology::{Topology, TopologyKind};

use super::ends::{Ends, fill};
use super::{TopologyError, derive};

/// Fills a topology with two prisms for each hexahedron of another one.
#[derive(Attributes)]
struct Settings;

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, Ends)>(Family::Topology, "Hexa2PrismTopologicalMapping", |b| {
        fill(b, prisms, |t| t.hexahedra.is_empty(), "hexahedra")
    });

/// The nodes of both prisms among those of a hexahedron.
///
/// **Source:** as SOFA's, whose prisms meet their neighbors' on every face of a grid.
const HALVES: [[usize; 6]; 2] = [[0, 5, 1, 3, 6, 2], [0, 4, 5, 3, 7, 6]];

/// What the output holds: prisms on the points of the input, without positions.
fn prisms(input: &Topology) -> Result<Topology, TopologyError> {
    let mut topology = Topology {
        n_points: input.n_points,
        prisms: derive::parts(&input.hexahedra, &HALVES),
        ..Topology::empty(TopologyKind::Mesh)
    };
    derive::count_and_check(&mut topology)?;
    Ok(topology)
}

#[cfg(test)]
mod tests {
    use super::super::RegularGridTopology;
    use super::*;

    #[test]
    fn two_prisms_fill_each_cell() {
        let grid = RegularGridTopology { n: [3, 2, 2], ..Default::default() }.build().unwrap();
        let t = prisms(&grid).unwrap();
        assert_eq!((t.n_points, t.points.len(), t.prisms.len()), (12, 0, 4));
        let volume: f64 = (t.prisms.iter())
            .map(|p| p.map(|i| grid.points[i as usize]))
            .map(|x| (x[1] - x[0]).cross(&(x[2] - x[0])).dot(&(x[3] - x[0])) / 2.0)
            .sum();
        assert!((volume.abs() - 1.0).abs() < 1e-12, "{volume}");
    }
}
