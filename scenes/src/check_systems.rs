//! Linear systems that leave parts out of their matrix, and solvers that would use them.

use sim_core::component::build::LinkTarget;
use sim_core::component::description::Family;
use sim_core::component::solver::SolverSetting;
use sim_core::scene::ComponentId;

use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::{DraftScene, Status};
use crate::path::{Path, split_links};

/// Systems of which a solver takes the first of its node, where it names none.
const SYSTEMS: &[&str] =
    &["CompositeLinearSystem", "ConstantSparsityPatternSystem", "MatrixFreeSystem", "MatrixLinearSystem"];

/// Refuses each system without some part of its matrix that a linear solver uses: matrices here are always whole ones. A system that
/// only stands beside has no effect, as in SOFA.
///
/// **Source:** as SOFA finds a solver's system: the link, else the first of the node; of a CompositeLinearSystem the one that it names,
/// else its first.
pub fn check_systems(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let solvers = draft.scene.all_components().filter(|c| draft.draft(*c).is(Family::LinearSolver));
    for system in solvers.filter_map(|c| system_of(draft, c)) {
        if let Some(SolverSetting::PartialSystem(name)) = draft.scene.solvers.settings.get(&system) {
            let message = format!(
                "`{name}` cannot be switched off: the matrix of a linear solver here is always the whole one"
            );
            let finding = match draft.draft(system).element.attribute(name) {
                Some(attribute) => draft.finding_at(Severity::Error, system, attribute, message),
                None => draft.finding(Severity::Error, system, message),
            };
            found.push(finding.suggestion(Some("remove the attribute".to_owned())));
        }
    }
}

/// The system that a linear solver uses.
fn system_of(draft: &DraftScene<'_>, solver: ComponentId) -> Option<ComponentId> {
    if draft.draft(solver).status != Status::Built {
        return None;
    }
    let node = draft.scene.component(solver).node;
    let is_system = |c: &ComponentId| SYSTEMS.contains(&draft.scene.component(*c).class);
    let linked = linked_in(draft, solver, "linearSystem");
    let system = linked.or_else(|| draft.scene.components_of(node).find(is_system))?;
    if draft.scene.component(system).class != "CompositeLinearSystem" {
        return Some(system);
    }
    linked_in(draft, system, "solverLinearSystem").or_else(|| linked_in(draft, system, "linearSystems"))
}

/// Where the first link of an attribute leads.
fn linked_in(draft: &DraftScene<'_>, from: ComponentId, attribute: &str) -> Option<ComponentId> {
    let text = draft.draft(from).element.get(attribute)?;
    let path = Path::parse(split_links(text).first()?).ok()?;
    match path.resolve(&draft.scene, from, true)? {
        LinkTarget::Component(c) => Some(c),
        LinkTarget::Node(_) => None,
    }
}
