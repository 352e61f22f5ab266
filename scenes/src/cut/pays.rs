//! Whether it pays to cut a body that nobody asked to cut.

use sim_core::component::description::Family;

use super::part::{Body, Part};
use crate::element::Element;
use crate::registry::Registry;

/// Whether a body, whatever else the scene does with it, is as fast on one core when it is cut: nothing but what is dealt out takes
/// part in the products of its linear solver, which needs no matrix, and nobody names its state.
pub(super) fn pays(body: &Body<'_>, parts: &[Part], registry: &Registry) -> bool {
    let mut parts = body.node.children.iter().zip(parts);
    !body.named_elsewhere
        && body.has_no_matrix
        && parts.all(|(e, p)| !matches!(p, Part::NeedsWhole) || keeps_out_of_products(e, registry))
}

/// Whether it (and all below) has no part in the products of a linear solver; contacts may.
fn keeps_out_of_products(e: &Element, registry: &Registry) -> bool {
    if e.is_node() {
        return e.children.iter().all(|c| keeps_out_of_products(c, registry));
    }
    registry.find(&e.class).is_some_and(|d| {
        !matches!(
            d.family,
            Family::Mass
                | Family::ForceField
                | Family::InteractionForceField
                | Family::Constraint
                | Family::LagrangianConstraint
                | Family::ConstraintSolver
                | Family::ConstraintCorrection
                | Family::OdeSolver
                | Family::LinearSolver
        )
    })
}
