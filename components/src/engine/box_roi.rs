//! `BoxROI`: the points and elements inside boxes.

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::mechanical_state::{for_template, template_name};
use sim_core::component::value::Value;
use sim_core::math::{Coord, StateType, Vec3, Vec3Type};

/// The points and elements inside boxes, as lists that others link to.
#[derive(Attributes)]
#[attributes(
    ignored("doUpdate", "indices", "pointsInROI", "edgeIndices", "triangleIndices", "quadIndices"),
    ignored("tetrahedronIndices", "hexahedronIndices", "drawPoints", "drawEdges", "drawTriangles"),
    ignored("drawTetrahedra", "drawHexahedra", "drawQuads", "drawROI", "drawSize")
)]
struct Settings {
    /// boxes: two opposite corners each; 0 0 0 1 1 1 if none is given [m]
    #[attribute(name = "box")]
    boxes: Option<Vec<[f64; 6]>>,
    /// boxes: three corners of a parallelogram and a thickness [m]
    oriented_box: Option<Vec<[f64; 10]>>,
    /// points; the rest positions of the state if not given [m]
    #[attribute(alias = "rest_position")]
    position: Option<CoordRows>,
    /// edges; those of this node's topology if not given
    edges: Option<IndexRows<2>>,
    /// triangles, likewise
    triangles: Option<IndexRows<3>>,
    /// quads, likewise
    #[attribute(alias = "quad")]
    quads: Option<IndexRows<4>>,
    /// tetrahedra, likewise
    tetrahedra: Option<IndexRows<4>>,
    /// hexahedra, likewise
    hexahedra: Option<IndexRows<8>>,
    /// whether an element is inside only with all its nodes, not its centre
    #[attribute(default = "1")]
    strict: bool,
    /// whether edges are chosen
    #[attribute(default = "1")]
    compute_edges: bool,
    /// whether triangles are chosen
    #[attribute(default = "1")]
    compute_triangles: bool,
    /// whether quads are chosen
    #[attribute(default = "1", alias = "computeQuad")]
    compute_quads: bool,
    /// whether tetrahedra are chosen
    #[attribute(default = "1")]
    compute_tetrahedra: bool,
    /// whether hexahedra are chosen
    #[attribute(default = "1")]
    compute_hexahedra: bool,
    /// whether the boxes are drawn with the behavior models
    draw_boxes: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "BoxROI", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Rigid3", "Vec6"]);

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
    let s = Settings::read(b)?;
    let regions = regions(&s)?;
    if s.draw_boxes {
        b.keep(Some(BoxShapes(regions.iter().map(Region::corners).collect())));
    }
    let inside = |x: &Vec3| regions.iter().any(|r| r.contains(x));
    let points = points(b, s.position.as_ref());
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

    let chooser = Chooser { points: &points, is_in: &is_in, strict: s.strict, inside: &inside };
    let topology = b
        .scene
        .find_topology(b.node, TopologySearch::FirstHere)
        .and_then(|c| b.scene.component(c).topology.clone());
    let from = topology.as_deref();
    let names = ["edgeIndices", "edgesInROI"];
    chooser.offer(b, s.edges, from.map(|t| &t.edges), s.compute_edges, names)?;
    let names = ["triangleIndices", "trianglesInROI"];
    chooser.offer(b, s.triangles, from.map(|t| &t.triangles), s.compute_triangles, names)?;
    let names = ["quadIndices", "quadInROI"];
    chooser.offer(b, s.quads, from.map(|t| &t.quads), s.compute_quads, names)?;
    let names = ["tetrahedronIndices", "tetrahedraInROI"];
    chooser.offer(b, s.tetrahedra, from.map(|t| &t.tetrahedra), s.compute_tetrahedra, names)?;
    let names = ["hexahedronIndices", "hexahedraInROI"];
    chooser.offer(b, s.hexahedra, from.map(|t| &t.hexahedra), s.compute_hexahedra, names)?;

    b.offer("nbIndices", Value::Integer(indices.len() as i64));
    b.offer("indices", Value::Integers(indices.into_iter().map(i64::from).collect()));
    b.offer("indicesOut", Value::Integers(outside));
    b.offer("pointsInROI", Value::from_points(&chosen));
    Ok(())
}

fn regions(s: &Settings) -> Result<Vec<Region>, BuildError> {
    if s.boxes.is_none() && s.oriented_box.is_none() {
        return Ok(vec![Region::aligned(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])]);
    }
    let mut regions: Vec<Region> = s.boxes.iter().flatten().map(|c| Region::aligned(c)).collect();
    for c in s.oriented_box.iter().flatten() {
        regions.push(Region::oriented(c).ok_or_else(|| {
            BuildError::attribute("orientedBox", "the three corners of an `orientedBox` lie on a line")
        })?);
    }
    Ok(regions)
}

/// The points of rows of numbers, if the numbers fill rows.
fn centers<S: StateType>(reals: &[f64]) -> Option<Vec<Vec3>> {
    let rows = reals.len().is_multiple_of(S::Coord::SIZE).then(|| reals.chunks_exact(S::Coord::SIZE));
    Some(rows?.filter_map(S::Coord::from_scalars).map(|x| x.center()).collect())
}

/// The attribute, else the rest positions of this node's state, else a loader's points here, else an ancestor's state.
fn points(b: &Builder<'_>, given: Option<&CoordRows>) -> Vec<Vec3> {
    if let Some(CoordRows { reals, .. }) = given {
        let template = b.attributes.template.as_deref().map_or(Vec3Type::NAME, template_name);
        let in_rows = for_template!(template, S => centers::<S>(reals)).flatten();
        return in_rows.or_else(|| centers::<Vec3Type>(reals)).unwrap_or_default();
    }
    let rest = |state| b.scene.initial(state).rest_centers();
    if let Some(state) = b.scene.state_in(b.node) {
        return rest(state);
    }
    let of_loader = |c| {
        let component = b.scene.component(c);
        if component.topology.is_some() || !component.class.ends_with("Loader") {
            return None;
        }
        component.fields.get("position").and_then(Value::reals)
    };
    if let Some(reals) = b.scene.components_of(b.node).find_map(of_loader) {
        return reals.chunks_exact(3).map(Vec3::from_column_slice).collect();
    }
    b.scene.state_from(b.node).map(rest).unwrap_or_default()
}

struct Chooser<'c> {
    points: &'c [Vec3],
    is_in: &'c [bool],
    strict: bool,
    inside: &'c dyn Fn(&Vec3) -> bool,
}

impl Chooser<'_> {
    /// Offers the numbers and the nodes of the elements inside, under the names (numbers, nodes).
    fn offer<const N: usize>(
        &self,
        b: &mut Builder<'_>,
        given: Option<IndexRows<N>>,
        of_topology: Option<&Vec<[u32; N]>>,
        wanted: bool,
        [numbers, nodes]: [&'static str; 2],
    ) -> Result<(), BuildError> {
        let n = self.points.len();
        let given = given.map(|rows| rows.below(n)).transpose()?;
        let elements = given.as_ref().or(of_topology).map_or(&[][..], Vec::as_slice);
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
