//! `MeshROI`: the points and elements inside a closed surface.

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::selection::{PointSearch, Region, Selection, points};

/// The points and elements inside a closed surface, as lists that others link to.
#[derive(Attributes)]
#[attributes(ignored("ROIedges", "drawOut", "drawBox", "box"))]
struct Settings {
    /// points of the surface; those of this node's state or loader if not given [m]
    #[attribute(name = "ROIposition")]
    roi_position: Option<CoordRows>,
    /// its triangles; those of this node's topology if not given
    #[attribute(name = "ROItriangles")]
    roi_triangles: Option<IndexRows<3>>,
    /// whether the surface decides; everything is inside if not
    #[attribute(name = "computeMeshROI", default = "1")]
    compute_mesh_roi: bool,
    #[attribute(flatten)]
    selection: Selection,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MeshROI", build)
        .templates(&["Vec3", "Rigid3", "Vec6"]);

/// A closed surface and the box around it.
struct Surface<'s> {
    points: &'s [Vec3],
    triangles: &'s [[u32; 3]],
    min: Vec3,
    max: Vec3,
}

/// How far beyond the corner of the box the ray leads [m].
const BEYOND: f64 = 100.0;

impl<'s> Surface<'s> {
    fn new(points: &'s [Vec3], triangles: &'s [[u32; 3]]) -> Self {
        let first = points.first().copied().unwrap_or_default();
        let (min, max) = points.iter().fold((first, first), |(a, b), x| (a.inf(x), b.sup(x)));
        Self { points, triangles, min, max }
    }

    /// **Source:** as SOFA's: a point in the box, from which a ray to beyond the nearer of the box's two corners goes through an odd number of
    /// triangles. A triangle has its border, so that a ray through an edge counts two triangles.
    fn contains(&self, x: &Vec3) -> bool {
        if (0..3).any(|k| x[k] < self.min[k] || self.max[k] < x[k]) {
            return false;
        }
        let beyond = Vec3::repeat(BEYOND);
        let nearer_min = (self.min - x).norm_squared() < (self.max - x).norm_squared();
        let ray = if nearer_min { self.min - beyond - x } else { self.max + beyond - x };
        self.triangles.iter().filter(|t| self.is_hit(t, x, &ray)).count() % 2 == 1
    }

    fn is_hit(&self, triangle: &[u32; 3], x: &Vec3, ray: &Vec3) -> bool {
        let [a, b, c] = triangle.map(|p| self.points[p as usize]);
        let normal = (b - a).cross(&(c - b));
        let along = normal.dot(ray);
        if along == 0.0 {
            return false;
        }
        let share = normal.dot(&(a - x)) / along;
        let hit = x + ray * share;
        let is_left = |from: &Vec3, to: &Vec3| (to - from).cross(&(hit - from)).dot(&normal) >= 0.0;
        share >= 0.0 && is_left(&a, &b) && is_left(&b, &c) && is_left(&c, &a)
    }
}

/// **Source:** as SOFA's: unless `strict` is set, an element is inside with all its nodes or with its centre.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let Settings { roi_position, roi_triangles, compute_mesh_roi, selection } = Settings::read(b)?;
    let surface_points = points(b, roi_position.as_ref(), PointSearch::Here);
    let triangles = match roi_triangles {
        Some(rows) => rows.below(surface_points.len())?,
        None => {
            let here = b.scene.find_topology(b.node, TopologySearch::FirstHere);
            here.and_then(|c| b.scene.topology(c)).map(|t| t.triangles.clone()).unwrap_or_default()
        }
    };
    if triangles.iter().flatten().any(|p| *p as usize >= surface_points.len()) {
        return Err(BuildError::attribute("ROIposition", "there are fewer points than the triangles name"));
    }
    if compute_mesh_roi && triangles.is_empty() {
        b.warn(Some("ROItriangles"), "the surface has no triangles, so nothing is inside");
    }
    let surface = Surface::new(&surface_points, &triangles);
    let contains = |x: &Vec3| !compute_mesh_roi || surface.contains(x);
    let (min, max) = (surface.min, surface.max);
    b.offer("box", Value::Reals(vec![min.x, min.y, min.z, max.x, max.y, max.z]));
    let region = Region { nodes_suffice: true, ..Region::of(&contains) };
    selection.strict_if_asked(b).offer(b, &region, "ROIposition")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    const CORNERS: &str = "0 0 0  2 0 0  0 2 0  0 0 2";
    const FACES: &str = "0 2 1  0 1 3  0 3 2  1 2 3";

    fn chosen(name: &str, more: &[(&'static str, &str)]) -> Vec<i64> {
        let mut t = TestScene::new();
        let root = t.root();
        let state = [("position", "0.3 0.4 0.5  1.5 1.5 0.2  -1 0.1 0.1  0.9 0.3 0.25")];
        t.add(&mechanical_object::DESCRIPTION, root, &state).unwrap();
        let surface = [
            ("ROIposition", CORNERS),
            ("ROItriangles", FACES),
            ("tetrahedra", "0 1 2 3"),
            ("edges", "0 3 0 1"),
        ];
        let c = t.add(&DESCRIPTION, root, &[&surface[..], more].concat()).unwrap();
        t.scene.component(c).fields[name].integers().unwrap()
    }

    #[test]
    fn points_inside_the_surface_are_chosen() {
        assert_eq!(chosen("indices", &[]), [0, 3]);
        assert_eq!(chosen("indicesOut", &[]), [1, 2]);
        assert_eq!(chosen("indices", &[("computeMeshROI", "0")]), [0, 1, 2, 3]);
    }

    #[test]
    fn elements_are_inside_with_their_centre_unless_all_nodes_are_asked_for() {
        assert_eq!(chosen("edgeIndices", &[]), [0]);
        assert_eq!(chosen("tetrahedronIndices", &[]), [0]);
        assert!(chosen("tetrahedronIndices", &[("strict", "1")]).is_empty());
    }

    #[test]
    fn an_element_between_two_bodies_is_inside_with_its_nodes_and_not_with_its_centre() {
        let mut t = TestScene::new();
        let root = t.root();
        let both = "0 0 0 2 0 0 0 2 0 0 0 2 10 0 0 12 0 0 10 2 0 10 0 2";
        let surface = [
            ("ROIposition", both),
            ("ROItriangles", "0 2 1 0 1 3 0 3 2 1 2 3 4 6 5 4 5 7 4 7 6 5 6 7"),
            ("position", "0.3 0.4 0.5 10.3 0.4 0.5 5 0.4 0.5"),
            ("edges", "0 1 0 2"),
        ];
        let c = t.add(&DESCRIPTION, root, &surface).unwrap();
        assert_eq!(t.scene.component(c).fields["edgeIndices"].integers().unwrap(), [0]);
    }

    #[test]
    fn triangles_of_points_that_are_not_there_are_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        let surface = [("position", "0 0 0"), ("ROIposition", CORNERS), ("ROItriangles", "0 1 4")];
        assert_eq!(
            t.add(&DESCRIPTION, root, &surface).unwrap_err().attribute.as_deref(),
            Some("ROItriangles")
        );
    }
}
