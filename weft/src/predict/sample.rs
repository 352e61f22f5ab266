//! What is measured of a step on one worker: the plans, the time of each task, the runs of loops, the serial parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::data::{DataId, ObjectId, Store};
use engine::exec::{Costs, Deed, Observation};
use engine::graph::{GroupId, Place, Program, Schedule, StageKind, TaskId};
use partition::simulate::LoopRun;

use crate::record::Phase;

/// One graph of an observed step.
#[derive(Clone)]
pub struct GraphSample {
    /// Which.
    pub phase: Phase,
    /// Its program, as it was then.
    pub program: Arc<Program>,
    /// The schedule that it ran with.
    pub schedule: Arc<Schedule>,
    /// Time of each task, once [ns].
    pub task_ns: Vec<f64>,
    /// How often each task ran; instances on several workers each count.
    pub runs: Vec<u32>,
    /// How the loops ran.
    pub loops: Vec<LoopRun>,
    /// Size of each buffer [bytes].
    pub bytes: Vec<usize>,
    /// Length of the run [ns].
    pub wall_ns: f64,
    /// Of the run, what is in no stage (on several workers: on average) [ns].
    pub beside_ns: f64,
    /// How long the workers waited in each sweep, by name [ns].
    pub waits: BTreeMap<&'static str, f64>,
}

/// When graphs ran in a step, observed or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepTiming {
    /// The whole step [ns].
    pub wall_ns: f64,
    /// Each graph's run in order: which, beginning since the step began, length [ns].
    pub runs: Vec<(Phase, f64, f64)>,
    /// Work on plans: recording, placement, lowering, loading [ns].
    pub plan_ns: f64,
}

impl StepTiming {
    /// What is neither inside a graph nor work on plans [ns].
    pub fn serial_ns(&self) -> f64 {
        self.wall_ns - self.plan_ns - self.runs.iter().map(|r| r.2).sum::<f64>()
    }

    /// Length of a graph's run [ns]; zero if it did not run.
    pub fn of(&self, phase: Phase) -> f64 {
        self.runs.iter().filter(|r| r.0 == phase).map(|r| r.2).sum()
    }
}

impl GraphSample {
    /// From what an executor observed; `word` gives a scalar's word after the run.
    pub fn new(
        phase: Phase,
        (program, schedule): (Arc<Program>, Arc<Schedule>),
        seen: &Observation,
        word: impl Fn(GroupId, u32) -> u64,
        wall_ns: f64,
        store: &Store,
    ) -> Self {
        let mut executions: Vec<Vec<u64>> = vec![Vec::new(); program.n_task_ids()];
        let mut waits: BTreeMap<&'static str, f64> = BTreeMap::new();
        for activity in &seen.activities {
            match activity.deed {
                Deed::Task { task, .. } => executions[task.0 as usize].push(activity.duration_ns),
                Deed::Wait(wait) => *waits.entry(wait.at).or_default() += activity.duration_ns as f64,
                Deed::Reducer { .. } => {}
            }
        }
        let observed: u64 = seen.activities.iter().map(|a| a.duration_ns).sum();
        let runs = executions.iter().map(|e| e.len() as u32).collect();
        let task_ns = executions.into_iter().map(undisturbed).collect();
        let loops = loop_runs(&program, &seen.visits, word);
        let bytes = (0..store.n_data()).map(|data| store.bytes_of(data as DataId)).collect();
        let beside_ns = (wall_ns - observed as f64 / f64::from(schedule.assignment.workers())).max(0.0);
        Self { phase, task_ns, runs, loops, bytes, wall_ns, beside_ns, waits, program, schedule }
    }

    /// Costs of objects and pairs, as the planner wants them: the time of all their tasks in a run [ns].
    pub fn costs(&self) -> Costs {
        let mut objects: Vec<f64> = Vec::new();
        let mut pairs: BTreeMap<(ObjectId, ObjectId), f64> = BTreeMap::new();
        for (TaskId(number), task) in self.program.tasks() {
            let number = number as usize;
            let ns = self.task_ns[number] * f64::from(self.runs[number]);
            match task.place {
                Place::Own(object) => {
                    let at = object.0 as usize;
                    objects.resize(objects.len().max(at + 1), 0.0);
                    objects[at] += ns;
                }
                Place::Joint(a, b) => *pairs.entry((a, b)).or_default() += ns,
                Place::Replicated => {}
            }
        }
        Costs { objects, pairs: pairs.into_iter().collect() }
    }

    /// Time of all tasks of each sweep on all workers, by name [ns].
    pub fn busy(&self) -> BTreeMap<&'static str, f64> {
        let mut busy: BTreeMap<&'static str, f64> = BTreeMap::new();
        for stage in self.program.groups().flat_map(|(_, g)| &g.stages) {
            let time = |t: &TaskId| self.task_ns[t.0 as usize] * f64::from(self.runs[t.0 as usize]);
            *busy.entry(stage.name).or_default() += stage.tasks.iter().map(|(_, t)| time(t)).sum::<f64>();
        }
        busy
    }

    /// Whether every task that ran was seen.
    pub fn is_complete(&self) -> bool {
        self.task_ns.is_empty() || self.runs.iter().any(|&n| n > 0)
    }
}

/// How much longer than usual an execution may take to count.
const USUAL: u64 = 3;

/// No interruption is shorter than this [ns]; the first execution of a short task in a step, which finds nothing in the cache,
/// takes that much longer than the others, and counts.
const INTERRUPTION: u64 = 5_000;

/// The mean of executions that were not interrupted [ns].
fn undisturbed(mut ns: Vec<u64>) -> f64 {
    ns.sort_unstable();
    let Some(&middle) = ns.get(ns.len() / 2) else { return 0.0 };
    let n = ns.partition_point(|&t| t <= (USUAL * middle).max(middle + INTERRUPTION));
    ns[..n].iter().sum::<u64>() as f64 / n as f64
}

/// How the loops ran: iterations as observed; a loop that was left at a break has that break's condition true.
fn loop_runs(program: &Program, visits: &[(u32, u32)], word: impl Fn(GroupId, u32) -> u64) -> Vec<LoopRun> {
    let mut breaks: Vec<Vec<(GroupId, u32)>> = Vec::new();
    for (group, info) in program.groups() {
        let first = breaks.len();
        breaks.resize(first + info.loops.len(), Vec::new());
        for stage in &info.stages {
            if let StageKind::Break(id, condition) = stage.kind {
                breaks[first + id.0 as usize].push((group, condition));
            }
        }
    }
    let run = |(id, breaks): (usize, &Vec<(GroupId, u32)>)| {
        let begun = visits.iter().rev().find(|v| v.0 as usize == id).map_or(0, |v| v.1);
        let taken = breaks.iter().position(|&(group, condition)| word(group, condition) & 1 == 1);
        let broken_at = taken.filter(|_| begun > 0).map(|b| b as u32);
        LoopRun { completed: begun - u32::from(broken_at.is_some()), broken_at }
    };
    breaks.iter().enumerate().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::undisturbed;

    #[test]
    fn an_interruption_does_not_count_and_a_cold_first_time_does() {
        assert_eq!(undisturbed(vec![100, 1_000, 100, 100]), 325.0);
        assert_eq!(undisturbed(vec![100, 60_000, 100, 100]), 100.0);
        // Up to three times the usual one.
        assert_eq!(undisturbed(vec![20_000, 50_000, 20_000]), 30_000.0);
        assert_eq!(undisturbed(vec![20_000, 70_000, 20_000]), 20_000.0);
        assert_eq!(undisturbed(Vec::new()), 0.0);
    }
}
