//! A profile as text.

use std::fmt::Write;

use super::summary::{PathRow, Profile, TaskRow};
use crate::output::statistics::{Spread, rounded};

/// Rows of a table at most; the rest is one line.
const MOST_ROWS: usize = 12;
/// Parts of a critical path below this share are not shown one by one.
const LEAST_SHARE: f64 = 0.005;

/// The unit in which times are shown.
#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    per_ms: f64,
}

impl Unit {
    /// Milliseconds, unless steps take less than a tenth of one.
    fn of(profile: &Profile) -> Self {
        if profile.step_ms.median < 0.1 {
            Self { name: "us", per_ms: 1e3 }
        } else {
            Self { name: "ms", per_ms: 1.0 }
        }
    }

    fn show(self, ms: f64) -> String {
        format!("{:>10.3}", rounded(ms * self.per_ms, 3))
    }
}

/// What a person reads after a profiled run.
pub fn text(profile: &Profile) -> String {
    let mut t = String::new();
    let unit = Unit::of(profile);
    head(&mut t, profile, unit);
    workers(&mut t, profile, unit);
    waiting(&mut t, profile, unit);
    critical_path(&mut t, profile, unit);
    table(&mut t, "by component class", &profile.classes, unit);
    table(&mut t, "by component", &profile.components, unit);
    table(&mut t, "by object", &profile.objects, unit);
    t.truncate(t.trim_end().len());
    t
}

fn head(t: &mut String, p: &Profile, u: Unit) {
    let unit = u.name;
    let spread = |s: &Spread| {
        let [median, p95, min, max] = [s.median, s.p95, s.min, s.max].map(|ms| ms * u.per_ms);
        format!("median {median:.3}, p95 {p95:.3}, min {min:.3}, max {max:.3}")
    };
    line(t, &format!("{unit} per step"), &spread(&p.step_ms));
    line(t, "work", &format!("{} {unit}: all tasks and serial work", spread(&p.work_ms)));
    line(t, "critical path", &format!("{} {unit}", spread(&p.critical_path_ms)));
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
    if let Some(amdahl) = &p.amdahl {
        line(t, "Amdahl's bound", &amdahl.text());
    }
    let serial = p.serial.iter().map(|s| format!("{} {:.3}", s.kind.name(), rounded(s.ms * u.per_ms, 3)));
    line(t, "serial", &format!("{} {unit} per step", serial.collect::<Vec<_>>().join(", ")));
    for b in &p.beside {
        let ms = rounded(b.ms * u.per_ms, 3);
        line(t, "beside the steps", &format!("{} {}, {ms:.3} {unit} each", b.count, b.name));
    }
    if p.timed_share < 0.995 {
        let text = format!(
            "{:.0} % of the task executions; the others, of short tasks, several together",
            100.0 * p.timed_share
        );
        line(t, "timed one by one", &text);
    }
}

fn workers(t: &mut String, p: &Profile, u: Unit) {
    let unit = u.name;
    let _ = writeln!(t, "\nworkers, {unit} per step (mean)");
    let _ = writeln!(t, "  worker      tasks   reducers     serial    control    waiting");
    for (k, w) in p.workers.iter().enumerate() {
        let parts = [w.tasks, w.reducers, w.serial, w.control, w.waiting.iter().sum()];
        let _ = writeln!(t, "  {k:>6} {}", parts.map(|ms| u.show(ms)).join(" "));
    }
}

fn waiting(t: &mut String, p: &Profile, u: Unit) {
    let unit = u.name;
    let _ =
        writeln!(t, "\nwaiting by cause, {unit} per step (mean, all workers), share of the workers' time");
    let mut rows: Vec<_> = p.waiting.iter().filter(|w| w.ms > 0.0).collect();
    rows.sort_by(|a, b| b.ms.total_cmp(&a.ms));
    if rows.is_empty() {
        let _ = writeln!(t, "  nobody waited");
    }
    for w in rows {
        let _ = writeln!(t, "  {:<18} {} {:>7.1} %", w.cause.name(), u.show(w.ms), 100.0 * w.share);
    }
}

fn critical_path(t: &mut String, p: &Profile, u: Unit) {
    let unit = u.name;
    let path = &p.critical_path;
    let total = path.ms * u.per_ms;
    let _ = writeln!(t, "\ncritical path of step {} (the one in the middle): {total:.3} {unit}", path.step);
    let _ = writeln!(t, "   share         {unit}   count  what");
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
        path_row(t, row, u);
    }
    if rest.2 > 0 {
        let _ = writeln!(t, "{:>6.1} % {} {:>7}  (shorter parts)", 100.0 * rest.0, u.show(rest.1), rest.2);
    }
}

fn path_row(t: &mut String, row: &PathRow, u: Unit) {
    let indent = if row.iterations.is_some() { "  " } else { "" };
    let what = if row.task.is_empty() {
        format!("{} (serial)", row.phase)
    } else if row.components > 1 {
        format!("{}  {} ({} of them)", row.task, row.component, row.components)
    } else {
        format!("{}  {}", row.task, row.component)
    };
    let _ = writeln!(t, "{:>6.1} % {} {:>7}  {indent}{what}", 100.0 * row.share, u.show(row.ms), row.count);
}

fn table(t: &mut String, title: &str, rows: &[TaskRow], u: Unit) {
    let unit = u.name;
    let _ = writeln!(t, "\n{title}\n   share    {unit}/step  path share  count/step  what");
    for row in rows.iter().take(MOST_ROWS) {
        let name = if row.members > 1 {
            format!("{} ({} of them)", row.name, row.members)
        } else {
            row.name.clone()
        };
        task_row(t, row, &name, u);
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
        task_row(t, &all, &format!("({} more)", more.len()), u);
    }
}

fn task_row(t: &mut String, row: &TaskRow, name: &str, u: Unit) {
    let _ = writeln!(
        t,
        "{:>6.1} % {} {:>9.1} % {:>11.1}  {name}",
        100.0 * row.share,
        u.show(row.ms),
        100.0 * row.path_share,
        row.count
    );
}

fn line(text: &mut String, label: &str, what: &str) {
    let _ = writeln!(text, "{label:16} {what}");
}
