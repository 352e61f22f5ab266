//! A profile as text.

use std::fmt::Write;

use super::summary::{PathRow, Profile, TaskRow};
use crate::output::statistics::Spread;

/// Rows of a table at most; the rest is one line.
const MOST_ROWS: usize = 12;
/// Parts of a critical path below this share are not shown one by one.
const LEAST_SHARE: f64 = 0.005;

/// What a person reads after a profiled run.
pub fn text(profile: &Profile) -> String {
    let mut t = String::new();
    head(&mut t, profile);
    workers(&mut t, profile);
    waiting(&mut t, profile);
    critical_path(&mut t, profile);
    table(&mut t, "by component class", &profile.classes);
    table(&mut t, "by component", &profile.components);
    table(&mut t, "by object", &profile.objects);
    t.truncate(t.trim_end().len());
    t
}

fn head(t: &mut String, p: &Profile) {
    let spread =
        |s: &Spread| format!("median {:.3}, p95 {:.3}, min {:.3}, max {:.3}", s.median, s.p95, s.min, s.max);
    line(t, "ms per step", &spread(&p.step_ms));
    line(t, "work", &format!("{} ms: all tasks and serial work", spread(&p.work_ms)));
    line(t, "critical path", &format!("{} ms", spread(&p.critical_path_ms)));
    line(
        t,
        "concurrency",
        &format!("{:.2} workers at work on average, of {}", p.concurrency, p.setting.workers),
    );
    line(
        t,
        "speedup bound",
        &format!(
            "{:.2} by dependence (work / critical path), {:.2} by this placement (work / largest load)",
            p.dependence_bound, p.placement_bound
        ),
    );
    let serial: Vec<String> = p.serial.iter().map(|s| format!("{} {:.3}", s.kind.name(), s.ms)).collect();
    line(t, "serial", &format!("{} ms per step", serial.join(", ")));
    if p.timed_share < 0.995 {
        let text = format!(
            "{:.0} % of the task executions; the others, of short tasks, stage by stage",
            100.0 * p.timed_share
        );
        line(t, "timed one by one", &text);
    }
}

fn workers(t: &mut String, p: &Profile) {
    let _ = writeln!(t, "\nworkers, ms per step (mean)");
    let _ = writeln!(t, "  worker      tasks   reducers     serial    control    waiting");
    for (k, w) in p.workers.iter().enumerate() {
        let _ = writeln!(
            t,
            "  {k:>6} {:>10.3} {:>10.3} {:>10.3} {:>10.3} {:>10.3}",
            w.tasks,
            w.reducers,
            w.serial,
            w.control,
            w.waiting.iter().sum::<f64>()
        );
    }
}

fn waiting(t: &mut String, p: &Profile) {
    let _ = writeln!(t, "\nwaiting by cause, ms per step (mean, all workers), share of the workers' time");
    let mut rows: Vec<_> = p.waiting.iter().filter(|w| w.ms > 0.0).collect();
    rows.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    if rows.is_empty() {
        let _ = writeln!(t, "  nobody waited");
    }
    for w in rows {
        let _ = writeln!(t, "  {:<18} {:>10.3} {:>7.1} %", w.cause.name(), w.ms, 100.0 * w.share);
    }
}

fn critical_path(t: &mut String, p: &Profile) {
    let path = &p.critical_path;
    let _ = writeln!(t, "\ncritical path of step {} (the one in the middle): {:.3} ms", path.step, path.ms);
    let _ = writeln!(t, "   share         ms   count  what");
    let mut rest = (0.0, 0.0, 0);
    let mut in_loop = None;
    for row in &path.rows {
        if row.share < LEAST_SHARE {
            rest = (rest.0 + row.share, rest.1 + row.ms, rest.2 + row.count);
            continue;
        }
        if row.iterations != in_loop
            && let Some(n) = row.iterations
        {
            let _ = writeln!(t, "{:28}loop, {n} iteration{}", "", if n == 1 { "" } else { "s" });
        }
        in_loop = row.iterations;
        path_row(t, row);
    }
    if rest.2 > 0 {
        let _ = writeln!(t, "{:>6.1} % {:>10.3} {:>7}  (shorter parts)", 100.0 * rest.0, rest.1, rest.2);
    }
}

fn path_row(t: &mut String, row: &PathRow) {
    let indent = if row.iterations.is_some() { "  " } else { "" };
    let what = if row.task.is_empty() {
        format!("{} (serial)", row.phase)
    } else if row.components > 1 {
        format!("{}  {} ({} of them)", row.task, row.component, row.components)
    } else {
        format!("{}  {}", row.task, row.component)
    };
    let _ = writeln!(t, "{:>6.1} % {:>10.3} {:>7}  {indent}{what}", 100.0 * row.share, row.ms, row.count);
}

fn table(t: &mut String, title: &str, rows: &[TaskRow]) {
    let _ = writeln!(t, "\n{title}\n   share    ms/step  path share  count/step  what");
    for row in rows.iter().take(MOST_ROWS) {
        let name = if row.members > 1 {
            format!("{} ({} of them)", row.name, row.members)
        } else {
            row.name.clone()
        };
        task_row(t, row, &name);
    }
    if let Some(more) = rows.get(MOST_ROWS..).filter(|more| !more.is_empty()) {
        let sum = |of: fn(&TaskRow) -> f64| more.iter().map(of).sum::<f64>();
        let all = TaskRow {
            share: sum(|r| r.share),
            ms: sum(|r| r.ms),
            path_share: sum(|r| r.path_share),
            count: sum(|r| r.count),
            ..TaskRow::default()
        };
        task_row(t, &all, &format!("({} more)", more.len()));
    }
}

fn task_row(t: &mut String, row: &TaskRow, name: &str) {
    let _ = writeln!(
        t,
        "{:>6.1} % {:>10.3} {:>9.1} % {:>11.1}  {name}",
        100.0 * row.share,
        row.ms,
        100.0 * row.path_share,
        row.count
    );
}

fn line(text: &mut String, label: &str, what: &str) {
    let _ = writeln!(text, "{label:16} {what}");
}
