//! `NewProximityIntersection`: as MinProximity, and triangles against triangles and lines, each vertex and edge reported by its owner.

use sim_core::math::Vec3;

use super::DetectionOutput;
use super::bvh::{Walk, Work};
use super::elements::{
    Coincident, Distances, Emitter, Projection, larger_model_index, line, nearest_of_segments,
    nearest_on_segment, triangle,
};
use super::min_proximity::{HIGH, LOW};
use crate::collision::TreeNode;
use crate::collision::{Element, List, ModelKind, ModelView};

/// The attributes of `NewProximityIntersection`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewProximity {
    /// `alarmDistance` (1) [m]: closer elements give an output.
    pub alarm_distance: f64,
    /// `contactDistance` (0.5) [m]: closer elements repel.
    pub contact_distance: f64,
    /// `useLineLine` (0): edges of triangles and lines against each other.
    pub use_line_line: bool,
    /// `exactEdges` (0), of our own: spheres meet edges and corners of triangles as points do.
    pub exact_edges: bool,
}

impl Default for NewProximity {
    fn default() -> Self {
        Self { alarm_distance: 1.0, contact_distance: 0.5, use_line_line: false, exact_edges: false }
    }
}

const VERTICES: [u32; 3] = [Element::VERTEX_1, Element::VERTEX_2, Element::VERTEX_3];
/// Edges in SOFA's order: flag and local ends.
const EDGES: [(u32, usize, usize); 3] =
    [(Element::EDGE_12, 0, 1), (Element::EDGE_23, 1, 2), (Element::EDGE_31, 2, 0)];

/// Below this two lines count as parallel.
const PARALLEL: f64 = 1e-12;

/// How the region around a triangle in which a point lies is chosen, and what the triangle must own to report it there.
pub(super) struct RegionRule {
    pub low: f64,
    pub high: f64,
    /// The lower bound along ac, which SOFA has different for spheres.
    pub low_ac: f64,
    /// Whether the regions beside ab and ac end where these begin; if not, the nearest point lies on their lines, beyond the triangle.
    pub ends_at_a: bool,
    pub on_ab: u32,
    pub on_ac: u32,
    pub on_bc: u32,
}

/// For points against triangles.
pub(super) const POINT_RULE: RegionRule = RegionRule {
    low: f64::EPSILON,
    high: 1.0 - f64::EPSILON,
    low_ac: f64::EPSILON,
    ends_at_a: true,
    on_ab: Element::EDGE_12,
    on_ac: Element::EDGE_31,
    on_bc: Element::EDGE_23,
};

/// The edges' flags are mixed up in SOFA, which its scenes show: over a seam a sphere may meet neither triangle. Beside an obtuse corner it
/// reports points on the line of an edge, off the triangle.
const SPHERE_RULE: RegionRule = RegionRule {
    low: LOW,
    high: HIGH,
    low_ac: 1e-7,
    ends_at_a: false,
    on_ab: Element::EDGE_12,
    on_ac: Element::EDGE_12,
    on_bc: Element::EDGE_31,
};

/// The point of a triangle nearest to `p`, unless it lies on a vertex or edge that the triangle does not own.
#[inline(always)]
fn nearest_owned(t: [Vec3; 3], flags: u32, p: Vec3, rule: &RegionRule) -> Option<Vec3> {
    let on = Projection::new(t, p);
    let (mut alpha, mut beta) = (on.alpha, on.beta);
    if !on.is_inside(rule.low, rule.high) {
        let (s, u) = (on.along_ab(), on.along_ac());
        let needed;
        if s < rule.low && u < rule.low_ac {
            (needed, alpha, beta) = (Element::VERTEX_1, 0.0, 0.0);
        } else if (s >= rule.low || !rule.ends_at_a) && s < rule.high && beta < rule.low {
            (needed, alpha, beta) = (rule.on_ab, s, 0.0);
        } else if (u >= rule.low_ac || !rule.ends_at_a) && u < rule.high && alpha < rule.low {
            (needed, alpha, beta) = (rule.on_ac, 0.0, u);
        } else {
            let w = on.along_bc();
            if w < rule.low {
                (needed, alpha, beta) = (Element::VERTEX_2, 1.0, 0.0);
            } else if w > rule.high {
                (needed, alpha, beta) = (Element::VERTEX_3, 0.0, 1.0);
            } else {
                (needed, alpha, beta) = (rule.on_bc, 1.0 - w, w);
            }
        }
        if flags & needed == 0 {
            return None;
        }
    }
    Some(t[0] + on.ab * alpha + on.ac * beta)
}

