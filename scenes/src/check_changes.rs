//! Topologies that are to change while a scene runs: whether all that depends on them can follow.

use components::topology::changes::{ChangePlan, TopologicalChanges};
use sim_core::scene::ComponentId;

use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::DraftScene;
use crate::rebuild::prepare;

/// Reports, for each component that changes a topology, the first component that cannot follow.
pub fn check_changes(draft: &mut DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let all: Vec<ComponentId> = draft.scene.all_components().collect();
    for processor in all {
        let changes = draft.scene.component(processor).extension::<TopologicalChanges>().cloned();
        if let Some(changes) = changes.filter(|_| draft.scene.has_component(processor)) {
            found.extend(check_processor(draft, processor, &changes));
        }
    }
}

fn check_processor(
    draft: &mut DraftScene<'_>,
    processor: ComponentId,
    changes: &TopologicalChanges,
) -> Option<Diagnostic> {
    let scene = &draft.scene;
    let plan = ChangePlan::new(scene, changes.topology).and_then(|plan| {
        for kind in changes.kinds() {
            plan.check_kind(scene, kind)?;
        }
        if changes.adds_points() {
            plan.check_new_points(scene)?;
        }
        Ok(plan)
    });
    let (component, message) = match plan {
        Err(e) => (e.component, e.message),
        Ok(plan) => {
            let refused = plan.finish().dependents.into_iter().find_map(|c| {
                let error = prepare(&mut draft.scene, c).err()?;
                Some((c, error))
            });
            refused?
        }
    };
    let path = draft.scene.path(processor);
    let message = format!("{message}; {path} changes the topology while the scene runs");
    Some(draft.finding(Severity::Error, component, message))
}
