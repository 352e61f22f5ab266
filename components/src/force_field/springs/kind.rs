//! What tells fields of springs apart.

/// What distinguishes the fields of springs on one state once they are built.
pub trait SpringKind: Send + Sync + 'static {
    /// SOFA's class name.
    const NAME: &'static str;
    /// Whether their stiffness is in assembled matrices.
    const ASSEMBLED: bool;
}
