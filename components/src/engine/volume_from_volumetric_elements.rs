//! `VolumeFromVolumetricElements`: the volume of a mesh of tetrahedra and hexahedra.

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::selection::current_points;
use crate::topology::derive::TETRAHEDRA_IN_HEXAHEDRON;

/// The volume of a mesh of tetrahedra and hexahedra, at the beginning.
#[derive(Attributes)]
#[attributes(ignored("topology", "mechanical", "volume", "update"))]
struct Settings {
    /// points; the positions of the state if not given [m]
    #[attribute(alias = "positions")]
    position: Option<CoordRows>,
    /// tetrahedra; those of the topology if not given
    #[attribute(alias = "tetrahedra")]
    tetras: Option<IndexRows<4>>,
    /// hexahedra, likewise
    #[attribute(alias = "hexahedra")]
    hexas: Option<IndexRows<8>>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "VolumeFromVolumetricElements", build)
        .templates(&["Vec3"]);

/// **Source:** as SOFA's: the absolute volumes of the elements; a hexahedron is six tetrahedra around the diagonal from node 0 to node 6.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let x = current_points(b, s.position.as_ref());
    let of_topology = b.topology(TopologySearch::FirstHere);
    let (tetrahedra, hexahedra) =
        of_topology.map(|t| (t.tetrahedra.clone(), t.hexahedra.clone())).unwrap_or_default();
    let tetrahedra = s.tetras.map(|t| t.below(x.len())).transpose()?.unwrap_or(tetrahedra);
    let hexahedra = s.hexas.map(|h| h.below(x.len())).transpose()?.unwrap_or(hexahedra);
    let nodes = tetrahedra.as_flattened().iter().chain(hexahedra.as_flattened());
    if let Some(beyond) = nodes.into_iter().find(|i| **i as usize >= x.len()) {
        let text = format!("the topology names point {beyond}, but there are {} positions", x.len());
        return Err(BuildError::attribute("position", text));
    }
    if tetrahedra.is_empty() && hexahedra.is_empty() {
        b.warn(Some("tetras"), "there are no tetrahedra and no hexahedra, so the volume is 0");
    }
    let volume = |nodes: [u32; 4]| {
        let [p, q, r, s] = nodes.map(|i| x[i as usize]);
        tetrahedron_volume(&p, &q, &r, &s)
    };
    let of_hexahedron =
        |h: &[u32; 8]| TETRAHEDRA_IN_HEXAHEDRON.iter().map(|t| volume(t.map(|n| h[n]))).sum::<f64>();
    let sum = tetrahedra.iter().map(|t| volume(*t)).sum::<f64>();
    b.offer("volume", Value::Real(sum + hexahedra.iter().map(of_hexahedron).sum::<f64>()));
    Ok(())
}

fn tetrahedron_volume(p: &Vec3, q: &Vec3, r: &Vec3, s: &Vec3) -> f64 {
    (q - p).cross(&(r - p)).dot(&(s - p)).abs() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn elements_are_added() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [
            ("position", "0 0 0 2 0 0 2 3 0 0 3 0 0 0 4 2 0 4 2 3 4 0 3 4 0 0 5"),
            ("hexas", "0 1 2 3 4 5 6 7"),
            ("tetras", "4 5 7 8"),
        ];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let volume = t.scene.component(c).fields["volume"].reals().unwrap()[0];
        assert!((volume - 25.0).abs() < 1e-12, "{volume}");
        assert!(t.add(&DESCRIPTION, root, &[given[0], ("tetras", "0 1 2 9")]).is_err());
    }
}
