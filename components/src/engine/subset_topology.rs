//! `SubsetTopology`: a mesh cut into what lies inside a region and what does not. The file is long for the lists of each kind of elements
//! inside of a region, outside, and across its border.

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;
use sim_core::topology::Topology;

use super::selection::current_points;

/// A mesh cut into what lies inside a region and what does not, as lists that others link to.
#[derive(Attributes)]
#[attributes(
    unsupported("tetrahedraInput", summary = "keeps these tetrahedra, wherever they are"),
    ignored(
        "edgeAngle",
        "triAngle",
        "direction",
        "normal",
        "nbrborder",
        "indices",
        "pointsInROI",
        "pointsOutROI"
    ),
    ignored("drawROI", "drawPoints", "drawEdges", "drawTriangle", "drawTetrahedra", "drawSize")
)]
struct Settings {
    /// boxes: two opposite corners each [m]
    #[attribute(name = "box", default = "0 0 0 1 1 1")]
    boxes: Vec<[f64; 6]>,
    /// centres of balls, which take the place of the boxes where there are any [m]
    centers: Vec<Vec3>,
    /// radius of each ball [m]
    radii: Vec<f64>,
    /// points; the positions of the state if not given [m]
    #[attribute(name = "rest_position")]
    rest_position: Option<CoordRows>,
    /// edges; those of the topology if not given
    edges: Option<IndexRows<2>>,
    /// triangles; those of the topology if not given
    triangles: Option<IndexRows<3>>,
    /// quads
    quads: Option<IndexRows<4>>,
    /// tetrahedra; those of the topology if not given
    tetrahedra: Option<IndexRows<4>>,
    /// hexahedra
    hexahedra: Option<IndexRows<8>>,
    /// whether elements name points by their places in the lists of points, and not in the mesh
    local_indices: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "SubsetTopology", build)
        .templates(&["Vec3", "Rigid3"]);

/// A box or a ball.
enum Region {
    Box(Vec3, Vec3),
    Ball(Vec3, f64),
}

impl Region {
    fn contains(&self, x: &Vec3) -> bool {
        match self {
            Self::Box(min, max) => (0..3).all(|k| min[k] <= x[k] && x[k] <= max[k]),
            Self::Ball(center, radius) => (x - center).norm() <= *radius,
        }
    }
}

/// The points, which region has them, and what each is called in the lists of elements.
struct Subset<'s> {
    points: &'s [Vec3],
    regions: &'s [Region],
    names: Vec<u32>,
}

impl Subset<'_> {
    fn has(&self, nodes: &[u32]) -> bool {
        self.regions.iter().any(|r| nodes.iter().all(|p| r.contains(&self.points[*p as usize])))
    }

    /// Offers the numbers and the nodes of the elements inside, and the nodes of those outside.
    fn offer<const N: usize>(&self, b: &mut Builder<'_>, elements: &[[u32; N]], names: [&'static str; 3]) {
        let (inside, outside): (Vec<_>, Vec<_>) = (0..).zip(elements).partition(|(_, e)| self.has(*e));
        let nodes = |of: &[(i64, &[u32; N])]| -> Vec<[u32; N]> {
            of.iter().map(|(_, e)| e.map(|p| self.names[p as usize])).collect()
        };
        b.offer(names[0], Value::Integers(inside.iter().map(|(i, _)| *i).collect()));
        b.offer(names[1], Value::from_rows(&nodes(&inside)));
        b.offer(names[2], Value::from_rows(&nodes(&outside)));
    }
}

/// **Source:** as SOFA's: an element is inside with all its nodes in one of the boxes. With local indices, the points inside whose element
/// has a node outside the *first* box stand first in both lists of points, and the others follow, all ascending.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let regions = regions(&s)?;
    let points = current_points(b, s.rest_position.as_ref());
    let n = points.len();
    let of_topology = b
        .scene
        .find_topology(b.node, TopologySearch::First)
        .and_then(|c| b.scene.component(c).topology.clone());
    let from = of_topology.as_deref();
    let edges = elements(s.edges, from, |t| &t.edges, n)?;
    let triangles = elements(s.triangles, from, |t| &t.triangles, n)?;
    let quads = elements(s.quads, None, |t| &t.quads, n)?;
    let tetrahedra = elements(s.tetrahedra, from, |t| &t.tetrahedra, n)?;
    let hexahedra = elements(s.hexahedra, None, |t| &t.hexahedra, n)?;

    let inside: Vec<bool> = points.iter().map(|x| regions.iter().any(|r| r.contains(x))).collect();
    let mut border = vec![false; n];
    if let (true, Some(first)) = (s.local_indices, regions.first()) {
        if tetrahedra.is_empty() {
            mark_border(&triangles, &points, first, &mut border);
        } else {
            mark_border(&tetrahedra, &points, first, &mut border);
        }
    }
    let of_border = |wanted: bool| (0..n).filter(|i| border[*i] == wanted).collect::<Vec<_>>();
    let on_side = |side: bool| -> Vec<usize> {
        let rest = of_border(false).into_iter().filter(|i| inside[*i] == side);
        of_border(true).into_iter().chain(rest).collect()
    };
    let (within, without) = (on_side(true), on_side(false));
    let mut names: Vec<u32> = (0..n as u32).collect();
    if s.local_indices {
        for side in [&within, &without] {
            (0..).zip(side).for_each(|(name, i)| names[*i] = name);
        }
    }
    let subset = Subset { points: &points, regions: &regions, names };
    subset.offer(b, &edges, ["edgeIndices", "edgesInROI", "edgesOutROI"]);
    subset.offer(b, &triangles, ["triangleIndices", "trianglesInROI", "trianglesOutROI"]);
    subset.offer(b, &quads, ["quadIndices", "quadsInROI", "quadsOutROI"]);
    subset.offer(b, &tetrahedra, ["tetrahedronIndices", "tetrahedraInROI", "tetrahedraOutROI"]);
    subset.offer(b, &hexahedra, ["hexahedronIndices", "hexahedraInROI", "hexahedraOutROI"]);
    let at = |side: &[usize]| side.iter().map(|i| points[*i]).collect::<Vec<_>>();
    b.offer("pointsInROI", Value::from_points(&at(&within)));
    b.offer("pointsOutROI", Value::from_points(&at(&without)));
    b.offer("indices", Value::Integers(within.iter().map(|i| *i as i64).collect()));
    b.offer("nbrborder", Value::Integer(of_border(true).len() as i64));
    Ok(())
}

