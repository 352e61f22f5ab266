//! `BoxROI`: the points and elements inside boxes.

use std::sync::Arc;

use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{AttributeDescription, AttributeKind, ComponentDescription, Family};
use sim_core::component::mechanical_state::AnyInitialState;
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use crate::attributes::{attribute, ignored};

const ATTRIBUTES: &[AttributeDescription] = &[
    attribute(
        "box",
        AttributeKind::RealRows(6),
        "boxes: two opposite corners each; 0 0 0 1 1 1 if none is given",
    )
    .unit("m"),
    attribute(
        "orientedBox",
        AttributeKind::RealRows(10),
        "boxes: three corners of a parallelogram and a thickness",
    )
    .unit("m"),
    attribute("position", AttributeKind::Coords, "points; the rest positions of the state if not given")
        .unit("m")
        .aliases(&["rest_position"]),
    attribute("edges", AttributeKind::IndexRows(2), "edges; those of this node's topology if not given"),
    attribute("triangles", AttributeKind::IndexRows(3), "triangles, likewise"),
    attribute("quads", AttributeKind::IndexRows(4), "quads, likewise").aliases(&["quad"]),
    attribute("tetrahedra", AttributeKind::IndexRows(4), "tetrahedra, likewise"),
    attribute("hexahedra", AttributeKind::IndexRows(8), "hexahedra, likewise"),
    attribute(
        "strict",
        AttributeKind::Bool,
        "whether an element is inside only with all its nodes, not its centre",
    )
    .default("1"),
    attribute("computeEdges", AttributeKind::Bool, "whether edges are chosen").default("1"),
    attribute("computeTriangles", AttributeKind::Bool, "whether triangles are chosen").default("1"),
    attribute("computeQuads", AttributeKind::Bool, "whether quads are chosen")
        .default("1")
        .aliases(&["computeQuad"]),
    attribute("computeTetrahedra", AttributeKind::Bool, "whether tetrahedra are chosen").default("1"),
    attribute("computeHexahedra", AttributeKind::Bool, "whether hexahedra are chosen").default("1"),
    ignored("doUpdate"),
    ignored("indices"),
    ignored("pointsInROI"),
    ignored("edgeIndices"),
    ignored("triangleIndices"),
    ignored("quadIndices"),
    ignored("tetrahedronIndices"),
    ignored("hexahedronIndices"),
    attribute("drawBoxes", AttributeKind::Bool, "whether the boxes are drawn with the behavior models")
        .default("0"),
    ignored("drawPoints"),
    ignored("drawEdges"),
    ignored("drawTriangles"),
    ignored("drawTetrahedra"),
    ignored("drawHexahedra"),
    ignored("drawQuads"),
    ignored("drawROI"),
    ignored("drawSize"),
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "BoxROI",
    old_names: &[],
    family: Family::Engine,
    summary: "The points and elements inside boxes, as lists that others link to",
    templates: &["Vec3", "Rigid3"],
    attributes: &[ATTRIBUTES],
    samples: &[],
    build,
};

/// Boxes that are drawn, kept with the component: corners of each [m], the corner of number k at its far end along axis i
/// where k has bit i.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxShapes(pub Vec<[Vec3; 8]>);

/// A box with edges along the axes, or a thick parallelogram.
enum Region {
    Aligned { min: Vec3, max: Vec3 },
    Oriented { corner: Vec3, axes: [Vec3; 3], depth: f64 },
}

