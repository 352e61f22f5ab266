//! Constraints with Lagrange multipliers that nobody solves, and what a free motion leaves behind.

use sim_core::component::animation_loop::StepStage;
use sim_core::component::constraint_solver::{ConstraintCorrection, ConstraintSolver};
use sim_core::component::value::Value;
use sim_core::scene::solvers::AtNode;
use sim_core::scene::{ComponentId, NodeId, Scene};

use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::DraftScene;

/// Warns of constraints under a loop that never solves them, and of objects that such a loop leaves where they are.
///
/// **Source:** SOFA_CONSTRAINTS sections 1 and 10: SOFA says nothing there.
pub fn check_constraints(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    let stages = scene.animation_loop.stages();
    let solves = stages.iter().any(|stage| matches!(stage, StepStage::Correct(_)));
    if !solves {
        for constraint in &scene.parts.lagrangian {
            let message = format!("{} never solves it: it has no effect", scene.animation_loop.class());
            let finding = draft.finding(Severity::Warning, constraint.component, message);
            found.push(
                finding.suggestion(Some("put a FreeMotionAnimationLoop into the root node".to_owned())),
            );
        }
        return;
    }
    for solver in scene.solvers.ode.iter().filter(|s| is_active(scene, s.at)) {
        let below = |n: NodeId| scene.upward(n).any(|m| m == solver.at);
        let has_state = scene.depth_first_from(solver.at).into_iter().any(|n| scene.state_in(n).is_some());
        let is_corrected = scene.solvers.corrections.iter().any(|c| below(c.at));
        if has_state && !is_corrected {
            let message = "nothing that it moves has a constraint correction, so that it stays where it is";
            let finding = draft.finding(Severity::Warning, solver.component, message);
            found.push(finding.suggestion(Some("add an UncoupledConstraintCorrection".to_owned())));
        }
    }
    if let Some(solver) =
        scene.solvers.constraint.iter().find(|s| is_active(scene, s.at) && is_unbuilt(scene, s.component))
    {
        for correction in &scene.solvers.corrections {
            if matches!(set(scene, correction.component, "regularizationTerm"), Some(Value::Real(r)) if *r != 0.0)
            {
                let class = scene.component(solver.component).class;
                let message = format!(
                    "has no effect under {class}, which builds no matrix: what forces move is without it, as in SOFA"
                );
                let finding = draft.finding(Severity::Warning, correction.component, message);
                found.push(finding.attribute("regularizationTerm"));
            }
        }
        check_factors(draft, solver, found);
    }
    for joint in &scene.parts.interactions {
        let node = scene.component(joint.component).node;
        if !scene.solved_from(node).any(|n| scene.solvers.ode.iter().any(|s| s.at == n)) {
            let message = "stands above all solvers, where a free motion evaluates nothing: it has no effect";
            let finding = draft.finding(Severity::Warning, joint.component, message);
            found.push(finding.suggestion(Some("move it below a solver that moves both ends".to_owned())));
        }
    }
}

/// Warns where a solver that builds no matrix leaves out what time steps make of compliances: multipliers end as a multiple of those that
/// are needed, and a step by velocities diverges.
///
/// **Source:** as SOFA's.
fn check_factors(draft: &DraftScene<'_>, solver: &AtNode<dyn ConstraintSolver>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    if matches!(set(scene, solver.component, "exactFactors"), Some(Value::Bool(true))) {
        return;
    }
    let stages = scene.animation_loop.stages();
    let asked = |stage: &StepStage| if let StepStage::Correct(order) = stage { Some(*order) } else { None };
    let Some(order) = stages.iter().find_map(asked).map(|order| solver.node.order(order)) else { return };
    let leaves_out = |correction: &&AtNode<dyn ConstraintCorrection>| {
        let integrators = scene.solvers.ode.iter().filter(|s| !s.node.follows());
        let mut above = integrators.filter(|s| scene.solved_from(correction.at).any(|n| n == s.at));
        above.next().is_some_and(|integrator| {
            let factors = correction.node.factors(order, integrator.node.integration_factors());
            factors.unbuilt != factors.compliance
        })
    };
    let Some(correction) = scene.solvers.corrections.iter().find(leaves_out) else { return };
    let message = format!(
        "does not count the integrator's factors in how far {} gives way, as in SOFA: its multipliers are not those that are needed",
        scene.path(correction.component)
    );
    let is_ours = scene.component(solver.component).class == "UnbuiltGaussSeidelConstraintSolver";
    let way_out = if is_ours { "set exactFactors=\"1\"" } else { "set build_lcp=\"1\"" };
    found.push(
        draft.finding(Severity::Warning, solver.component, message).suggestion(Some(way_out.to_owned())),
    );
}

/// An attribute that a scene sets.
fn set<'s>(scene: &'s Scene, component: ComponentId, name: &str) -> Option<&'s Value> {
    scene.component(component).recipe.as_ref()?.attributes.set.get(name)
}

/// Whether a constraint solver asks for motions of single objects, and builds no matrix.
fn is_unbuilt(scene: &Scene, solver: ComponentId) -> bool {
    match scene.component(solver).class {
        "UnbuiltGaussSeidelConstraintSolver" => true,
        "LCPConstraintSolver" => matches!(set(scene, solver, "build_lcp"), Some(Value::Bool(false))),
        _ => false,
    }
}

fn is_active(scene: &Scene, node: NodeId) -> bool {
    scene.upward(node).all(|n| scene.node(n).active)
}
