//! Where each worker's time went in a step: tasks, serial work, control, and waiting by cause.

use engine::exec::{Activity, Deed, ObservedWait, WaitCause};

use super::cause::Cause;
use crate::record::{Phase, RunRecord, Serial, StepRecord};

/// A stretch of a step in which a worker waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The worker.
    pub worker: u32,
    /// Why.
    pub cause: Cause,
    /// Beginning, since the step began [ns].
    pub start_ns: u64,
    /// Length [ns].
    pub duration_ns: u64,
    /// For whom and at which stage, if it waited for a stage of another worker.
    pub wait: Option<ObservedWait>,
}

/// How a worker spent a step [ns].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// In tasks.
    pub tasks_ns: u64,
    /// In reducers.
    pub reducers_ns: u64,
    /// In work between the graphs.
    pub serial_ns: u64,
    /// Waiting, by the order of [`Cause::ALL`].
    pub waiting_ns: [u64; Cause::ALL.len()],
    /// The rest: the way from task to task, loops, and looking at the clock.
    pub control_ns: u64,
}

impl Split {
    /// Waiting for whatever cause [ns].
    pub fn waiting(&self) -> u64 {
        self.waiting_ns.iter().sum()
    }

    fn accounted(&self) -> u64 {
        self.tasks_ns + self.reducers_ns + self.serial_ns + self.waiting()
    }
}

/// All waiting of a step, by worker and time.
pub fn waiting(record: &StepRecord) -> Vec<Waiting> {
    let mut all = Vec::new();
    for run in &record.runs {
        for worker in 0..record.n_workers as u32 {
            in_run(run, worker, &mut all);
        }
    }
    for section in &record.sections {
        let cause = match section.kind {
            Serial::BroadPhase => Cause::CollisionPhase,
            Serial::PlanWork => Cause::PlanWork,
            Serial::Other => Cause::Serial,
        };
        let (start_ns, duration_ns) = (section.start_ns, section.duration_ns);
        let others = 1..record.n_workers as u32;
        all.extend(others.map(|worker| Waiting { worker, cause, start_ns, duration_ns, wait: None }));
    }
    all.sort_by_key(|w| (w.worker, w.start_ns));
    all
}

/// How each worker spent a step whose waiting is known.
pub fn splits(record: &StepRecord, waiting: &[Waiting]) -> Vec<Split> {
    let mut splits = vec![Split::default(); record.n_workers];
    for activity in record.runs.iter().flat_map(|r| &r.activities) {
        let Some(split) = splits.get_mut(activity.worker as usize) else { continue };
        match activity.deed {
            Deed::Task { .. } => split.tasks_ns += activity.duration_ns,
            Deed::Reducer { .. } => split.reducers_ns += activity.duration_ns,
            Deed::Wait(_) => {}
        }
    }
    if let Some(first) = splits.first_mut() {
        first.serial_ns = record.sections.iter().map(|s| s.duration_ns).sum();
    }
    for w in waiting {
        splits[w.worker as usize].waiting_ns[w.cause as usize] += w.duration_ns;
    }
    for split in &mut splits {
        split.control_ns = record.wall_ns.saturating_sub(split.accounted());
    }
    splits
}

/// What a worker waited in a run: before its first deed (the caller's thread: never), at its waits as far as it did
/// nothing else, and from its last deed to the last of all. What follows is the run's own end.
fn in_run(run: &RunRecord, worker: u32, all: &mut Vec<Waiting>) {
    let mine = |a: &&Activity| a.worker == worker;
    let mut deeds: Vec<&Activity> = run.activities.iter().filter(mine).collect();
    deeds.sort_by_key(|a| a.start_ns);
    let tail = if run.phase.is_collision() { Cause::CollisionPhase } else { Cause::Imbalance };
    let mut add = |cause, start: u64, end: u64, wait| {
        if end > start {
            let start_ns = run.start_ns + start;
            all.push(Waiting { worker, cause, start_ns, duration_ns: end - start, wait });
        }
    };
    let end_of_all = run.activities.iter().map(|a| a.start_ns + a.duration_ns).max().unwrap_or(0);
    let Some(first) = deeds.first() else {
        return add(tail, 0, end_of_all, None);
    };
    if worker > 0 {
        add(Cause::Start, 0, first.start_ns, None);
    }
    let (busy, waits): (Vec<&Activity>, Vec<&Activity>) =
        deeds.iter().partition(|a| !matches!(a.deed, Deed::Wait(_)));
    let (mut covered, mut next) = (0, 0);
    for activity in waits {
        let Deed::Wait(wait) = activity.deed else { continue };
        let end = activity.start_ns + activity.duration_ns;
        let mut at = activity.start_ns.max(covered);
        covered = covered.max(end);
        // A worker of several groups may do something for another one meanwhile.
        while busy.get(next).is_some_and(|b| b.start_ns + b.duration_ns <= at) {
            next += 1;
        }
        for b in busy[next..].iter().take_while(|b| b.start_ns < end) {
            add(cause(wait.cause, run.phase), at, b.start_ns, Some(wait));
            at = at.max(b.start_ns + b.duration_ns);
        }
        add(cause(wait.cause, run.phase), at, end, Some(wait));
    }
    let last = deeds.iter().map(|a| a.start_ns + a.duration_ns).max().unwrap_or(0);
    add(tail, last, end_of_all, None);
}

fn cause(observed: WaitCause, phase: Phase) -> Cause {
    match observed {
        _ if phase.is_collision() => Cause::CollisionPhase,
        WaitCause::Gather => Cause::Imbalance,
        WaitCause::Reduction => Cause::Reduction,
        WaitCause::LoopControl => Cause::LoopCondition,
        WaitCause::Dependence => Cause::Dependence,
    }
}

#[cfg(test)]
mod tests;
