//! `MinProximityIntersection`: points against the inside of triangles and lines, lines against lines, points against points.

use sim_core::math::Vec3;

use super::DetectionOutput;
use super::bvh::{Walk, Work};
use super::elements::{
    Coincident, Distances, Emitter, Projection, along, larger_model_index, line, nearest_of_segments,
    nearest_on_segment, triangle,
};
use crate::collision::{List, ModelKind, Sphere};

/// How far inside an element a projection must lie.
pub(super) const LOW: f64 = 1e-6;
/// The same from the other end.
pub(super) const HIGH: f64 = 0.999999;

/// The attributes of `MinProximityIntersection`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinProximity {
    /// `alarmDistance` (1) [m]: closer elements give an output.
    pub alarm_distance: f64,
    /// `contactDistance` (0.5) [m]: closer elements repel.
    pub contact_distance: f64,
    /// `useSphereTriangle` (1): spheres against triangles, and against lines and points, too.
    pub use_sphere_triangle: bool,
    /// `usePointPoint` (1).
    pub use_point_point: bool,
    /// `useLinePoint` (1).
    pub use_line_point: bool,
    /// `useLineLine` (1).
    pub use_line_line: bool,
    /// `useSurfaceNormals` (0): a contact of triangle and point takes the triangle's normal.
    pub use_surface_normals: bool,
}

impl Default for MinProximity {
    fn default() -> Self {
        Self {
            alarm_distance: 1.0,
            contact_distance: 0.5,
            use_sphere_triangle: true,
            use_point_point: true,
            use_line_point: true,
            use_line_line: true,
            use_surface_normals: false,
        }
    }
}

impl MinProximity {
    /// Whether there is a test for these two kinds in this order.
    pub(super) fn tests(&self, first: ModelKind, second: ModelKind) -> bool {
        use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle};
        match (first, second) {
            (Triangle, Point) => true,
            (Sphere, Sphere | RigidSphere) | (RigidSphere, RigidSphere) => true,
            (Triangle | Line, Sphere | RigidSphere) | (Sphere | RigidSphere, Point) => {
                self.use_sphere_triangle
            }
            (Line, Point) => self.use_line_point,
            (Line, Line) => self.use_line_line,
            (Point, Point) => self.use_point_point,
            _ => false,
        }
    }

    pub(super) fn detect(
        &self,
        walk: &Walk<'_>,
        work: &mut impl List<Work>,
        out: &mut impl List<DetectionOutput>,
    ) {
        let Walk { first, second, .. } = *walk;
        use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle};
        let d = Distances::of_models(self.alarm_distance, self.contact_distance, first, second);
        let mut emit = Emitter { out, coincident: Coincident::FirstAxis };
        let (x, y) = (first.positions.points(), second.positions.points());
        let (n, m) = (first.len(), second.len());
        match (first.kind, second.kind) {
            (Triangle, Point) => walk.each(work, |i, j| {
                let (t, p) = (triangle(first, x, i), y[j as usize]);
                let on = Projection::new(t, p);
                if on.is_inside(LOW, HIGH) {
                    let q = t[0] + on.ab * on.alpha + on.ac * on.beta;
                    let before = emit.out.as_slice().len();
                    emit.points([i, j], j, q, p, &d);
                    if let (true, Some(o)) =
                        (self.use_surface_normals, emit.out.as_mut_slice().get_mut(before))
                    {
                        o.normal = on.ab.cross(&on.ac).normalize();
                    }
                }
            }),
            (Triangle, Sphere | RigidSphere) => walk.each(work, |i, j| {
                let (t, s) = (triangle(first, x, i), second.sphere(j));
                let on = Projection::new(t, s.center);
                if on.is_inside(LOW, HIGH) {
                    let q = t[0] + on.ab * on.alpha + on.ac * on.beta;
                    sphere_second(&mut emit, [i, j], q, &s, &d);
                }
            }),
            (Line, Point) => walk.each(work, |i, j| {
                let p = y[j as usize];
                emit.points([i, j], j, nearest_on_segment(line(first, x, i), p), p, &d);
            }),
            (Line, Sphere | RigidSphere) => walk.each(work, |i, j| {
                let (l, s) = (line(first, x, i), second.sphere(j));
                let t = along(l, s.center);
                if (LOW..=HIGH).contains(&t) {
                    sphere_second(&mut emit, [i, j], l[0] + (l[1] - l[0]) * t, &s, &d);
                }
            }),
            (Line, Line) => walk.each(work, |i, j| {
                if let Some((p, q)) =
                    nearest_of_segments(line(first, x, i), line(second, y, j), 1e-15, LOW, HIGH)
                {
                    emit.points([i, j], larger_model_index(n, m, i, j), p, q, &d);
                }
            }),
            (Point, Point) => walk.each(work, |i, j| {
                emit.points([i, j], larger_model_index(n, m, i, j), x[i as usize], y[j as usize], &d);
            }),
            (Sphere | RigidSphere, Point) => walk.each(work, |i, j| {
                let (s, p) = (first.sphere(i), y[j as usize]);
                let d = d.plus(s.radius);
                let (pq, inside) = between(s.center, p);
                if inside < d.alarm * d.alarm {
                    let (normal, length) = emit.direction(pq, inside);
                    emit.out.push(DetectionOutput {
                        elements: [i, j],
                        id: i,
                        points: [s.contact_point(&normal), p],
                        normal,
                        value: length - d.contact,
                    });
                }
            }),
            (Sphere | RigidSphere, Sphere | RigidSphere) => walk.each(work, |i, j| {
                let (s, t) = (first.sphere(i), second.sphere(j));
                let d = d.plus(s.radius + t.radius);
                let (pq, inside) = between(s.center, t.center);
                if inside <= d.alarm * d.alarm {
                    let (normal, length) = emit.direction(pq, inside);
                    emit.out.push(DetectionOutput {
                        elements: [i, j],
                        id: larger_model_index(n, m, i, j),
                        points: [s.contact_point(&normal), t.contact_point(&-normal)],
                        normal,
                        value: length - d.contact,
                    });
                }
            }),
            _ => {}
        }
    }
}

