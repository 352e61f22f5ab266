//! `CCDTightInclusionIntersection`: elements that meet on their way from the beginning of a step to the end of its free motion.

use sim_core::math::Vec3;

use super::DetectionOutput;
use super::bvh::{Walk, Work};
use super::elements::{larger_model_index, line, triangle, unit_clamped};
use super::time_of_impact::{ImpactSearch, MovingElements, MovingKind, ParameterBox};
use crate::collision::{List, ModelKind};

/// `CCDTightInclusionIntersection` with its attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TightInclusion {
    /// `alarmDistance` [m]
    pub alarm_distance: f64,
    /// `contactDistance` [m]
    pub contact_distance: f64,
    /// What boxes hold of the way of their elements.
    pub sweep: Sweep,
    /// `tolerance` [m]
    pub tolerance: f64,
    /// `maxIterations`
    pub max_boxes: i64,
}

/// What boxes hold of the way of their elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// Where it begins.
    Begin,
    /// The way that they would go with their velocity at the beginning.
    Inertia,
    /// The way to where the free motion leads.
    FreeMotion,
}

impl TightInclusion {
    /// Whether there is a test for these two kinds in this order.
    pub(super) fn tests(first: ModelKind, second: ModelKind) -> bool {
        use ModelKind::{Line, Point, Triangle};
        matches!((first, second), (Line, Line) | (Triangle, Point))
    }

    /// Appends the outputs of all pairs of elements that meet on their way to the `ends`, the positions of both models at the end.
    ///
    /// **Source:** as SOFA's: a triangle pushes along its normal when they meet, whatever side the point comes from; what is measured are
    /// the places at the beginning of what touches when they meet. SOFA's makes an output of any two lines whose boxes are near, of
    /// numbers that are none where they do not meet; here these make none.
    pub(super) fn detect(
        &self,
        walk: &Walk<'_>,
        ends: [&[Vec3]; 2],
        work: &mut impl List<Work>,
        queue: &mut impl List<ParameterBox>,
        out: &mut impl List<DetectionOutput>,
    ) {
        let Walk { first, second, .. } = *walk;
        let separation = self.contact_distance + first.skin + second.skin;
        let search = ImpactSearch { separation, tolerance: self.tolerance, max_boxes: self.max_boxes };
        let (x, y) = (first.positions.points(), second.positions.points());
        let (n, m) = (first.len(), second.len());
        if first.kind == ModelKind::Line {
            walk.each(work, |i, j| {
                let ([a, b], [c, d]) = (line(first, x, i), line(second, y, j));
                let ([a_end, b_end], [c_end, d_end]) = (line(first, ends[0], i), line(second, ends[1], j));
                let (begin, end) = ([a, b, c, d], [a_end, b_end, c_end, d_end]);
                let moving = MovingElements { kind: MovingKind::Segments, begin, end };
                let Some(t) = search.time_of_impact(&moving, queue) else { return };
                let [p, q, r, s] = at_time(&moving, t);
                let [u, v] = nearest_weights([p, q], [r, s]);
                let between = |[from, to]: [Vec3; 2], w: f64| from * (1.0 - w) + to * w;
                let apart = between([r, s], v) - between([p, q], u);
                let distance = apart.norm();
                if distance > 0.0 && distance.is_finite() {
                    out.push(DetectionOutput {
                        elements: [i, j],
                        id: larger_model_index(n, m, i, j),
                        points: [between([a, b], u), between([c, d], v)],
                        normal: apart / distance,
                        value: distance - separation,
                    });
                }
            });
        } else {
            walk.each(work, |i, j| {
                let ([a, b, c], p) = (triangle(first, x, i), y[j as usize]);
                let ([a_end, b_end, c_end], p_end) = (triangle(first, ends[0], i), ends[1][j as usize]);
                let (begin, end) = ([p, a, b, c], [p_end, a_end, b_end, c_end]);
                let moving = MovingElements { kind: MovingKind::PointAndTriangle, begin, end };
                let Some(t) = search.time_of_impact(&moving, queue) else { return };
                let [point, corners @ ..] = at_time(&moving, t);
                let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
                let center = (corners[0] + corners[1] + corners[2]) / 3.0;
                let foot = center + (point - center) - normal * (point - center).dot(&normal);
                let Some([u, v, w]) = shares(corners, foot) else { return };
                let points = [a * u + b * v + c * w, p];
                let value = (points[1] - points[0]).dot(&normal) - separation;
                let id = larger_model_index(n, m, i, j);
                out.push(DetectionOutput { elements: [i, j], id, points, normal, value });
            });
        }
    }
}

/// The four points at a time from 0 to 1.
fn at_time(moving: &MovingElements, t: f64) -> [Vec3; 4] {
    std::array::from_fn(|k| moving.begin[k] * (1.0 - t) + moving.end[k] * t)
}

