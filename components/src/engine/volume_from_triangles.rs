//! `VolumeFromTriangles`: the volume within a closed surface.

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::selection::current_points;

/// The volume within a closed surface, at the beginning.
#[derive(Attributes)]
#[attributes(ignored("topology", "mechanical", "volume", "doUpdate"))]
struct Settings {
    /// points; the positions of the state if not given [m]
    position: Option<CoordRows>,
    /// triangles; those of this node's topology if not given
    triangles: Option<IndexRows<3>>,
    /// quads, likewise
    quads: Option<IndexRows<4>>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "VolumeFromTriangles", build).templates(&["Vec3"]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let x = current_points(b, s.position.as_ref());
    let of_topology = b.topology(TopologySearch::FirstHere).map(|t| (t.triangles.clone(), t.quads.clone()));
    let (mut triangles, mut quads) = of_topology.unwrap_or_default();
    if let Some(given) = s.triangles {
        triangles = given.below(x.len())?;
    }
    if let Some(given) = s.quads {
        quads = given.below(x.len())?;
    }
    let faces = triangles.iter().flatten().chain(quads.iter().flatten());
    if let Some(beyond) = faces.into_iter().find(|i| **i as usize >= x.len()) {
        let text = format!("the topology names point {beyond}, but there are {} positions", x.len());
        return Err(BuildError::attribute("position", text));
    }
    if triangles.is_empty() && quads.is_empty() {
        b.warn(Some("triangles"), "there are no triangles and no quads, so the volume is 0");
    }
    b.offer("volume", Value::Real(volume(&x, &triangles, &quads)));
    Ok(())
}

/// The volume of a surface that is seen counter-clockwise from outside [m^3].
fn volume(x: &[Vec3], triangles: &[[u32; 3]], quads: &[[u32; 4]]) -> f64 {
    let halves = |q: &[u32; 4]| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]];
    let all = triangles.iter().copied().chain(quads.iter().flat_map(halves));
    let six = all.map(|t| {
        let [a, b, c] = t.map(|i| x[i as usize]);
        a.dot(&b.cross(&c))
    });
    six.sum::<f64>() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn a_tetrahedron_has_a_sixth_of_its_box() {
        let mut t = TestScene::new();
        let root = t.root();
        let surface = [("position", "1 1 1 3 1 1 1 4 1 1 1 5"), ("triangles", "0 2 1 0 1 3 0 3 2 1 2 3")];
        let c = t.add(&DESCRIPTION, root, &surface).unwrap();
        let volume = t.scene.component(c).fields["volume"].reals().unwrap()[0];
        assert!((volume - 4.0).abs() < 1e-14, "{volume}");
        let e = t.add(&DESCRIPTION, root, &[surface[0], ("triangles", "0 1 4")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("triangles"));
    }
}
