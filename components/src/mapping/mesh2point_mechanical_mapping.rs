//! `Mesh2PointMechanicalMapping`: points on the points, edges, faces and cells of a mesh.

use sim_core::prelude::*;
use sim_core::scene::ComponentId;

use super::ends::pair;
use crate::topology::{ElementPoint, element_points};

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<InputAttribute>(Family::Mapping, "Mesh2PointMechanicalMapping", build)
        .summary("Points on the elements of a mesh, as a Mesh2PointTopologicalMapping places them")
        .templates(&["Vec3,Vec3"])
        .samples(&[Sample::new("").template("Vec3,Vec3").elements("tetrahedra").before(
            "<PointSetTopologyContainer name='on'/><Mesh2PointTopologicalMapping input='@/world/body/topology' output='@on' pointBaryCoords='0 0 0.1' edgeBaryCoords='0.3 0 0' tetraBaryCoords='0.2 0.3 0.1'/>",
        )]);

/// Points on elements: x = sum of w c, and from a point of the mesh by a vector that does not turn.
///
/// **Source:** as SOFA's: the weights are those of the topological mapping in this node or above.
pub struct PointsOnElements;

impl Mapping for PointsOnElements {
    type Input = Vec3Type;
    type Output = Vec3Type;
    type Constants = ();
    /// What carries each point, by points.
    type Element = ElementPoint;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(_: &(), Apply { elements, x_out, x_in, .. }: Apply<'_, Self>) {
        x_out.fill(Vec3::zeros());
        for e in elements {
            x_out[e.point as usize] += x_in[e.carrier as usize] * e.weight + e.offset;
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        v_out.fill(Vec3::zeros());
        for e in elements {
            v_out[e.point as usize] += v_in[e.carrier as usize] * e.weight;
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for e in elements {
            f_in[e.carrier as usize] += f_out[e.point as usize] * e.weight;
        }
    }

    fn add_jacobian(_: &(), AddJacobian { elements, matrix, .. }: AddJacobian<'_, Self>) {
        for e in elements {
            matrix.add_block(e.point, e.carrier, &(Mat3::identity() * e.weight));
        }
    }

    fn carriers(elements: &[ElementPoint], _: usize, mut put: impl FnMut(u32, u32)) {
        elements.iter().for_each(|e| put(e.point, e.carrier));
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = b.mapping_ends()?;
    if pair(b, (input, output)) != DESCRIPTION.templates[0] {
        let templates = pair(b, (input, output));
        return Err(BuildError::new(format!(
            "a {} of {templates} does not exist; use Vec3,Vec3",
            DESCRIPTION.class
        )));
    }
    let on_elements = |c: ComponentId| element_points(&b.scene, c);
    let found = b.scene.upward(b.node).find_map(|n| b.scene.components_of(n).find_map(on_elements));
    let (mesh, elements) = found.ok_or_else(|| {
        BuildError::new(
            "there is no Mesh2PointTopologicalMapping in this node or above; put one before this component",
        )
    })?;
    let n_in = b.size(input);
    if let Some(t) = b.scene.topology(mesh).filter(|t| t.n_points != n_in) {
        let text = format!("the mesh has {} points, the input {n_in}", t.n_points);
        return Err(BuildError::attribute("input", text));
    }
    let n = elements.iter().map(|e| e.point as usize + 1).max().unwrap_or(0);
    b.add_mapping(input, output, MappingParts::<PointsOnElements>::new((), elements, vec![], n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::testing::{Random, mapping};

    #[test]
    fn conforms() {
        let mut random = Random::new(3);
        let elements: Vec<ElementPoint> = (0..7)
            .map(|k| ElementPoint {
                point: k / 2,
                carrier: k * 5 % 3,
                weight: 0.2 * f64::from(k),
                offset: random.vec3(),
            })
            .collect();
        let parts = MappingParts::<PointsOnElements>::new((), elements, vec![], 4);
        mapping(&parts, &random.moved(&[Vec3::zeros(); 3], 1.0), 1);
    }

    /// The points are where the topological mapping has put them, on every kind of element.
    #[test]
    fn points_are_those_of_the_topology() {
        let all = topology::all();
        let find = |class: &str| all.iter().find(|d| d.class == class).unwrap();
        let position = "0 0 0 2 0 0 2 2 0 0.1 2 0 0 0 2 2 0.3 2 2 2 2 0 2 2.5 4 4 4";
        let mesh = [("position", position), ("hexahedra", "0 1 2 3 4 5 6 7"), ("tetrahedra", "0 1 2 8")];
        let mut t = TestScene::new();
        let root = t.root();
        let coarse = t.add(find("MeshTopology"), root, &mesh).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", position)]).unwrap();
        let child = t.child(root, "on");
        let points = t.add(find("PointSetTopologyContainer"), child, &[]).unwrap();
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[]).unwrap();
        assert!(t.add(&DESCRIPTION, child, &[]).is_err(), "nothing places points");
        let links = [("input", LinkTarget::Component(coarse)), ("output", LinkTarget::Component(points))];
        let places = [
            ("pointBaryCoords", "0 0 0 0 0.5 0"),
            ("edgeBaryCoords", "0.3 0 0"),
            ("triangleBaryCoords", "0.2 0.5 0"),
            ("quadBaryCoords", "0.2 0.9 0"),
            ("tetraBaryCoords", "0.1 0.2 0.3"),
            ("hexaBaryCoords", "0.1 0.2 0.3 0.5 0.5 0.5"),
        ];
        t.add_linked(find("Mesh2PointTopologicalMapping"), child, &places, &links).unwrap();
        t.add(&DESCRIPTION, child, &[]).unwrap();
        let state = t.scene.state_of_component(c).unwrap();
        let x = t.scene.initial_as::<Vec3Type>(state).unwrap().position.clone();
        let expected = &t.scene.topology(points).unwrap().points;
        assert_eq!(x.len(), expected.len());
        assert!(x.len() > 2 * 9 + 2, "all kinds of elements have points: {}", x.len());
        assert!(x.iter().zip(expected).all(|(x, e)| (x - e).norm() < 1e-14), "{x:?} {expected:?}");
    }
}