impl Region {
    fn aligned(c: &[f64]) -> Self {
        let (a, b) = (Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]));
        Self::Aligned { min: a.zip_map(&b, f64::min), max: a.zip_map(&b, f64::max) }
    }

    /// **Source:** as SOFA's oriented box: the parallelogram p0, p1, p2, p0 + p2 - p1, half of `depth` to each side.
    fn oriented(c: &[f64]) -> Option<Self> {
        let p = |i: usize| Vec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
        let (along, across) = (p(1) - p(0), p(2) - p(1));
        let normal = along.cross(&across);
        (normal.norm() > 0.0).then(|| Self::Oriented {
            corner: p(0),
            axes: [along, across, normal.normalize()],
            depth: c[9].abs(),
        })
    }

    fn corners(&self) -> [Vec3; 8] {
        let (from, axes) = match self {
            Self::Aligned { min, max } => (*min, [0, 1, 2].map(|i| Vec3::ith(i, max[i] - min[i]))),
            Self::Oriented { corner, axes: [along, across, normal], depth } => {
                (corner - normal * (0.5 * depth), [*along, *across, normal * *depth])
            }
        };
        std::array::from_fn(|k| from + (0..3).filter(|i| k >> i & 1 == 1).map(|i| axes[i]).sum::<Vec3>())
    }

    fn contains(&self, x: &Vec3) -> bool {
        match self {
            Self::Aligned { min, max } => (0..3).all(|k| min[k] <= x[k] && x[k] <= max[k]),
            Self::Oriented { corner, axes: [along, across, normal], depth } => {
                let d = x - corner;
                // Coordinates in the basis of the two sides.
                let area = along.cross(across).dot(normal);
                let (s, t) = (d.cross(across).dot(normal) / area, along.cross(&d).dot(normal) / area);
                (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) && d.dot(normal).abs() <= 0.5 * depth
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let regions = regions(b)?;
    if b.boolean("drawBoxes")? {
        let shapes = BoxShapes(regions.iter().map(Region::corners).collect());
        b.scene.component_mut(b.component).extension = Some(Arc::new(shapes));
    }
    let inside = |x: &Vec3| regions.iter().any(|r| r.contains(x));
    let points = points(b)?;
    if points.is_empty() {
        b.warn(
            Some("position"),
            "there are no points to choose from; put the BoxROI after a MechanicalObject",
        );
    }
    let indices: Vec<u32> = (0..).zip(&points).filter(|(_, x)| inside(x)).map(|(i, _)| i).collect();
    if indices.is_empty() && !points.is_empty() {
        b.warn(Some("box"), "no point is inside");
    }
    let is_in: Vec<bool> = points.iter().map(inside).collect();
    let outside: Vec<i64> = (0..).zip(&is_in).filter(|(_, inside)| !**inside).map(|(i, _)| i).collect();
    let chosen: Vec<Vec3> = indices.iter().map(|i| points[*i as usize]).collect();

    let strict = b.boolean("strict")?;
    let chooser = Chooser { points: &points, is_in: &is_in, strict, inside: &inside };
    let topology = b
        .scene
        .find_topology(b.node, TopologySearch::FirstHere)
        .and_then(|c| b.scene.component(c).topology.clone());
    let from = topology.as_deref();
    chooser.offer(b, from.map(|t| &t.edges), ["edges", "computeEdges", "edgeIndices", "edgesInROI"])?;
    let names = ["triangles", "computeTriangles", "triangleIndices", "trianglesInROI"];
    chooser.offer(b, from.map(|t| &t.triangles), names)?;
    chooser.offer(b, from.map(|t| &t.quads), ["quads", "computeQuads", "quadIndices", "quadInROI"])?;
    let names = ["tetrahedra", "computeTetrahedra", "tetrahedronIndices", "tetrahedraInROI"];
    chooser.offer(b, from.map(|t| &t.tetrahedra), names)?;
    let names = ["hexahedra", "computeHexahedra", "hexahedronIndices", "hexahedraInROI"];
    chooser.offer(b, from.map(|t| &t.hexahedra), names)?;

    b.offer("nbIndices", Value::Integer(indices.len() as i64));
    b.offer("indices", Value::Integers(indices.into_iter().map(i64::from).collect()));
    b.offer("indicesOut", Value::Integers(outside));
    b.offer("pointsInROI", Value::from_points(&chosen));
    Ok(())
}

fn regions(b: &Builder<'_>) -> Result<Vec<Region>, BuildError> {
    let (boxes, oriented) = (b.reals("box")?, b.reals("orientedBox")?);
    for (name, given, width) in [("box", &boxes, 6), ("orientedBox", &oriented, 10)] {
        if given.len() % width != 0 {
            let n = given.len();
            return Err(BuildError::attribute(
                name,
                format!("`{name}` needs {width} numbers a box; there are {n}"),
            ));
        }
    }
    if !b.is_set("box") && !b.is_set("orientedBox") {
        return Ok(vec![Region::aligned(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])]);
    }
    let mut regions: Vec<Region> = boxes.chunks_exact(6).map(Region::aligned).collect();
    for c in oriented.chunks_exact(10) {
        regions.push(Region::oriented(c).ok_or_else(|| {
            BuildError::attribute("orientedBox", "the three corners of an `orientedBox` lie on a line")
        })?);
    }
    Ok(regions)
}

/// The attribute, else the rest positions of this node's state, else a loader's points here, else an ancestor's state.
fn points(b: &Builder<'_>) -> Result<Vec<Vec3>, BuildError> {
    if b.is_set("position") {
        let frames = b.attributes.template.as_deref().is_some_and(|t| t.starts_with("Rigid"));
        let reals = b.reals("position")?;
        let width = if frames && reals.len() % 7 == 0 { 7 } else { 3 };
        return Ok(reals.chunks_exact(width).map(|c| Vec3::new(c[0], c[1], c[2])).collect());
    }
    let rest = |state| match b.scene.initial(state) {
        AnyInitialState::Vec3(s) => s.rest_position.clone(),
        AnyInitialState::Rigid3(s) => s.rest_position.iter().map(|x| x.center).collect(),
    };
    if let Some(state) = b.scene.state_in(b.node) {
        return Ok(rest(state));
    }
    let of_loader = |c| {
        let component = b.scene.component(c);
        if component.topology.is_some() || !component.class.ends_with("Loader") {
            return None;
        }
        component.fields.get("position").and_then(Value::reals)
    };
    if let Some(reals) = b.scene.components_of(b.node).find_map(of_loader) {
        return Ok(reals.chunks_exact(3).map(Vec3::from_column_slice).collect());
    }
    Ok(b.scene.state_from(b.node).map(rest).unwrap_or_default())
}

struct Chooser<'c> {
    points: &'c [Vec3],
    is_in: &'c [bool],
    strict: bool,
    inside: &'c dyn Fn(&Vec3) -> bool,
}

