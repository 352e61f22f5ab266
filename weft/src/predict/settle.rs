//! From the steps that were observed to what a step costs: without what interrupted some of them, and without what
//! observing costs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use engine::graph::Place;

use super::sample::{GraphSample, StepTiming};
use crate::record::Phase;

impl GraphSample {
    /// What tells a task from others, in whichever step.
    fn keys(&self) -> Vec<Key> {
        let program = &self.program;
        let mut keys = vec![(self.phase, "", "", Place::Replicated, 0, 0); program.n_task_ids()];
        let mut sweeps: BTreeMap<&'static str, u32> = BTreeMap::new();
        for stage in program.groups().flat_map(|(_, g)| &g.stages) {
            let sweep = sweeps.entry(stage.name).or_default();
            *sweep += 1;
            for (_, &number) in stage.tasks.iter() {
                let task = program.task(number);
                keys[number.0 as usize] =
                    (self.phase, stage.name, task.name, task.place, task.sequence, *sweep);
            }
        }
        keys
    }

    /// This sample, which one worker made, with the tasks of `own`, the same graph at the same step on more workers.
    ///
    /// Both have the same tasks as a rule. Event graphs and rigs put nodes together by their measured costs and by the number
    /// of workers; where that came out differently, the time of one worker is divided among the tasks of `own` as it was
    /// there.
    pub fn with_tasks_of<'a>(&'a self, own: &'a Self) -> Cow<'a, Self> {
        if self.keys() == own.keys() {
            return Cow::Borrowed(self);
        }
        let sum = |sample: &Self| -> f64 {
            sample.task_ns.iter().zip(&sample.runs).map(|(ns, &n)| ns * f64::from(n)).sum()
        };
        let there = sum(own);
        let scale = if there > 0.0 { sum(self) / there } else { 1.0 };
        let task_ns = own.task_ns.iter().map(|ns| ns * scale).collect();
        Cow::Owned(Self { task_ns, beside_ns: self.beside_ns, ..own.clone() })
    }
}

/// Graph, sweep, name, place, number among those of its place, and number of the sweep among those of its name.
type Key = (Phase, &'static str, &'static str, Place, u32, u32);

/// Steps before and after whose median a task's time is.
const WINDOW: usize = 2;

/// Gives each task the middle of what it took in this and neighboring steps (of which there is one element each): a task
/// that was interrupted in one of them is not slower for that, and one that becomes slower as the scene moves is.
pub fn settle(steps: &mut [Vec<GraphSample>]) {
    let mut times: BTreeMap<Key, Vec<(usize, f64)>> = BTreeMap::new();
    let mut beside: BTreeMap<Phase, Vec<(usize, f64)>> = BTreeMap::new();
    for (step, graphs) in steps.iter().enumerate() {
        for graph in graphs {
            for ((key, &ns), &n) in graph.keys().into_iter().zip(&graph.task_ns).zip(&graph.runs) {
                if n > 0 {
                    times.entry(key).or_default().push((step, ns));
                }
            }
            beside.entry(graph.phase).or_default().push((step, graph.beside_ns));
        }
    }
    for (step, graphs) in steps.iter_mut().enumerate() {
        for graph in graphs {
            for (key, ns) in graph.keys().into_iter().zip(&mut graph.task_ns) {
                *ns = times.get(&key).and_then(|t| around(t, step)).unwrap_or(*ns);
            }
            let known = beside.get(&graph.phase).and_then(|t| around(t, step));
            graph.beside_ns = known.unwrap_or(graph.beside_ns);
        }
    }
}

/// The median of what was seen in the steps around one; `times` are in the order of steps.
fn around(times: &[(usize, f64)], step: usize) -> Option<f64> {
    let first = times.partition_point(|t| t.0 + WINDOW < step);
    let end = times.partition_point(|t| t.0 <= step + WINDOW);
    (first < end).then(|| median(times[first..end].iter().map(|t| t.1).collect()))
}

/// The middle value; zero of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Makes the tasks of each graph as long together as its runs are when nobody observes them, and tells how many times as long
/// these are, all graphs of a step together. `timings` are of steps beside those that were observed.
///
/// Observed tasks tell how the time is divided. They take somewhat longer than others, and what interrupted some of them has
/// been left out; how long all together take is what the other steps tell.
pub fn calibrate(steps: &mut [Vec<GraphSample>], timings: &[StepTiming]) -> f64 {
    let mut ratios: BTreeMap<Phase, Vec<f64>> = BTreeMap::new();
    let mut of_steps = Vec::new();
    for (graphs, timing) in steps.iter().zip(timings) {
        let mut step = (0.0, 0.0);
        for graph in graphs {
            let observed = graph.busy().into_values().sum::<f64>() + graph.beside_ns;
            let unobserved = timing.of(graph.phase);
            if observed > 0.0 {
                ratios.entry(graph.phase).or_default().push(unobserved / observed);
                step = (step.0 + unobserved, step.1 + observed);
            }
        }
        of_steps.extend((step.1 > 0.0).then(|| step.0 / step.1));
    }
    let factors: BTreeMap<Phase, f64> = ratios.into_iter().map(|(phase, r)| (phase, median(r))).collect();
    for graph in steps.iter_mut().flatten() {
        // A graph that did not run unobserved has no other length than the observed one.
        let factor = factors.get(&graph.phase).copied().filter(|f| *f > 0.0).unwrap_or(1.0);
        graph.task_ns.iter_mut().for_each(|ns| *ns *= factor);
        graph.beside_ns *= factor;
    }
    if of_steps.is_empty() { 1.0 } else { median(of_steps) }
}
