//! A program laid out for one thread, while a team rests: recorded order, additions in place, nothing computed twice.
//!
//! A thread that runs the streams of several workers by itself computes on both sides of each border and changes from stream
//! to stream; this costs some per cent. The layout takes time to make, so only plans that rest unchanged for a while get it.
#![allow(
    unsafe_code,
    reason = "runs ops; one after the other in recorded order, none conflicts with another"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use engine::data::{EnvArena, Frame, Instances, Keeper, Op, Store};
use engine::exec::{FailureKind, RunFailure, RunReport, WorkerReport, pass_control};
use engine::graph::{GroupId, Recording, TaskId};

use crate::checks::Checks;

/// Runs of an unchanged plan on one thread before it is worth its layout.
const CALM_RUNS: u32 = 32;

/// A group's ops for one thread.
struct OpsOfGroup {
    id: GroupId,
    /// Of all stages.
    ops: Vec<(Op, TaskId)>,
    /// By stage: the end of its ops.
    ends: Vec<usize>,
}

/// A program's ops for one thread.
struct Layout {
    /// In order of execution.
    groups: Vec<OpsOfGroup>,
    frames: Vec<Frame>,
    keeper: Keeper,
    _arena: EnvArena,
    _checks: Checks,
}

/// The layout of a plan for one thread, once it is worth it.
#[derive(Default)]
pub(crate) struct Alone {
    layout: Option<Box<Layout>>,
    /// Runs on one thread since the plan changed.
    runs: u32,
    /// Whether the plan's last run was here.
    was_last: bool,
}

impl Alone {
    /// The plan has changed.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The next run is elsewhere.
    pub fn pass(&mut self) {
        self.was_last = false;
    }

    /// Runs the program if it has been run on one thread for a while, or `at_once`, and says in `reports` that the first
    /// worker did; none if it was not run.
    ///
    /// # Errors
    /// Names the task that panicked.
    pub fn run(
        &mut self,
        recording: &Recording,
        store: &mut Store,
        (at_once, checked): (bool, bool),
        step: u64,
        reports: &mut [WorkerReport],
    ) -> Option<Result<RunReport, RunFailure>> {
        self.was_last = false;
        self.runs = self.runs.saturating_add(1);
        if self.runs <= CALM_RUNS && !at_once {
            return None;
        }
        let layout = self.layout.get_or_insert_with(|| Box::new(Layout::new(recording, store, checked)));
        assert!(layout.keeper.is_of(store), "a plan of another store");
        self.was_last = true;
        let begin = Instant::now();
        let outcome = layout.run(recording, store, step);
        let wall_ns = begin.elapsed().as_nanos() as u64;
        reports.fill(WorkerReport { busy_ns: 0, wait_ns: wall_ns });
        reports[0] = WorkerReport { busy_ns: wall_ns, wait_ns: 0 };
        Some(outcome.map(|()| {
            store.mark_written(&recording.program.written_states);
            RunReport { step, wall_ns }
        }))
    }

    /// The word of a scalar after the plan's last run, if that was here.
    pub fn word(&self, group: GroupId, index: u32) -> Option<u64> {
        let layout = self.layout.as_deref().filter(|_| self.was_last)?;
        let at = layout.groups.iter().position(|g| g.id == group)?;
        Some(layout.frames[at].word(index))
    }
}

impl Layout {
    fn new(recording: &Recording, store: &mut Store, checked: bool) -> Self {
        let (program, mut arena, mut checks) =
            (&recording.program, EnvArena::default(), Checks::new(checked));
        let mut instances = Instances::new(&recording.table, store);
        let mut groups = Vec::new();
        for (id, group) in program.groups() {
            let (mut ops, mut ends) = (Vec::new(), Vec::with_capacity(group.stages.len()));
            for stage in &group.stages {
                for &task in stage.tasks.blocks().flatten() {
                    let op = instances.task(task.0 as usize, &[], &mut arena);
                    ops.push((checks.task(op, (program, instances.store()), id, task, &[]), task));
                }
                ends.push(ops.len());
            }
            groups.push(OpsOfGroup { id, ops, ends });
        }
        let keeper = instances.keep();
        let frames = groups.iter().map(|g| recording.frame(g.id, store)).collect();
        Self { groups, frames, keeper, _arena: arena, _checks: checks }
    }

