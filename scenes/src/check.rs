//! What a scene as a whole lacks, though each component by itself is right.

use sim_core::component::build::LinkTarget;
use sim_core::component::description::Family;
use sim_core::scene::{ComponentId, NodeId};

use crate::animated::driven;
use crate::check_animated::check_animated;
use crate::check_constraints::check_constraints;
use crate::check_forces::{check_division, check_forces};
use crate::check_systems::check_systems;
use crate::diagnostics::{Diagnostic, Severity};
use crate::instantiate::{DraftScene, Status};
use crate::placeholders;

/// Integrators that solve a linear system in every step.
const IMPLICIT: &[&str] = &["EulerImplicitSolver", "NewmarkImplicitSolver", "StaticSolver", "BDFOdeSolver"];

/// Looks at a scene after its components are built.
pub fn check(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    linear_solvers(draft, found);
    check_forces(draft, found);
    check_division(draft, found);
    check_constraints(draft, found);
    check_systems(draft, found);
    check_animated(draft, found);
    something_to_simulate(draft, found);
}

fn is_placeholder(draft: &DraftScene<'_>, id: ComponentId) -> bool {
    draft.draft(id).description.is_some_and(|d| placeholders::is_placeholder(&d))
}

fn components<'a>(draft: &'a DraftScene<'_>, family: Family) -> impl Iterator<Item = ComponentId> + 'a {
    let active = |c: &ComponentId| draft.scene.node(draft.scene.component(*c).node).active;
    let is_awake = |c: &ComponentId| draft.draft(*c).status != Status::Asleep;
    draft.scene.all_components().filter(move |c| draft.draft(*c).is(family)).filter(active).filter(is_awake)
}

/// Every implicit integrator needs a linear solver that we have; those that none uses are noted.
fn linear_solvers(draft: &DraftScene<'_>, found: &mut Vec<Diagnostic>) {
    let mut used = Vec::new();
    for ode in components(draft, Family::OdeSolver) {
        let d = draft.draft(ode);
        if d.status == Status::Failed || !IMPLICIT.contains(&draft.scene.component(ode).class) {
            continue;
        }
        match linear_solver_of(draft, ode) {
            None => {
                let message = "needs a linear solver, and there is none in its node or above";
                let d = draft.finding(Severity::Error, ode, message);
                found.push(d.suggestion(Some("add a CGLinearSolver beside it".to_owned())));
            }
            Some(Solver::Unknown) => {}
            Some(Solver::Component(c)) => {
                used.push(c);
                if is_placeholder(draft, c) && draft.draft(c).status == Status::Built {
                    let message = format!("SOFA has `{}`, Weft not yet", draft.scene.component(c).class);
                    let d = draft.finding(Severity::Error, c, message);
                    found.push(d.suggestion(Some("use a CGLinearSolver".to_owned())));
                }
            }
        }
    }
    for c in components(draft, Family::LinearSolver) {
        if is_placeholder(draft, c) && !used.contains(&c) {
            let message = "accepted and not built: no solver uses it";
            found.push(draft.finding(Severity::Note, c, message));
        }
    }
}

enum Solver {
    Component(ComponentId),
    /// There is one, of a class that was reported as unknown.
    Unknown,
}

fn linear_solver_of(draft: &DraftScene<'_>, ode: ComponentId) -> Option<Solver> {
    if let Some(LinkTarget::Component(c)) = draft.draft(ode).link("linearSolver") {
        return Some(Solver::Component(c));
    }
    let in_node = |n: NodeId| {
        let mut all = draft.scene.components_of(n);
        all.find_map(|c| {
            let d = draft.draft(c);
            if d.is(Family::LinearSolver) && d.status != Status::Failed {
                return Some(Solver::Component(c));
            }
            let maybe = d.element.class.contains("Solver") || d.element.class.contains("LDLT");
            (d.status == Status::Failed && maybe && !d.is(Family::OdeSolver)).then_some(Solver::Unknown)
        })
    };
    draft.scene.upward(draft.scene.component(ode).node).find_map(in_node)
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
        let (severity, message) = if shows.iter().any(|f| components(draft, *f).next().is_some()) {
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
