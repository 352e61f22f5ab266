//! SOFA's `LCPConstraintSolver`: contacts with one coefficient of friction for all. The file is long for contacts by the matrix and by
//! motions, each with friction and without.

use engine::data::{read, work_in};
use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::constraint_solver::{ConstraintProblemData, ConstraintSolver};
use sim_core::component::description::{ComponentDescription, Family, Sample};
use sim_core::component::lagrangian_constraint::ConstraintOrder;
use sim_core::component::solver::SolveRecord;
use sim_core::visitor::visit::Visit;

use super::problem::{Assembly, ConstraintProblem, onto_cone, record_forces, record_problem, record_sweeps};
use super::sweep_components::NO_REGULARIZATION;

/// Finds the multipliers of contacts, all with one coefficient of friction.
#[derive(Attributes)]
#[attributes(
    ignored(
        "group",
        "displayDebug",
        "showCellWidth",
        "showTranslation",
        "computeConstraintForces",
        "showLevels"
    ),
    ignored(
        "graph",
        "constraintForces",
        summary = "what SOFA's tells of the last step; multipliers and sweeps are in the report"
    )
)]
struct Settings {
    /// error at which sweeps end, per contact
    #[attribute(default = "0.001")]
    tolerance: f64,
    /// greatest number of sweeps
    #[attribute(default = "1000", alias = "maxIterations")]
    max_it: i64,
    /// coefficient of friction; 0 for none
    #[attribute(default = "0.6", non_negative)]
    mu: f64,
    /// contacts begin with the forces of the step before
    #[attribute(name = "initial_guess", default = "1")]
    initial_guess: bool,
    /// the compliance is built as a matrix, and not asked for object by object
    #[attribute(name = "build_lcp", default = "1")]
    build_lcp: bool,
    /// added to the diagonal of the compliance
    #[attribute(default = "0", non_negative)]
    regularization_term: f64,
    /// contacts that give way less than this along the normal have no force
    #[attribute(name = "minW", default = "0", non_negative)]
    min_w: f64,
    /// contacts with a greater force than this lose it at the end; 0 for no bound [N]
    #[attribute(name = "maxF", default = "0", non_negative)]
    max_f: f64,
}

pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ConstraintSolver, "LCPConstraintSolver", build).samples(&[
        Sample::new("tolerance='1e-15' maxIt='5000' mu='0.5' initial_guess='0'"),
        Sample::new("tolerance='1e-15' maxIt='5000' mu='0.5' initial_guess='0' build_lcp='0'"),
    ]);

/// Nonlinear Gauss-Seidel on contacts: each takes three rows (one without friction), whatever its constraint says.
///
/// For each contact, with W and the violations d of its rows: λₙ −= dₙ/wₙ; where that is negative, all three are 0, else λₜ −= 2 dₜ/(w₁ +
/// w₂) with both tangents' entries of W, and |λₜ| is brought back to μ λₙ. Sweeps end where Σ |W Δλ| is below `tolerance` times the
/// number of contacts and one.
///
/// **Source:** as SOFA's: positions are corrected, whatever the loop asks; columns of what projective constraints hold stay; forces
/// of the step before are found by the ids of contacts, but for the first step of a contact of two models. Without friction, SOFA
/// writes beyond its memory if `build_lcp` is set; here that is what it means to compute.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LCPConstraintSolver {
    tolerance: f64,
    max_iterations: u32,
    mu: f64,
    initial_guess: bool,
    built: bool,
    regularization: f64,
    min_w: f64,
    max_f: f64,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let max_iterations = u32::try_from(s.max_it)
        .map_err(|_| BuildError::attribute("maxIt", "`maxIt` must not be negative"))?;
    if !s.build_lcp && s.regularization_term != 0.0 {
        b.warn(Some("regularizationTerm"), NO_REGULARIZATION);
    }
    let solver = LCPConstraintSolver {
        tolerance: s.tolerance,
        max_iterations,
        mu: s.mu,
        initial_guess: s.initial_guess,
        built: s.build_lcp,
        regularization: s.regularization_term,
        min_w: s.min_w,
        max_f: s.max_f,
    };
    b.scene.add_constraint_solver(b.component, Box::new(solver));
    Ok(())
}

impl LCPConstraintSolver {
    fn sweep(&self, problem: &mut ConstraintProblem) -> bool {
        let rows = problem.free.len();
        let per_contact = if self.mu > 0.0 { 3 } else { 1 };
        if !rows.is_multiple_of(per_contact) {
            // What is no contact breaks the groups of three: as in SOFA, nothing is solved.
            return true;
        }
        let mut error = 0.0;
        for contact in 0..rows / per_contact {
            let first = contact * per_contact;
            let w = problem.own_diagonal(first);
            if w == 0.0 || (self.min_w > 0.0 && w <= self.min_w) {
                problem.lambda[first..first + per_contact].fill(0.0);
                continue;
            }
            error += match (self.built, per_contact) {
                (true, 3) => self.built_contact(problem, first),
                (false, 3) => self.unbuilt_contact(problem, first),
                (built, _) => {
                    let d = if built { problem.violation(first) } else { problem.unbuilt_violation(first) };
                    let before = problem.lambda[first];
                    problem.lambda[first] = (before - d / w).max(0.0);
                    if !built && (before != 0.0 || problem.lambda[first] != 0.0) {
                        problem.touch(first);
                    }
                    (w * (problem.lambda[first] - before)).abs()
                }
            };
        }
        problem.sweeps += 1;
        let contacts = (rows / per_contact) as f64;
        let scale = if self.built && per_contact == 1 { 1.0 } else { contacts + 1.0 };
        problem.error = [error, self.tolerance * scale];
        error < self.tolerance * scale
    }