    fn run(&mut self, recording: &Recording, store: &mut Store, step: u64) -> Result<(), RunFailure> {
        for (group, frame) in self.groups.iter().zip(&mut self.frames) {
            frame.clear();
            recording.refresh(group.id, frame, store);
        }
        let mut current = None;
        let walk = || self.walk(recording, &mut current);
        catch_unwind(AssertUnwindSafe(walk)).map_err(|payload| {
            let message = RunFailure::panic_message(&*payload);
            RunFailure::of_task(&recording.program, FailureKind::Panic, step, current, message)
        })
    }

    /// Walks the stages; `current` is the task that runs.
    fn walk(&mut self, recording: &Recording, current: &mut Option<TaskId>) {
        for (OpsOfGroup { id, ops, ends }, frame) in self.groups.iter().zip(&mut self.frames) {
            let group = recording.program.group(*id);
            let mut at = 0;
            while at < ends.len() {
                let first = if at == 0 { 0 } else { ends[at - 1] };
                for (op, task) in &ops[first..ends[at]] {
                    *current = Some(*task);
                    // SAFETY: the frame is of the op's group; this is the only thread, so no two ops run at a time, and the
                    // keeper holds what they reach in the store.
                    unsafe { op.run(frame.ctx()) }
                }
                at = pass_control(group, at, frame);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::data::{Data, ObjectId, Role, Scalar, accumulate, set, update, val};
    use engine::exec::{Executor, Sequential};
    use engine::graph::{ComponentTag, Recorder};
    use std::sync::Arc;

    use super::*;

    const OBJECTS: (ObjectId, ObjectId) = (ObjectId(0), ObjectId(1));

    /// Two objects, joined, in a loop of three turns, and a sum over all turns.
    fn record(store: &mut Store) -> (Recording, [Data<f64>; 2], Scalar<f64>) {
        let data = [1.0, 2.0].map(|v| store.create("x", OBJECTS.0, Role::Scratch, vec![v; 3]));
        let tag = ComponentTag(0);
        let mut rec = Recorder::new(store);
        let (limit, sum) = (rec.scalar_value::<u32>(), rec.scalar_value::<f64>());
        rec.scalar("turns", tag, (set(limit), set(sum)), |(limit, sum)| (*limit, *sum) = (3, 0.5));
        rec.begin_loop(limit);
        rec.sweep("pair");
        rec.joint("pair", tag, OBJECTS, (accumulate(data[0]), accumulate(data[1])), |(mut a, mut b)| {
            a.add(0, 0.1);
            b.add(2, 0.3);
        });
        rec.sweep("own");
        rec.own("own", tag, OBJECTS.0, (update(data[0]),), |(x,)| x.iter_mut().for_each(|x| *x *= 1.1));
        rec.scalar("sum", tag, (set(sum), val(limit)), |(sum, limit)| *sum += 0.7 * f64::from(limit));
        rec.end_loop();
        (rec.finish(), data, sum)
    }

    #[test]
    fn a_layout_computes_what_the_sequential_executor_does_once_the_plan_has_rested() {
        let (mut store, mut other) = (Store::new(), Store::new());
        let (recording, data, sum) = record(&mut store);
        let (expected, data_there, sum_there) = record(&mut other);
        let mut sequential = Sequential::new();
        let plan = sequential.load(None, Arc::new(expected), &other);
        let (mut alone, mut reports) = (Alone::default(), [WorkerReport::default(); 2]);
        for run in 0..CALM_RUNS {
            assert!(alone.run(&recording, &mut store, (false, true), u64::from(run), &mut reports).is_none());
        }
        assert_eq!(alone.word(GroupId(0), sum.index()), None);
        for run in 0..3 {
            alone.run(&recording, &mut store, (false, true), run, &mut reports).unwrap().unwrap();
            sequential.run(plan, &mut other).unwrap();
        }
        assert_eq!(alone.word(GroupId(0), sum.index()), Some(sequential.scalar(plan, sum_there).to_bits()));
        for (here, there) in data.into_iter().zip(data_there) {
            assert_eq!(store.read(here), other.read(there));
        }
        alone.forget();
        assert!(alone.run(&recording, &mut store, (false, true), 4, &mut reports).is_none());
    }
}
