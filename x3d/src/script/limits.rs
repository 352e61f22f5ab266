//! How much a Script may do.

/// Limits of Scripts. They are counted, not measured: a Script reaches them at the same place in each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Loops and calls in one call of a Script's function; what it asks of the graph counts a thousand each. Counted by the ten
    /// thousand.
    pub steps: u64,
    /// What all Scripts of a runtime may hold \[bytes\].
    pub memory: usize,
    /// How deep they may call \[bytes\].
    pub stack: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 20_000_000, memory: 64 << 20, stack: 256 << 10 }
    }
}
