//! How the solvers of a step have converged: what reports say of it, and what is warned of once.

use std::collections::BTreeSet;

use scenes::diagnostics::{Diagnostic, Severity};
use sim_core::component::solver::SolveRecord;
use sim_core::scene::ComponentId;

use super::Simulation;
use super::report::{LinearEnd, NewtonEnd, SolverEnd, StepReport};

/// What is warned of once for each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    /// Newton's method has had as many iterations as it may.
    AtLimit,
    /// A line search has not lessened the residual.
    LineSearch,
}

/// What was warned of.
#[derive(Default)]
pub(super) struct Warned(BTreeSet<(ComponentId, Trouble)>);

impl Simulation {
    /// Puts how each group's solvers have ended in the place of what was known of the last step, and warns of what is to be warned of.
    pub(super) fn report_solvers(&mut self, report: &mut StepReport) {
        report.solvers.clear();
        let Self { integration: Some(integration), groups, world, engine, warned, step, .. } = self else {
            report.residuals.clear();
            return;
        };
        let mut n_histories = 0;
        for record in groups.records() {
            let (solve, node) = (&record.solve, &world.solvers[record.solvers[0]]);
            let solver = world.scene.solvers.ode[node.ode].component;
            let count = solve.iterations.map_or(0, |n| engine.scalar(*integration, n));
            let newton = solve.newton.map(|newton| {
                let ended = engine.scalar(*integration, newton.ended);
                let failed = newton.failed_line_searches.map_or(0, |n| engine.scalar(*integration, n));
                NewtonEnd {
                    iterations: count,
                    limit: newton.limit,
                    is_at_limit: count >= newton.limit && !(ended && count > 0),
                    failed_line_searches: failed,
                    history: None,
                }
            });
            let newton = newton.map(|newton| {
                let Some(residuals) = solve.residuals else { return newton };
                let all = world.store.read(residuals);
                if report.residuals.len() == n_histories {
                    report.residuals.push(Vec::new());
                }
                let history = &mut report.residuals[n_histories];
                history.clear();
                history.extend_from_slice(&all[..(count as usize + 1).min(all.len())]);
                n_histories += 1;
                NewtonEnd { history: Some(n_histories - 1), ..newton }
            });
            let component = node.linear.map(|l| world.scene.solvers.linear[l].component);
            // Where Newton's method has nothing to do, no system is solved.
            let is_solved = newton.is_none_or(|newton| newton.iterations > 0);
            let linear = solve.linear.zip(component).filter(|_| is_solved).map(|(linear, component)| {
                let scalar = |s| engine.scalar(*integration, s);
                let (residual, iterations) =
                    (scalar(linear.residual), engine.scalar(*integration, linear.iterations));
                let ratio =
                    if residual == 0.0 { 0.0 } else { (linear.ratio)(residual, scalar(linear.reference)) };
                let ended = match linear.ended {
                    Some(ended) => engine.scalar(*integration, ended),
                    None => ratio <= linear.tolerance,
                };
                let most = solve.linear_iterations.map_or(iterations, |n| engine.scalar(*integration, n));
                LinearEnd {
                    component,
                    iterations: most,
                    residual_ratio: ratio,
                    tolerance: linear.tolerance,
                    limit: linear.limit,
                    is_at_limit: iterations >= linear.limit && !ended,
                }
            });
            if newton.is_none() && linear.is_none() {
                continue;
            }
            report.solvers.push(SolverEnd { solver, newton, linear });
            let Some((newton, warns)) = newton.zip(solve.newton) else { continue };
            let mut warn = |trouble, attribute: &str, what: &dyn Fn() -> String| {
                if warned.0.contains(&(solver, trouble)) {
                    return;
                }
                warned.0.insert((solver, trouble));
                let component = world.scene.component(solver);
                let message = format!("step {}: {}", *step - 1, what());
                let finding = Diagnostic::new(Severity::Warning, &component.location, message)
                    .component(format!("{} ({})", world.scene.path(solver), component.class))
                    .suggestion(Some(format!(
                        "this is said once, the report and the summary count; `{attribute}=\"0\"` of a NewtonRaphsonSolver silences it"
                    )));
                log::warn!("{finding}");
            };
            let history = newton.history.map_or(&[][..], |h| &report.residuals[h]);
            // One iteration a step is how SOFA's scenes use it.
            if newton.is_at_limit && newton.limit > 1 && warns.warns_of_divergence {
                warn(Trouble::AtLimit, "warnWhenDiverge", &|| {
                    let grown = history.first().zip(history.last()).is_some_and(|(first, last)| last > first);
                    format!(
                        "Newton's method {} after {} iterations, as many as it may have: {}",
                        if grown { "diverges: its residual has grown" } else { "has not converged" },
                        newton.iterations,
                        residuals_text(history)
                    )
                });
            }
            if newton.failed_line_searches > 0 && warns.warns_of_line_search {
                warn(Trouble::LineSearch, "warnWhenLineSearchFails", &|| {
                    let n = newton.failed_line_searches;
                    format!(
                        "in {} of {} iterations of Newton's method no step of the line search lessens the residual, so that the whole one is taken: {}",
                        n,
                        newton.iterations,
                        residuals_text(history)
                    )
                });
            }
        }
        report.residuals.truncate(n_histories);
    }

    /// How far the solvers of a group whose step has failed have come.
    pub(super) fn course(&self, solve: &SolveRecord) -> Option<String> {
        let (integration, iterations) = self.integration.zip(solve.iterations)?;
        let count = self.engine.scalar(integration, iterations);
        if let Some(residuals) = solve.residuals {
            let all = self.world.store.read(residuals);
            let known = &all[..(count as usize + 1).min(all.len())];
            return Some(format!("after {count} iterations of Newton's method, {}", residuals_text(known)));
        }
        let linear = solve.linear?;
        let ratio = (linear.ratio)(
            self.engine.scalar(integration, linear.residual),
            self.engine.scalar(integration, linear.reference),
        );
        let limit = linear.limit;
        Some(format!(
            "after {count} of at most {limit} iterations of the linear solver, whose residual's ratio is {ratio:.3e}"
        ))
    }
}

/// The norms of residuals, the first and the last ones of many.
fn residuals_text(residuals: &[f64]) -> String {
    const ENDS: usize = 4;
    let text = |some: &[f64]| -> Vec<String> { some.iter().map(|r| format!("{r:.3e}")).collect() };
    match residuals {
        [] => "no residuals are known".to_owned(),
        all if all.len() <= 2 * ENDS => format!("residuals {}", text(all).join(", ")),
        all => {
            let (first, last) = (&all[..ENDS], &all[all.len() - ENDS..]);
            format!("residuals {}, ..., {}", text(first).join(", "), text(last).join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::residuals_text;

    #[test]
    fn many_residuals_are_shown_by_their_ends() {
        assert_eq!(residuals_text(&[1.0, 0.5]), "residuals 1.000e0, 5.000e-1");
        let many: Vec<f64> = (0..20).map(f64::from).collect();
        let text = residuals_text(&many);
        assert!(text.contains("3.000e0, ..., 1.600e1") && text.ends_with("1.900e1"), "{text}");
    }
}
