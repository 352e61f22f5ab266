//! Constraints with Lagrange multipliers that nobody solves, and what a free motion leaves behind.

use sim_core::component::animation_loop::StepStage;
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::component::value::Value;
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
            if is_set_otherwise(scene, correction.component, "regularizationTerm", 0.0) {
                let class = scene.component(solver.component).class;
                let message = format!(
                    "has no effect under {class}, which builds no matrix: what forces move is without it, as in SOFA"
                );
                let finding = draft.finding(Severity::Warning, correction.component, message);
                found.push(finding.attribute("regularizationTerm"));
            }
        }
        check_factors(draft, solver.component, found);
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

/// Warns of points that are attached between two states under a linear solver that assembles its matrix, which does not know what a
/// projection of two states makes of it.
///
/// **Source:** as SOFA's: one way, the matrix clears the rows that the second points' numbers have in the first state; two ways, none.
pub fn check_attached(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    let ends = &scene.parts.constraints;
    let attached = |c: ComponentId| scene.component(c).class == "AttachProjectiveConstraint";
    for (k, first) in ends.iter().enumerate().filter(|(_, end)| attached(end.component)) {
        let Some(second) = ends.get(k + 1).filter(|end| end.component == first.component) else { continue };
        if first.state == second.state {
            continue;
        }
        let node = scene.component(scene.component_of_state(first.state)).node;
        let linear = scene.solvers.linear.iter().filter(|l| scene.has_component(l.component));
        let mut above = linear.filter(|l| scene.upward(node).any(|n| n == l.at) && l.node.assembles());
        let Some(solver) = above.next() else { continue };
        let class = scene.component(solver.component).class;
        let both = matches!(set(scene, first.component, "twoWay"), Some(Value::Bool(true)));
        let what = if both {
            "does not know that these points move together"
        } else {
            "lets go of points of the first state that have the second points' numbers, and not of these"
        };
        let message = format!(
            "the matrix of {class} {what}, as in SOFA: both bodies move otherwise than by products alone"
        );
        let finding = draft.finding(Severity::Warning, first.component, message);
        found.push(finding.suggestion(Some("take a CGLinearSolver without a template".to_owned())));
    }
}

/// Warns where a solver that builds no matrix leaves out what time steps make of compliances: multipliers end as a multiple of those that
/// are needed, and a step by velocities diverges.
///
/// **Source:** as SOFA's.
fn check_factors(draft: &DraftScene<'_>, solver: ComponentId, found: &mut Vec<Diagnostic>) {
    let scene = &draft.scene;
    if matches!(set(scene, solver, "exactFactors"), Some(Value::Bool(true))) {
        return;
    }
    let stages = scene.animation_loop.stages();
    let by_velocities =
        stages.iter().any(|stage| matches!(stage, StepStage::Correct(ConstraintOrder::Velocity)));
    let is_left_out = |correction: ComponentId| match scene.component(correction).class {
        "UncoupledConstraintCorrection" => {
            !matches!(set(scene, correction, "useOdeSolverIntegrationFactors"), Some(Value::Bool(false)))
        }
        "GenericConstraintCorrection" if is_set_otherwise(scene, correction, "complianceFactor", 1.0) => true,
        _ => by_velocities && scene.component(solver).class != "LCPConstraintSolver",
    };
    let Some(correction) = scene.solvers.corrections.iter().find(|c| is_left_out(c.component)) else {
        return;
    };
    let message = format!(
        "does not count the integrator's factors in how far {} gives way, as in SOFA: its multipliers are not those that are needed",
        scene.path(correction.component)
    );
    let is_ours = scene.component(solver).class == "UnbuiltGaussSeidelConstraintSolver";
    let way_out = if is_ours { "set exactFactors=\"1\"" } else { "set build_lcp=\"1\"" };
    found.push(draft.finding(Severity::Warning, solver, message).suggestion(Some(way_out.to_owned())));
}

/// An attribute that a scene sets.
fn set<'s>(scene: &'s Scene, component: ComponentId, name: &str) -> Option<&'s Value> {
    scene.component(component).recipe.as_ref()?.attributes.set.get(name)
}

/// Whether a scene sets a number to something else.
fn is_set_otherwise(scene: &Scene, component: ComponentId, name: &str, than: f64) -> bool {
    matches!(set(scene, component, name), Some(Value::Real(r)) if *r != than)
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
