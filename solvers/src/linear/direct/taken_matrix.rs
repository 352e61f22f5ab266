//! The numbers of a system's matrix as they were in a step, to be factorised beside later ones.

use super::scalar_matrix::{Entries, ScalarMatrix};
use crate::linear::system::SystemMatrix;

/// What tells patterns apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternKey {
    /// How many times the system may have become another one.
    pub generation: u64,
    /// The version of the system's pattern.
    pub version: u64,
}

/// A copy of a system's matrix.
#[derive(Clone, Debug, Default)]
pub struct TakenMatrix {
    /// Its pattern; none where nothing was taken.
    pub pattern: Option<PatternKey>,
    /// The matrix.
    pub matrix: ScalarMatrix,
}

impl TakenMatrix {
    /// Takes the present numbers.
    pub fn take(&mut self, system: &SystemMatrix, generation: u64, entries: Entries) {
        let pattern = Some(PatternKey { generation, version: system.version() });
        if self.pattern != pattern {
            self.matrix.find_places(system, entries);
            self.pattern = pattern;
        }
        self.matrix.take_values(system);
    }
}
