//! `TopologyBoundingTrasher`: elements that leave a box are removed.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;
use sim_core::renumbering::ElementKind;
use sim_core::scene::ComponentId;
use sim_core::topology::Topology;

/// Removes elements of a topology whose middle is outside of a box at the end of a step.
#[derive(Attributes)]
#[attributes(
    ignored("position", summary = "positions are those of the state of the topology"),
    ignored("drawBox")
)]
struct Settings {
    /// least and greatest coordinates of what stays [m]
    #[attribute(name = "box", default = "-1000 -1000 -1000 1000 1000 1000")]
    corners: [f64; 6],
    /// topology that loses elements; that of this node or above if not given
    topology: Option<LinkTarget>,
}

/// The component in the registry.
///
/// **Source:** as SOFA's: of the elements that a topology has, those of the most dimensions are looked at, hexahedra first.
pub(in crate::topology) const BOUNDING_TRASHER: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "TopologyBoundingTrasher", build);

/// What a `TopologyBoundingTrasher` keeps with its component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingTrasher {
    /// The topology.
    pub topology: ComponentId,
    /// Which elements are looked at.
    pub kind: ElementKind,
    min: Vec3,
    max: Vec3,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = match s.topology {
        Some(LinkTarget::Component(c)) => Some(c).filter(|c| b.scene.topology(*c).is_some()),
        Some(LinkTarget::Node(_)) => None,
        None => b.topology_component(TopologySearch::First),
    };
    let Some(topology) = topology else {
        return Err(BuildError::attribute("topology", "there is no topology; name one with `topology`"));
    };
    let c = s.corners;
    let (min, max) = (Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]));
    let Some(kind) = b.scene.topology(topology).and_then(kind_of) else {
        b.warn(None, "the topology has no elements, so that nothing will be removed");
        return Ok(());
    };
    b.keep(Some(BoundingTrasher { topology, kind, min, max }));
    Ok(())
}

fn kind_of(t: &Topology) -> Option<ElementKind> {
    let kinds = [
        (ElementKind::Hexahedron, t.hexahedra.is_empty()),
        (ElementKind::Tetrahedron, t.tetrahedra.is_empty()),
        (ElementKind::Quad, t.quads.is_empty()),
        (ElementKind::Triangle, t.triangles.is_empty()),
        (ElementKind::Edge, t.edges.is_empty()),
    ];
    kinds.into_iter().find(|(_, is_empty)| !is_empty).map(|(kind, _)| kind)
}

impl BoundingTrasher {
    /// Puts the numbers of the elements whose middle is outside into `outside`, ascending; `x` has the points of the topology [m].
    pub fn find_outside(&self, t: &Topology, x: &[Vec3], outside: &mut Vec<u32>) {
        outside.clear();
        match self.kind {
            ElementKind::Hexahedron => self.find(&t.hexahedra, x, outside),
            ElementKind::Tetrahedron => self.find(&t.tetrahedra, x, outside),
            ElementKind::Quad => self.find(&t.quads, x, outside),
            ElementKind::Triangle => self.find(&t.triangles, x, outside),
            ElementKind::Edge => self.find(&t.edges, x, outside),
        }
    }

    fn find<const N: usize>(&self, elements: &[[u32; N]], x: &[Vec3], outside: &mut Vec<u32>) {
        for (nodes, k) in elements.iter().zip(0..) {
            let sum: Vec3 = nodes.iter().filter_map(|n| x.get(*n as usize)).sum();
            let middle = sum / N as f64;
            if (0..3).any(|c| middle[c] < self.min[c] || middle[c] > self.max[c]) {
                outside.push(k);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use crate::topology;

    #[test]
    fn elements_outside_are_found() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        let points = "0 0 0 1 0 0 2 0 0 3 0 0";
        let mesh = t.add(mesh, root, &[("position", points), ("edges", "0 1 1 2 2 3")]).unwrap();
        let trasher = t.add(&BOUNDING_TRASHER, root, &[("box", "0 0 0 2 1 1")]).unwrap();
        let trasher = *t.scene.component(trasher).extension::<BoundingTrasher>().unwrap();
        assert_eq!((trasher.topology, trasher.kind), (mesh, ElementKind::Edge));
        let topology = t.scene.topology(mesh).unwrap();
        let mut outside = vec![7];
        trasher.find_outside(topology, &topology.points, &mut outside);
        assert_eq!(outside, [2]);
        let lowered: Vec<Vec3> = topology.points.iter().map(|p| p - Vec3::y()).collect();
        trasher.find_outside(topology, &lowered, &mut outside);
        assert_eq!(outside, [0, 1, 2]);
    }

    #[test]
    fn without_a_topology_it_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&BOUNDING_TRASHER, root, &[]).is_err());
    }
}