/// The vector between two points and its square.
#[inline]
fn between(p: Vec3, q: Vec3) -> (Vec3, f64) {
    let pq = q - p;
    (pq, pq.dot(&pq))
}

/// An output between a point `q` of the first model and a sphere of the second; its id is the sphere's index.
fn sphere_second<L: List<DetectionOutput>>(
    emit: &mut Emitter<L>,
    elements: [u32; 2],
    q: Vec3,
    s: &Sphere,
    d: &Distances,
) {
    let d = d.plus(s.radius);
    let (pq, square) = between(q, s.center);
    if square < d.alarm * d.alarm {
        let (normal, length) = emit.direction(pq, square);
        emit.out.push(DetectionOutput {
            elements,
            id: elements[1],
            points: [q, s.contact_point(&-normal)],
            normal,
            value: length - d.contact,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::narrow_phase::{IntersectionMethod, SelfFilter, detect};
    use crate::collision::response::{
        ContactLaw, Contacts, Penalty, PenaltyParameters, contact_points, keep_nearest,
    };
    use crate::collision::test_meshes::Body;
    use sim_core::math::Vec3Type;

    const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    const TORUS_LIKE: MinProximity = MinProximity {
        alarm_distance: 0.3,
        contact_distance: 0.2,
        use_sphere_triangle: true,
        use_point_point: true,
        use_line_point: true,
        use_line_line: true,
        use_surface_normals: false,
    };

    fn run(method: MinProximity, first: &Body, second: &Body) -> Vec<DetectionOutput> {
        let mut out = Vec::new();
        let method = IntersectionMethod::MinProximity(method);
        detect(&method, &first.view(), &second.view(), &SelfFilter::NONE, &mut Vec::new(), &mut out);
        out
    }

    /// Forces on the points of both models, after dropping duplicates.
    fn forces(first: &Body, second: &Body) -> (Vec<Vec3>, Vec<Vec3>) {
        let mut out = run(TORUS_LIKE, first, second);
        keep_nearest(&mut out, &mut Vec::new());
        let parameters = PenaltyParameters { contact_distance: 0.2, stiffness: [10.0; 2] };
        let mut points = Vec::new();
        contact_points(&out, &first.view(), &second.view(), &parameters, &mut points);
        let (mut f, mut g) = (vec![Vec3::zeros(); first.x.len()], vec![Vec3::zeros(); second.x.len()]);
        let add_first = |i: u32, v| f[i as usize] += v;
        let add_second = |i: u32, v| g[i as usize] += v;
        let contacts = Contacts { points: &points, friction: &[], rolling: &[] };
        let x = (&first.x[..], &second.x[..]);
        Penalty::add_force::<Vec3Type, Vec3Type>(contacts, x, (&[], &[]), add_first, add_second);
        (f, g)
    }

    fn close(a: Vec3, b: [f64; 3]) {
        assert!((a - Vec3::from(b)).norm() < 1e-12, "{a} is not {b:?}");
    }

    #[test]
    fn a_point_above_a_triangle_is_pushed_away() {
        let t = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let p = |z| Body::points(&[[0.25, 0.25, z]]);
        let out = run(TORUS_LIKE, &t, &p(0.1));
        assert_eq!(out.len(), 1);
        assert_eq!((out[0].elements, out[0].id), ([0, 0], 0));
        close(out[0].normal, [0.0, 0.0, 1.0]);
        assert!((out[0].value + 0.1).abs() < 1e-15);
        let (f, g) = forces(&t, &p(0.1));
        close(g[0], [0.0, 0.0, 50.0]);
        close(f[0], [0.0, 0.0, -25.0]);
        close(f[1], [0.0, 0.0, -12.5]);
        close(f[2], [0.0, 0.0, -12.5]);
        assert_eq!(run(TORUS_LIKE, &t, &p(0.25)).len(), 1);
        assert_eq!(forces(&t, &p(0.25)).1[0], Vec3::zeros());
        assert!(run(TORUS_LIKE, &t, &p(0.3)).is_empty());
    }

    #[test]
    fn beside_the_triangle_its_nearest_edge_takes_over() {
        let t = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let l = Body::lines(&[[1, 2], [2, 0], [0, 1]], &TRIANGLE);
        let p = Body::points(&[[0.5, -0.05, 0.0]]);
        assert!(run(TORUS_LIKE, &t, &p).is_empty());
        let (f, g) = forces(&l, &p);
        close(g[0], [0.0, -75.0, 0.0]);
        close(f[0], [0.0, 37.5, 0.0]);
        close(f[1], [0.0, 37.5, 0.0]);
        // Within the alarm distance of two edges there are two outputs with one id, and one contact.
        let corner = Body::points(&[[0.1, -0.05, 0.0]]);
        assert_eq!(run(TORUS_LIKE, &l, &corner).len(), 2);
        close(forces(&l, &corner).1[0], [0.0, -75.0, 0.0]);
    }

    #[test]
    fn crossing_lines_and_their_ids() {
        let a = Body::lines(&[[0, 1]], &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        let b = Body::lines(&[[1, 2], [0, 1]], &[[0.0, -1.0, 0.1], [0.0, 1.0, 0.1], [0.0, 9.0, 0.1]]);
        let out = run(TORUS_LIKE, &a, &b);
        assert_eq!((out.len(), out[0].elements, out[0].id), (1, [0, 1], 1));
        assert_eq!(run(TORUS_LIKE, &b, &a)[0].id, 1, "of the larger model");
        assert_eq!(run(TORUS_LIKE, &a, &a)[0].normal, Vec3::x(), "coincident points get the first axis");
        let past = Body::lines(&[[0, 1]], &[[2.0, -1.0, 0.1], [2.0, 1.0, 0.1]]);
        assert!(run(TORUS_LIKE, &a, &past).is_empty());
    }

    #[test]
    fn spheres_add_their_radii() {
        let s = Body::spheres(0.5, &[[0.0, 0.0, 0.75], [0.0, 0.0, 9.0]]);
        let t = Body::triangles(&[[0, 1, 2]], &[[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]]);
        let out = run(TORUS_LIKE, &t, &s);
        assert_eq!((out.len(), out[0].id, out[0].points[1]), (1, 0, s.x[0]));
        assert!((out[0].value - (0.75 - 0.7)).abs() < 1e-15);
        let p = Body::points(&[[3.0, 0.0, 0.0], [0.0, 0.0, 0.25]]);
        assert_eq!(run(TORUS_LIKE, &s, &p)[0].id, 0, "the sphere's index");
        // Not strict for two spheres: exactly at the alarm distance there is an output.
        let exact = MinProximity { alarm_distance: 0.25, contact_distance: 0.125, ..TORUS_LIKE };
        let apart = Body::spheres(0.5, &[[0.0, 0.0, 2.0]]);
        assert_eq!(run(exact, &s, &apart).len(), 1);
        assert!(run(exact, &Body::points(&[[0.0; 3]]), &Body::points(&[[0.25, 0.0, 0.0]])).is_empty());
    }

    #[test]
    fn spheres_that_meet_no_triangles_meet_no_lines_and_points_either() {
        use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle};
        let without = MinProximity { use_sphere_triangle: false, ..TORUS_LIKE };
        for sphere in [Sphere, RigidSphere] {
            for (first, second) in [(Triangle, sphere), (Line, sphere), (sphere, Point)] {
                assert!(TORUS_LIKE.tests(first, second) && !without.tests(first, second));
            }
        }
        assert!(without.tests(Sphere, RigidSphere) && without.tests(Triangle, Point));
    }

    #[test]
    fn surface_normals_replace_the_direction() {
        let t = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let below = Body::points(&[[0.25, 0.25, -0.1]]);
        assert_eq!(run(TORUS_LIKE, &t, &below)[0].normal.z, -1.0);
        let method = MinProximity { use_surface_normals: true, ..TORUS_LIKE };
        assert_eq!(run(method, &t, &below)[0].normal.z, 1.0);
    }
}
