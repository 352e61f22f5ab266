//! Under which names a direct solver keeps what outlives a recording.

/// Names of what is kept with the states of a group. Two that make factors of the same group, for different uses, have different names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptNames {
    /// The matrix, with the first object of its system.
    pub system: &'static str,
    /// The buffers of a solution, with the same.
    pub solution: &'static str,
    /// How often factors have served, with the first object of the group.
    pub clock: &'static str,
    /// The factors, with each independent state.
    pub factors: &'static str,
}

impl KeptNames {
    /// Of what solves, or serves one that does.
    pub const OF_SOLVER: Self = Self {
        system: "system",
        solution: "direct solution",
        clock: "clock of factors",
        factors: "factors of its system",
    };
    /// Of a compliance that a constraint correction finds once.
    pub const OF_COMPLIANCE: Self = Self {
        system: "system of a compliance",
        solution: "solution by a compliance",
        clock: "clock of a compliance",
        factors: "factors of a compliance",
    };
}