    /// Solves a contact with friction by the rows of W; how far its violations changed.
    fn built_contact(&self, problem: &mut ConstraintProblem, first: usize) -> f64 {
        let block = problem.own_block(first);
        let lambda = [0, 1, 2].map(|k| problem.lambda[first + k]);
        problem.lambda[first..first + 3].fill(0.0);
        let without = [0, 1, 2].map(|k| problem.violation(first + k));
        let with = |lambda: [f64; 3]| {
            [0, 1, 2].map(|i| without[i] + (0..3).map(|j| block[i][j] * lambda[j]).sum::<f64>())
        };
        let before = with(lambda);
        let mut new = lambda;
        new[0] -= before[0] / block[0][0];
        if new[0] < 0.0 {
            new = [0.0; 3];
        } else {
            let d = with(new);
            let both = block[1][1] + block[2][2];
            if both != 0.0 {
                new[1] -= 2.0 * d[1] / both;
                new[2] -= 2.0 * d[2] / both;
            }
            onto_cone(&mut new, self.mu);
        }
        problem.lambda[first..first + 3].copy_from_slice(&new);
        let after = with(new);
        (0..3).map(|k| (after[k] - before[k]) * (after[k] - before[k])).sum::<f64>().sqrt()
    }

    /// Solves a contact with friction by what single objects say of their motion; how far it moved.
    fn unbuilt_contact(&self, problem: &mut ConstraintProblem, first: usize) -> f64 {
        let block = problem.own_block(first);
        let before = [0, 1, 2].map(|k| problem.lambda[first + k]);
        let d = [0, 1, 2].map(|k| problem.unbuilt_violation(first + k));
        let mut new = before;
        new[0] -= d[0] / block[0][0];
        if new[0] <= 0.0 {
            new = [0.0; 3];
        } else {
            let change = new[0] - before[0];
            let both = block[1][1] + block[2][2];
            if both != 0.0 {
                new[1] -= 2.0 * (d[1] + block[1][0] * change) / both;
                new[2] -= 2.0 * (d[2] + block[2][0] * change) / both;
            }
            onto_cone(&mut new, self.mu);
        }
        problem.lambda[first..first + 3].copy_from_slice(&new);
        if before[0] != 0.0 || new[0] != 0.0 {
            problem.touch(first);
        }
        let moved = |i: usize| (0..3).map(|j| block[i][j] * (new[j] - before[j])).sum::<f64>();
        (0..3).map(|i| moved(i) * moved(i)).sum::<f64>().sqrt()
    }
}

impl ConstraintSolver for LCPConstraintSolver {
    fn class(&self) -> &'static str {
        DESCRIPTION.class
    }

    fn projects(&self) -> bool {
        false
    }

    fn leaves_forces(&self) -> bool {
        false
    }

    fn order(&self, _: ConstraintOrder) -> ConstraintOrder {
        ConstraintOrder::Position
    }

    fn record(&self, visit: &mut Visit<'_, '_>, data: &ConstraintProblemData<'_>) -> SolveRecord {
        let assembly = Assembly {
            regularization: self.regularization,
            null_space: None,
            unbuilt: !self.built,
            exact_factors: false,
        };
        let recorded = record_problem(visit, data, assembly);
        let (tag, object, problem) = (data.tag, data.at.object, recorded.problem);
        let (solver, starts) = (*self, self.initial_guess);
        for (k, constraint) in data.constraints.iter().enumerate() {
            if let Some([former, _]) = constraint.former.filter(|_| starts) {
                visit.rec.own(
                    "former_forces",
                    tag,
                    object,
                    (work_in(problem), read(former)),
                    move |(problem, former)| problem.begin_with(k, former),
                );
            }
        }
        let record =
            record_sweeps(visit, data, recorded, self.max_iterations, move |problem| solver.sweep(problem));
        if self.max_f > 0.0 && self.built {
            visit.rec.sweep("greatest_force");
            let (max, step) = (self.max_f, if self.mu > 0.0 { 3 } else { 1 });
            visit.rec.own("greatest_force", tag, object, (work_in(problem),), move |(problem,)| {
                for contact in problem.lambda.chunks_mut(step).filter(|contact| contact[0] >= max) {
                    contact.fill(0.0);
                }
            });
        }
        record_forces(visit, data, recorded);
        record
    }
}
