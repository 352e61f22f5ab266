//! What is wrong with a scene, and how bad users take it to be.

pub use diagnostics::{Diagnostic, Location, Severity, did_you_mean, nearest};

/// How bad the two things are about which users differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeverityMode {
    /// A component that Weft does not have.
    pub unknown_component: Severity,
    /// An attribute that a component does not have.
    pub unknown_attribute: Severity,
}

impl SeverityMode {
    /// Of `run` and `view`.
    pub const NORMAL: Self =
        Self { unknown_component: Severity::Error, unknown_attribute: Severity::Warning };
    /// Of `--strict`, and of `check`.
    pub const STRICT: Self = Self { unknown_component: Severity::Error, unknown_attribute: Severity::Error };
    /// Of `--lenient`.
    pub const LENIENT: Self =
        Self { unknown_component: Severity::Warning, unknown_attribute: Severity::Warning };
    /// Of `check --lenient`.
    pub const CHECK_LENIENT: Self =
        Self { unknown_component: Severity::Warning, unknown_attribute: Severity::Error };
}

impl Default for SeverityMode {
    fn default() -> Self {
        Self::NORMAL
    }
}
