//! The plots of a study: speedups over workers, a panel per case, and efficiencies where there is one case. Of a single
//! number of workers there are bars.

use weft::output::plot::{Bars, Curve, Figure, Panel, Stack, speedup_and_efficiency};

use super::Study;
use super::statistics::{Found, Row};

/// What the machine's limit is called.
const LIMIT: &str = "limit";

/// The figure of a whole study.
pub fn of(study: Study, found: &[Found]) -> Figure {
    let what = if found.iter().all(|f| f.case.integration) { " (integration)" } else { "" };
    let title = format!("{}: speedup over sequential{what}", study.name());
    let mut workers: Vec<u32> = found.iter().flat_map(|f| &f.rows).map(|r| r.workers).collect();
    workers.sort_unstable();
    workers.dedup();
    if let [1, n] | [n] = workers[..] {
        return Figure { title, panels: found.iter().map(|f| Panel::Bars(bars(f, n))).collect() };
    }
    let mut panels = Vec::new();
    for f in found {
        let mut figure = speedup_and_efficiency("", &curves(f), None);
        if found.len() > 1 {
            figure.panels.truncate(1);
        }
        for panel in &mut figure.panels {
            if let (Panel::Lines(lines), true) = (panel, found.len() > 1) {
                lines.y.title = format!("{}, {}", lines.y.title, f.case.name);
            }
        }
        panels.append(&mut figure.panels);
    }
    Figure { title, panels }
}

fn speedup(found: &Found, row: &Row) -> f64 {
    if found.case.integration { row.speedup_integrate.median } else { row.speedup.median }
}

/// A curve per executor, and the machine's limit.
fn curves(found: &Found) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for row in &found.rows {
        let point = (f64::from(row.workers), speedup(found, row));
        match curves.iter_mut().find(|c| c.name == row.way) {
            Some(curve) => curve.points.push(point),
            None => curves.push(Curve::new(&row.way, vec![point])),
        }
    }
    // Replay on one worker is the first point of both of its partitioners.
    if let Some(at) = curves.iter().position(|c| c.name == "replay") {
        let one = curves.remove(at).points;
        for curve in curves.iter_mut().filter(|c| c.name.starts_with("replay ")) {
            curve.points.splice(0..0, one.iter().copied());
        }
    }
    if !found.limits.is_empty() {
        let limits = found.limits.iter().map(|(n, l)| (f64::from(*n), l.median));
        curves.push(Curve::new(LIMIT, std::iter::once((1.0, 1.0)).chain(limits).collect()));
    }
    curves
}

/// A bar per executor on `workers` workers, and the machine's limit.
fn bars(found: &Found, workers: u32) -> Bars {
    let rows = found.rows.iter().filter(|r| r.workers == workers);
    // Replay by the partitioner's name alone: there is little room below a bar.
    let name = |r: &Row| r.way.trim_start_matches("replay ").to_owned();
    let limits = found.limits.iter().filter(|(n, _)| *n == workers);
    let all = rows.map(|r| (name(r), speedup(found, r)));
    let (categories, values) = all.chain(limits.map(|(_, l)| (LIMIT.to_owned(), l.median))).unzip();
    let stack = Stack { name: format!("{workers} workers"), values };
    Bars { title: format!("speedup, {}", found.case.name), categories, stacks: vec![stack] }
}
