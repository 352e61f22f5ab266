//! The geometry that the intersection methods share: closest points, and how an output is made of them.

use sim_core::math::Vec3;

use super::DetectionOutput;
use crate::collision::{List, ModelView};

/// The distances of one pair of elements, skins and radii included [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Distances {
    /// Closer than this there is an output.
    pub alarm: f64,
    /// Closer than this there is a force.
    pub contact: f64,
}

impl Distances {
    /// Those of two models: the method's and both skins.
    pub fn of_models(alarm: f64, contact: f64, first: &ModelView, second: &ModelView) -> Self {
        Self { alarm: alarm + first.skin + second.skin, contact: contact + first.skin + second.skin }
    }

    /// Both grown by a radius.
    #[inline]
    pub fn plus(&self, radius: f64) -> Self {
        Self { alarm: self.alarm + radius, contact: self.contact + radius }
    }
}

/// Which direction an output gets whose two points coincide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Coincident {
    /// The first axis.
    FirstAxis,
    /// None: the zero vector, so that the contact exerts nothing, as SOFA's not-a-number does.
    Zero,
}

/// What makes outputs of the points of one pair of models.
pub(super) struct Emitter<'l, L> {
    pub out: &'l mut L,
    pub coincident: Coincident,
}

impl<L: List<DetectionOutput>> Emitter<'_, L> {
    /// Appends an output for these points if they are closer than the alarm distance.
    #[inline]
    pub fn points(&mut self, elements: [u32; 2], id: u32, p: Vec3, q: Vec3, d: &Distances) {
        let pq = q - p;
        let square = pq.dot(&pq);
        if square < d.alarm * d.alarm {
            let (normal, length) = self.direction(pq, square);
            self.out.push(DetectionOutput {
                elements,
                id,
                points: [p, q],
                normal,
                value: length - d.contact,
            });
        }
    }

    /// The unit vector along `pq`, whose square is given, and its length.
    #[inline]
    pub fn direction(&self, pq: Vec3, square: f64) -> (Vec3, f64) {
        let length = square.sqrt();
        let normal = match self.coincident {
            Coincident::FirstAxis if length <= 1e-15 => Vec3::new(1.0, 0.0, 0.0),
            Coincident::Zero if length == 0.0 => Vec3::zeros(),
            _ => pq / length,
        };
        (normal, length)
    }
}

/// The points of element `i` of a triangle model.
#[inline]
pub(super) fn triangle(model: &ModelView, x: &[Vec3], i: u32) -> [Vec3; 3] {
    model.elements[i as usize].vertices.map(|v| x[v as usize])
}

/// The ends of element `i` of a line model.
#[inline]
pub(super) fn line(model: &ModelView, x: &[Vec3], i: u32) -> [Vec3; 2] {
    let [a, b, _] = model.elements[i as usize].vertices;
    [x[a as usize], x[b as usize]]
}

/// The index that names an output of two models of one kind: of the model with more elements, the second if they have as many.
#[inline]
pub(super) fn larger_model_index(n_first: u32, n_second: u32, i: u32, j: u32) -> u32 {
    if n_first > n_second { i } else { j }
}

/// The projection of a point onto the plane of a triangle `(a, b, c)`: `a + alpha ab + beta ac`, and what it was computed from.
#[derive(Clone, Copy, Debug)]
pub(in crate::collision) struct Projection {
    pub ab: Vec3,
    pub ac: Vec3,
    pub alpha: f64,
    pub beta: f64,
    a00: f64,
    a01: f64,
    a11: f64,
    b0: f64,
    b1: f64,
}

impl Projection {
    /// Solves `[ab.ab, ab.ac; ab.ac, ac.ac] (alpha, beta) = (ap.ab, ap.ac)`; a degenerate triangle gives non-finite numbers.
    #[inline]
    pub fn new([a, b, c]: [Vec3; 3], p: Vec3) -> Self {
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let (a00, a01, a11) = (ab.dot(&ab), ab.dot(&ac), ac.dot(&ac));
        let (b0, b1) = (ap.dot(&ab), ap.dot(&ac));
        let det = a00 * a11 - a01 * a01;
        let alpha = (b0 * a11 - b1 * a01) / det;
        let beta = (b1 * a00 - b0 * a01) / det;
        Self { ab, ac, alpha, beta, a00, a01, a11, b0, b1 }
    }

    /// Whether it is inside by the given margins.
    #[inline]
    pub fn is_inside(&self, low: f64, high: f64) -> bool {
        self.alpha >= low && self.beta >= low && self.alpha + self.beta <= high
    }

    /// Place of the point along ab, 0 at a, 1 at b.
    #[inline]
    pub fn along_ab(&self) -> f64 {
        self.b0 / self.a00
    }

    /// Place of the point along ac.
    #[inline]
    pub fn along_ac(&self) -> f64 {
        self.b1 / self.a11
    }

    /// Place of the point along bc, 0 at b, 1 at c.
    #[inline]
    pub fn along_bc(&self) -> f64 {
        (self.b1 - self.b0 + self.a00 - self.a01) / (self.a00 + self.a11 - 2.0 * self.a01)
    }
}

/// Where on the segment `(a, b)` the point projects, unclamped: 0 at a, 1 at b; not a number if it is degenerate.
#[inline]
pub(super) fn along([a, b]: [Vec3; 2], p: Vec3) -> f64 {
    let ab = b - a;
    (p - a).dot(&ab) / ab.dot(&ab)
}

/// The point of a segment nearest to `p`; of a degenerate one its first end.
#[inline]
pub(super) fn nearest_on_segment(s: [Vec3; 2], p: Vec3) -> Vec3 {
    s[0] + (s[1] - s[0]) * unit_clamped(along(s, p))
}

/// `t` clamped to [0, 1]; not a number (of a degenerate element) gives 0.
#[inline]
pub(in crate::collision) fn unit_clamped(t: f64) -> f64 {
    if t > 0.0 { if t < 1.0 { t } else { 1.0 } } else { 0.0 }
}

/// The nearest points of two lines, if both lie within the segments by the margin; for parallel ones their midpoints.
#[inline]
pub(super) fn nearest_of_segments(
    [a, b]: [Vec3; 2],
    [c, d]: [Vec3; 2],
    parallel: f64,
    low: f64,
    high: f64,
) -> Option<(Vec3, Vec3)> {
    let (ab, cd, ac) = (b - a, d - c, c - a);
    let (a00, a11, a01) = (ab.dot(&ab), cd.dot(&cd), -cd.dot(&ab));
    let (b0, b1) = (ab.dot(&ac), -cd.dot(&ac));
    let det = a00 * a11 - a01 * a01;
    let (mut alpha, mut beta) = (0.5, 0.5);
    if det.abs() > parallel {
        alpha = (b0 * a11 - b1 * a01) / det;
        beta = (b1 * a00 - b0 * a01) / det;
        if !(alpha >= low && beta >= low && alpha <= high && beta <= high) {
            return None;
        }
    }
    Some((a + ab * alpha, c + cd * beta))
}
