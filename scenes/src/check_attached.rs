//! Points that are attached between two states under a linear solver that assembles its matrix.

use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::DraftScene;

/// Warns of each such attachment: the matrix does not know what a projection of two states makes of it.
///
/// **Source:** as SOFA's: one way, the matrix clears the rows that the second points' numbers have in the first state, and not those of the
/// second points; two ways, none.
pub fn check_attached(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    for [first, second] in scene.parts.constraints.array_windows() {
        let is_attachment = scene.component(first.component).class == "AttachProjectiveConstraint";
        if !is_attachment || first.component != second.component || first.state == second.state {
            continue;
        }
        let node = scene.component(scene.component_of_state(first.state)).node;
        let linear = scene.solvers.linear.iter().filter(|l| scene.has_component(l.component));
        let mut above = linear.filter(|l| scene.upward(node).any(|n| n == l.at) && l.node.assembles());
        let Some(solver) = above.next() else { continue };
        let class = scene.component(solver.component).class;
        let message = format!(
            "the matrix of {class} does not know that these points move together, as in SOFA: both bodies move otherwise than by products alone"
        );
        let finding = draft.finding(Severity::Warning, first.component, message);
        found.push(finding.suggestion(Some("take a CGLinearSolver without a template".to_owned())));
    }
}
