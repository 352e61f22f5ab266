//! The numbers of solvers of multipliers by sweeps.

use super::null_space::NullSpace;

/// What the solvers of this family have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepSettings {
    /// Greatest number of sweeps.
    pub max_iterations: u32,
    /// Error at which sweeps end.
    pub tolerance: f64,
    /// Successive over-relaxation: the share of each sweep that is taken.
    pub sor: f64,
    /// Whether objects move by what is taken of a sweep where no matrix is built; else by all of it, as in SOFA.
    pub moves_by_relaxed: bool,
    /// Whether the integrator's factors count where no matrix is built; else they are left out, as in SOFA.
    pub exact_factors: bool,
    /// Added to the diagonal of W.
    pub regularization: f64,
    /// Only to rows in this null space.
    pub null_space: Option<NullSpace>,
    /// Whether the tolerance is multiplied by the number of rows.
    pub scale_tolerance: bool,
    /// Whether every row must be within the tolerance by itself.
    pub all_verified: bool,
}

impl Default for SweepSettings {
    fn default() -> Self {
        Self {
            max_iterations: 1000,
            tolerance: 1e-3,
            sor: 1.0,
            moves_by_relaxed: false,
            exact_factors: false,
            regularization: 0.0,
            null_space: None,
            scale_tolerance: true,
            all_verified: false,
        }
    }
}

impl SweepSettings {
    /// The tolerance for a number of rows.
    pub(super) fn tolerance_of(&self, rows: usize) -> f64 {
        if self.scale_tolerance && !self.all_verified { self.tolerance * rows as f64 } else { self.tolerance }
    }
}
