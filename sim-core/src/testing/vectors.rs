//! Vectors and matrices as the checks compare them.

use crate::component::matrix::{BlockSink, BlockSinkBetween, End};
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
        Self::of_rows(flat(d), d.len() * D::SIZE)
    }
    /// To be multiplied with scalars; the product has `n` of them.
    pub fn of_rows(d: Vec<f64>, n: usize) -> Self {
        Self { d, result: vec![0.0; n], blocks: 0 }
    }
    /// The scalars of the product.
    pub fn scalars(&self) -> &[f64] {
        &self.result
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

/// A matrix over two states as one over both, the first state's blocks before the second's.
pub(super) struct Joined<'a, S> {
    /// Takes the blocks.
    pub sink: &'a mut S,
    /// Block rows of the first state.
    pub n_first: u32,
}

impl<S: BlockSink> BlockSinkBetween for Joined<'_, S> {
    fn add_block(&mut self, row: (End, u32), column: (End, u32), block: &Mat3) {
        let place = |(end, k): (End, u32)| if end == End::First { k } else { self.n_first + k };
        let (row, column) = (place(row), place(column));
        self.sink.add_block(row, column, block);
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
