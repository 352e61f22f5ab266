//! What a factorisation fails of.

/// The matrix cannot be factorised this way, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is singular, or not of the kind that the factorisation is for")]
pub struct Singular;
