//! What a scene as a whole lacks, though each component by itself is right.

use sim_core::component::build::LinkTarget;
use sim_core::component::description::Family;
use sim_core::scene::{ComponentId, NodeId};

use crate::animated::driven;
use crate::check_animated::check_animated;
use crate::check_assembled::check_assembled;
use crate::check_attached::check_attached;
use crate::check_constraints::check_constraints;
use crate::check_forces::{check_division, check_forces};
use crate::check_systems::check_systems;
use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::{DraftScene, Status};

/// Integrators that solve a linear system in every step.
const IMPLICIT: &[&str] = &["EulerImplicitSolver", "NewmarkImplicitSolver", "StaticSolver", "BDFOdeSolver"];

/// Looks at a scene after its components are built.
pub fn check(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    linear_solvers(draft, found);
    solvers_below_others(draft, found);
    check_forces(draft, found);
    check_division(draft, found);
    check_assembled(draft, found);
    check_attached(draft, found);
    check_constraints(draft, found);
    check_systems(draft, found);
    check_animated(draft, found);
    something_to_simulate(draft, found);
}

fn components<'a>(draft: &'a DraftScene<'_>, family: Family) -> impl Iterator<Item = ComponentId> + 'a {
    let active = |c: &ComponentId| draft.scene.node(draft.scene.component(*c).node).active;
    let is_awake = |c: &ComponentId| draft.draft(*c).status != Status::Asleep;
    draft.scene.all_components().filter(move |c| draft.draft(*c).is(family)).filter(active).filter(is_awake)
}

/// Every implicit integrator needs a linear solver.
fn linear_solvers(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    for ode in components(draft, Family::OdeSolver) {
        let d = draft.draft(ode);
        let needs = d.status != Status::Failed && IMPLICIT.contains(&draft.scene.component(ode).class);
        if needs && !has_linear_solver(draft, ode) {
            let message = "needs a linear solver, and there is none in its node or above";
            let d = draft.finding(Severity::Error, ode, message);
            found.push(d.suggestion(Some("add a CGLinearSolver beside it".to_owned())));
        }
    }
}

/// An integrator below another never acts: the upper one moves what stands below both.
///
/// **Source:** SOFA's `SolveVisitor` goes no further down where a node has a solver.
fn solvers_below_others(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let is_built = |c: &ComponentId| draft.draft(*c).status == Status::Built;
    let all: Vec<ComponentId> = components(draft, Family::OdeSolver).filter(is_built).collect();
    let node_of = |c: ComponentId| draft.scene.component(c).node;
    for &lower in &all {
        let mut above = draft.scene.upward(node_of(lower)).skip(1);
        let upper = above.find_map(|n| all.iter().copied().find(|&c| node_of(c) == n));
        if let Some(upper) = upper {
            let message = format!(
                "never acts: {} above it moves what stands below both, as in SOFA",
                draft.scene.path(upper)
            );
            found.push(draft.finding(Severity::Warning, lower, message));
        }
    }
}

/// Whether an integrator has a linear solver, be it one of a class that was reported as unknown.
fn has_linear_solver(draft: &DraftScene<'_>, ode: ComponentId) -> bool {
    if let Some(LinkTarget::Component(_)) = draft.draft(ode).link("linearSolver") {
        return true;
    }
    let is_one = |c: ComponentId| {
        let d = draft.draft(c);
        if d.is(Family::LinearSolver) && d.status != Status::Failed {
            return true;
        }
        let maybe = d.element.class.contains("Solver") || d.element.class.contains("LDLT");
        d.status == Status::Failed && maybe && !d.is(Family::OdeSolver)
    };
    let in_node = |n: NodeId| draft.scene.components_of(n).any(is_one);
    draft.scene.upward(draft.scene.component(ode).node).any(in_node)
}

/// A scene without any mechanical object is a mistake.
fn something_to_simulate(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let failed = |c: ComponentId| {
        let d = draft.draft(c);
        d.status == Status::Failed && (d.is(Family::State) || d.description.is_none())
    };
    let root = draft.scene.node(draft.scene.root());
    let errors = found.iter().any(|d| d.severity == Severity::Error);
    if draft.scene.n_states() == 0 && !errors && !draft.scene.all_components().any(failed) {
        let shows = [Family::Loader, Family::Topology, Family::Engine, Family::Visual, Family::Playback];
        let is_there = |c: ComponentId| !crate::visual::is_of_the_view(draft.scene.component(c).class);
        let (severity, message) = if shows.iter().any(|f| components(draft, *f).any(is_there)) {
            (Severity::Warning, "nothing moves: there is no MechanicalObject")
        } else {
            (Severity::Error, "the scene is empty: there is no MechanicalObject, so nothing to simulate")
        };
        found.push(Diagnostic::new(severity, &root.location, message).component("/ (Node)"));
        return;
    }
    let solvers = components(draft, Family::OdeSolver).next().is_some();
    // What follows a graph, and what constraints prescribe, moves without a solver.
    let prescribed = || draft.scene.parts.constraints.iter().any(|c| c.node.projects_state());
    let follows = || !driven(&draft.scene).is_empty() || prescribed();
    if draft.scene.n_states() > 0 && !solvers && !follows() && !draft.scene.all_components().any(failed) {
        let message = "nothing will move: there is no ODE solver in the scene";
        found.push(Diagnostic::new(Severity::Warning, &root.location, message).component("/ (Node)"));
    }
}
