//! Lines, points, balls and meshes against a mesh.

use animation::rig::math::vector::{Vec3 as Point, cross, dot, norm, sub, unit_or};

use super::Affine;

/// A geometry that may be met, in the coordinates of who meets it.
pub(super) struct Target {
    points: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    low: Point,
    high: Point,
}

/// Where a line meets a triangle.
pub(super) struct Hit {
    /// From the line's first point.
    pub distance: f64,
    pub point: Point,
    pub normal: Point,
}

/// Faces of a box whose corner k is at the upper end of axis a where bit a of k is set; counter-clockwise from outside.
const FACES: [[u32; 3]; 12] = [
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

impl Target {
    pub fn mesh(points: Vec<Point>, triangles: Vec<[u32; 3]>) -> Self {
        let (low, high) = extent(&points);
        Self { points, triangles, low, high }
    }

    /// The box around points of the world, along the axes of coordinates that `map` brings into the world; `own` brings the world into who
    /// meets it. None where there is no box.
    pub fn bounds(world: &[Point], map: Affine, own: Affine) -> Option<Self> {
        let back = map.inverse()?;
        let local: Vec<Point> = world.iter().map(|p| back.apply(*p)).collect();
        if local.is_empty() {
            return None;
        }
        let (low, high) = extent(&local);
        let corner = |k: usize| std::array::from_fn(|a| if k >> a & 1 == 1 { high[a] } else { low[a] });
        let points = (0..8).map(|k| own.apply(map.apply(corner(k)))).collect();
        Some(Self::mesh(points, FACES.to_vec()))
    }

    fn corners(&self, triangle: &[u32; 3]) -> [Point; 3] {
        triangle.map(|k| self.points[k as usize])
    }

    fn may_meet(&self, low: Point, high: Point) -> bool {
        (0..3).all(|k| self.low[k] <= high[k] && low[k] <= self.high[k])
    }

    /// Where a line from `a` to `b` meets it; where triangles meet each other, once.
    pub fn hits(&self, a: Point, b: Point) -> Vec<Hit> {
        let (low, high) = extent(&[a, b]);
        let mut hits: Vec<Hit> = Vec::new();
        if !self.may_meet(low, high) {
            return hits;
        }
        let whole = norm(sub(b, a));
        for triangle in &self.triangles {
            let corners = self.corners(triangle);
            let Some(t) = along(a, b, corners) else { continue };
            let point = std::array::from_fn(|k| a[k] + (b[k] - a[k]) * t);
            let normal = unit_or(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])), [0.0; 3]);
            let is_known =
                |h: &Hit| norm(sub(h.point, point)) <= 1e-9 * whole && dot(h.normal, normal) > 1.0 - 1e-9;
            if !hits.iter().any(is_known) {
                hits.push(Hit { distance: t * whole, point, normal });
            }
        }
        hits
    }

    /// Whether a point lies within it, if it is closed: by the solid angle under which its faces are seen.
    pub fn contains(&self, point: Point) -> bool {
        if !self.may_meet(point, point) {
            return false;
        }
        let mut angle = 0.0;
        for triangle in &self.triangles {
            let [a, b, c] = self.corners(triangle).map(|p| sub(p, point));
            let (la, lb, lc) = (norm(a), norm(b), norm(c));
            let above = dot(a, cross(b, c));
            let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
            // On a face: it belongs to it.
            if above.abs() <= 1e-12 * la * lb * lc && below < 0.0 || la * lb * lc == 0.0 {
                return true;
            }
            angle += 2.0 * above.atan2(below);
        }
        angle.abs() > 2.0 * std::f64::consts::PI
    }

    /// Whether it meets a ball around the origin.
    pub fn meets_ball(&self, radius: f64) -> bool {
        self.contains([0.0; 3]) || self.distance([0.0; 3]) <= radius
    }

    /// Whether it meets another one: their faces cut each other, or one is within the other.
    pub fn meets(&self, other: &Self) -> bool {
        if !self.may_meet(other.low, other.high) {
            return false;
        }
        let is_within = |a: &Self, b: &Self| a.points.first().is_some_and(|p| b.contains(*p));
        self.is_cut_by(other) || other.is_cut_by(self) || is_within(self, other) || is_within(other, self)
    }

    /// Whether an edge of another one goes through a face of it.
    fn is_cut_by(&self, other: &Self) -> bool {
        other.triangles.iter().any(|t| {
            let corners = other.corners(t);
            let (low, high) = extent(&corners);
            self.may_meet(low, high)
                && self
                    .triangles
                    .iter()
                    .map(|own| self.corners(own))
                    .any(|own| (0..3).any(|k| along(corners[k], corners[(k + 1) % 3], own).is_some()))
        })
    }

    /// How far its faces are from a point; of points and lines without faces, how far the points are.
    pub fn distance(&self, from: Point) -> f64 {
        let to = |p: Point| norm(sub(p, from));
        let faces = self.triangles.iter().map(|t| to(nearest(from, self.corners(t))));
        let points = self.points.iter().filter(|_| self.triangles.is_empty()).map(|p| to(*p));
        faces.chain(points).fold(f64::INFINITY, f64::min)
    }
}

/// The middle of the box around points.
pub(super) fn middle(points: &[Point]) -> Point {
    if points.is_empty() {
        return [0.0; 3];
    }
    let (low, high) = extent(points);
    std::array::from_fn(|k| (low[k] + high[k]) / 2.0)
}

fn extent(points: &[Point]) -> (Point, Point) {
    let low = |a: Point, p: &Point| std::array::from_fn(|k| a[k].min(p[k]));
    let high = |a: Point, p: &Point| std::array::from_fn(|k| a[k].max(p[k]));
    (points.iter().fold([f64::INFINITY; 3], low), points.iter().fold([f64::NEG_INFINITY; 3], high))
}

/// The share of the way from `a` to `b` at which a triangle is met; a line in its plane does not meet it.
///
/// **Source:** Möller and Trumbore, *Fast, minimum storage ray-triangle intersection*, 1997.
fn along(a: Point, b: Point, [p, q, r]: [Point; 3]) -> Option<f64> {
    let (way, first, second) = (sub(b, a), sub(q, p), sub(r, p));
    let across = cross(way, second);
    let det = dot(first, across);
    let scale = norm(way) * norm(first) * norm(second);
    if det.abs() <= 1e-14 * scale {
        return None;
    }
    let from = sub(a, p);
    let u = dot(from, across) / det;
    let turned = cross(from, first);
    let v = dot(way, turned) / det;
    let t = dot(second, turned) / det;
    let slack = 1e-12;
    (u >= -slack && v >= -slack && u + v <= 1.0 + slack && (-slack..=1.0 + slack).contains(&t)).then_some(t)
}

/// The point of a triangle that is nearest to another point.
///
/// **Source:** Ericson, *Real-Time Collision Detection*, 5.1.5.
fn nearest(p: Point, [a, b, c]: [Point; 3]) -> Point {
    let (ab, ac, ap) = (sub(b, a), sub(c, a), sub(p, a));
    let at = |o: Point, d: Point, t: f64| std::array::from_fn(|k| o[k] + d[k] * t);
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = sub(p, b);
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return at(a, ab, d1 / (d1 - d3));
    }
    let cp = sub(p, c);
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return at(a, ac, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return at(b, sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let whole = va + vb + vc;
    std::array::from_fn(|k| a[k] + ab[k] * (vb / whole) + ac[k] * (vc / whole))
}
