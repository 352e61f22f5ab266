//! `MeshSubsetEngine`: the part of a mesh that some of its points span.

use std::collections::BTreeMap;

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// The part of a mesh that some of its points span: these points, and the elements all of whose points they are, in new numbers.
#[derive(Attributes)]
#[attributes(ignored("position", "edges", "triangles", "quads", "tetrahedra", "hexahedra"))]
struct Settings {
    /// points of the mesh [m]
    input_position: Vec<Vec3>,
    /// edges of the mesh
    input_edges: Option<IndexRows<2>>,
    /// triangles of the mesh
    input_triangles: Option<IndexRows<3>>,
    /// quads of the mesh
    input_quads: Option<IndexRows<4>>,
    /// tetrahedra of the mesh
    input_tetrahedra: Option<IndexRows<4>>,
    /// hexahedra of the mesh
    input_hexahedra: Option<IndexRows<8>>,
    /// the points that are chosen, in the order of their new numbers
    indices: Vec<i64>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MeshSubsetEngine", build).templates(&["Vec3"]);

/// **Source:** as SOFA's; a point that is chosen twice has the last of its numbers in elements.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n = s.input_position.len();
    let mut numbers = BTreeMap::new();
    let mut points = Vec::with_capacity(s.indices.len());
    for (new, old) in s.indices.iter().enumerate() {
        let point = u32::try_from(*old).ok().and_then(|i| Some((i, s.input_position.get(i as usize)?)));
        let (old, x) = point.ok_or_else(|| {
            let text = format!("`indices` holds {old}, but `inputPosition` has {n} points");
            BuildError::attribute("indices", text)
        })?;
        numbers.insert(old, new as u32);
        points.push(*x);
    }
    b.offer("position", Value::from_points(&points));
    offer(b, "edges", s.input_edges, &numbers)?;
    offer(b, "triangles", s.input_triangles, &numbers)?;
    offer(b, "quads", s.input_quads, &numbers)?;
    offer(b, "tetrahedra", s.input_tetrahedra, &numbers)?;
    offer(b, "hexahedra", s.input_hexahedra, &numbers)
}

/// The elements all of whose points are chosen.
fn offer<const N: usize>(
    b: &mut Builder<'_>,
    name: &'static str,
    elements: Option<IndexRows<N>>,
    numbers: &BTreeMap<u32, u32>,
) -> Result<(), BuildError> {
    let elements = elements.map(|e| e.below(u32::MAX as usize)).transpose()?.unwrap_or_default();
    let chosen = |e: &[u32; N]| {
        let mut new = [0; N];
        for (new, old) in new.iter_mut().zip(e) {
            *new = *numbers.get(old)?;
        }
        Some(new)
    };
    let chosen: Vec<[u32; N]> = elements.iter().filter_map(chosen).collect();
    b.offer(name, Value::from_rows(&chosen));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn elements_of_chosen_points_have_new_numbers() {
        let mut t = TestScene::new();
        let root = t.root();
        let mesh = [
            ("inputPosition", "0 0 0 1 0 0 2 0 0 3 0 0"),
            ("inputTriangles", "0 1 2 1 2 3"),
            ("inputEdges", "0 1 3 2"),
            ("inputTetrahedra", "0 1 2 3"),
            ("indices", "3 1 2"),
        ];
        let c = t.add(&DESCRIPTION, root, &mesh).unwrap();
        let of = |name: &str| t.scene.component(c).fields[name].reals().unwrap();
        assert_eq!(of("position"), [3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert_eq!((of("triangles"), of("edges")), (vec![1.0, 2.0, 0.0], vec![0.0, 2.0]));
        assert!(of("tetrahedra").is_empty() && of("quads").is_empty());
        let e = t.add(&DESCRIPTION, root, &[mesh[0], ("indices", "4")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("indices"));
    }
}
