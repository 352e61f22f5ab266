//! Force fields that give assembled matrices nothing.

use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::DraftScene;

/// Warns of each force field with a tangent that it does not write into the matrix of the solver above it.
///
/// **Source:** as SOFA's: a component without `buildStiffnessMatrix` has its part in the right-hand side, and none in the matrix.
pub fn check_assembled(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    for field in &scene.parts.force_fields {
        let node = scene.component(scene.component_of_state(field.state)).node;
        let is_above = |at| scene.upward(node).any(|n| n == at);
        let mut solvers = scene.solvers.linear.iter().filter(|l| scene.has_component(l.component));
        let Some(solver) = solvers.find(|l| is_above(l.at) && l.node.assembles()) else { continue };
        let mut odes = scene.solvers.ode.iter().filter(|o| scene.has_component(o.component));
        let is_implicit = odes.any(|o| is_above(o.at) && o.node.needs_linear_solver(true));
        if !is_implicit || !field.node.is_left_out_of_matrices() {
            continue;
        }
        let class = scene.component(solver.component).class;
        let message = format!(
            "writes nothing into the matrix of {class}: its stiffness counts on the right-hand side only, and a large one makes steps diverge"
        );
        let finding = draft.finding(Severity::Warning, field.component, message);
        found.push(finding.suggestion(Some("take a CGLinearSolver without a template".to_owned())));
    }
}
