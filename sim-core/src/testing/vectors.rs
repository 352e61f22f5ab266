//! Vectors and matrices as the checks compare them.

use crate::component::matrix::BlockSink;
use crate::math::{Deriv, Mat3, Real, Vec3};

/// Multiplies a vector with the blocks as they come.
pub(super) struct Product {
    d: Vec<f64>,
    result: Vec<f64>,
    /// How many blocks came.
    pub blocks: usize,
}

impl Product {
    /// To be multiplied with `d`.
    pub fn with<D: Deriv>(d: &[D]) -> Self {
        Self { d: flat(d), result: vec![0.0; d.len() * D::SIZE], blocks: 0 }
    }
    /// The product.
    pub fn product<D: Deriv>(&self) -> Vec<D> {
        self.result.chunks(D::SIZE).map(|c| D::from_scalars(c).unwrap_or_default()).collect()
    }
}

impl BlockSink for Product {
    fn add_block(&mut self, row: u32, column: u32, block: &Mat3) {
        let (r, c) = (3 * row as usize, 3 * column as usize);
        let product = block * Vec3::from_column_slice(&self.d[c..c + 3]);
        for (sum, p) in self.result[r..r + 3].iter_mut().zip(product.iter()) {
            *sum += p;
        }
        self.blocks += 1;
    }
}

/// The scalars.
pub(super) fn flat<D: Deriv>(v: &[D]) -> Vec<f64> {
    let mut out = Vec::with_capacity(v.len() * D::SIZE);
    for d in v {
        d.scalars(&mut out);
    }
    out
}

/// The inner product.
pub(super) fn inner<D: Deriv>(a: &[D], b: &[D]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.inner(b)).sum()
}

/// (a - b) / h.
pub(super) fn difference<D: Deriv>(a: &[D], b: &[D], h: f64) -> Vec<D> {
    a.iter().zip(b).map(|(a, b)| (*a - *b) * (1.0 / h)).collect()
}

/// Compares scalars within a tolerance relative to the largest.
///
/// # Panics
/// Where they disagree, saying what and where.
pub(super) fn compare(what: &str, a: &[f64], b: &[f64], tolerance: Real) {
    assert_eq!(a.len(), b.len(), "{what}: different lengths");
    let scale = a.iter().chain(b).fold(1e-12_f64, |m, s| m.max(s.abs()));
    for (i, (s, t)) in a.iter().zip(b).enumerate() {
        assert!(
            (s - t).abs() <= tolerance * scale,
            "{what} disagree at scalar {i}: {s:e} and {t:e} (scale {scale:e})"
        );
    }
}
