//! What a material sees of a deformation.

use sim_core::math::{Mat3, Vec3};

/// The right Cauchy-Green tensor of a deformation gradient, and its invariants.
#[derive(Clone, Copy, Debug)]
pub struct Strain {
    /// C = Fᵀ F.
    pub c: Mat3,
    /// C⁻¹; not finite where C has none.
    pub inverse: Mat3,
    /// Trace of C.
    pub i1: f64,
    /// Second invariant of C.
    pub i2: f64,
    /// Determinant of F: negative where the element is inverted.
    pub j: f64,
    /// Eigenvalues of C, the squares of the stretches.
    pub eigenvalues: Vec3,
    /// Their directions, as columns.
    pub directions: Mat3,
}

impl Strain {
    /// Of a deformation gradient.
    pub fn new(f: Mat3) -> Self {
        let c = f.transpose() * f;
        let i1 = c.trace();
        let inverse = c.try_inverse().unwrap_or(Mat3::repeat(f64::NAN));
        let (i2, j) = (0.5 * (i1 * i1 - c.dot(&c)), f.determinant());
        Self { c, inverse, i1, i2, j, eigenvalues: Vec3::zeros(), directions: Mat3::zeros() }
    }

    /// The same with eigenvalues and directions, where the law wants them.
    pub fn spectral(mut self) -> Self {
        if self.c.iter().all(|c| c.is_finite()) {
            let eigen = self.c.symmetric_eigen();
            (self.eigenvalues, self.directions) = (eigen.eigenvalues, eigen.eigenvectors);
        }
        self
    }

    /// A power of C.
    pub fn power(&self, p: f64) -> Mat3 {
        let v = &self.directions;
        v * Mat3::from_diagonal(&self.eigenvalues.map(|l| l.powf(p))) * v.transpose()
    }
}

/// How a power of C changes where C changes by a symmetric `h`.
pub fn power_of(s: &Strain, p: f64, h: &Mat3) -> Mat3 {
    let (v, l) = (&s.directions, &s.eigenvalues);
    let local = v.transpose() * h * v;
    let slope = |i: usize, k: usize| {
        let difference = l[i] - l[k];
        // Of nearly equal stretches, the derivative in the middle, since the difference has no digits.
        if difference.abs() > 1e-6 * l[i].abs() {
            (l[i].powf(p) - l[k].powf(p)) / difference
        } else {
            p * (0.5 * (l[i] + l[k])).powf(p - 1.0)
        }
    };
    v * Mat3::from_fn(|i, k| local[(i, k)] * slope(i, k)) * v.transpose()
}
