//! Topologies that are to change while a scene runs: whether all that depends on them can follow.

use components::topology::changes::{BoundingTrasher, ChangePlan, EditError, TopologicalChanges};
use sim_core::scene::{ComponentId, Scene};

use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::DraftScene;
use crate::rebuild::prepare;

/// Reports, for each component that changes a topology, the first component that cannot follow.
pub fn check_changes(draft: &mut DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let all: Vec<ComponentId> = draft.scene.all_components().collect();
    for changing in all {
        if !draft.scene.has_component(changing) {
            continue;
        }
        let component = draft.scene.component(changing);
        let plan = if let Some(changes) = component.extension::<TopologicalChanges>() {
            plan_of(&draft.scene, changes)
        } else if let Some(trasher) = component.extension::<BoundingTrasher>() {
            let plan = ChangePlan::new(&draft.scene, trasher.topology);
            plan.and_then(|plan| plan.check_kind(&draft.scene, trasher.kind).map(|()| plan))
        } else {
            continue;
        };
        found.extend(check_plan(draft, changing, plan));
    }
}

/// All that a processor may do.
fn plan_of(scene: &Scene, changes: &TopologicalChanges) -> Result<ChangePlan, EditError> {
    let plan = ChangePlan::new(scene, changes.topology)?;
    for kind in changes.kinds() {
        plan.check_kind(scene, kind)?;
    }
    if changes.adds_points() {
        plan.check_new_points(scene)?;
    }
    Ok(plan)
}

fn check_plan(
    draft: &mut DraftScene<'_>,
    changing: ComponentId,
    plan: Result<ChangePlan, EditError>,
) -> Option<Diagnostic> {
    let (component, message) = match plan {
        Err(e) => (e.component, e.message),
        Ok(plan) => {
            let change = plan.finish();
            let refused = change.dependents.into_iter().chain(change.joints).find_map(|c| {
                let error = prepare(&mut draft.scene, c).err()?;
                Some((c, error))
            });
            refused?
        }
    };
    let path = draft.scene.path(changing);
    let message = format!("{message}; {path} changes the topology while the scene runs");
    Some(draft.finding(Severity::Error, component, message))
}
