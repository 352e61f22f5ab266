//! An observed step as trace events.

use std::collections::BTreeSet;

use engine::exec::Deed;

use super::critical_path::Chain;
use super::waiting::Waiting;
use crate::output::trace::{BESIDE, TraceEvent};
use crate::record::{Names, StepRecord};

/// The rows of a trace: one per worker, and one that repeats the critical path.
pub fn rows(n_workers: usize, with_path: bool) -> Vec<String> {
    let workers = (0..n_workers).map(|w| format!("worker {w}"));
    workers.chain(with_path.then(|| "critical path".to_owned())).collect()
}

/// Everything that happened in a step; what is on one of the runs' `chains` is marked, and repeated in a row of its own.
pub fn trace_events<'a>(
    record: &'a StepRecord,
    waiting: &'a [Waiting],
    chains: &[Chain],
    names: &'a Names,
) -> Vec<TraceEvent<'a>> {
    let mut events = Vec::with_capacity(record.n_activities() + waiting.len());
    for (number, run) in record.runs.iter().enumerate() {
        let mut on_path: BTreeSet<(u32, u32)> =
            chains.get(number).iter().flat_map(|c| &c.links).map(|l| (l.task, l.iteration)).collect();
        let begin_ns = record.start_ns + run.start_ns;
        for activity in &run.activities {
            let (task, is_task, object) = match activity.deed {
                Deed::Task { task, .. } => (task.0, true, None),
                Deed::Reducer { first, object } => (first.0, false, Some(object.0)),
                Deed::Wait(_) => continue,
            };
            let facts = &run.graph.tasks[task as usize];
            let objects: &[u32] = object.as_ref().map_or(&facts.objects, std::slice::from_ref);
            let event = TraceEvent {
                worker: activity.worker as usize,
                name: if is_task { facts.name } else { "reduce" },
                category: if is_task && facts.component.is_some() { "component" } else { "control" },
                component: facts.component.filter(|_| is_task),
                path: facts.component.map_or("", |_| names.component(facts.component).0),
                objects: objects.iter().map(|o| names.object(*o)).collect(),
                stage: facts.stage,
                iteration: facts.in_loop.map(|_| activity.iteration),
                on_critical_path: is_task && on_path.contains(&(task, activity.iteration)),
                step: record.step,
                begin_ns: begin_ns + activity.start_ns,
                duration_ns: activity.duration_ns,
                ..TraceEvent::default()
            };
            // Of a task that several workers ran, the row of the path shows one.
            if event.on_critical_path && on_path.remove(&(task, activity.iteration)) {
                events.push(TraceEvent { worker: record.n_workers, ..event.clone() });
            }
            events.push(event);
        }
    }
    for section in &record.sections {
        let event = TraceEvent {
            name: section.kind.name(),
            category: "serial",
            on_critical_path: !chains.is_empty(),
            step: record.step,
            begin_ns: record.start_ns + section.start_ns,
            duration_ns: section.duration_ns,
            ..TraceEvent::default()
        };
        if event.on_critical_path {
            events.push(TraceEvent { worker: record.n_workers, ..event.clone() });
        }
        events.push(event);
    }
    events.extend(record.beside.iter().map(|work| TraceEvent {
        // Behind the row of the critical path, or of drawing.
        worker: record.n_workers + 1,
        name: &work.name,
        category: BESIDE,
        objects: vec![names.object(work.object)],
        step: record.step,
        begin_ns: work.start_ns,
        duration_ns: work.duration_ns,
        ..TraceEvent::default()
    }));
    for w in waiting {
        events.push(TraceEvent {
            worker: w.worker as usize,
            name: w.cause.name(),
            category: "wait",
            stage: w.wait.map_or("", |w| w.at),
            awaited_worker: w.wait.and_then(|w| w.worker),
            awaited_stage: w.wait.map_or("", |w| w.stage),
            step: record.step,
            begin_ns: record.start_ns + w.start_ns,
            duration_ns: w.duration_ns,
            ..TraceEvent::default()
        });
    }
    events
}