impl Chooser<'_> {
    /// Offers the numbers and the nodes of the elements inside, under the names (input, switch, numbers, nodes).
    fn offer<const N: usize>(
        &self,
        b: &mut Builder<'_>,
        of_topology: Option<&Vec<[u32; N]>>,
        [input, switch, numbers, nodes]: [&'static str; 4],
    ) -> Result<(), BuildError> {
        let n = self.points.len();
        let given = b.is_set(input).then(|| b.index_rows::<N>(input, n)).transpose()?;
        let elements = given.as_ref().or(of_topology).map_or(&[][..], Vec::as_slice);
        let wanted = b.boolean(switch)?;
        let chosen: Vec<u32> = (0..)
            .zip(elements)
            .filter(|(_, e)| wanted && e.iter().all(|p| (*p as usize) < n) && self.has(*e))
            .map(|(i, _)| i)
            .collect();
        let rows: Vec<[u32; N]> = chosen.iter().map(|i| elements[*i as usize]).collect();
        b.offer(numbers, Value::Integers(chosen.into_iter().map(i64::from).collect()));
        b.offer(nodes, Value::from_rows(&rows));
        Ok(())
    }

    fn has(&self, nodes: &[u32]) -> bool {
        if self.strict {
            return nodes.iter().all(|p| self.is_in[*p as usize]);
        }
        let sum: Vec3 = nodes.iter().map(|p| self.points[*p as usize]).sum();
        (self.inside)(&(sum / nodes.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::scene::ComponentId;

    fn integers(t: &TestScene, c: ComponentId, name: &str) -> Vec<i64> {
        t.scene.component(c).fields[name].integers().unwrap()
    }

    #[test]
    fn chooses_rest_positions_with_the_border_and_swapped_corners() {
        let mut t = TestScene::new();
        let root = t.root();
        let state = [("position", "0 0 0 1 0 0 2 0 0 3 0 0"), ("translation2", "10 0 0")];
        t.add(&mechanical_object::DESCRIPTION, root, &state).unwrap();
        let roi = t.add(&DESCRIPTION, root, &[("box", "2 1 1 1 -1 -1")]).unwrap();
        assert_eq!(integers(&t, roi, "indices"), [1, 2]);
        assert_eq!(integers(&t, roi, "indicesOut"), [0, 3]);
        assert_eq!(t.scene.component(roi).fields["nbIndices"], Value::Integer(2));
        let unit = t.add(&DESCRIPTION, root, &[]).unwrap();
        assert_eq!(integers(&t, unit, "indices"), [0, 1]);
        let e = t.add(&DESCRIPTION, root, &[("box", "1 2 3")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("box"));
    }

    #[test]
    fn elements_are_inside_with_all_nodes_or_with_their_centre() {
        let mut t = TestScene::new();
        let root = t.root();
        let mut attributes =
            vec![("position", "0 0 0 1 0 0 2 0 0"), ("edges", "0 1 1 2"), ("box", "-1 -1 -1 1.6 1 1")];
        let strict = t.add(&DESCRIPTION, root, &attributes).unwrap();
        assert_eq!(integers(&t, strict, "edgeIndices"), [0]);
        attributes.push(("strict", "0"));
        let by_centre = t.add(&DESCRIPTION, root, &attributes).unwrap();
        assert_eq!(integers(&t, by_centre, "edgeIndices"), [0, 1]);
        assert_eq!(integers(&t, by_centre, "edgesInROI"), [0, 1, 1, 2]);
    }

    #[test]
    fn a_turned_box_is_a_thick_parallelogram() {
        let mut t = TestScene::new();
        let root = t.root();
        let attributes =
            [("position", "1 0 0  0 1 0  1 1 0  1 0 0.6"), ("orientedBox", "0 0 0  1 -1 0  2 0 0  1")];
        let roi = t.add(&DESCRIPTION, root, &attributes).unwrap();
        assert_eq!(integers(&t, roi, "indices"), [0, 2]);
        let drawn = [("position", "0 0 0"), ("orientedBox", attributes[1].1), ("drawBoxes", "1")];
        let drawn = t.add(&DESCRIPTION, root, &drawn).unwrap();
        let BoxShapes(boxes) = t.scene.component(drawn).extension().expect("boxes to be drawn");
        assert_eq!(boxes[0][..2], [Vec3::new(0.0, 0.0, -0.5), Vec3::new(1.0, -1.0, -0.5)]);
        assert_eq!(boxes[0][7], Vec3::new(2.0, 0.0, 0.5));
        let line = [("position", "0 0 0"), ("orientedBox", "0 0 0 1 0 0 2 0 0 1")];
        assert!(t.add(&DESCRIPTION, root, &line).is_err());
    }
}
