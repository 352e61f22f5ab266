//! Where the facets of two cores lie over each other: the corners of what they share, seen along the normal.

use sim_core::math::Vec3;

use super::support::{CORNERS, Facet};
use crate::collision::solids::around;

/// What a corner of the shared part is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Corner {
    /// A corner of the first facet, over the second.
    OfFirst(usize),
    /// A corner of the second facet, over the first.
    OfSecond(usize),
    /// Where an edge of the first crosses one of the second; each begins at the corner with its number.
    Crossing(usize, usize),
}

/// A corner of the shared part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub corner: Corner,
    /// On both cores [m].
    pub points: [Vec3; 2],
    /// How far these are apart along the normal [m].
    pub gap: f64,
    /// Where it is in the plane across the normal [m].
    pub flat: [f64; 2],
}

/// Most corners of the shared part: all of two facets, and two for each edge of one of them.
pub(super) const SPOTS: usize = 4 * CORNERS;

/// The shared part of two facets.
pub(super) struct Patch {
    spots: [Option<Spot>; SPOTS],
    len: usize,
}

/// Below this angle, as its sine, two segments lie along each other.
const PARALLEL: f64 = 0.02;
/// What rounding may come to, as a share of the size of a facet.
const ROUNDING: f64 = 1e-9;

/// How far beside a segment a corner lies on it, as a share of its length: the normal between an edge and a corner is known to half of
/// its digits.
const BESIDE: f64 = 1e-6;

type Flat = [f64; 2];

/// A facet seen along the normal.
struct Seen<'a> {
    facet: &'a Facet,
    flat: [Flat; CORNERS],
    origin: Vec3,
    /// Normal, and the axes of the plane across it.
    n: Vec3,
    axes: [Vec3; 2],
    tolerance: f64,
}

fn cross(a: Flat, b: Flat) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}
fn minus(a: Flat, b: Flat) -> Flat {
    [a[0] - b[0], a[1] - b[1]]
}
fn dot(a: Flat, b: Flat) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

impl<'a> Seen<'a> {
    fn new(facet: &'a Facet, n: Vec3, axes: [Vec3; 2], origin: Vec3) -> Self {
        let mut flat = [[0.0; 2]; CORNERS];
        let mut size = 0.0f64;
        for (f, corner) in flat.iter_mut().zip(&facet.corners[..facet.len]) {
            let p = corner - origin;
            *f = [axes[0].dot(&p), axes[1].dot(&p)];
            size = size.max((corner - facet.corners[0]).norm());
        }
        Self { facet, flat, origin, n, axes, tolerance: ROUNDING * size }
    }

    fn len(&self) -> usize {
        self.facet.len
    }

    /// Number of edges; those of a segment are one.
    fn edges(&self) -> usize {
        if self.len() == 2 { 1 } else { self.len() }
    }

    fn edge(&self, k: usize) -> [Flat; 2] {
        [self.flat[k], self.flat[(k + 1) % self.len()]]
    }

    /// Whether a place is inside of a polygon, or on its rim.
    fn holds(&self, q: Flat) -> bool {
        if self.len() < 3 {
            return false;
        }
        let (mut left, mut right) = (false, false);
        for k in 0..self.len() {
            let [a, b] = self.edge(k);
            let along = minus(b, a);
            let side = cross(along, minus(q, a));
            let tolerance = self.tolerance * dot(along, along).sqrt();
            left |= side > tolerance;
            right |= side < -tolerance;
        }
        !(left && right)
    }

    /// The point of a polygon, or of a segment if `on_edges`, at a place that is on it.
    fn over(&self, q: Flat, on_edges: bool) -> Option<Vec3> {
        if self.len() != 2 || !on_edges {
            return self.holds(q).then(|| self.at(q));
        }
        let [a, b] = self.edge(0);
        let (along, way) = (minus(b, a), minus(q, a));
        let length = dot(along, along).sqrt();
        let t = dot(along, way) / (length * length);
        let is_on =
            cross(along, way).abs() <= BESIDE * length * length && (-BESIDE..=1.0 + BESIDE).contains(&t);
        is_on.then(|| self.along(0, t.clamp(0.0, 1.0)))
    }

    /// The point of a polygon at a place.
    fn at(&self, q: Flat) -> Vec3 {
        let across = self.origin + self.axes[0] * q[0] + self.axes[1] * q[1];
        let slope = self.facet.normal.dot(&self.n);
        across + self.n * (self.facet.normal.dot(&(self.facet.corners[0] - across)) / slope)
    }

    /// The point of an edge, of a polygon or a segment, at a share of its length.
    fn along(&self, k: usize, t: f64) -> Vec3 {
        let [a, b] = [self.facet.corners[k], self.facet.corners[(k + 1) % self.len()]];
        a + (b - a) * t
    }
}

