//! What becomes of the stamps of an observed run: activities.

use std::ops::Range;

use super::code::{Action, Entry};
use super::stream::Stream;
use super::watch::{Moment, Stamp, Watch};
use engine::data::AccessKind;
use engine::exec::{Activity, Deed, Observation, ObservedWait, WaitCause};
use engine::graph::schedule::{Item, ItemKind, PlanKind, PlanStage, Wait, WorkerStage};
use engine::graph::{Recording, Schedule, StageKind, TaskId};

/// Adds what a stream did in an observed run that began at `watch.begin`.
pub(super) fn collect(
    stream: &Stream,
    recording: &Recording,
    schedule: &Schedule,
    watch: &Watch,
    into: &mut Observation,
) {
    let group = stream.code.group;
    let n_loops = recording.program.group(group).loops.len();
    let first_loop = recording.program.loop_number(group);
    let iterations = vec![0; n_loops];
    let mut reader = Reader { stream, recording, schedule, watch, into, iterations, first_loop };
    let (mut last, mut waits_at, mut op) = (watch.begin, 0, 0);
    // The first entry that is not accounted for.
    let mut next = 0;
    for &Stamp { ticks, number, mark } in &stream.log.stamps {
        if !matches!(mark, Moment::Begin | Moment::Waited | Moment::Op) {
            reader.span(next..number, last, ticks);
            next = number;
        }
        match mark {
            Moment::Begin => next = number,
            Moment::Dispatch => waits_at = number,
            Moment::Waited => reader.waited(waits_at, number, last, ticks),
            Moment::Op => {
                reader.op(number, op, last, ticks);
                next = number + 1;
            }
            Moment::Span => {}
            Moment::Enter => reader.iterates(number, true),
            Moment::Again => {
                reader.iterates(number, false);
                next = reader.target(number);
            }
            Moment::Leave => next = reader.target(number),
        }
        op = if mark == Moment::Op { op + 1 } else { 0 };
        if mark == Moment::Op && op == reader.chain_len(number) {
            op = 0;
        }
        last = ticks;
    }
}

/// Turns the stamps of a stream into activities.
struct Reader<'a> {
    stream: &'a Stream,
    recording: &'a Recording,
    schedule: &'a Schedule,
    watch: &'a Watch,
    into: &'a mut Observation,
    /// Per loop of the group: iterations begun so far.
    iterations: Vec<u32>,
    /// Number of the group's first loop among all.
    first_loop: u32,
}

impl<'a> Reader<'a> {
    fn entry(&self, number: u32) -> (&'a Entry, &'a PlanStage, &'a WorkerStage) {
        let code = &self.stream.code;
        let entry = &code.entries[number as usize];
        let stage = self.schedule.group(code.group).stage(entry.position).expect("an entry is of a stage");
        (entry, stage, stage.of(code.worker).expect("an entry is of its worker's stage"))
    }

    fn chain_len(&self, entry: u32) -> usize {
        self.entry(entry).2.chain.len()
    }

    fn ns(&self, from: u64, to: u64) -> u64 {
        (to.saturating_sub(from) as f64 * self.watch.tick_ns).round() as u64
    }

    fn add(&mut self, deed: Deed, region: u32, from: u64, to: u64) {
        // What follows begins where this ends: both are rounded from the beginning of the run on.
        let start_ns = self.ns(self.watch.begin, from);
        self.into.activities.push(Activity {
            worker: self.stream.code.worker,
            deed,
            iteration: region.checked_sub(1).map_or(0, |l| self.iterations[l as usize].saturating_sub(1)),
            start_ns,
            duration_ns: self.ns(self.watch.begin, to).saturating_sub(start_ns),
        });
    }

    fn deed(&self, item: Item, timed: bool) -> Deed {
        if item.kind == ItemKind::Task {
            return Deed::Task { task: TaskId(item.index), timed };
        }
        let (task, position, _) = self.schedule.reducers[item.index as usize].logs[0];
        let object = self.recording.program.accesses_of(TaskId(task))[position as usize].object;
        Deed::Reducer { first: TaskId(task), object }
    }

    fn op(&mut self, number: u32, op: usize, from: u64, to: u64) {
        let (_, stage, part) = self.entry(number);
        if let Some((_, item)) = part.chain.iter().nth(op) {
            self.add(self.deed(*item, true), stage.region, from, to);
        }
    }

