//! One spring.

use engine::data::InnerProduct;
use sim_core::math::{Mat3, Real, Vec3};

/// A spring from point `i` to point `j`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its first end.
    pub i: u32,
    /// Its second end.
    pub j: u32,
    /// Stiffness [N/m].
    pub stiffness: Real,
    /// Damping along its direction [N s/m].
    pub damping: Real,
    /// Rest length [m].
    pub length: Real,
    /// Whether it only pulls.
    pub elongation_only: bool,
}

/// Below this length a spring has no direction and does nothing.
pub(super) const SHORTEST: Real = 1e-9;

/// The tangent of a spring: D = s n nᵀ + t I.
///
/// **Source:** as SOFA: the elongation's velocity is held, so damping enters t = phi / d only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tangent {
    /// Direction.
    pub n: Vec3,
    /// Stiffness along it, less t [N/m].
    pub s: Real,
    /// Stiffness across it: force / length [N/m].
    pub t: Real,
}

impl Tangent {
    /// The matrix, entry by entry in the order of multiplications that products use.
    pub fn matrix(&self) -> Mat3 {
        let entry = |r: usize, c: usize| {
            let product = (self.s * self.n[r]) * self.n[c];
            if r == c { product + self.t } else { product }
        };
        Mat3::from_fn(entry)
    }

    /// D u.
    pub fn times(&self, u: &Vec3) -> Vec3 {
        let m = self.matrix();
        let row = |r: usize| (m[(r, 0)] * u.x + m[(r, 1)] * u.y) + m[(r, 2)] * u.z;
        Vec3::new(row(0), row(1), row(2))
    }
}

impl Spring {
    /// A spring between two points of a mesh: stiffness and damping are given for unit length.
    pub fn per_length(i: u32, j: u32, stiffness: Real, damping: Real, length: Real) -> Self {
        let divisor = if length > 2.2e-16 { length } else { 1.0 };
        let (stiffness, damping) = (stiffness / divisor, damping / divisor);
        Self { i, j, stiffness, damping, length, elongation_only: false }
    }

    /// The length from which it acts.
    pub(super) fn threshold(&self) -> Real {
        if self.elongation_only { self.length.max(SHORTEST) } else { SHORTEST }
    }

    /// The force on the first end (minus it acts on the second) and the tangent; none where the spring does nothing.
    ///
    /// phi = ks (d - L) + kd n . (v_j - v_i), f_i = phi n.
    pub fn force(&self, x_i: &Vec3, x_j: &Vec3, v_i: &Vec3, v_j: &Vec3) -> Option<(Vec3, Tangent)> {
        let u = x_j - x_i;
        let d = u.inner(&u).sqrt();
        if d > self.threshold() {
            let inverse = 1.0 / d;
            let n = u * inverse;
            let phi = self.stiffness * (d - self.length) + self.damping * n.inner(&(v_j - v_i));
            let t = phi * inverse;
            Some((n * phi, Tangent { n, s: self.stiffness - t, t }))
        } else {
            None
        }
    }

    /// Potential energy [J].
    pub fn energy(&self, x_i: &Vec3, x_j: &Vec3) -> Real {
        let d = (x_j - x_i).norm();
        if d > self.threshold() { 0.5 * self.stiffness * (d - self.length) * (d - self.length) } else { 0.0 }
    }
}
