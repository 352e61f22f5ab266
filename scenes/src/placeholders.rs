//! Linear solvers that Weft does not have: accepted where nothing uses them, as in scenes with an explicit integrator.

use sim_core::component::description::{ComponentDescription, Family};

use crate::ignored::without_attributes;

/// SOFA's linear solvers besides those of Weft.
const CLASSES: &[&str] = &["ParallelCGLinearSolver"];

/// The descriptions; a real class of the same name replaces them in the registry.
pub fn all() -> Vec<ComponentDescription> {
    let description = |class: &&'static str| {
        without_attributes(Family::LinearSolver, class)
            .summary("Accepted, not built: an error where a solver of its node would use it")
    };
    CLASSES.iter().map(description).collect()
}

/// Whether a class is such a placeholder; the real ones have attributes.
pub fn is_placeholder(description: &ComponentDescription) -> bool {
    description.attributes.is_empty() && CLASSES.contains(&description.class)
}