    /// Where the stream goes on after a jump from an entry.
    fn target(&self, number: u32) -> u32 {
        match self.stream.code.entries[number as usize].action {
            Action::End { first, .. } => first,
            Action::Begin { end, .. } | Action::Break { end, .. } => end + 1,
            Action::Run(_) => number + 1,
        }
    }

    /// What the ops of an entry took when they were last timed [ns]; loop control has none.
    fn weights(&self, number: u32) -> impl Iterator<Item = f64> + use<'a> {
        let entry = &self.stream.code.entries[number as usize];
        let usual = (entry.mean_ticks as f64 * self.watch.tick_ns).max(1.0);
        let samples = &self.stream.samples[entry.first_op as usize..][..entry.n_ops()];
        samples.iter().map(move |s| if s.once() > 0.0 { s.once() } else { usual })
    }

    /// Stages that share a stamp: their time is divided among their ops as sampled, or else as the stages once took.
    fn span(&mut self, entries: Range<u32>, from: u64, to: u64) {
        let total: f64 = entries.clone().flat_map(|number| self.weights(number)).sum();
        let (mut sum, mut begin) = (0.0, from);
        for number in entries {
            let (_, stage, part) = self.entry(number);
            for ((_, item), weight) in part.chain.iter().zip(self.weights(number)) {
                sum += weight;
                let end = from + (sum / total * (to - from) as f64) as u64;
                self.add(self.deed(*item, false), stage.region, begin, end);
                begin = end;
            }
        }
    }

    fn waited(&mut self, number: u32, wait: u32, from: u64, to: u64) {
        let (_, stage, part) = self.entry(number);
        let Some(wait) = part.waits.get(wait as usize) else { return };
        let awaited = awaited(self.schedule, wait);
        let wait = ObservedWait {
            cause: self.cause(stage, awaited),
            at: stage.name,
            worker: Some(wait.worker),
            stage: awaited.map_or("", |s| s.name),
        };
        self.add(Deed::Wait(wait), stage.region, from, to);
    }

    fn cause(&self, stage: &PlanStage, awaited: Option<&PlanStage>) -> WaitCause {
        let is = |kind: fn(PlanKind) -> bool| kind(stage.kind) || awaited.is_some_and(|s| kind(s.kind));
        if is(|k| k == PlanKind::Reduce) {
            WaitCause::Reduction
        } else if is(is_loop_control) {
            WaitCause::LoopControl
        } else if self.gathers(stage) {
            WaitCause::Gather
        } else {
            WaitCause::Dependence
        }
    }

    /// Whether a stage sums the partial sums of several workers.
    fn gathers(&self, stage: &PlanStage) -> bool {
        let program = &self.recording.program;
        let gathers = |item: &Item| {
            item.kind == ItemKind::Task
                && program.accesses_of(TaskId(item.index)).iter().any(|a| a.kind == AccessKind::Gather)
        };
        stage.kind == PlanKind::Recorded(StageKind::Replicated)
            && stage.workers.first().is_some_and(|w| w.chain.iter().any(|(_, item)| gathers(item)))
    }

    /// The next iteration of the loop that an entry begins or ends.
    fn iterates(&mut self, number: u32, first: bool) {
        let (_, stage, _) = self.entry(number);
        let PlanKind::Recorded(StageKind::BeginLoop(id) | StageKind::EndLoop(id)) = stage.kind else {
            return;
        };
        self.iterations[id.0 as usize] += 1;
        // Every worker of a loop iterates equally often: the first that is read will do.
        let worker = self.stream.code.worker;
        if self.schedule.group(self.stream.code.group).participants.first() != Some(&worker) {
            return;
        }
        let number = self.first_loop + id.0;
        if first {
            self.into.visits.push((number, 0));
        }
        if let Some(visit) = self.into.visits.iter_mut().rev().find(|v| v.0 == number) {
            visit.1 += 1;
        }
    }
}

fn is_loop_control(kind: PlanKind) -> bool {
    matches!(kind, PlanKind::Recorded(StageKind::BeginLoop(_) | StageKind::Break(..) | StageKind::EndLoop(_)))
}

/// The stage that a wait waits for.
fn awaited<'a>(schedule: &'a Schedule, wait: &Wait) -> Option<&'a PlanStage> {
    schedule.find_group(wait.group)?.stage(wait.position)
}
