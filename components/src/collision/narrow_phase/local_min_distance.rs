//! `LocalMinDistance`: as MinProximity with projections strictly inside of elements, and only where both surfaces face each other.

use sim_core::math::Vec3;

use super::bvh::{Walk, Work};
use super::elements::{
    Coincident, Distances, Emitter, Projection, along, larger_model_index, line, nearest_of_segments,
    triangle,
};
use super::min_proximity::{HIGH, LOW};
use super::{Cones, DetectionOutput};
use crate::collision::{List, ModelKind, ModelView};

/// The attributes of `LocalMinDistance`.
///
/// **Source:** as SOFA's LocalMinDistance. Rigid spheres meet nothing there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalMinDistance {
    /// `alarmDistance` (1) [m]: closer elements give an output.
    pub alarm_distance: f64,
    /// `contactDistance` (0.5) [m]: closer elements repel.
    pub contact_distance: f64,
    /// `angleCone` and `coneFactor`; none where elements accept all directions (`filterIntersection` 0, or `useLMDFilters` 1).
    pub cones: Option<Cones>,
}

impl Default for LocalMinDistance {
    fn default() -> Self {
        let cones = Some(Cones { angle: 0.0, factor: 0.5 });
        Self { alarm_distance: 1.0, contact_distance: 0.5, cones }
    }
}

/// How far inside of both lines their nearest points must lie.
const INSIDE: f64 = 1e-15;
/// Below this two lines count as parallel.
const PARALLEL: f64 = 1e-30;

/// What makes outputs of the points of one pair of models, where both elements accept.
struct Accepted<'a, L> {
    cones: Option<Cones>,
    models: [&'a ModelView<'a>; 2],
    distances: Distances,
    emit: Emitter<'a, L>,
}

impl<L: List<DetectionOutput>> Accepted<'_, L> {
    /// Appends an output for these points of two elements, of which spheres have radii that sum to `radii`.
    #[inline]
    fn points(&mut self, elements: [u32; 2], id: u32, p: Vec3, q: Vec3, radii: f64) {
        let (pq, d) = (q - p, self.distances.plus(radii));
        if pq.dot(&pq) < d.alarm * d.alarm && self.accept(elements, &pq) {
            self.emit.points(elements, id, p, q, &d);
        }
    }

    fn accept(&self, [i, j]: [u32; 2], pq: &Vec3) -> bool {
        let [first, second] = self.models;
        self.cones.is_none_or(|c| c.accept(first, i, pq) && c.accept(second, j, &-pq))
    }
}

/// The place and the radius of a sphere, or of a point.
#[inline]
fn ball(model: &ModelView, i: u32) -> (Vec3, f64) {
    let radius = if model.kind == ModelKind::Point { 0.0 } else { model.sizes[i as usize] };
    (model.positions.center(i), radius)
}

impl LocalMinDistance {
    /// Whether there is a test for these two kinds in this order.
    pub(super) fn tests(first: ModelKind, second: ModelKind) -> bool {
        use ModelKind::{Line, Point, Sphere, Triangle};
        matches!((first, second), (Triangle | Line | Sphere, Point | Sphere) | (Line, Line) | (Point, Point))
    }

