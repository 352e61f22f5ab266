//! The solvers of a scene, and where they stand.

use super::SceneText;
use super::shapes::{changed_element, element};
use crate::features::factor::*;
use crate::features::{Choice, ON, SOLVER_PLACES};

impl SceneText<'_> {
    /// Whether the integrator asks for accelerations of single states only: no solver of a linear system is needed.
    pub(super) fn accelerates(&self) -> bool {
        let integrator = self.features.integrators[self.case[INTEGRATOR]].description.class;
        let explicit =
            ["EulerExplicitSolver", "RungeKutta2Solver", "RungeKutta4Solver", "CentralDifferenceSolver"];
        explicit.contains(&integrator) && ON[self.case[MASS_ON]] == "body" && self.case[PIECES] == 0
    }

    /// The solver of a place: the body, the node above all bodies, the root; of two, the inner one is not used.
    pub(super) fn solver(&self, place: &str, after: bool) -> String {
        let places: &[&str] = match SOLVER_PLACES[self.case[SOLVER_AT]] {
            "root and bodies" => &["root", "each body"],
            other => &[other],
        };
        let changed = after && self.change() == "number of the solver" && places[0] == place;
        if places.contains(&place) { self.solver_of(self.case[INTEGRATOR], changed) } else { String::new() }
    }

    fn solver_of(&self, integrator: usize, changed: bool) -> String {
        changed_element(&self.features.integrators[integrator], "ode", changed) + &self.linear()
    }

    /// The path of the solver that moves the body.
    pub fn solver_path(&self) -> &'static str {
        match SOLVER_PLACES[self.case[SOLVER_AT]] {
            "each body" => "/world/body/ode",
            "all bodies" => "/world/ode",
            _ => "/ode",
        }
    }

    fn linear(&self) -> String {
        self.features.linears[self.case[LINEAR]].as_ref().map_or(String::new(), |l| element(l, "linear"))
    }

    /// The solver of a further body that has one by itself.
    pub(super) fn own_solver(&self) -> String {
        if !["each body", "root and bodies"].contains(&SOLVER_PLACES[self.case[SOLVER_AT]]) {
            return String::new();
        }
        let first = self.case[INTEGRATOR];
        if self.case[OTHER_SOLVER] != 1 {
            // Solvers of different numbers merge to one of their own.
            return self.solver_of(first, self.case[OTHER_SOLVER] == 2);
        }
        // One that may need what the first does not, and factors where a correction asks for them.
        let linear = match self.features.corrections[self.case[CORRECTION]] {
            Some(c) if c.description.class != "UncoupledConstraintCorrection" => "<SparseLDLSolver/>",
            _ => "<CGLinearSolver iterations='500' tolerance='1e-14' threshold='1e-30'/>",
        };
        let other = self.features.integrators[self.features.other_integrator(first)];
        element(&other, "ode") + linear
    }

    /// What lets a state give way to multipliers: one that corrects all that a solver moves stands once beside each.
    pub(super) fn correction(&self, template: &str, first: bool) -> String {
        let corrections = &self.features.corrections;
        let Some(chosen) = &corrections[self.case[CORRECTION]] else { return String::new() };
        let class = chosen.description.class;
        let shared = self.case[SOLVER_AT] != 0;
        if class == "GenericConstraintCorrection" && shared && !first {
            return String::new();
        }
        let alike = |c: &&Choice| c.description.class == class && c.fits(template);
        let fits = Some(chosen).filter(|c| c.fits(template)).or(corrections.iter().flatten().find(alike));
        fits.map_or(String::new(), |c| element(c, "correction"))
    }
}
