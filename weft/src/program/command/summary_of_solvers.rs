//! What a person reads of how solvers have converged.

use crate::output::solver_report::{LinearSolverReport, NewtonReport, SolverReport};

/// How many solvers are named.
const NAMED: usize = 3;

/// Lines about the solvers that have ended at their limits most often, Newton's methods first; the last one counts the others.
pub fn lines(solvers: &[SolverReport]) -> Vec<String> {
    let at_limit = |s: &SolverReport| {
        let newton = s.newton.as_ref().map_or(0, |n| n.steps_at_limit);
        (
            s.newton.is_none(),
            std::cmp::Reverse(newton + s.linear_solver.as_ref().map_or(0, |l| l.steps_at_limit)),
        )
    };
    let mut sorted: Vec<&SolverReport> = solvers.iter().collect();
    sorted.sort_by_key(|s| at_limit(s));
    let mut lines = Vec::new();
    for s in sorted.iter().take(NAMED) {
        if let Some(n) = &s.newton {
            lines.push(format!("{}: {}", s.solver, newton(n)));
        }
        if let Some(l) = &s.linear_solver {
            lines.push(format!("{}: {}", l.solver, linear(l)));
        }
    }
    if solvers.len() > NAMED {
        lines.push(format!("and {} more, which a --report names", solvers.len() - NAMED));
    }
    lines
}

fn newton(n: &NewtonReport) -> String {
    let residuals = match (n.residuals.first(), n.residuals.last()) {
        (Some(first), Some(last)) => format!("residual {first:.3e} to {last:.3e} in the last step; "),
        _ => String::new(),
    };
    let searches = match n.failed_line_searches {
        0 => String::new(),
        1 => "; 1 line search failed".to_owned(),
        n => format!("; {n} line searches failed"),
    };
    format!(
        "Newton's iterations mean {:.1}, max {}; {residuals}{}{searches}",
        n.iterations.mean,
        n.iterations.max,
        steps_at_limit(n.steps_at_limit, n.limit)
    )
}

fn linear(l: &LinearSolverReport) -> String {
    format!(
        "residual's ratio at most {:.3e}, {:.3e} asked for; {}",
        l.residual_ratio.max,
        l.tolerance,
        steps_at_limit(l.steps_at_limit, l.limit)
    )
}

fn steps_at_limit(steps: usize, limit: u32) -> String {
    match steps {
        0 => format!("in no step at the limit of {limit}"),
        1 => format!("in 1 step at the limit of {limit}"),
        n => format!("in {n} steps at the limit of {limit}"),
    }
}
