//! States that follow graphs, and what else is linked to these.

use sim_core::component::description::Family;
use sim_core::scene::ComponentId;

use crate::animated::{
    CharacterFile, CharacterFrames, Driven, JointFrames, OutputFrames, RigFile, WalkObstacle, X3dFile,
    driven, gives_frames,
};
use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::DraftScene;

/// Says which states cannot follow their graph, and which links to graphs are read but once.
pub fn check_animated(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    let driven = driven(scene);
    for Driven { state, by } in &driven {
        let component = scene.component_of_state(*state);
        let node = scene.component(component).node;
        let says = |message: String, suggestion: &str| {
            let element = draft.draft(component).element;
            let at = element.attributes.iter().find(|a| a.name == "position");
            let finding = match at {
                Some(attribute) => draft.finding_at(Severity::Error, component, attribute, message),
                None => draft.finding(Severity::Error, component, message),
            };
            finding.suggestion(Some(suggestion.to_owned()))
        };
        let source = scene.path(*by);
        if scene.parts.mappings.iter().any(|m| m.second == *state) {
            let message = format!("a mapping moves this state; it cannot follow {source} as well");
            found.push(says(message, "let the state above the mapping follow it"));
        } else if let Some(solver) =
            scene.solved_from(node).find(|n| scene.solvers.ode.iter().any(|s| s.at == *n))
        {
            let solver = scene.node_path(solver);
            let message =
                format!("the solver of {solver} moves this state; it cannot follow {source} as well");
            found.push(says(
                message,
                "move the state out of the solver's node, and join the two with springs",
            ));
        }
        let templates = ["Vec3", "Rigid3"];
        if !templates.contains(&scene.initial(*state).template()) {
            let message = format!("{source} gives points or frames in space");
            found.push(says(message, "template=\"Rigid3\" or \"Vec3\""));
        }
    }
    let component = |c: ComponentId| scene.component(c);
    let graph_of = |by: ComponentId| {
        let joints = component(by).extension::<JointFrames>().map(|f| f.file);
        let rig = || component(by).extension::<OutputFrames>().map(|f| f.rig);
        let character = || component(by).extension::<CharacterFrames>().map(|f| f.file);
        joints.or_else(rig).or_else(character)
    };
    let is_graph = |c: &ComponentId| {
        component(*c).extension::<X3dFile>().is_some()
            || component(*c).extension::<RigFile>().is_some()
            || component(*c).extension::<CharacterFile>().is_some()
    };
    for c in scene.all_components().filter(is_graph).filter(|c| scene.node(component(*c).node).active) {
        if !driven.iter().any(|d| graph_of(d.by) == Some(c)) {
            let finding = draft.finding(Severity::Warning, c, "it is not run: no state follows it");
            let hint = "link the `position` of a MechanicalObject to that of an X3DJoints, RigFrames or CharacterJoints of it";
            found.push(finding.suggestion(Some(hint.to_owned())));
        }
    }
    let walks =
        |c: ComponentId| component(c).extension::<CharacterFile>().is_some_and(|of| of.walk.is_some());
    let is_walked = scene.all_components().filter(|c| scene.has_component(*c)).any(walks);
    let is_obstacle = |c: &ComponentId| component(*c).extension::<WalkObstacle>().is_some() && !is_walked;
    for c in scene.all_components().filter(|c| scene.has_component(*c)).filter(is_obstacle) {
        let finding = draft.finding(Severity::Warning, c, "it is in nobody's way: no model walks");
        found.push(finding.suggestion(Some("set ground=\"walk\" of a CharacterFile".to_owned())));
    }
    let is_state = |c: ComponentId| draft.draft(c).description.is_some_and(|d| d.family == Family::State);
    for c in scene.all_components().filter(|c| scene.component(*c).recipe.is_some()) {
        let Some(recipe) = &scene.component(c).recipe else { continue };
        for (attribute, (source, data)) in &recipe.attributes.sources {
            let follows = is_state(c) && matches!(*attribute, "position" | "rest_position");
            if !gives_frames(scene, *source) || follows {
                continue;
            }
            let path = scene.path(*source);
            let message =
                format!("`{data}` of {path} changes while the scene runs; it is read once, at the beginning");
            let finding = draft.finding(Severity::Warning, c, message).attribute(*attribute);
            let hint = "link it to the `position` of a MechanicalObject that follows it";
            found.push(finding.suggestion(Some(hint.to_owned())));
        }
    }
}
