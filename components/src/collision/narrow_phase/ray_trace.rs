//! `RayTraceNarrowPhase`: where vertices of one closed surface are inside of another, found by rays.

use sim_core::math::Vec3;

use super::DetectionOutput;
use crate::collision::{Element, List, TreeNode};

/// A closed surface of triangles, as rays see it.
#[derive(Clone, Copy, Debug)]
pub struct RaySurface<'a> {
    /// Its triangles.
    pub elements: &'a [Element],
    /// Points of its state [m].
    pub x: &'a [Vec3],
    /// Its bounding tree, fitted to the points.
    pub tree: &'a [TreeNode],
    /// By how much boxes of the tree are greater than the triangles [m].
    pub skin: f64,
    /// Unit normals of triangles, shape `[n triangles]`.
    pub facets: &'a [Vec3],
    /// Unit normals of points, shape `[n points]`.
    pub normals: &'a [Vec3],
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    triangle: u32,
    /// Distance along the ray [m].
    t: f64,
    /// Weights of the triangle's second and third node.
    weights: [f64; 2],
}

/// Deepest stack of the walk through a tree: trees halve their cells, so that no tree of 2^32 triangles needs more.
const DEEPEST: usize = 64;
/// By how much a box may be missed by rounding, relative to the distances along the ray.
const ROUNDING: f64 = 1e-9;

impl RaySurface<'_> {
    /// The crossing nearest to the beginning of a ray; on equal distances that of the first triangle.
    fn nearest(&self, origin: &Vec3, direction: &Vec3) -> Option<Crossing> {
        if self.elements.is_empty() {
            return None;
        }
        let mut best: Option<Crossing> = None;
        let mut stack = [0_u32; DEEPEST];
        let mut n = 1;
        while n > 0 {
            n -= 1;
            let cell = self.tree[stack[n] as usize];
            for child in cell.first..cell.first + cell.count {
                let node = &self.tree[child as usize];
                if !meets_box(node, origin, direction, best.map_or(f64::INFINITY, |b| b.t)) {
                    continue;
                }
                // The children of a cell are two cells, or leaves.
                if !node.is_leaf() {
                    stack[n] = child;
                    n += 1;
                    continue;
                }
                let corners = self.elements[node.first as usize].vertices.map(|v| self.x[v as usize]);
                let Some((t, weights)) = crossing(corners, origin, direction) else { continue };
                let is_nearer = best.is_none_or(|b| t < b.t || (t == b.t && node.first < b.triangle));
                if is_nearer {
                    best = Some(Crossing { triangle: node.first, t, weights });
                }
            }
        }
        best
    }

    fn point(&self, c: &Crossing) -> Vec3 {
        let [a, b, d] = self.elements[c.triangle as usize].vertices.map(|v| self.x[v as usize]);
        let [u, v] = c.weights;
        a * (1.0 - u - v) + b * u + d * v
    }
}

/// Whether a ray meets a node's box before `farthest` [m].
fn meets_box(node: &TreeNode, origin: &Vec3, direction: &Vec3, farthest: f64) -> bool {
    let (mut enter, mut leave) = (0.0_f64, farthest);
    for k in 0..3 {
        let (low, high) = (node.bounds.min[k] - origin[k], node.bounds.max[k] - origin[k]);
        if direction[k] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / direction[k], high / direction[k]);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter - leave <= ROUNDING * (1.0 + enter.abs())
}

/// Distance and weights of the crossing of a ray and a triangle; none behind the beginning or at it.
///
/// **Source:** Möller and Trumbore, *Fast, Minimum Storage Ray/Triangle Intersection* (1997), with SOFA's tolerances.
fn crossing([n0, n1, n2]: [Vec3; 3], origin: &Vec3, direction: &Vec3) -> Option<(f64, [f64; 2])> {
    const EPSILON: f64 = f64::EPSILON;
    let (e0, e1) = (n1 - n0, n2 - n0);
    let p = direction.cross(&e1);
    let det = e0.dot(&p);
    if det.abs() <= EPSILON {
        return None;
    }
    let inverse = 1.0 / det;
    let from = origin - n0;
    let u = from.dot(&p) * inverse;
    if !(-EPSILON..=1.0 + EPSILON).contains(&u) {
        return None;
    }
    let q = from.cross(&e0);
    let v = direction.dot(&q) * inverse;
    if !(v >= -EPSILON && u + v <= 1.0 + EPSILON) {
        return None;
    }
    let t = e1.dot(&q) * inverse;
    (t >= EPSILON).then_some((t, [u, v]))
}

/// Finds the vertices of each surface that are inside of the other; `out` is cleared and filled.
///
/// From a vertex within the other's box a ray goes inward, against the vertex's normal. If it leaves the other surface before it leaves
/// its own, at triangles that look the other way than the vertex's, the vertex is as deep inside as the ray is long.
///
/// **Source:** as SOFA's RayTraceNarrowPhase, whose octree this model has no need of: a crossing is the nearest one. Outputs of the
/// second direction follow those of the first, turned around; no two have one id.
pub fn trace(first: &RaySurface<'_>, second: &RaySurface<'_>, out: &mut impl List<DetectionOutput>) {
    out.clear();
    inward(first, second, |elements, id, points, normal, value| {
        out.push(DetectionOutput { elements, id, points, normal, value });
    });
    let taken = 3 * first.elements.len() as u32;
    inward(second, first, |[i, j], id, [p, q], normal, value| {
        let (elements, points) = ([j, i], [q, p]);
        out.push(DetectionOutput { elements, id: taken + id, points, normal: -normal, value });
    });
}

