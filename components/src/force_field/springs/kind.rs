//! What tells fields of springs apart.

use sim_core::math::Real;

use super::spring::SHORTEST;

/// What distinguishes the fields of springs on one state once they are built.
pub trait SpringKind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether their stiffness is in assembled matrices.
    const ASSEMBLED: bool;
    /// Length up to which a spring has no direction and does nothing [m].
    const SHORTEST: Real = SHORTEST;
}