    pub(super) fn detect(
        &self,
        walk: &Walk<'_>,
        work: &mut impl List<Work>,
        out: &mut impl List<DetectionOutput>,
    ) {
        let Walk { first, second, .. } = *walk;
        use ModelKind::{Line, Point, Sphere, Triangle};
        let distances = Distances::of_models(self.alarm_distance, self.contact_distance, first, second);
        let emit = Emitter { out, coincident: Coincident::Zero };
        let mut accepted = Accepted { cones: self.cones, models: [first, second], distances, emit };
        let (x, y) = (first.positions.points(), second.positions.points());
        let larger = |i, j| larger_model_index(first.len(), second.len(), i, j);
        match (first.kind, second.kind) {
            (Triangle, Point | Sphere) => walk.each(work, |i, j| {
                let (t, (p, radius)) = (triangle(first, x, i), ball(second, j));
                let on = Projection::new(t, p);
                if on.is_inside(LOW, HIGH) {
                    let q = t[0] + on.ab * on.alpha + on.ac * on.beta;
                    accepted.points([i, j], j, q, p, radius);
                }
            }),
            (Line, Point | Sphere) => walk.each(work, |i, j| {
                let (l, (p, radius)) = (line(first, x, i), ball(second, j));
                let t = along(l, p);
                if (LOW..=HIGH).contains(&t) {
                    accepted.points([i, j], j, l[0] + (l[1] - l[0]) * t, p, radius);
                }
            }),
            (Line, Line) => walk.each(work, |i, j| {
                let (l, k) = (line(first, x, i), line(second, y, j));
                if let Some((p, q)) = nearest_of_segments(l, k, PARALLEL, INSIDE, 1.0 - INSIDE) {
                    accepted.points([i, j], larger(i, j), p, q, 0.0);
                }
            }),
            (Point, Point) | (Sphere, Point | Sphere) => walk.each(work, |i, j| {
                let ((p, r), (q, s)) = (ball(first, i), ball(second, j));
                accepted.points([i, j], larger(i, j), p, q, r + s);
            }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::CollisionModel;
    use crate::collision::narrow_phase::{IntersectionMethod, MinProximity, SelfFilter, detect};
    use crate::collision::test_meshes::{Body, torus, with_edges};

    const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    const FILTERED: LocalMinDistance = LocalMinDistance {
        alarm_distance: 0.3,
        contact_distance: 0.2,
        cones: Some(Cones { angle: 0.0, factor: 0.5 }),
    };
    const UNFILTERED: LocalMinDistance = LocalMinDistance { cones: None, ..FILTERED };

    fn run(method: LocalMinDistance, first: &Body, second: &Body) -> Vec<DetectionOutput> {
        found(IntersectionMethod::LocalMinDistance(method), first, second)
    }

    fn found(method: IntersectionMethod, first: &Body, second: &Body) -> Vec<DetectionOutput> {
        let mut out = Vec::new();
        detect(&method, &first.view(), &second.view(), &SelfFilter::NONE, &mut Vec::new(), &mut out);
        out
    }

    fn at(z: f64) -> Body {
        Body::points(&[[9.0; 3], [0.25, 0.25, z]])
    }

    #[test]
    fn a_triangle_meets_points_above_it() {
        let t = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let out = run(FILTERED, &t, &at(0.1));
        assert_eq!((out.len(), out[0].elements, out[0].id), (1, [0, 1], 1));
        assert!((out[0].points[0] - Vec3::new(0.25, 0.25, 0.0)).norm() < 1e-15);
        assert_eq!((out[0].normal, out[0].points[1]), (Vec3::z(), Vec3::new(0.25, 0.25, 0.1)));
        assert!((out[0].value + 0.1).abs() < 1e-15);
        assert!(run(FILTERED, &t, &at(0.3)).is_empty(), "strictly nearer than the alarm distance");
        assert!(run(FILTERED, &t, &at(-0.1)).is_empty(), "behind it");
        assert_eq!(run(UNFILTERED, &t, &at(-0.1))[0].normal, -Vec3::z());
        let beside = Body::points(&[[-0.01, 0.5, 0.1]]);
        assert!(run(UNFILTERED, &t, &beside).is_empty(), "no projection inside");
    }

    /// The point is the tip of a pyramid that hangs over the triangle, or that stands under it.
    #[test]
    fn a_point_of_a_surface_accepts_what_lies_before_it() {
        let t = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let tip = |up: f64| {
            let base = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
            let base = base.map(|[x, y]| [0.25 + x, 0.25 + y, 0.1 + 3.0 * up]);
            let faces = [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4]];
            Body::surface_points(&faces, &[&[[0.25, 0.25, 0.1]][..], &base].concat())
        };
        assert_eq!(run(FILTERED, &t, &tip(1.0)).len(), 1);
        assert_eq!(run(FILTERED, &t, &tip(-1.0)).len(), 0);
        assert_eq!(run(UNFILTERED, &t, &tip(-1.0)).len(), 1);
    }

    #[test]
    fn a_line_meets_points_beside_it_but_not_beyond_its_ends() {
        let l = Body::lines(&[[0, 1]], &TRIANGLE[..2]);
        let out = run(FILTERED, &l, &Body::points(&[[0.5, 0.0, -0.25]]));
        assert_eq!((out.len(), out[0].id, out[0].normal), (1, 0, -Vec3::z()));
        assert_eq!((out[0].points[0], out[0].value), (Vec3::new(0.5, 0.0, 0.0), 0.25 - 0.2));
        assert!(run(UNFILTERED, &l, &Body::points(&[[-0.01, 0.0, 0.1]])).is_empty());
        let degenerate = Body::lines(&[[0, 1]], &[[0.0; 3]; 2]);
        assert!(run(UNFILTERED, &degenerate, &Body::points(&[[0.0; 3], [0.1; 3]])).is_empty());
    }

    #[test]
    fn lines_meet_where_they_cross() {
        let a = Body::lines(&[[0, 1]], &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        let b = Body::lines(&[[1, 2], [0, 1]], &[[0.0, -1.0, 0.1], [0.0, 1.0, 0.1], [0.0, 9.0, 0.1]]);
        let out = run(FILTERED, &a, &b);
        assert_eq!((out.len(), out[0].elements, out[0].id, out[0].normal), (1, [0, 1], 1, Vec3::z()));
        assert_eq!(run(FILTERED, &b, &a)[0].id, 1, "of the larger model");
        // Parallel ones by their midpoints, which a line that has not two triangles accepts across itself only.
        let beside = |x: f64| Body::lines(&[[0, 1]], &[[x - 1.0, 0.0, 0.1], [x + 1.0, 0.0, 0.1]]);
        assert_eq!(run(FILTERED, &a, &beside(0.0)).len(), 1);
        assert_eq!(run(FILTERED, &a, &beside(0.125)).len(), 0);
        assert_eq!(
            run(UNFILTERED, &a, &beside(0.125))[0].points,
            [Vec3::zeros(), Vec3::new(0.125, 0.0, 0.1)]
        );
    }

    #[test]
    fn points_and_spheres_add_their_radii() {
        let (p, q) = (Body::points(&[[0.0; 3]]), Body::points(&[[9.0; 3], [0.25, 0.0, 0.0]]));
        let out = run(FILTERED, &p, &q);
        assert_eq!((out.len(), out[0].id, out[0].normal), (1, 1, Vec3::x()));
        let s = |x: f64| Body::spheres(0.5, &[[x, 0.0, 0.0]]);
        let out = run(FILTERED, &s(0.75), &p);
        assert_eq!((out.len(), out[0].points), (1, [Vec3::new(0.75, 0.0, 0.0), Vec3::zeros()]));
        assert!((out[0].value - (0.75 - 0.7)).abs() < 1e-15);
        // The larger model's index, also where a sphere meets a point.
        assert_eq!(run(FILTERED, &s(0.75), &q)[0].id, 1);
        assert!((run(FILTERED, &s(0.0), &s(1.25))[0].value - 0.05).abs() < 1e-15);
        // Strictly nearer, unlike in MinProximity.
        let exact = LocalMinDistance { alarm_distance: 0.25, ..FILTERED };
        assert!(run(exact, &s(0.0), &s(1.25)).is_empty());
        let t = Body::triangles(&[[0, 1, 2]], &TRIANGLE);
        let above = |z: f64| Body::spheres(0.5, &[[0.25, 0.25, z]]);
        assert_eq!(run(FILTERED, &t, &above(0.75))[0].points[1].z, 0.75);
        assert!(run(FILTERED, &t, &above(-0.75)).is_empty());
        assert_eq!(run(FILTERED, &Body::lines(&[[0, 1]], &TRIANGLE[..2]), &above(0.5)).len(), 1);
    }

    #[test]
    fn coincident_points_get_no_direction() {
        let p = Body::points(&[[1.0; 3]]);
        let out = run(FILTERED, &p, &p);
        assert_eq!((out.len(), out[0].normal, out[0].value), (1, Vec3::zeros(), -0.2));
    }

    #[test]
    fn skins_count() {
        let (mut p, q) = (Body::points(&[[0.0; 3]]), Body::points(&[[0.35, 0.0, 0.0]]));
        assert!(run(FILTERED, &p, &q).is_empty());
        p.skin = 0.1;
        assert!((run(FILTERED, &p, &q)[0].value - 0.05).abs() < 1e-15);
    }

    /// Points, lines and triangles of two tori that interlock, and of the two exchanged.
    #[test]
    fn without_cones_the_outputs_inside_of_elements_are_those_of_min_proximity() {
        let (topology, x) = torus(16, 8);
        let moved: Vec<Vec3> = x.iter().map(|p| Vec3::new(p.x + 1.0, 0.01 - p.z, p.y)).collect();
        let n = x.len();
        let bodies = |x: &[Vec3]| {
            let models = [
                CollisionModel::triangles(&topology, n).unwrap(),
                CollisionModel::lines(&topology, n).unwrap(),
                CollisionModel::points_on(&topology, n).unwrap(),
            ];
            models.map(|m| Body::new(m, x.to_vec()))
        };
        let (a, b) = (bodies(&x), bodies(&moved));
        let min = MinProximity { alarm_distance: 0.4, contact_distance: 0.2, ..MinProximity::default() };
        let mut numbers = [0; 2];
        for (first, second) in [(0, 2), (1, 1), (1, 2), (2, 2)] {
            let expected = found(IntersectionMethod::MinProximity(min), &a[first], &b[second]);
            let unfiltered =
                run(LocalMinDistance { alarm_distance: 0.4, ..UNFILTERED }, &a[first], &b[second]);
            // MinProximity has the ends of lines, too.
            let inside = |o: &&DetectionOutput| {
                let ends = topology.edges[o.elements[0] as usize].map(|v| x[v as usize]);
                [first, second] != [1, 2] || ends.iter().all(|end| (o.points[0] - end).norm() > 1e-6)
            };
            assert_eq!(unfiltered, expected.iter().filter(inside).copied().collect::<Vec<_>>());
            assert!(unfiltered.len() > 10, "{}", unfiltered.len());
            let filtered = run(LocalMinDistance { alarm_distance: 0.4, ..FILTERED }, &a[first], &b[second]);
            numbers = [numbers[0] + filtered.len(), numbers[1] + unfiltered.len()];
            assert!(filtered.iter().all(|o| unfiltered.contains(o)), "some of them, unchanged");
        }
        assert!(numbers[0] > 10 && 2 * numbers[0] < numbers[1], "{numbers:?}");
    }

    /// A cube over a floor: what is accepted is as symmetric as the scene.
    #[test]
    fn a_symmetric_scene_has_symmetric_outputs() {
        let cube = |half: f64, z: f64| -> Vec<[f64; 3]> {
            let corner = |k: usize| [0, 1, 2].map(|a| if k >> a & 1 == 0 { -half } else { half });
            (0..8).map(corner).map(|[x, y, h]| [x, y, h + z]).collect()
        };
        let faces = [
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        let topology = with_edges(faces.to_vec(), 8);
        assert_eq!(topology.edges.len(), 18);
        let floor = Body::triangles(&[[0, 1, 2]], &[[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 15.0, 0.0]]);
        let out = run(FILTERED, &floor, &Body::surface_points(&faces, &cube(0.5, 0.7)));
        let mut ids: Vec<u32> = out.iter().map(|o| o.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, [0, 1, 2, 3], "the four lower corners");
        assert!(out.iter().all(|o| (o.normal - Vec3::z()).norm() < 1e-15));
        // Of a cube that the floor cuts in the middle of its height, the floor repels the upper corners, which do not accept that.
        let cut = Body::surface_points(&faces, &cube(0.2, 0.0));
        assert!(run(FILTERED, &floor, &cut).is_empty());
        assert_eq!(run(UNFILTERED, &floor, &cut).len(), 8);
    }
}
