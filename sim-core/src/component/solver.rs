//! Solvers: sequences of visitors and loops, recorded once.

/// An ODE solver.
pub trait OdeSolver: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
}

/// A linear solver.
pub trait LinearSolver: Send + Sync {
    /// SOFA's class name.
    fn class(&self) -> &'static str;
}