/// The shares of a triangle's corners in a point of its plane, by areas, as SOFA's; none of a flat triangle.
fn shares([a, b, c]: [Vec3; 3], p: Vec3) -> Option<[f64; 3]> {
    let area = |a: Vec3, b: Vec3, c: Vec3| 0.5 * (b - a).cross(&(c - a)).norm();
    let whole = area(a, b, c);
    if whole < f64::EPSILON || whole.is_nan() {
        return None;
    }
    let (u, v) = (area(b, c, p) / whole, area(a, p, c) / whole);
    let w = 1.0 - u - v;
    Some([u, v, if w.abs() <= f64::EPSILON { 0.0 } else { w }])
}

/// The weights of the second ends in the nearest points of two segments.
fn nearest_weights([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> [f64; 2] {
    let (ab, cd, ca) = (b - a, d - c, a - c);
    let (aa, cc, ac) = (ab.norm_squared(), cd.norm_squared(), ab.dot(&cd));
    let (from, to) = (ab.dot(&ca), cd.dot(&ca));
    let determinant = aa * cc - ac * ac;
    let u = unit_clamped((ac * to - cc * from) / determinant);
    let v = unit_clamped((ac * u + to) / cc);
    [unit_clamped((ac * v - from) / aa), v]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::narrow_phase::{IntersectionMethod, Order, SelfFilter};
    use crate::collision::test_meshes::Body;

    const METHOD: TightInclusion = TightInclusion {
        alarm_distance: 0.0,
        contact_distance: 1e-3,
        sweep: Sweep::FreeMotion,
        tolerance: 1e-10,
        max_boxes: 1000,
    };

    /// The outputs of two bodies whose boxes are taken as near.
    fn run(first: &Body, second: &Body, ends: [&Body; 2]) -> Vec<DetectionOutput> {
        let (a, b) = (first.view(), second.view());
        let walk = Walk { first: &a, second: &b, filter: &SelfFilter::NONE, margin: 100.0, candidates: None };
        let mut out = Vec::new();
        let ends = ends.map(|body| body.x.as_slice());
        METHOD.detect(&walk, ends, &mut Vec::new(), &mut Vec::new(), &mut out);
        out
    }

    #[test]
    fn a_point_meets_the_triangle_that_it_would_pass() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let t = Body::triangles(&[[0, 1, 2]], &corners);
        let (from, to) = (Body::points(&[[0.2, 0.3, 5.0]]), Body::points(&[[0.2, 0.3, -5.0]]));
        let out = run(&t, &from, [&t, &to]);
        assert_eq!((out.len(), out[0].elements, out[0].normal), (1, [0, 0], Vec3::z()));
        assert!((out[0].points[0] - Vec3::new(0.2, 0.3, 0.0)).norm() < 1e-12);
        assert_eq!(out[0].points[1], Vec3::new(0.2, 0.3, 5.0));
        assert!((out[0].value - (5.0 - 1e-3)).abs() < 1e-12);
        assert!(run(&t, &from, [&t, &from]).is_empty());
    }

    #[test]
    fn lines_meet_where_they_cross_on_their_way() {
        let l = Body::lines(&[[0, 1]], &[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
        let at = |z: f64| Body::lines(&[[0, 1]], &[[0.5, -1.0, z], [0.5, 3.0, z]]);
        let out = run(&l, &at(2.0), [&l, &at(-2.0)]);
        assert_eq!(out.len(), 1);
        assert!((out[0].normal - Vec3::z()).norm() < 1e-6, "{:?}", out[0]);
        assert!((out[0].points[0] - Vec3::new(0.5, 0.0, 0.0)).norm() < 1e-9);
        assert!((out[0].points[1] - Vec3::new(0.5, 0.0, 2.0)).norm() < 1e-9);
        assert!(run(&l, &at(2.0), [&l, &at(1.0)]).is_empty(), "SOFA's makes numbers that are none of these");
    }

    #[test]
    fn only_these_kinds() {
        use ModelKind::{Line, Point, Sphere, Triangle};
        let order = |a, b| IntersectionMethod::TightInclusion(METHOD).order(a, b);
        assert_eq!([order(Triangle, Point), order(Line, Line)], [Order::LaterFirst; 2]);
        assert_eq!(order(Point, Triangle), Order::EarlierFirst);
        for (a, b) in [(Triangle, Triangle), (Triangle, Line), (Point, Point), (Sphere, Triangle)] {
            assert_eq!(order(a, b), Order::Ignored);
        }
    }

    #[test]
    fn nearest_points_of_segments() {
        let x = |a: f64| Vec3::new(a, 0.0, 0.0);
        let y = |a: f64| Vec3::new(0.25, a, 1.0);
        assert_eq!(nearest_weights([x(0.0), x(1.0)], [y(-1.0), y(1.0)]), [0.25, 0.5]);
        assert_eq!(nearest_weights([x(0.0), x(1.0)], [y(1.0), y(2.0)]), [0.25, 0.0]);
        assert_eq!(nearest_weights([x(1.0), x(2.0)], [y(-1.0), y(1.0)]), [0.0, 0.5]);
    }
}