fn regions(s: &Settings) -> Result<Vec<Region>, BuildError> {
    if s.centers.is_empty() {
        let corners = |c: &[f64; 6]| {
            let (a, b) = (Vec3::new(c[0], c[1], c[2]), Vec3::new(c[3], c[4], c[5]));
            Region::Box(a.inf(&b), a.sup(&b))
        };
        return Ok(s.boxes.iter().map(corners).collect());
    }
    if s.radii.len() != s.centers.len() {
        let text = format!("`radii` has {} entries for {} `centers`", s.radii.len(), s.centers.len());
        return Err(BuildError::attribute("radii", text));
    }
    Ok(s.centers.iter().zip(&s.radii).map(|(c, r)| Region::Ball(*c, *r)).collect())
}

fn elements<const N: usize>(
    given: Option<IndexRows<N>>,
    of_topology: Option<&Topology>,
    list: impl Fn(&Topology) -> &Vec<[u32; N]>,
    n: usize,
) -> Result<Vec<[u32; N]>, BuildError> {
    match given {
        Some(rows) => rows.below(n),
        None => {
            let elements = of_topology.map(|t| list(t).clone()).unwrap_or_default();
            if elements.as_flattened().iter().any(|p| *p as usize >= n) {
                return Err(BuildError::attribute(
                    "rest_position",
                    format!("the topology names more than the {n} points"),
                ));
            }
            Ok(elements)
        }
    }
}

fn mark_border<const N: usize>(elements: &[[u32; N]], points: &[Vec3], region: &Region, border: &mut [bool]) {
    for e in elements {
        let has = e.map(|p| region.contains(&points[p as usize]));
        if has.contains(&true) && has.contains(&false) {
            e.iter().zip(has).filter(|(_, has)| *has).for_each(|(p, _)| border[*p as usize] = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    const LINE: [(&str, &str); 2] =
        [("rest_position", "0 0 0 1 0 0 2 0 0 3 0 0"), ("triangles", "0 1 2 1 2 3")];

    fn offered(more: &[(&'static str, &str)]) -> impl Fn(&str) -> Vec<i64> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, &[&LINE[..], more].concat()).unwrap();
        move |name| t.scene.component(c).fields[name].integers().unwrap()
    }

    #[test]
    fn elements_are_inside_with_all_nodes_in_one_box() {
        let get = offered(&[("box", "2 0 0 -1 1 1")]);
        assert_eq!((get("indices"), get("triangleIndices")), (vec![0, 1, 2], vec![0]));
        assert_eq!((get("trianglesInROI"), get("trianglesOutROI")), (vec![0, 1, 2], vec![1, 2, 3]));
        let two = offered(&[("box", "0 0 0 1 1 1  2 0 0 3 1 1")]);
        assert_eq!(two("indices"), [0, 1, 2, 3]);
        assert!(two("triangleIndices").is_empty(), "no box has all three");
        let ball = offered(&[("centers", "2 0 0"), ("radii", "1")]);
        assert_eq!((ball("indices"), ball("triangleIndices")), (vec![1, 2, 3], vec![1]));
    }

    #[test]
    fn local_indices_begin_with_the_border() {
        let get = offered(&[("box", "0 0 0 2 1 1"), ("localIndices", "1")]);
        // The second triangle has its nodes 1 and 2 inside and 3 outside.
        assert_eq!(get("indices"), [1, 2, 0]);
        assert_eq!(get("trianglesInROI"), [2, 0, 1]);
        assert_eq!(get("trianglesOutROI"), [0, 1, 2]);
        assert_eq!(get("nbrborder"), [2]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        let wrong = |t: &mut TestScene, more: &[(&'static str, &str)]| {
            t.add(&DESCRIPTION, root, &[&LINE[..1], more].concat()).unwrap_err().attribute.unwrap()
        };
        assert_eq!(wrong(&mut t, &[("triangles", "0 1 9")]), "triangles");
        assert_eq!(wrong(&mut t, &[("centers", "0 0 0")]), "radii");
    }
}
