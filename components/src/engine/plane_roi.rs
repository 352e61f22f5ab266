//! `PlaneROI`: the points and elements inside thick parallelograms.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::selection::{PointSearch, Region, Selection};

/// The points and elements inside thick parallelograms, as lists that others link to.
#[derive(Attributes)]
#[attributes(ignored("drawPlane"))]
struct Settings {
    /// parallelograms: three corners, the second between the others, and the thickness; with thickness 0 there is no limit to the sides [m]
    #[attribute(default = "0 0 0 0 0 0 0 0 0 0")]
    plane: Vec<[f64; 10]>,
    #[attribute(flatten)]
    selection: Selection,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "PlaneROI", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Rigid3", "Vec6"]);

/// A parallelogram about a middle plane; directions that cannot be found are zero, and limit nothing.
struct Parallelogram {
    corner: Vec3,
    far: Vec3,
    normal: Vec3,
    /// Across the first side, at the first and at the far corner.
    across_first: [Vec3; 2],
    /// Across the second side, likewise.
    across_second: [Vec3; 2],
    width: f64,
    length: f64,
    depth: f64,
}

/// Shortest vector that has a direction.
const SHORTEST: f64 = f64::EPSILON;

impl Parallelogram {
    fn new(c: &[f64; 10]) -> Self {
        let p = |i: usize| Vec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
        let unit = |v: Vec3| v.try_normalize(SHORTEST).unwrap_or(v);
        let (corner, far) = (p(0), p(2));
        let (first, second) = (p(1) - corner, far - p(1));
        let normal = unit(first.cross(&(far - corner)));
        let fourth = corner + second;
        // The tops above the two corners, from where the sides are seen.
        let half = normal * (c[9] / 2.0);
        let (above, above_far) = (corner + half, far + half);
        let across_first =
            [unit(first.cross(&(above - corner))), unit((far - fourth).cross(&(above_far - fourth)))];
        let across_second =
            [unit((fourth - corner).cross(&(above - corner))), unit(second.cross(&(above_far - far)))];
        let diagonal = far - corner;
        Self {
            width: diagonal.dot(&across_first[0]).abs(),
            length: diagonal.dot(&across_second[0]).abs(),
            depth: c[9],
            corner,
            far,
            normal,
            across_first,
            across_second,
        }
    }

    fn contains(&self, x: &Vec3) -> bool {
        let (near, far) = (x - self.corner, x - self.far);
        let within = |[a, b]: &[Vec3; 2], limit: f64| near.dot(a).abs() <= limit && far.dot(b).abs() <= limit;
        within(&self.across_first, self.width)
            && within(&self.across_second, self.length)
            && near.dot(&self.normal).abs() <= (self.depth / 2.0).abs()
    }
}

/// **Source:** as SOFA's: within half the thickness of the plane, and within the distances of the last corner from the first two sides, which are
/// measured from the first and from the last corner. The planes of the sides are spanned with half the thickness, so that one of thickness 0
/// has none, and chooses every point of the plane; three corners on a line choose all points. An element is inside with all its nodes in one of the parallelograms. Elements are those of the
/// topology of this node or one above. With an empty list `indices` holds point 0, with which it begins.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let planes: Vec<Parallelogram> = s.plane.iter().map(Parallelogram::new).collect();
    let flat = planes.iter().position(|p| p.normal == Vec3::zeros());
    if let Some(k) = flat {
        let text = format!("the corners of `plane` {k} lie on a line, so all points are chosen, as in SOFA");
        b.warn(Some("plane"), text);
    }
    let contains = |x: &Vec3| planes.iter().any(|r| r.contains(x));
    let is_strict = s.selection.strict;
    let accepts = |nodes: &[Vec3]| !is_strict || planes.iter().any(|r| nodes.iter().all(|x| r.contains(x)));
    let region = Region {
        accepts: &accepts,
        points: PointSearch::StateFirst,
        elements: TopologySearch::First,
        ..Region::of(&contains)
    };
    s.selection.offer(b, &region, "plane")?;
    if planes.is_empty() {
        b.offer("indices", Value::Integers(vec![0]));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn chosen(more: &[(&'static str, &str)]) -> Vec<i64> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, more).unwrap();
        t.scene.component(c).fields["indices"].integers().unwrap()
    }

    #[test]
    fn a_rectangle_has_a_thickness() {
        let points = ("position", "0 0 0  2 1 0.5  1 0.5 0.51  2.1 0.5 0  1 -0.1 0  1 0.5 -0.5");
        assert_eq!(chosen(&[points, ("plane", "0 0 0  2 0 0  2 1 0  1")]), [0, 1, 5]);
    }

    /// The planes of the sides are spanned with half the thickness.
    #[test]
    fn without_a_thickness_the_sides_are_no_limit() {
        let points = ("position", "0 0 0  9 -7 0  1 1 0.001  0.5 0.5 0");
        assert_eq!(chosen(&[points, ("plane", "0 0 0  1 0 0  1 1 0  0")]), [0, 1, 3]);
    }

    #[test]
    fn without_a_direction_all_points_are_chosen() {
        let points = ("position", "0 0 0  9 -7 3");
        assert_eq!(chosen(&[points]), [0, 1]);
        assert_eq!(chosen(&[points, ("plane", "0 0 0 1 0 0 2 0 0 1")]), [0, 1]);
        assert_eq!(chosen(&[points, ("plane", "")]), [0], "what SOFA's begins with");
    }

    /// Points are limited across each side, at both corners, by how far the last corner is.
    #[test]
    fn a_parallelogram_is_limited_across_its_sides() {
        let points = ("position", "0.6 0.5 0  1.5 0.5 0  -0.4 -0.5 0  2.4 0.5 0  2.6 1 0  1.5 1.1 0");
        // Sides (2, 0) and (1, 1): across them the far corner is 1 and sqrt(2) away.
        assert_eq!(chosen(&[points, ("plane", "0 0 0  2 0 0  3 1 0  1e-9")]), [0, 1, 3, 4]);
    }

    #[test]
    fn an_element_is_inside_one_of_the_parallelograms() {
        let mut t = TestScene::new();
        let root = t.root();
        let points = ("position", "0 0 0  1 1 0  5 5 0  6 6 0");
        let planes = ("plane", "0 0 0 1 0 0 1 1 0 1  5 5 0 6 5 0 6 6 0 1");
        let roi = [points, planes, ("edges", "0 1 1 2 2 3")];
        let c = t.add(&DESCRIPTION, root, &roi).unwrap();
        assert_eq!(t.scene.component(c).fields["indices"].integers().unwrap(), [0, 1, 2, 3]);
        assert_eq!(t.scene.component(c).fields["edgeIndices"].integers().unwrap(), [0, 2]);
    }

    #[test]
    fn elements_are_those_of_a_topology_above() {
        let mut t = TestScene::new();
        let root = t.root();
        let mesh = [("position", "0 0 0 1 0 0 1 1 0"), ("edges", "0 1 1 2")];
        let all = crate::topology::all();
        let mesh_topology = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh_topology, root, &mesh).unwrap();
        t.add(&crate::state::mechanical_object::DESCRIPTION, root, &[]).unwrap();
        let below = t.child(root, "below");
        let c = t.add(&DESCRIPTION, below, &[("plane", "0 0 0 1 0 0 1 1 0 1")]).unwrap();
        assert_eq!(t.scene.component(c).fields["edgeIndices"].integers().unwrap(), [0, 1]);
    }
}
