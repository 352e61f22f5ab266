//! `MeshBarycentricMapperEngine`: which element of a mesh each point belongs to, and where it is in it.

use sim_core::component::attributes::{Attributes, Lists};
use sim_core::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use crate::mapping::barycentric::{Place, Shape, places};

/// The triangles or tetrahedra of a mesh that points belong to, and their coordinates there.
#[derive(Attributes)]
#[attributes(
    ignored("barycentricPositions", "tableElements"),
    ignored("linearInterpolationIndices", "linearInterpolationValues")
)]
struct Settings {
    /// points of the mesh [m]
    input_positions: Vec<Vec3>,
    /// the points that are placed [m]
    mapped_point_positions: Vec<Vec3>,
    /// whether nodes and values of each point are listed, too
    compute_linear_interpolation: bool,
    /// the mesh; this node's if not given
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MeshBarycentricMapperEngine", build)
        .templates(&["Vec3"]);

/// **Source:** as SOFA's: the element is found as a `BarycentricMapping` on a mesh does; a point of a quad, a hexahedron or an edge stays at 0 of
/// element 0. The first value of a linear interpolation adds all coordinates but the first to 1, where the others are subtracted from it in a mean.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let topology = b.topology(TopologySearch::First).ok_or_else(|| {
        BuildError::new("there is no topology in this node or above it; link to one by `topology`")
    })?;
    let found = places(topology, &s.input_positions, &s.mapped_point_positions);
    let found = found.map_err(|e| BuildError::attribute("inputPositions", e.to_string()))?;
    let (mut coordinates, mut elements) = (Vec::new(), Vec::new());
    let (mut nodes, mut values) = (Vec::new(), Vec::new());
    let mut others = 0;
    for Place { shape, nodes: corners, element, v } in found {
        let n = match shape {
            Shape::Triangle => 2,
            Shape::Tetrahedron => 3,
            Shape::Hexahedron | Shape::Quad | Shape::Edge => 0,
        };
        others += usize::from(n == 0);
        let v: Vec<f64> = v.iter().copied().take(n).collect();
        elements.push(if n == 0 { 0 } else { i64::from(element) });
        coordinates.push(Vec3::from_fn(|k, _| v.get(k).copied().unwrap_or(0.0)));
        if s.compute_linear_interpolation {
            let first = v.split_first().map(|(first, rest)| 1.0 - rest.iter().fold(*first, |d, c| d - c));
            nodes.push(if n == 0 { Vec::new() } else { corners[..=n].to_vec() });
            values.push(first.into_iter().chain(v).collect::<Vec<f64>>());
        }
    }
    if others > 0 {
        let text = format!("{others} points are in quads, hexahedra or edges, where SOFA has no coordinates");
        b.warn(Some("mappedPointPositions"), text);
    }
    b.offer("barycentricPositions", Value::from_points(&coordinates));
    b.offer("tableElements", Value::Integers(elements));
    b.offer("linearInterpolationIndices", Lists::written(&nodes));
    b.offer("linearInterpolationValues", Lists::written(&values));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn points_are_placed_in_elements() {
        let mut t = TestScene::new();
        let root = t.root();
        let x = "0 0 0 2 0 0 0 2 0 0 0 2 2 2 2";
        let mesh = [("position", x), ("tetrahedra", "0 1 2 3 1 2 3 4")];
        let topologies = crate::topology::all();
        let class = topologies.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(class, root, &mesh).unwrap();
        let given = [
            ("inputPositions", x),
            ("mappedPointPositions", "0.5 0.25 0.25 1.5 1.5 1.5"),
            ("computeLinearInterpolation", "1"),
        ];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let fields = &t.scene.component(c).fields;
        assert_eq!(fields["tableElements"], Value::Integers(vec![0, 1]));
        assert_eq!(fields["barycentricPositions"].reals().unwrap()[..3], [0.25, 0.125, 0.125]);
        let Value::Texts(nodes) = &fields["linearInterpolationIndices"] else { panic!() };
        assert_eq!(nodes[0], "[0,1,2,3]");
        let Value::Texts(values) = &fields["linearInterpolationValues"] else { panic!() };
        assert_eq!(values[0], "[1,0.25,0.125,0.125]");
    }
}