impl NewProximity {
    /// Whether there is a test for these two kinds in this order.
    pub(super) fn tests(first: ModelKind, second: ModelKind) -> bool {
        use ModelKind::{
            Box, Capsule, Cylinder, Line, LineCapsule, Point, RigidSphere, Sphere, Triangle, TriangleOctree,
        };
        if second == TriangleOctree {
            return false;
        }
        match first {
            TriangleOctree => false,
            Triangle => true,
            Line => second != Triangle,
            Sphere => matches!(second, Sphere | RigidSphere | Point),
            RigidSphere => matches!(second, RigidSphere | Point),
            Point => second == Point,
            // Solids have tests of their own.
            Box | Capsule | LineCapsule | Cylinder => false,
        }
    }

    pub(super) fn detect(
        &self,
        walk: &Walk<'_>,
        work: &mut impl List<Work>,
        out: &mut impl List<DetectionOutput>,
    ) {
        let Walk { first, second, filter, .. } = *walk;
        use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle};
        let d = Distances::of_models(self.alarm_distance, self.contact_distance, first, second);
        let mut emit = Emitter { out, coincident: Coincident::Zero };
        let (x, y) = (first.positions.points(), second.positions.points());
        let (n, m) = (first.len(), second.len());
        match (first.kind, second.kind) {
            (Triangle, Triangle) => {
                let same_model = filter.is_same_model();
                let test = TriangleTriangle { method: self, first, second, x, y, d };
                let (s, t) = (first.tree, second.tree);
                walk.each_leaf(work, |a, b| test.run(&s[a as usize], &t[b as usize], same_model, &mut emit));
            }
            (Triangle, Line) => walk.each(work, |i, j| {
                self.triangle_line([i, j], &first.elements[i as usize], x, line(second, y, j), &d, &mut emit);
            }),
            (Triangle, Point) => walk.each(work, |i, j| {
                let p = y[j as usize];
                let e = &first.elements[i as usize];
                if let Some(q) = nearest_owned(triangle(first, x, i), e.flags, p, &POINT_RULE) {
                    emit.points([i, j], j, q, p, &d);
                }
            }),
            (Triangle, Sphere | RigidSphere) => {
                emit.coincident = Coincident::FirstAxis;
                let rule = if self.exact_edges { &POINT_RULE } else { &SPHERE_RULE };
                walk.each(work, |i, j| {
                    let s = second.sphere(j);
                    let e = &first.elements[i as usize];
                    if let Some(q) = nearest_owned(triangle(first, x, i), e.flags, s.center, rule) {
                        emit.points([i, j], j, q, s.center, &d.plus(s.radius));
                    }
                });
            }
            (Line, Point) => walk.each(work, |i, j| {
                let p = y[j as usize];
                emit.points([i, j], j, nearest_on_segment(line(first, x, i), p), p, &d);
            }),
            (Line, Sphere | RigidSphere) => walk.each(work, |i, j| {
                let s = second.sphere(j);
                let q = nearest_on_segment(line(first, x, i), s.center);
                emit.points([i, j], j, q, s.center, &d.plus(s.radius));
            }),
            (Line, Line) => walk.each(work, |i, j| {
                let (l, k) = (line(first, x, i), line(second, y, j));
                if let Some((p, q)) = nearest_of_segments(l, k, PARALLEL, LOW, HIGH) {
                    emit.points([i, j], larger_model_index(n, m, i, j), p, q, &d);
                }
            }),
            (Sphere | RigidSphere, Sphere | RigidSphere) => walk.each(work, |i, j| {
                let (s, t) = (first.sphere(i), second.sphere(j));
                let id = larger_model_index(n, m, i, j);
                emit.points([i, j], id, s.center, t.center, &d.plus(s.radius + t.radius));
            }),
            (Sphere | RigidSphere, Point) => walk.each(work, |i, j| {
                let s = first.sphere(i);
                let id = larger_model_index(n, m, i, j);
                emit.points([i, j], id, s.center, y[j as usize], &d.plus(s.radius));
            }),
            (Point, Point) => walk.each(work, |i, j| {
                emit.points([i, j], larger_model_index(n, m, i, j), x[i as usize], y[j as usize], &d);
            }),
            _ => {}
        }
    }

    /// The line against each vertex that the triangle owns, its ends against the triangle, and if wanted owned edges against it.
    fn triangle_line<L: List<DetectionOutput>>(
        &self,
        pair: [u32; 2],
        e: &Element,
        x: &[Vec3],
        l: [Vec3; 2],
        d: &Distances,
        emit: &mut Emitter<L>,
    ) {
        let t = e.vertices.map(|v| x[v as usize]);
        let id = pair[1];
        for (k, flag) in VERTICES.into_iter().enumerate() {
            if e.has(flag) {
                emit.points(pair, id, t[k], nearest_on_segment(l, t[k]), d);
            }
        }
        for end in l {
            if let Some(q) = nearest_owned(t, e.flags, end, &POINT_RULE) {
                emit.points(pair, id, q, end, d);
            }
        }
        if self.use_line_line {
            for (flag, from, to) in EDGES {
                if e.has(flag)
                    && let Some((p, q)) = nearest_of_segments([t[from], t[to]], l, PARALLEL, LOW, HIGH)
                {
                    emit.points(pair, id, p, q, d);
                }
            }
        }
    }
}

