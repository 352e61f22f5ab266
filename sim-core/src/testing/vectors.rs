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
        Self::of_rows(in_blocks(d, PADDING), 3 * D::BLOCKS * d.len())
    }
    /// To be multiplied with the scalars of blocks; the product has `n` of them.
    pub fn of_rows(d: Vec<f64>, n: usize) -> Self {
        Self { d, result: vec![0.0; n], blocks: 0 }
    }
    /// The scalars of the product's blocks: of what a degree of freedom has not, they must be zero.
    pub fn scalars(&self) -> &[f64] {
        &self.result
    }
    /// The product.
    ///
    /// # Panics
    /// Where blocks wrote into rows or columns that their degree of freedom has not.
    pub fn product<D: Deriv>(&self) -> Vec<D> {
        let one = |blocks: &[f64]| {
            let (own, beyond) = blocks.split_at(D::SIZE);
            assert!(beyond.iter().all(|s| *s == 0.0), "a block is not zero beyond its degree of freedom");
            D::from_scalars(own).unwrap_or_default()
        };
        self.result.chunks(3 * D::BLOCKS).map(one).collect()
    }
}

/// What fills the blocks of a vector up that is multiplied: a column that should be zero and is not shows.
pub(super) const PADDING: f64 = 7.5;

/// The scalars of a vector's blocks, filled up with a number.
pub(super) fn in_blocks<D: Deriv>(v: &[D], padding: f64) -> Vec<f64> {
    let scalar = |d: &D, k: usize| if k < D::SIZE { d.scalar(k) } else { padding };
    v.iter().flat_map(|d| (0..3 * D::BLOCKS).map(move |k| scalar(d, k))).collect()
}

impl BlockSink for Product {
    fn add_block(&mut self, row: u32, column: u32, block: &Mat3) {
        let (r, c) = (3 * row as usize, 3 * column as usize);
        let (rows, columns) = (self.result.len() / 3, self.d.len() / 3);
        assert!(
            r < self.result.len() && c < self.d.len(),
            "a block in row {row} and column {column} of an assembled matrix of {rows} rows and {columns} columns"
        );
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
