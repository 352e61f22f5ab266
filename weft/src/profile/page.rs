//! A profile as one HTML page that needs nothing else: tables, and the timelines of some steps to zoom and pan.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use engine::exec::Deed;
use serde::Serialize;

use super::step::StepAnalysis;
use super::summary::Profile;
use crate::record::{Names, StepRecord};

/// The page, with a place for the data.
const PAGE: &str = include_str!("page.html");
/// Where the data go.
const PLACE: &str = "\"PROFILE\"";

/// What the page's script reads.
#[derive(Serialize)]
struct Data<'a> {
    profile: &'a Profile,
    causes: Vec<&'static str>,
    objects: &'a [String],
    timelines: Vec<Timeline>,
}

/// A step to be drawn. Times are nanoseconds since the step began.
#[derive(Serialize)]
struct Timeline {
    title: String,
    step: u64,
    wall_ns: u64,
    n_workers: usize,
    /// Texts that rows refer to by number: names of tasks, stages, paths of components.
    words: Vec<String>,
    /// Graph, start, length.
    runs: Vec<(&'static str, u64, u64)>,
    /// Worker, start, length, name, path, stage, first and second object (-1: none), iteration (-1: no loop), flags
    /// (1: on the critical path, 2: its share of a stage's time, 4: a reducer).
    tasks: Vec<[i64; 10]>,
    /// Worker, start, length, cause, waiting stage, awaited worker (-1: none), awaited stage.
    waits: Vec<[i64; 7]>,
    /// Start, length, name.
    serial: Vec<(u64, u64, i64)>,
}

/// Numbers words.
#[derive(Default)]
struct Words {
    number: BTreeMap<String, i64>,
    list: Vec<String>,
}

impl Words {
    fn of(&mut self, word: &str) -> i64 {
        if let Some(number) = self.number.get(word) {
            return *number;
        }
        let number = self.list.len() as i64;
        self.list.push(word.to_owned());
        self.number.insert(word.to_owned(), number);
        number
    }
}

/// Writes the page with the timelines of some steps, by title.
///
/// # Errors
/// What the writer says.
pub fn write_page(
    out: &mut impl Write,
    profile: &Profile,
    names: &Names,
    steps: &[(&str, &StepRecord, &StepAnalysis)],
) -> io::Result<()> {
    let data = Data {
        profile,
        causes: super::cause::Cause::ALL.iter().map(|c| c.name()).collect(),
        objects: &names.objects,
        timelines: steps
            .iter()
            .map(|(title, record, analysis)| timeline(title, record, analysis, names))
            .collect(),
    };
    // Inside a script element only `</` ends the data; `<\/` means the same to JSON.
    let json = serde_json::to_string(&data)?.replace("</", "<\\/");
    let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
    out.write_all(before.as_bytes())?;
    out.write_all(json.as_bytes())?;
    out.write_all(after.as_bytes())
}

fn timeline(title: &str, record: &StepRecord, analysis: &StepAnalysis, names: &Names) -> Timeline {
    let mut words = Words::default();
    let mut tasks = Vec::with_capacity(record.n_activities());
    for (run, chain) in record.runs.iter().zip(&analysis.chains) {
        let on_path: BTreeSet<(u32, u32)> = chain.links.iter().map(|l| (l.task, l.iteration)).collect();
        for a in &run.activities {
            let (task, timed, target) = match a.deed {
                Deed::Task { task, timed } => (task.0, timed, None),
                Deed::Reducer { first, object } => (first.0, true, Some(object.0)),
                Deed::Wait(_) => continue,
            };
            let facts = &run.graph.tasks[task as usize];
            let objects = target.as_ref().map_or(&facts.objects[..], std::slice::from_ref);
            let object = |k: usize| objects.get(k).map_or(-1, |o| i64::from(*o));
            let on_path = target.is_none() && on_path.contains(&(task, a.iteration));
            tasks.push([
                i64::from(a.worker),
                (run.start_ns + a.start_ns) as i64,
                a.duration_ns as i64,
                words.of(if target.is_some() { "reduce" } else { facts.name }),
                words.of(names.component(facts.component).0),
                words.of(facts.stage),
                object(0),
                object(1),
                facts.in_loop.map_or(-1, |_| i64::from(a.iteration)),
                i64::from(on_path) | i64::from(!timed) << 1 | i64::from(target.is_some()) << 2,
            ]);
        }
    }
    tasks.sort_unstable();
    let waits = analysis.waiting.iter().map(|w| {
        let awaited = w.wait.and_then(|w| w.worker).map_or(-1, i64::from);
        let (at, stage) = w.wait.map_or(("", ""), |w| (w.at, w.stage));
        let (start, duration) = (w.start_ns as i64, w.duration_ns as i64);
        [i64::from(w.worker), start, duration, w.cause as i64, words.of(at), awaited, words.of(stage)]
    });
    let waits = waits.collect();
    let serial =
        record.sections.iter().map(|s| (s.start_ns, s.duration_ns, words.of(s.kind.name()))).collect();
    Timeline {
        title: title.to_owned(),
        step: record.step,
        wall_ns: record.wall_ns,
        n_workers: record.n_workers,
        runs: record.runs.iter().map(|r| (r.phase.name(), r.start_ns, r.duration_ns)).collect(),
        tasks,
        waits,
        serial,
        words: words.list,
    }
}