/// A vertex against a triangle of the other model; `vertex_first` says to which model the vertex belongs.
///
/// A function of its own, so that the triangle's corners live in registers.
#[inline(never)]
fn vertex_triangle<L: List<DetectionOutput>>(
    pair: [u32; 2],
    id: u32,
    p: &Vec3,
    (e, x): (&Element, &[Vec3]),
    vertex_first: bool,
    d: &Distances,
    emit: &mut Emitter<L>,
) {
    let [a, b, c] = e.vertices;
    let t = [x[a as usize], x[b as usize], x[c as usize]];
    if let Some(q) = nearest_owned(t, e.flags, *p, &POINT_RULE) {
        let (first, second) = if vertex_first { (*p, q) } else { (q, *p) };
        emit.points(pair, id, first, second, d);
    }
}

/// The test of two triangles: the hot path of scenes made of triangulated surfaces.
pub(super) struct TriangleTriangle<'a> {
    pub method: &'a NewProximity,
    pub first: &'a ModelView<'a>,
    pub second: &'a ModelView<'a>,
    pub x: &'a [Vec3],
    pub y: &'a [Vec3],
    pub d: Distances,
}

impl TriangleTriangle<'_> {
    /// Vertices of the first against the second (its first vertex whether it owns it or not, as in SOFA), then the other way, then edges.
    ///
    /// A vertex outside the other's box, grown by the alarm distance, is too far to be looked at more closely.
    #[inline]
    fn run<L: List<DetectionOutput>>(
        &self,
        a: &TreeNode,
        b: &TreeNode,
        same_model: bool,
        emit: &mut Emitter<L>,
    ) {
        let (i, j, d) = (a.first, b.first, &self.d);
        let (e, f) = (&self.first.elements[i as usize], &self.second.elements[j as usize]);
        if same_model && e.vertices.iter().any(|v| f.vertices.contains(v)) {
            return;
        }
        let (near_first, near_second) = (a.bounds.grown(d.alarm), b.bounds.grown(d.alarm));
        for (k, flag) in VERTICES.into_iter().enumerate() {
            if k == 0 || e.has(flag) {
                let p = &self.x[e.vertices[k] as usize];
                if near_second.contains(p) {
                    vertex_triangle([i, j], 3 * i + k as u32, p, (f, self.y), true, d, emit);
                }
            }
        }
        let base = 3 * self.first.len() + 12 * j;
        for (k, flag) in VERTICES.into_iter().enumerate() {
            if f.has(flag) {
                let p = &self.y[f.vertices[k] as usize];
                if near_first.contains(p) {
                    vertex_triangle([i, j], base + k as u32, p, (e, self.x), false, d, emit);
                }
            }
        }
        if self.method.use_line_line {
            self.edges([i, j], emit);
        }
    }

    /// The edges that two triangles own against each other.
    pub fn edges<L: List<DetectionOutput>>(&self, pair: [u32; 2], emit: &mut Emitter<L>) {
        let [e, f] = [&self.first.elements[pair[0] as usize], &self.second.elements[pair[1] as usize]];
        let t = e.vertices.map(|v| self.x[v as usize]);
        let s = f.vertices.map(|v| self.y[v as usize]);
        let base = 3 * self.first.len() + 12 * pair[1] + 3;
        for (k, (flag, from, to)) in EDGES.into_iter().enumerate() {
            for (l, (other, start, end)) in EDGES.into_iter().enumerate() {
                if e.has(flag)
                    && f.has(other)
                    && let Some((p, q)) =
                        nearest_of_segments([t[from], t[to]], [s[start], s[end]], PARALLEL, LOW, HIGH)
                {
                    emit.points(pair, base + (3 * k + l) as u32, p, q, &self.d);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::narrow_phase::{IntersectionMethod, SelfFilter, detect};
    use crate::collision::response::{
        ContactLaw, Contacts, Penalty, PenaltyParameters, contact_points, keep_nearest,
    };
    use crate::collision::test_meshes::{self, Body};
    use crate::collision::{CollisionModel, Positions};
    use proptest::prelude::*;
    use sim_core::math::Vec3Type;

    const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    const METHOD: NewProximity =
        NewProximity { alarm_distance: 0.3, contact_distance: 0.2, use_line_line: false, exact_edges: false };

    fn run(method: NewProximity, first: &ModelView, second: &ModelView) -> Vec<DetectionOutput> {
        let mut out = Vec::new();
        let method = IntersectionMethod::NewProximity(method);
        detect(&method, first, second, &SelfFilter::NONE, &mut Vec::new(), &mut out);
        out
    }

    fn shifted(z: f64) -> [[f64; 3]; 3] {
        TRIANGLE.map(|[x, y, _]| [x, y, z])
    }

    #[test]
    fn two_facing_triangles_make_six_contacts() {
        let (e1, e2) =
            (Body::triangles(&[[0, 1, 2]], &shifted(0.1)), Body::triangles(&[[0, 1, 2]], &TRIANGLE));
        let mut out = run(METHOD, &e1.view(), &e2.view());
        assert_eq!(out.iter().map(|o| o.id).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        assert!(out.iter().all(|o| (o.normal + Vec3::z()).norm() < 1e-15));
        keep_nearest(&mut out, &mut Vec::new());
        let mut points = Vec::new();
        let parameters = PenaltyParameters { contact_distance: 0.2, stiffness: [10.0; 2] };
        contact_points(&out, &e1.view(), &e2.view(), &parameters, &mut points);
        let (mut f, mut g) = (Vec3::zeros(), Vec3::zeros());
        let contacts = Contacts { points: &points, friction: &[], rolling: &[] };
        let x = (&e1.x[..], &e2.x[..]);
        Penalty::add_force::<Vec3Type, Vec3Type>(contacts, x, (&[], &[]), |_, v| f += v, |_, v| g += v);
        assert!((f - Vec3::new(0.0, 0.0, 300.0)).norm() < 1e-11 && (f + g).norm() < 1e-12);
    }

    #[test]
    fn the_first_vertex_of_the_first_model_counts_for_each_triangle() {
        let x: Vec<[f64; 3]> = shifted(0.1).into_iter().chain([[-5.0, 0.0, 5.0], [0.0, -5.0, 5.0]]).collect();
        let e1 = Body::triangles(&[[0, 1, 2], [0, 3, 4]], &x);
        let e2 = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let mut ids: Vec<u32> = run(METHOD, &e1.view(), &e2.view()).iter().map(|o| o.id).collect();
        ids.sort_unstable();
        // Vertex 0 twice (0 and 3), then vertices of the second from 3 n1 = 6 on.
        assert_eq!(ids, [0, 1, 2, 3, 6, 7, 8]);
        let swapped = run(METHOD, &e2.view(), &e1.view());
        // As the second model its owner alone reports it: base 3, 12 ids per element of the second.
        assert_eq!(swapped.iter().filter(|o| o.id >= 3 && o.points[1] == e1.x[0]).count(), 1);
    }

    #[test]
    fn edges_meet_only_if_wanted() {
        let e1 = Body::triangles(&[[0, 1, 2]], &[[0.3, -1.0, 0.1], [0.3, 2.0, 0.1], [0.3, 0.5, 5.0]]);
        let e2 = Body::triangles(&[[0, 1, 2]], &[[-3.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, -5.0]]);
        assert!(run(METHOD, &e1.view(), &e2.view()).is_empty());
        let out = run(NewProximity { use_line_line: true, ..METHOD }, &e1.view(), &e2.view());
        assert_eq!((out.len(), out[0].id), (1, 3 + 3));
        assert!((out[0].value + 0.1).abs() < 1e-14);
    }

    #[test]
    fn triangle_against_line_and_point() {
        let t = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let l = Body::lines(&[[0, 1]], &[[0.2, 0.2, 0.1], [0.2, 0.2, 3.0]]);
        let out = run(METHOD, &t.view(), &l.view());
        // The vertex at the origin is 0.3 away; the lower end is inside.
        assert_eq!(out.len(), 1);
        assert_eq!((out[0].points[1], out[0].id), (l.x[0], 0));
        let beside = Body::points(&[[-0.1, -0.1, 0.0], [0.5, -0.1, 0.0], [0.6, 0.6, 0.0], [-0.1, 0.5, 0.0]]);
        let out = run(METHOD, &t.view(), &beside.view());
        let places: Vec<[f64; 3]> = out.iter().map(|o| o.points[0].into()).collect();
        assert_eq!(places, [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.0]]);
    }

    #[test]
    fn a_region_without_owner_reports_nothing() {
        let t = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
        let at = |x: f64, y: f64, flags| nearest_owned(t, flags, Vec3::new(x, y, 0.5), &POINT_RULE).is_some();
        let all = 63;
        for (x, y, flag) in [
            (-1.0, -1.0, Element::VERTEX_1),
            (2.0, -1.0, Element::VERTEX_2),
            (-1.0, 2.0, Element::VERTEX_3),
            (0.5, -1.0, Element::EDGE_12),
            (1.0, 1.0, Element::EDGE_23),
            (-1.0, 0.5, Element::EDGE_31),
        ] {
            assert!(at(x, y, flag) && !at(x, y, all - flag), "at ({x}, {y})");
        }
        assert!(at(0.25, 0.25, 0));
    }

    #[test]
    fn beside_an_obtuse_corner_spheres_meet_the_line_of_an_edge() {
        let t = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 1.0, 0.0]].map(Vec3::from);
        let nearest = |rule| nearest_owned(t, 63, Vec3::new(-0.5, -0.1, 0.5), rule).unwrap();
        assert!((nearest(&POINT_RULE) - Vec3::new(-0.2, 0.2, 0.0)).norm() < 1e-15);
        assert_eq!(nearest(&SPHERE_RULE), Vec3::new(-0.5, 0.0, 0.0));
    }

    /// Wherever a sphere is over a flat floor: on it, in it, over its seams and over its points.
    #[test]
    fn with_exact_edges_a_sphere_meets_a_flat_floor_once() {
        let (mut x, mut triangles) = (Vec::new(), Vec::new());
        for i in 0..5u32 {
            for j in 0..5u32 {
                x.push([f64::from(i), f64::from(j), 0.0]);
                if i < 4 && j < 4 {
                    let k = 5 * i + j;
                    triangles.extend([[k, k + 5, k + 6], [k + 6, k + 1, k]]);
                }
            }
        }
        let missed = |exact_edges, turn: usize| {
            let mut triangles = triangles.clone();
            let each = triangles.iter_mut().enumerate();
            each.for_each(|(k, t): (usize, &mut [u32; 3])| t.rotate_left((k * turn + k / 3) % 3));
            let floor = Body::triangles(&triangles, &x);
            let places =
                (0..13 * 13).map(|k| [f64::from(k % 13) * 0.25 + 0.5, f64::from(k / 13) * 0.25 + 0.5]);
            let found = |[px, py]: [f64; 2]| {
                let ball = Body::spheres(0.4, &[[px, py, 0.5]]);
                let mut out = run(NewProximity { exact_edges, ..METHOD }, &floor.view(), &ball.view());
                keep_nearest(&mut out, &mut Vec::new());
                let upward = out.iter().all(|o| (o.normal - Vec3::z()).norm() < 1e-12);
                upward && out.len() == 1 && (out[0].value + 0.1).abs() < 1e-12
            };
            places.filter(|p| !found(*p)).count()
        };
        // Which seams are felt depends on how triangles are written.
        assert_eq!([0, 1, 2].map(|turn| missed(true, turn)), [0; 3]);
        assert!([0, 1, 2].iter().map(|turn| missed(false, *turn)).sum::<usize>() > 0, "SOFA's numbers");
    }

    #[test]
    fn coincident_points_give_no_direction_and_no_number_gives_nothing() {
        let p = Body::points(&[[0.0; 3]]);
        let out = run(METHOD, &p.view(), &p.view());
        assert_eq!((out.len(), out[0].normal), (1, Vec3::zeros()));
        let nan = Body::points(&[[f64::NAN; 3]]);
        assert!(run(METHOD, &p.view(), &nan.view()).is_empty());
        let flat = Body::triangles(&[[0, 1, 2]], &[[0.0; 3]; 3]);
        assert!(run(METHOD, &flat.view(), &p.view()).iter().all(|o| o.value.is_finite()));
    }

    proptest! {
        /// All elements against all, in any order, against the walk through the trees.
        #[test]
        fn trees_change_no_contact(turn in 0.0..3.0f64, place in prop::array::uniform3(-1.5..1.5f64), line_line: bool) {
            let (topology, x) = test_meshes::torus(12, 6);
            let model = CollisionModel::triangles(&topology, x.len()).unwrap();
            let (s, c) = turn.sin_cos();
            let y: Vec<Vec3> = x.iter().map(|p| {
                Vec3::new(p.x, c * p.y - s * p.z, s * p.y + c * p.z) + Vec3::from(place)
            }).collect();
            let method = NewProximity { use_line_line: line_line, ..METHOD };
            let a = Body::new(model.clone(), x);
            let mut b = Body::new(model, y);
            // A tree built elsewhere and refitted finds the same as well.
            let view = b.model.view(Positions::Points(&b.x), &[], 0.0);
            let mut tree = a.tree.clone();
            crate::collision::bounding_tree::refit(&mut tree, &view);
            b.tree = tree;
            let mut found = run(method, &a.view(), &b.view());
            let mut all = Vec::new();
            let (av, bv) = (a.view(), b.view());
            let d = Distances::of_models(0.3, 0.2, &av, &bv);
            let test = TriangleTriangle { method: &method, first: &av, second: &bv, x: &a.x, y: &b.x, d };
            let mut emit = Emitter { out: &mut all, coincident: Coincident::Zero };
            let leaf = |first| TreeNode { bounds: crate::collision::Aabb { min: [-1e9; 3], max: [1e9; 3] }, first, count: 0 };
            for i in 0..av.len() {
                for j in 0..bv.len() {
                    test.run(&leaf(i), &leaf(j), false, &mut emit);
                }
            }
            let key = |o: &DetectionOutput| (o.elements, o.id);
            found.sort_by_key(key);
            all.sort_by_key(key);
            prop_assert_eq!(found, all);
        }
    }
}