impl Patch {
    /// Of two facets that face each other along `n`, a unit vector from the first to the second. `on_edges`: a corner of one that lies on
    /// a segment counts as such; of those who choose among spots the crossings beside it are enough.
    pub fn new(first: &Facet, second: &Facet, n: Vec3, on_edges: bool) -> Self {
        let mut patch = Self { spots: [None; SPOTS], len: 0 };
        let [u, _, v] = around(n);
        let (a, b) =
            (Seen::new(first, n, [u, v], first.corners[0]), Seen::new(second, n, [u, v], first.corners[0]));
        let add = |patch: &mut Self, corner, flat, p: Vec3, q: Vec3| {
            patch.add(corner, flat, [p, q], (q - p).dot(&n))
        };
        if a.len() == 2 && b.len() == 2 && patch.along_each_other(&a, &b) {
            return patch;
        }
        for k in 0..a.len() {
            if let Some(q) = b.over(a.flat[k], on_edges) {
                add(&mut patch, Corner::OfFirst(k), a.flat[k], first.corners[k], q);
            }
        }
        for k in 0..b.len() {
            if let Some(p) = a.over(b.flat[k], on_edges) {
                add(&mut patch, Corner::OfSecond(k), b.flat[k], p, second.corners[k]);
            }
        }
        for i in 0..a.edges() {
            for j in 0..b.edges() {
                let ([p0, p1], [q0, q1]) = (a.edge(i), b.edge(j));
                let (d, e, w) = (minus(p1, p0), minus(q1, q0), minus(q0, p0));
                let area = cross(d, e);
                let (s, t) = (cross(w, e) / area, cross(w, d) / area);
                if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
                    let flat = [p0[0] + d[0] * s, p0[1] + d[1] * s];
                    add(&mut patch, Corner::Crossing(i, j), flat, a.along(i, s), b.along(j, t));
                }
            }
        }
        patch
    }

    /// Two segments that lie along each other: the ends of each beside the other one. Says whether they do.
    fn along_each_other(&mut self, a: &Seen<'_>, b: &Seen<'_>) -> bool {
        let ([p0, p1], [q0, q1]) = (a.edge(0), b.edge(0));
        let (d, e) = (minus(p1, p0), minus(q1, q0));
        let (dd, ee) = (dot(d, d), dot(e, e));
        if dd == 0.0 || ee == 0.0 || cross(d, e).abs() > PARALLEL * (dd * ee).sqrt() {
            return false;
        }
        // Beside each other they are a little farther apart than along the normal.
        let gap = |p: Vec3, q: Vec3| {
            let (along, apart) = ((q - p).dot(&a.n), (q - p).norm());
            if along > 0.0 { apart } else { along }
        };
        for (k, p) in [p0, p1].into_iter().enumerate() {
            let t = dot(minus(p, q0), e) / ee;
            if (0.0..=1.0).contains(&t) {
                let (p_at, q_at) = (a.facet.corners[k], b.along(0, t));
                self.add(Corner::OfFirst(k), p, [p_at, q_at], gap(p_at, q_at));
            }
        }
        for (k, q) in [q0, q1].into_iter().enumerate() {
            let t = dot(minus(q, p0), d) / dd;
            if (0.0..=1.0).contains(&t) {
                let (p_at, q_at) = (a.along(0, t), b.facet.corners[k]);
                self.add(Corner::OfSecond(k), q, [p_at, q_at], gap(p_at, q_at));
            }
        }
        self.len > 0
    }

    fn add(&mut self, corner: Corner, flat: Flat, points: [Vec3; 2], gap: f64) {
        if gap.is_finite() && self.len < SPOTS {
            self.spots[self.len] = Some(Spot { corner, points, gap, flat });
            self.len += 1;
        }
    }

    /// Its corners.
    pub fn spots(&self) -> impl Iterator<Item = &Spot> {
        self.spots[..self.len].iter().flatten()
    }

    /// The area of a facet [m^2]; of a segment its length, negative, so that it counts as smaller than any polygon.
    pub fn area_of(facet: &Facet) -> f64 {
        let c = &facet.corners;
        if facet.len < 3 {
            return (c[1] - c[0]).norm() - 1e300;
        }
        let fan = (2..facet.len).map(|k| (c[k - 1] - c[0]).cross(&(c[k] - c[0])).dot(&facet.normal));
        fan.sum::<f64>().abs() / 2.0
    }
}

/// The most spots that are chosen of a patch: one for each corner of a facet, and the deepest.
pub(super) const CHOSEN: usize = CORNERS + 1;

impl Patch {
    /// Of its corners those that lie farthest out toward each corner of a facet of both, and the deepest one if it is none of these.
    ///
    /// So a patch has as many contacts whether two boxes of one size lie exactly over each other or are turned by an angle that is too
    /// small to see, and a contact keeps its number as long as the boxes touch.
    pub fn chosen(&self, facet: &Facet, n: &Vec3) -> [Option<Spot>; CHOSEN] {
        let mut chosen = [None; CHOSEN];
        let Some(first) = self.spots().next() else { return chosen };
        let [u, _, v] = around(*n);
        let middle = facet.corners[..facet.len].iter().sum::<Vec3>() / facet.len as f64;
        let mut taken = [false; SPOTS];
        let mut least = f64::INFINITY;
        for (slot, corner) in facet.corners[..facet.len].iter().enumerate() {
            let way = corner - middle;
            let toward = [u.dot(&way), v.dot(&way)];
            // Rounding does not decide between two that are as far.
            let size = dot(toward, toward).sqrt();
            let mut best = (f64::NEG_INFINITY, 0);
            for (k, spot) in self.spots().enumerate() {
                let far = dot(minus(spot.flat, first.flat), toward);
                if far > best.0 + ROUNDING * size * size {
                    best = (far, k);
                }
            }
            if !std::mem::replace(&mut taken[best.1], true) {
                chosen[slot] = self.spots[best.1];
                least = least.min(chosen[slot].map_or(f64::INFINITY, |s| s.gap));
            }
        }
        let deepest = self
            .spots()
            .enumerate()
            .fold((0, f64::INFINITY), |best, (k, s)| if s.gap < best.1 { (k, s.gap) } else { best });
        if !taken[deepest.0] && deepest.1 < least - 1e-9 * (1.0 + least.abs()) {
            chosen[CHOSEN - 1] = self.spots[deepest.0];
        }
        chosen
    }
}
