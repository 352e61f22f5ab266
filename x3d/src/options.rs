//! How much may be loaded, and how.

/// What a load may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Most nodes that a scene may have, prototypes and inlined files expanded.
    pub max_nodes: usize,
    /// Most values of fields that it may have; they are most of its memory.
    pub max_values: usize,
    /// Most instances of prototypes and inlined files that a load may bring: those that double each other are refused early. What Inline nodes
    /// show later is loaded by itself.
    pub max_contexts: usize,
    /// Most bytes that a file may have, unpacked; below 2 GiB.
    pub max_file_bytes: u64,
    /// Whether what Inline nodes show is loaded, too.
    pub loads_inlines: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            max_nodes: 5_000_000,
            max_values: 60_000_000,
            max_contexts: 250_000,
            max_file_bytes: 1 << 30,
            loads_inlines: true,
        }
    }
}
