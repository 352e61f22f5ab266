//! Which part of its geometric stiffness a mapping adds to the tangent.

use sim_core::prelude::*;

/// Which part of a mapping's geometric stiffness joins the tangent.
///
/// **Source:** as SOFA's option group: a name or its number. Stabilized keeps what cannot make the tangent indefinite; a
/// distance does that while it pulls its ends together, which is a negative force on it.
#[derive(Clone, Copy, Debug, Word, PartialEq, Eq)]
pub enum GeometricStiffness {
    /// None of it.
    #[word("None", "0")]
    None,
    /// All of it.
    #[word("Exact", "1")]
    Exact,
    /// What keeps the tangent definite.
    #[word("Stabilized", "2")]
    Stabilized,
}

impl GeometricStiffness {
    /// Whether the part under a scalar force counts.
    pub fn counts(self, force: Real) -> bool {
        match self {
            Self::None => false,
            Self::Exact => true,
            Self::Stabilized => force < 0.0,
        }
    }
}
