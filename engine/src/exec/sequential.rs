//! The sequential executor: recorded order, additions in place. It is the specification of all others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use super::{
    Activity, Deed, Executor, FailureKind, LoadError, Observation, PlanId, RunFailure, RunReport,
    WorkerReport, edit_plan, pass_control,
};
use crate::data::{Frame, Scalar, ScalarValue, Store};
use crate::graph::{Delta, GroupId, Recording, Schedule, StageKind, TaskId};

struct Loaded {
    recording: Arc<Recording>,
    /// Not looked at.
    schedule: Arc<Schedule>,
    /// By group.
    frames: Vec<Option<Frame>>,
    step: u64,
    seen: Observation,
}

/// Runs tasks one after the other in recorded order.
#[derive(Default)]
pub struct Sequential {
    plans: Vec<Option<Loaded>>,
    watch: Watch,
    report: [WorkerReport; 1],
}

/// What is observed while running.
#[derive(Default)]
struct Watch {
    check: bool,
    observes: bool,
    seen: Observation,
    /// Per loop of an observed run: iterations so far, in all visits.
    iterations: Vec<u32>,
}

impl Watch {
    fn begin(&mut self, n_loops: usize) {
        self.seen.clear();
        if self.observes {
            self.iterations.clear();
            self.iterations.resize(n_loops, 0);
        }
    }

    fn enter(&mut self, number: u32, enters: bool) {
        if self.observes {
            self.seen.visits.push((number, 0));
            if enters {
                self.iterate(number);
            }
        }
    }

    fn iterate(&mut self, number: u32) {
        if self.observes {
            self.iterations[number as usize] += 1;
            if let Some(visit) = self.seen.visits.iter_mut().rev().find(|v| v.0 == number) {
                visit.1 += 1;
            }
        }
    }
}

impl Sequential {
    /// An executor without programs.
    pub fn new() -> Self {
        Self::default()
    }

    /// In check mode, a run fails at the first task that has written a value that is not finite.
    pub fn set_check(&mut self, check: bool) {
        self.watch.check = check;
    }

    /// Loads a program, in place of `replaced` if given.
    pub fn load(&mut self, replaced: Option<PlanId>, recording: Arc<Recording>, store: &Store) -> PlanId {
        let frames = frames(&recording, store);
        let id = replaced.unwrap_or(PlanId(self.plans.len()));
        if id.0 >= self.plans.len() {
            self.plans.resize_with(id.0 + 1, || None);
        }
        let step = self.plans[id.0].as_ref().map_or(0, |p| p.step);
        self.plans[id.0] =
            Some(Loaded { recording, schedule: Arc::default(), frames, step, seen: Observation::default() });
        id
    }

    /// Runs a program once without keeping it.
    ///
    /// # Errors
    /// If a kernel panics.
    pub fn run_once(recording: &Recording, store: &mut Store) -> Result<RunReport, RunFailure> {
        run(recording, &mut frames(recording, store), store, 0, &mut Watch::default())
    }

    /// The value of a scalar after the last run.
    pub fn scalar<T: ScalarValue>(&self, plan: PlanId, scalar: Scalar<T>) -> T {
        T::from_word(self.word(plan, GroupId(scalar.group()), scalar.index()))
    }

    fn loaded(&self, plan: PlanId) -> &Loaded {
        self.plans[plan.0].as_ref().expect("a loaded plan")
    }
}

fn frames(recording: &Recording, store: &Store) -> Vec<Option<Frame>> {
    let mut frames: Vec<Option<Frame>> = Vec::new();
    frames.resize_with(recording.program.n_group_ids(), || None);
    for (id, _) in recording.program.groups() {
        frames[id.0 as usize] = Some(recording.frame(id, store));
    }
    frames
}

impl Executor for Sequential {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn load_plan(
        &mut self,
        replaced: Option<PlanId>,
        recording: Arc<Recording>,
        schedule: Arc<Schedule>,
        store: &mut Store,
    ) -> Result<PlanId, LoadError> {
        if !recording.table.belongs_to(store) {
            return Err(LoadError::OtherStore);
        }
        let id = self.load(replaced, recording, store);
        self.plans[id.0].as_mut().expect("loaded just now").schedule = schedule;
        Ok(id)
    }

    fn update_plan(
        &mut self,
        plan: PlanId,
        store: &mut Store,
        edit: &mut dyn FnMut(&mut Recording, &mut Schedule, &mut Delta),
    ) -> Result<(), LoadError> {
        let loaded = self.plans[plan.0].as_mut().expect("a loaded plan");
        edit_plan(&mut loaded.recording, &mut loaded.schedule, &mut Delta::default(), edit)?;
        loaded.frames = frames(&loaded.recording, store);
        Ok(())
    }

    fn unload(&mut self, plan: PlanId) {
        self.plans[plan.0] = None;
    }

    fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        let loaded = self.plans[plan.0].as_mut().expect("a loaded plan");
        let step = loaded.step;
        loaded.step += 1;
        for (group, frame) in loaded.frames.iter_mut().enumerate() {
            let Some(frame) = frame else { continue };
            frame.clear();
            loaded.recording.refresh(GroupId(group as u32), frame, store);
        }
        std::mem::swap(&mut loaded.seen, &mut self.watch.seen);
        let result = run(&loaded.recording, &mut loaded.frames, store, step, &mut self.watch);
        std::mem::swap(&mut loaded.seen, &mut self.watch.seen);
        let report = result?;
        self.report = [WorkerReport { busy_ns: report.wall_ns, wait_ns: 0 }];
        Ok(report)
    }

    fn recording(&self, plan: PlanId) -> &Arc<Recording> {
        &self.loaded(plan).recording
    }

    fn schedule(&self, plan: PlanId) -> &Arc<Schedule> {
        &self.loaded(plan).schedule
    }

    fn workers(&self) -> &[WorkerReport] {
        &self.report
    }

    fn observe(&mut self, on: bool) {
        self.watch.observes = on;
    }

    fn observation(&self, plan: PlanId, into: &mut Observation) {
        into.clone_from(&self.loaded(plan).seen);
    }

    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64 {
        self.loaded(plan).frames[group.0 as usize].as_ref().expect("a group of the program").word(index)
    }
}

fn run(
    recording: &Recording,
    frames: &mut [Option<Frame>],
    store: &mut Store,
    step: u64,
    watch: &mut Watch,
) -> Result<RunReport, RunFailure> {
    let start = Instant::now();
    let mut current = 0;
    watch.begin(if watch.observes { recording.program.n_loops() } else { 0 });
    let outcome =
        catch_unwind(AssertUnwindSafe(|| interpret(recording, frames, store, watch, start, &mut current)));
    let failure = match outcome {
        Ok(Ok(())) => None,
        Ok(Err(message)) => Some((FailureKind::NonFinite, message)),
        Err(payload) => Some((FailureKind::Panic, RunFailure::panic_message(&*payload))),
    };
    if let Some((kind, message)) = failure {
        return Err(RunFailure::of_task(
            &recording.program,
            kind,
            step,
            Some(TaskId(current as u32)),
            message,
        ));
    }
    store.mark_written(&recording.program.written_states);
    Ok(RunReport { step, wall_ns: start.elapsed().as_nanos() as u64 })
}

/// Walks the stages; `current` is the task that runs.
fn interpret(
    recording: &Recording,
    frames: &mut [Option<Frame>],
    store: &mut Store,
    watch: &mut Watch,
    since: Instant,
    current: &mut usize,
) -> Result<(), String> {
    let mut first_loop = 0;
    for (id, group) in recording.program.groups() {
        let Some(frame) = &mut frames[id.0 as usize] else { continue };
        let mut at = 0;
        while let Some(stage) = group.stages.get(at) {
            for &task in stage.tasks.blocks().flatten() {
                *current = task.0 as usize;
                if watch.check || watch.observes {
                    let in_loop = stage.in_loop.map(|l| first_loop + l.0);
                    watched_call(recording, task, in_loop, frame, store, watch, since)?;
                } else {
                    recording.table.call_direct(task.0 as usize, frame, store);
                }
            }
            let next = pass_control(group, at, frame);
            match stage.kind {
                StageKind::BeginLoop(id) => watch.enter(first_loop + id.0, next == at + 1),
                StageKind::EndLoop(id) if next <= at => watch.iterate(first_loop + id.0),
                _ => {}
            }
            at = next;
        }
        first_loop += group.loops.len() as u32;
    }
    Ok(())
}

/// Runs a task, notes its time if runs are observed, and looks for non-finite values in check mode.
fn watched_call(
    recording: &Recording,
    task: TaskId,
    in_loop: Option<u32>,
    frame: &mut Frame,
    store: &mut Store,
    watch: &mut Watch,
    since: Instant,
) -> Result<(), String> {
    let start_ns = since.elapsed().as_nanos() as u64;
    recording.table.call_direct(task.0 as usize, frame, store);
    if watch.observes {
        let iteration = in_loop.map_or(0, |id| watch.iterations[id as usize] - 1);
        let duration_ns = since.elapsed().as_nanos() as u64 - start_ns;
        let deed = Deed::Task { task, timed: true };
        watch.seen.activities.push(Activity { worker: 0, deed, iteration, start_ns, duration_ns });
    }
    if watch.check { check_finite(recording, task, store) } else { Ok(()) }
}

/// Says which buffer of those that a task has written holds a value that is not finite.
fn check_finite(recording: &Recording, task: TaskId, store: &Store) -> Result<(), String> {
    let accesses = recording.program.accesses_of(task);
    let written = accesses.iter().filter(|a| a.is_written());
    for access in written {
        if let Some(index) = store.first_non_finite(access.id) {
            return Err(format!("a non-finite value in {} at index {index}", store.info(access.id).name));
        }
    }
    Ok(())
}
