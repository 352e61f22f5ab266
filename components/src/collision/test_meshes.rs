//! Meshes for the tests of collision detection.

use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

use super::bounding_tree::{self, DEFAULT_DEPTH};
use super::{CollisionModel, ModelView, Positions, TreeNode};

/// A closed torus of `2 u v` triangles, radii 1 and 0.4 [m], about z, with SOFA's edges.
pub fn torus(u: usize, v: usize) -> (Topology, Vec<Vec3>) {
    let mut x = Vec::new();
    let mut triangles = Vec::new();
    let at = |i: usize, j: usize| ((i % u) * v + j % v) as u32;
    for i in 0..u {
        for j in 0..v {
            let (s, c) = (std::f64::consts::TAU * i as f64 / u as f64).sin_cos();
            let (t, d) = (std::f64::consts::TAU * j as f64 / v as f64).sin_cos();
            x.push(Vec3::new((1.0 + 0.4 * d) * c, (1.0 + 0.4 * d) * s, 0.4 * t));
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (with_edges(triangles, x.len()), x)
}

/// A topology of triangles with edges as SOFA generates them.
pub fn with_edges(triangles: Vec<[u32; 3]>, n_points: usize) -> Topology {
    let mut t = Topology::empty(TopologyKind::Mesh);
    t.n_points = n_points;
    let mut seen = std::collections::BTreeSet::new();
    for tri in &triangles {
        for j in 0..3 {
            let (a, b) = (tri[(j + 1) % 3], tri[(j + 2) % 3]);
            if seen.insert((a.min(b), a.max(b))) {
                t.edges.push([a, b]);
            }
        }
    }
    t.triangles = triangles;
    t
}

/// A model together with what its view borrows.
pub struct Body {
    pub model: CollisionModel,
    pub x: Vec<Vec3>,
    pub tree: Vec<TreeNode>,
    pub skin: f64,
    pub both_side: bool,
}

impl Body {
    pub fn new(model: CollisionModel, x: Vec<Vec3>) -> Self {
        let tree = bounding_tree::build(&model.view(Positions::Points(&x), &[], 0.0), DEFAULT_DEPTH);
        Self { model, x, tree, skin: 0.0, both_side: false }
    }
    pub fn triangles(triangles: &[[u32; 3]], x: &[[f64; 3]]) -> Self {
        let t = with_edges(triangles.to_vec(), x.len());
        Self::new(CollisionModel::triangles(&t, x.len()).unwrap(), points(x))
    }
    pub fn lines(edges: &[[u32; 2]], x: &[[f64; 3]]) -> Self {
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.edges = edges.to_vec();
        Self::new(CollisionModel::lines(&t, x.len()).unwrap(), points(x))
    }
    /// The edges of a surface, which know their triangles.
    pub fn surface_lines(triangles: &[[u32; 3]], x: &[[f64; 3]]) -> Self {
        let t = with_edges(triangles.to_vec(), x.len());
        Self::new(CollisionModel::lines(&t, x.len()).unwrap(), points(x))
    }
    /// The points of a surface, which know their triangles and edges.
    pub fn surface_points(triangles: &[[u32; 3]], x: &[[f64; 3]]) -> Self {
        let t = with_edges(triangles.to_vec(), x.len());
        Self::new(CollisionModel::points_on(&t, x.len()).unwrap(), points(x))
    }
    /// The points of a wire, which know their edges.
    pub fn wire_points(edges: &[[u32; 2]], x: &[[f64; 3]]) -> Self {
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.edges = edges.to_vec();
        Self::new(CollisionModel::points_on(&t, x.len()).unwrap(), points(x))
    }
    pub fn points(x: &[[f64; 3]]) -> Self {
        Self::new(CollisionModel::points(x.len()), points(x))
    }
    pub fn spheres(radius: f64, x: &[[f64; 3]]) -> Self {
        Self::new(CollisionModel::spheres(x.len(), false, radius, &[]).unwrap(), points(x))
    }
    pub fn view(&self) -> ModelView<'_> {
        let view = self.model.view(Positions::Points(&self.x), &self.tree, self.skin);
        ModelView { both_side: self.both_side, ..view }
    }
}

fn points(x: &[[f64; 3]]) -> Vec<Vec3> {
    x.iter().map(|p| Vec3::new(p[0], p[1], p[2])).collect()
}
