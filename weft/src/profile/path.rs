//! A critical path as people read it: in order, loops folded.

use std::collections::BTreeSet;

use super::critical_path::Link;
use super::step::StepAnalysis;
use super::summary::{PathOfStep, PathRow};
use crate::record::{Names, RunRecord, StepRecord};

const MS: f64 = 1e-6;

/// The critical path of a step, in order.
pub fn path_of_step(record: &StepRecord, analysis: &StepAnalysis, names: &Names) -> PathOfStep {
    let total = analysis.critical_path_ns();
    let mut parts: Vec<(u64, Vec<PathRow>)> = Vec::new();
    for section in &record.sections {
        let row = PathRow {
            phase: section.kind.name().to_owned(),
            count: 1,
            ms: section.duration_ns as f64 * MS,
            ..PathRow::default()
        };
        parts.push((section.start_ns, vec![row]));
    }
    for (run, chain) in record.runs.iter().zip(&analysis.chains) {
        parts.push((run.start_ns, rows(run, &chain.links, names)));
    }
    parts.sort_by_key(|p| p.0);
    let mut rows: Vec<PathRow> = parts.into_iter().flat_map(|p| p.1).collect();
    for row in &mut rows {
        row.share = if total == 0 { 0.0 } else { row.ms / (total as f64 * MS) };
    }
    PathOfStep { step: record.step, ms: total as f64 * MS, rows }
}

/// A row that is being filled.
struct Open<'a> {
    task: &'static str,
    class: &'a str,
    components: BTreeSet<&'a str>,
    count: u32,
    ns: u64,
}

fn rows(run: &RunRecord, links: &[Link], names: &Names) -> Vec<PathRow> {
    let in_loop = |l: &Link| run.graph.tasks[l.task as usize].in_loop;
    let mut rows = Vec::new();
    for part in links.chunk_by(|a, b| in_loop(a) == in_loop(b)) {
        let is_loop = in_loop(&part[0]).is_some();
        let mut open: Vec<Open<'_>> = Vec::new();
        for link in part {
            let facts = &run.graph.tasks[link.task as usize];
            let (path, class) = names.component(facts.component);
            let same = |o: &Open<'_>| o.task == facts.name && o.class == class;
            // In a loop, what recurs is one line; elsewhere only what follows itself is.
            let place = if is_loop {
                open.iter().position(same)
            } else {
                open.last().filter(|o| same(o)).map(|_| open.len() - 1)
            };
            let place = place.unwrap_or_else(|| {
                open.push(Open { task: facts.name, class, components: BTreeSet::new(), count: 0, ns: 0 });
                open.len() - 1
            });
            let row = &mut open[place];
            row.components.insert(path);
            row.count += 1;
            row.ns += link.duration_ns;
        }
        let iterations: BTreeSet<u32> = part.iter().map(|l| l.iteration).collect();
        rows.extend(open.into_iter().map(|o| PathRow {
            phase: run.phase.name().to_owned(),
            iterations: is_loop.then_some(iterations.len() as u32),
            task: o.task.to_owned(),
            component: match o.components.first() {
                Some(path) if o.components.len() == 1 => (*path).to_owned(),
                _ => o.class.to_owned(),
            },
            components: o.components.len(),
            count: o.count,
            ms: o.ns as f64 * MS,
            share: 0.0,
        }));
    }
    rows
}
