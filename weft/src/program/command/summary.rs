//! What a person reads before and after a run.

use std::fmt::Write;

use super::summary_of_solvers;
use crate::execution::Stepped;
use crate::output::report::{Choices, Report};
use crate::output::statistics::StepHistory;

/// What is about to run.
pub fn head(name: &str, simulation: &dyn Stepped, choices: &Choices, steps: u64) -> String {
    let n = simulation.workers();
    let plural = if n == 1 { "" } else { "s" };
    let Choices { executor, partitioner, .. } = choices;
    let dt = simulation.time_step();
    // With one thread in recorded order nothing is placed.
    let placed = if executor == "sequential" { String::new() } else { format!(", placed by {partitioner}") };
    format!("{name}: {steps} steps of {dt} s, {executor} with {n} worker{plural}{placed}")
}

/// How it went.
pub fn tail(report: &Report, history: &StepHistory) -> String {
    let mut t = String::new();
    scene(&mut t, report);
    time(&mut t, report);
    graph(&mut t, report);
    if let Some(i) = &report.newton_iterations {
        line(&mut t, "Newton iterations", &format!("mean {:.1}, max {}", i.mean, i.max));
    }
    if history.solvers().linear_iterations().is_some() {
        let i = &report.cg_iterations;
        line(&mut t, "CG iterations", &format!("mean {:.1}, max {}", i.mean, i.max));
    }
    for text in summary_of_solvers::lines(&report.solvers) {
        line(&mut t, "  found by", &text);
    }
    if let Some(i) = &report.constraint_sweeps {
        line(&mut t, "constraint sweeps", &format!("mean {:.1}, max {}", i.mean, i.max));
    }
    if let Some(c) = &report.constraint_solver {
        let (error, tolerance) = (c.remaining_error.max, c.tolerance);
        let at_limit = match c.steps_at_limit {
            0 => "in no step at the limit of sweeps".to_owned(),
            1 => "in 1 step at the limit of sweeps".to_owned(),
            n => format!("in {n} steps at the limit of sweeps"),
        };
        let text = format!("{}: error at most {error:.3e}, {tolerance:.3e} asked for; {at_limit}", c.solver);
        line(&mut t, "  found by", &text);
    }
    let busy: Vec<String> = report.worker_busy.iter().map(|b| format!("{:.0} %", b * 100.0)).collect();
    if !busy.is_empty() {
        line(&mut t, "workers busy", &busy.join(", "));
    }
    for d in &report.compared_states {
        line(&mut t, "compared", &d.to_string());
    }
    if let Some(c) = &report.compare {
        let same = if c.same_state { "the same bits" } else { "OTHER BITS" };
        let (all, one) = (c.speedup, c.one_worker_step_ms.median);
        let integrate = c.speedup_integrate;
        let text =
            format!("{all:.2} against one worker ({one:.3} ms a step), integration {integrate:.2}; {same}");
        line(&mut t, "speedup", &text);
    }
    if let Some(hash) = &report.state_hash {
        line(&mut t, "state hash", hash);
    }
    t.truncate(t.trim_end().len());
    t
}

fn scene(t: &mut String, report: &Report) {
    let models: Vec<String> = report.models.iter().map(|(m, n)| format!("{n} {m}")).collect();
    line(t, "objects", &format!("{} ({}), {} DOFs", report.objects, models.join(", "), report.dofs));
    let c = &report.contacts;
    let contacts = if c.max > 0.0 {
        format!("mean {:.1}, max {}, deepest {:.3e} m", c.mean, c.max, c.max_penetration)
    } else {
        "none".to_owned()
    };
    line(t, "contacts", &contacts);
    if let Some(asleep) = report.asleep {
        line(t, "asleep", &format!("{asleep} of {} objects at the end", report.objects));
    }
}

fn time(t: &mut String, report: &Report) {
    let s = &report.step_ms;
    let from = match report.report_from {
        0 => String::new(),
        step => format!(", from step {step} on"),
    };
    let text = format!("median {:.3}, p95 {:.3}, min {:.3}, max {:.3}{from}", s.median, s.p95, s.min, s.max);
    line(t, "ms per step", &text);
    let p = &report.phase_ms;
    let text = format!(
        "collision {:.3}, graph {:.3}, integration {:.3}, other {:.3} (medians)",
        p.collision, p.graph, p.integrate, p.other
    );
    line(t, "  of these", &text);
    line(t, "real time", &format!("{:.2} times", report.real_time_factor));
}

fn graph(t: &mut String, report: &Report) {
    let k = &report.tasks;
    let text = format!(
        "{} compute, {} mirrored, {} signal, {} wait, {} reducer, {} loop",
        k.compute, k.mirrored, k.signal, k.wait, k.reducer, k.loops
    );
    line(t, "tasks", &text);
    let g = &report.graph;
    let text = format!(
        "built {} ({:.3} ms each), updated {} ({:.3} ms each), replayed {}; {} pairs came or went",
        g.built, g.build_ms, g.updated, g.update_ms, g.replayed, g.pairs_changed
    );
    line(t, "plan", &text);
}

fn line(text: &mut String, label: &str, what: &str) {
    let _ = writeln!(text, "{label:14} {what}");
}