fn inward(a: &RaySurface<'_>, b: &RaySurface<'_>, mut emit: impl FnMut([u32; 2], u32, [Vec3; 2], Vec3, f64)) {
    if a.elements.is_empty() || b.elements.is_empty() {
        return;
    }
    let bounds = b.tree[0].bounds.grown(-b.skin);
    for (e, i) in a.elements.iter().zip(0..) {
        let flags = [Element::VERTEX_1, Element::VERTEX_2, Element::VERTEX_3];
        let owned = e.vertices.iter().zip(flags).filter(|(_, flag)| e.has(*flag));
        for ((&vertex, _), place) in owned.zip(0..) {
            let (point, normal) = (a.x[vertex as usize], a.normals[vertex as usize]);
            if !bounds.contains(&point) {
                continue;
            }
            let facing = a.facets[i as usize];
            let Some(hit) = b.nearest(&point, &-normal) else { continue };
            if facing.dot(&b.facets[hit.triangle as usize]) > 0.0 {
                continue;
            }
            let Some(own) = a.nearest(&point, &-normal) else { continue };
            if own.t < hit.t || facing.dot(&a.facets[own.triangle as usize]) > 0.0 {
                continue;
            }
            emit([i, hit.triangle], 3 * i + place, [point, b.point(&hit)], normal, -hit.t);
        }
    }
}

/// The unit normals of triangles; `facets` is filled, one for each.
pub fn facets_of(elements: &[Element], x: &[Vec3], facets: &mut [Vec3]) {
    for (e, facet) in elements.iter().zip(facets) {
        let [a, b, c] = e.vertices.map(|v| x[v as usize]);
        *facet = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    }
}

/// The unit normals of points, from those of triangles around them.
///
/// **Source:** SOFA leaves the first triangle out.
pub fn normals_of(elements: &[Element], facets: &[Vec3], normals: &mut [Vec3]) {
    normals.fill(Vec3::zeros());
    for (e, facet) in elements.iter().zip(facets).skip(1) {
        e.vertices.iter().for_each(|v| normals[*v as usize] += facet);
    }
    for n in normals {
        *n = n.try_normalize(0.0).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::test_meshes::{Body, torus};
    use crate::collision::{CollisionModel, Positions};

    struct Surface {
        body: Body,
        facets: Vec<Vec3>,
        normals: Vec<Vec3>,
    }

    impl Surface {
        fn torus(shift: Vec3) -> Self {
            let (topology, x) = torus(24, 12);
            let model = CollisionModel::triangles(&topology, x.len()).unwrap();
            let body = Body::new(model, x.into_iter().map(|p| p + shift).collect());
            let (mut facets, mut normals) = (vec![Vec3::zeros(); body.model.elements.len()], Vec::new());
            normals.resize(body.x.len(), Vec3::zeros());
            facets_of(&body.model.elements, &body.x, &mut facets);
            normals_of(&body.model.elements, &facets, &mut normals);
            Self { body, facets, normals }
        }

        fn rays(&self) -> RaySurface<'_> {
            RaySurface {
                elements: &self.body.model.elements,
                x: &self.body.x,
                tree: &self.body.tree,
                skin: 0.0,
                facets: &self.facets,
                normals: &self.normals,
            }
        }
    }

    #[test]
    fn the_tree_finds_what_all_triangles_have() {
        let s = Surface::torus(Vec3::zeros());
        let rays = s.rays();
        let mut n_hits = 0;
        for k in 0..200 {
            let a = f64::from(k);
            let origin = Vec3::new((0.7 * a).sin() * 1.2, (1.3 * a).cos() * 1.2, (0.37 * a).sin() * 0.3);
            let direction = Vec3::new(a.cos(), (2.1 * a).sin(), (0.9 * a).cos()).normalize();
            let all = rays.elements.iter().zip(0..).filter_map(|(e, triangle)| {
                let corners = e.vertices.map(|v| rays.x[v as usize]);
                crossing(corners, &origin, &direction).map(|(t, weights)| Crossing { triangle, t, weights })
            });
            let nearest = all.min_by(|a, b| a.t.total_cmp(&b.t));
            assert_eq!(rays.nearest(&origin, &direction), nearest);
            n_hits += usize::from(nearest.is_some());
        }
        assert!(n_hits > 100, "{n_hits}");
    }

    #[test]
    fn vertices_inside_are_as_deep_as_their_rays_are_long() {
        // Two tori lie on each other, 0.1 deep in each other.
        let (low, high) = (Surface::torus(Vec3::zeros()), Surface::torus(Vec3::new(0.01, 0.02, 0.7)));
        let mut out = Vec::new();
        trace(&low.rays(), &high.rays(), &mut out);
        assert!(out.len() > 20, "{}", out.len());
        for o in &out {
            assert!(o.value < 0.0 && o.value > -0.11, "{o:?}");
            // The first surface is below: it is pushed down, the second up.
            assert!(o.normal.z > 0.5, "{o:?}");
            assert!(((o.points[1] - o.points[0]).dot(&o.normal) - o.value).abs() < 1e-12, "{o:?}");
        }
        let mut ids: Vec<u32> = out.iter().map(|o| o.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), out.len());
        let apart = Surface::torus(Vec3::z() * 0.9);
        trace(&low.rays(), &apart.rays(), &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn a_surface_without_triangles_meets_nothing() {
        let (s, empty) = (Surface::torus(Vec3::zeros()), Body::points(&[]));
        let model = CollisionModel { elements: Vec::new(), ..empty.model.clone() };
        let tree = crate::collision::bounding_tree::build(&model.view(Positions::Points(&[]), &[], 0.0), 6);
        let none = RaySurface { elements: &[], x: &[], tree: &tree, skin: 0.0, facets: &[], normals: &[] };
        let mut out = Vec::new();
        trace(&s.rays(), &none, &mut out);
        assert!(out.is_empty());
    }
}
