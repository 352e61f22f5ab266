//! Two profiles side by side, and what changed.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::summary::{Profile, TaskRow};
use crate::output::statistics::rounded;

/// Changes that are shown of each kind at most.
const MOST_ROWS: usize = 15;

/// Something that two profiles measure alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What it is.
    pub name: String,
    /// In the first profile; zero if it is not there.
    pub before: f64,
    /// In the second profile; zero if it is not there.
    pub after: f64,
}

impl Change {
    /// How much more it is in the second profile.
    pub fn difference(&self) -> f64 {
        self.after - self.before
    }
}

/// Matches two lists by name; sorted by decreasing absolute change, and by name where that is equal.
pub fn changes(before: &[(String, f64)], after: &[(String, f64)]) -> Vec<Change> {
    let mut all: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for (name, value) in before {
        all.entry(name).or_default().0 += value;
    }
    for (name, value) in after {
        all.entry(name).or_default().1 += value;
    }
    let change =
        |(name, (before, after)): (&str, (f64, f64))| Change { name: name.to_owned(), before, after };
    let mut changes: Vec<Change> = all.into_iter().map(change).collect();
    changes.sort_by(|a, b| b.difference().abs().total_cmp(&a.difference().abs()));
    changes
}

/// What a person reads of two profiles.
pub fn comparison(names: [&str; 2], a: &Profile, b: &Profile) -> String {
    let mut t = String::new();
    for (label, name, p) in [("A", names[0], a), ("B", names[1], b)] {
        let s = &p.setting;
        let _ = writeln!(
            t,
            "{label}: {name}: {}, {} of {} steps, {} with {} worker{}, placed by {}",
            s.scene,
            p.steps,
            s.steps,
            s.executor,
            s.workers,
            if s.workers == 1 { "" } else { "s" },
            s.partitioner
        );
    }
    if a.setting.scene != b.setting.scene {
        let _ = writeln!(t, "(the scenes differ)");
    }
    head(&mut t, "ms per step (medians)");
    one(&mut t, "step", a.step_ms.median, b.step_ms.median);
    one(&mut t, "work", a.work_ms.median, b.work_ms.median);
    one(&mut t, "critical path", a.critical_path_ms.median, b.critical_path_ms.median);
    let of = |of: fn(&Profile) -> f64| (of(a), of(b));
    let _ = writeln!(t, "\n{:>10} {:>10} {:>10}", "A", "B", "change");
    for (name, (a, b)) in [
        ("concurrency", of(|p| p.concurrency)),
        ("speedup bound by dependence", of(|p| p.dependence_bound)),
        ("speedup bound by placement", of(|p| p.placement_bound)),
    ] {
        let _ = writeln!(t, "{a:>10.2} {b:>10.2} {:>+10.2}  {name}", rounded(b - a, 2));
    }
    let times = |of: fn(&Profile) -> Vec<(String, f64)>| changes(&of(a), &of(b));
    list(&mut t, "waiting by cause and serial work, ms per step (means)", &times(idle));
    list(&mut t, "workers' time, ms per step (means)", &times(workers));
    list(&mut t, "critical path of the step in the middle, ms", &times(path));
    list(&mut t, "by component class, ms per step (means)", &times(|p| tasks(&p.classes)));
    list(&mut t, "by component, ms per step (means)", &times(|p| tasks(&p.components)));
    list(&mut t, "by object, ms per step (means)", &times(|p| tasks(&p.objects)));
    t.truncate(t.trim_end().len());
    t
}

fn idle(p: &Profile) -> Vec<(String, f64)> {
    let waiting = p.waiting.iter().map(|w| (format!("waiting: {}", w.cause.name()), w.ms));
    waiting.chain(p.serial.iter().map(|s| (format!("serial: {}", s.kind.name()), s.ms))).collect()
}

fn workers(p: &Profile) -> Vec<(String, f64)> {
    let row = |(k, w): (usize, &super::summary::WorkerRow)| {
        let parts = [("tasks", w.tasks), ("reducers", w.reducers), ("control", w.control)];
        let waiting = [("waiting", w.waiting.iter().sum())];
        parts.into_iter().chain(waiting).map(move |(what, ms)| (format!("worker {k}: {what}"), ms))
    };
    p.workers.iter().enumerate().flat_map(row).collect()
}

fn path(p: &Profile) -> Vec<(String, f64)> {
    let name = |r: &super::summary::PathRow| {
        if r.task.is_empty() { r.phase.clone() } else { format!("{}  {}", r.task, r.component) }
    };
    p.critical_path.rows.iter().map(|r| (name(r), r.ms)).collect()
}

fn tasks(rows: &[TaskRow]) -> Vec<(String, f64)> {
    rows.iter().map(|r| (r.name.clone(), r.ms)).collect()
}

fn list(t: &mut String, title: &str, changes: &[Change]) {
    head(t, title);
    let some = changes.iter().filter(|c| c.before != 0.0 || c.after != 0.0);
    for c in some.clone().take(MOST_ROWS) {
        one(t, &c.name, c.before, c.after);
    }
    let more = some.skip(MOST_ROWS);
    let (n, difference) = more.fold((0, 0.0), |(n, d), c| (n + 1, d + c.difference()));
    if n > 0 {
        let _ = writeln!(t, "{:>+32.3} {:>9}  ({n} more)", rounded(difference, 3), "");
    }
}

fn head(t: &mut String, title: &str) {
    let _ = writeln!(t, "\n{title}\n{:>10} {:>10} {:>10} {:>9}", "A", "B", "change", "");
}

fn one(t: &mut String, name: &str, a: f64, b: f64) {
    let relative =
        if a == 0.0 { String::new() } else { format!("{:+.1} %", rounded(100.0 * (b - a) / a, 1)) };
    let [a, b, change] = [a, b, b - a].map(|ms| rounded(ms, 3));
    let _ = writeln!(t, "{a:>10.3} {b:>10.3} {change:>+10.3} {relative:>9}  {name}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_matched_by_name_and_sorted_by_size() {
        let list = |rows: &[(&str, f64)]| rows.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect::<Vec<_>>();
        let found = changes(
            &list(&[("same", 5.0), ("gone", 1.0), ("less", 9.0)]),
            &list(&[("less", 2.0), ("came", 3.0), ("same", 5.0)]),
        );
        let found: Vec<_> = found.iter().map(|c| (c.name.as_str(), c.difference())).collect();
        assert_eq!(found, [("less", -7.0), ("came", 3.0), ("gone", -1.0), ("same", 0.0)]);
    }

    #[test]
    fn a_change_too_small_to_be_shown_has_no_sign() {
        let mut text = String::new();
        one(&mut text, "step", 2.0, 1.9999);
        assert!(text.contains("+0.000") && !text.contains('-'), "{text}");
    }

    #[test]
    fn a_profile_beside_itself_does_not_change() {
        let mut p =
            Profile { critical_path: super::super::summary::PathOfStep::default(), ..Profile::default() };
        p.step_ms.median = 2.0;
        let t = comparison(["a.json", "a.json"], &p, &p);
        assert!(t.contains("     2.000      2.000     +0.000    +0.0 %  step"), "{t}");
        assert!(!t.contains("the scenes differ"));
    }
}
