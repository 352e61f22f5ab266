//! How solvers have converged over the steps of a run.

use std::collections::BTreeMap;

use serde::Serialize;
use sim_core::scene::ComponentId;

use super::mean_max::{MeanMax, Running};
use crate::simulation::{LinearEnd, NewtonEnd, Simulation, StepReport};

/// How a solver has converged over the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SolverReport {
    /// Class and path of the integrator; those that have moved together with others are counted under the first of them.
    pub solver: String,
    /// Steps that it has moved something in.
    pub steps: usize,
    /// Newton's method; nothing where it solves one linear system a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newton: Option<NewtonReport>,
    /// The linear solver; nothing where it does not iterate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub linear_solver: Option<LinearSolverReport>,
}

/// How Newton's method has converged over the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NewtonReport {
    /// Iterations of a step.
    pub iterations: MeanMax,
    /// As many as there may be, in the last step.
    pub limit: u32,
    /// Steps in which there were as many, and no threshold was reached.
    pub steps_at_limit: usize,
    /// Line searches that have not lessened the residual, of all steps.
    pub failed_line_searches: u64,
    /// Norms of the residuals of the last step: the first, then one after each iteration. Of more than 64, the first 63 and the last.
    pub residuals: Vec<f64>,
}

/// How a linear solver that iterates has converged over the steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LinearSolverReport {
    /// Class and path.
    pub solver: String,
    /// Iterations of a step; of several systems of a step, of that which took most.
    pub iterations: MeanMax,
    /// As many as there may be, in the last step.
    pub limit: u32,
    /// What is left of the residual at the end of a step (of its last system), as the solver compares it with its tolerance.
    pub residual_ratio: MeanMax,
    /// The same of the last step.
    pub last_residual_ratio: f64,
    /// The ratio at which it ends, in the last step.
    pub tolerance: f64,
    /// Steps in which there were as many iterations as there may be, and the ratio was greater.
    pub steps_at_limit: usize,
}

#[derive(Clone, Debug)]
struct Newton {
    last: NewtonEnd,
    iterations: Running,
    steps_at_limit: usize,
    failed_line_searches: u64,
    residuals: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Linear {
    last: LinearEnd,
    iterations: Running,
    ratio: Running,
    steps_at_limit: usize,
}

#[derive(Clone, Debug, Default)]
struct Solver {
    steps: usize,
    newton: Option<Newton>,
    linear: Option<Linear>,
}

/// What is known of each solver, step by step.
#[derive(Clone, Debug, Default)]
pub struct SolverStatistics {
    of: BTreeMap<ComponentId, Solver>,
    newton: Running,
    linear: Running,
}

impl SolverStatistics {
    /// Adds a step.
    pub fn add(&mut self, step: &StepReport) {
        for end in &step.solvers {
            let of = self.of.entry(end.solver).or_default();
            of.steps += 1;
            if let Some(last) = end.newton {
                let new = || Newton {
                    last,
                    iterations: Running::default(),
                    steps_at_limit: 0,
                    failed_line_searches: 0,
                    residuals: Vec::new(),
                };
                let newton = of.newton.get_or_insert_with(new);
                newton.last = last;
                newton.iterations.add(f64::from(last.iterations));
                newton.steps_at_limit += usize::from(last.is_at_limit);
                newton.failed_line_searches += u64::from(last.failed_line_searches);
                newton.residuals.clear();
                newton
                    .residuals
                    .extend(last.history.and_then(|h| step.residuals.get(h)).into_iter().flatten());
                self.newton.add(f64::from(last.iterations));
            }
            if let Some(last) = end.linear {
                let new = || Linear {
                    last,
                    iterations: Running::default(),
                    ratio: Running::default(),
                    steps_at_limit: 0,
                };
                let linear = of.linear.get_or_insert_with(new);
                linear.last = last;
                linear.iterations.add(f64::from(last.iterations));
                linear.ratio.add(last.residual_ratio);
                linear.steps_at_limit += usize::from(last.is_at_limit);
                self.linear.add(f64::from(last.iterations));
            }
        }
    }

    /// Iterations of Newton's method, over all solvers and steps; none without it.
    pub fn newton_iterations(&self) -> Option<MeanMax> {
        (!self.newton.is_empty()).then(|| self.newton.mean_max())
    }

    /// Iterations of linear solvers, over all of them and all steps; none where none iterates.
    pub fn linear_iterations(&self) -> Option<MeanMax> {
        (!self.linear.is_empty()).then(|| self.linear.mean_max())
    }

    /// What is to be said of each solver, in the order of the scene.
    pub fn reports(&self, simulation: &Simulation) -> Vec<SolverReport> {
        let scene = &simulation.world().scene;
        let name = |c: ComponentId| match scene.has_component(c) {
            true => format!("{} {}", scene.component(c).class, scene.path(c)),
            false => "(a component that has gone)".to_owned(),
        };
        let report = |(&component, of): (&ComponentId, &Solver)| SolverReport {
            solver: name(component),
            steps: of.steps,
            newton: of.newton.as_ref().map(|newton| NewtonReport {
                iterations: newton.iterations.mean_max(),
                limit: newton.last.limit,
                steps_at_limit: newton.steps_at_limit,
                failed_line_searches: newton.failed_line_searches,
                residuals: newton.residuals.clone(),
            }),
            linear_solver: of.linear.as_ref().map(|linear| LinearSolverReport {
                solver: name(linear.last.component),
                iterations: linear.iterations.mean_max(),
                limit: linear.last.limit,
                residual_ratio: linear.ratio.mean_max(),
                last_residual_ratio: linear.last.residual_ratio,
                tolerance: linear.last.tolerance,
                steps_at_limit: linear.steps_at_limit,
            }),
        };
        self.of.iter().map(report).collect()
    }
}
