//! Forces that act on nothing where they stand in the tree, or on one side only, and masses that are weights only.

use sim_core::scene::{ComponentId, NodeId, Scene, StateId};

use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::DraftScene;

/// Warns of each end of a force field that no solver feels, and of weights that nothing feels.
///
/// **Source:** SOFA's solve traversal: a solver sees what stands in its node and below. What joins states and stands above all
/// solvers is evaluated before them, in the order of the tree, and is felt by those that come after it.
pub fn check_forces(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    let single = scene.parts.force_fields.iter().map(|f| (f.component, f.state, f.node.joins_states()));
    let single = single.chain(scene.parts.masses.iter().map(|m| (m.component, m.state, false)));
    let joints = scene.parts.interactions.iter();
    let joints = joints.flat_map(|i| {
        let second = i.node.acts_on_second().then_some((i.component, i.second, true));
        [Some((i.component, i.first, true)), second].into_iter().flatten()
    });
    for mass in scene.parts.masses.iter().filter(|m| m.node.separate_gravity()) {
        if independent(scene, mass.state) != mass.state {
            let message = "with `separateGravity`, the weight of a mass on a mapped state acts on nothing";
            let finding = draft.finding(Severity::Warning, mass.component, message);
            found.push(finding.suggestion(Some("remove the attribute".to_owned())));
            continue;
        }
        let own = outermost_solver(scene, scene.component(mass.component).node);
        let mut integrators = scene.solvers.ode.iter().filter(|s| Some(s.at) == own);
        if let Some(solver) = integrators.find(|s| !s.node.adds_separate_gravity()) {
            let class = solver.node.class();
            let message = format!(
                "with `separateGravity`, its weight acts on nothing: {class} does not add it, as in SOFA"
            );
            let finding = draft.finding(Severity::Warning, mass.component, message);
            found.push(finding.suggestion(Some("remove the attribute".to_owned())));
        }
    }
    for (component, state, joins_states) in single.chain(joints) {
        if let Some(why) = unfelt(scene, component, state, joins_states) {
            let object = scene.path(scene.component_of_state(state));
            let message = format!("does not act on {object}: {why}");
            let finding = draft.finding(Severity::Warning, component, message);
            found.push(finding.suggestion(Some("move it into that solver's node".to_owned())));
        }
    }
}

/// Warns of masses on mapped states whose solver divides forces by masses: they are weights, and no inertia.
pub fn check_division(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    for mass in &scene.parts.masses {
        let moving = independent(scene, mass.state);
        let own = outermost_solver(scene, scene.component(scene.component_of_state(moving)).node);
        let mut integrators = scene.solvers.ode.iter().filter(|s| Some(s.at) == own);
        let dividing = integrators.find(|s| s.node.needs_diagonal_masses() && !s.node.multiplies_by_masses());
        if let Some(solver) = dividing.filter(|_| moving != mass.state) {
            let class = solver.node.class();
            let message = format!(
                "its weight acts, but it is no inertia, as in SOFA: {class} divides forces by masses of states that are not mapped"
            );
            let finding = draft.finding(Severity::Warning, mass.component, message);
            let other = "put it on the state that moves, or take an integrator with a linear solver";
            found.push(finding.suggestion(Some(other.to_owned())));
        }
    }
}

/// Why the solver of a state does not feel a force.
fn unfelt(scene: &Scene, component: ComponentId, state: StateId, joins_states: bool) -> Option<String> {
    let node = scene.component(component).node;
    let root = scene.component(scene.component_of_state(independent(scene, state))).node;
    let own = outermost_solver(scene, root)?;
    let path = scene.node_path(own);
    match outermost_solver(scene, node) {
        Some(above) if above == own => None,
        Some(_) => Some(format!("it stands below another solver than that at {path}, which moves it")),
        None if !joins_states => Some(format!("it stands outside of {path}, where its solver is")),
        None if scene.node_precedes(node, own) => None,
        None => Some(format!("it stands after {path}, whose solver has done its step by then")),
    }
}

/// The state that a mapped one follows.
fn independent(scene: &Scene, mut state: StateId) -> StateId {
    // A chain of mappings cannot be longer than the number of states.
    for _ in 0..scene.n_states() {
        match scene.parts.mappings.iter().find(|m| m.second == state) {
            Some(m) => state = m.first,
            None => break,
        }
    }
    state
}

fn outermost_solver(scene: &Scene, node: NodeId) -> Option<NodeId> {
    scene.solved_from(node).filter(|n| scene.solvers.ode.iter().any(|s| s.at == *n)).last()
}
