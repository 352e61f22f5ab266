//! One spring.

use sim_core::math::{Deriv, Mat3, Real, Vec3};

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

/// The tangent of a spring in as many dimensions as its points have: D = s n nᵀ + t I.
///
/// **Source:** as SOFA: the elongation's velocity is held, so damping enters t = phi / d only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tangent<P = Vec3> {
    /// Direction.
    pub n: P,
    /// Stiffness along it, less t [N/m].
    pub s: Real,
    /// Stiffness across it: force / length [N/m].
    pub t: Real,
}

impl<P: Deriv> Tangent<P> {
    /// An entry of the matrix.
    #[inline]
    fn entry(&self, r: usize, c: usize) -> Real {
        let product = (self.s * self.n.scalar(r)) * self.n.scalar(c);
        if r == c { product + self.t } else { product }
    }

    /// Three rows and three columns of the matrix; zero beyond its end.
    pub fn block(&self, row: usize, column: usize) -> Mat3 {
        Mat3::from_fn(|i, j| {
            let (r, c) = (3 * row + i, 3 * column + j);
            if r < P::SIZE && c < P::SIZE { self.entry(r, c) } else { 0.0 }
        })
    }

    /// D u.
    pub fn times(&self, u: &P) -> P {
        self.n * (self.s * self.n.inner(u)) + *u * self.t
    }

    /// Calls `add` with the blocks of factor dF/dx of a spring with this tangent: their place, and what is there. A block's row and
    /// column are each an end (0 or 1), and a number among the blocks of its point.
    pub fn each_block(&self, factor: Real, mut add: impl FnMut([usize; 2], [usize; 2], &Mat3)) {
        for row in 0..P::BLOCKS {
            for column in 0..P::BLOCKS {
                let block = self.block(row, column) * factor;
                add([0, row], [0, column], &-block);
                add([0, row], [1, column], &block);
                add([1, row], [0, column], &block);
                add([1, row], [1, column], &-block);
            }
        }
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
    pub fn force<P: Deriv>(&self, x_i: &P, x_j: &P, v_i: &P, v_j: &P) -> Option<(P, Tangent<P>)> {
        let u = *x_j - *x_i;
        let d = u.inner(&u).sqrt();
        (d > self.threshold()).then(|| self.along(u, d, *v_j - *v_i))
    }

    /// The same of a spring that only pushes: it acts where it is shorter than its rest length, and longer than nothing.
    pub fn push<P: Deriv>(&self, x_i: &P, x_j: &P, v_i: &P, v_j: &P) -> Option<(P, Tangent<P>)> {
        let u = *x_j - *x_i;
        let d = u.inner(&u).sqrt();
        (d != 0.0 && d < self.length).then(|| self.along(u, d, *v_j - *v_i))
    }

    /// Of a spring along `u`, of length `d`, with the velocity of its second end against the first.
    #[inline]
    fn along<P: Deriv>(&self, u: P, d: Real, v: P) -> (P, Tangent<P>) {
        let inverse = 1.0 / d;
        let n = u * inverse;
        let phi = self.stiffness * (d - self.length) + self.damping * n.inner(&v);
        let t = phi * inverse;
        (n * phi, Tangent { n, s: self.stiffness - t, t })
    }

    /// Potential energy [J].
    pub fn energy<P: Deriv>(&self, x_i: &P, x_j: &P) -> Real {
        let u = *x_j - *x_i;
        let d = u.inner(&u).sqrt();
        if d > self.threshold() { 0.5 * self.stiffness * (d - self.length) * (d - self.length) } else { 0.0 }
    }
}
