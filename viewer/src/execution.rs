//! Who computes, as a panel shows it and a user chooses it.

/// How a simulation is run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// Number of workers.
    pub workers: usize,
    /// What places objects on workers: one of [`Choices::partitioners`].
    pub partitioner: &'static str,
    /// What runs the graphs: one of [`Choices::executors`].
    pub executor: &'static str,
}

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Number of workers at most; 0 where nothing can be chosen.
    pub most_workers: usize,
    /// Names of partitioners.
    pub partitioners: Vec<&'static str>,
    /// Names of executors.
    pub executors: Vec<&'static str>,
}
