//! The sequential executor: recorded order, additions in place. It is the specification of all others.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{Executor, FailureKind, PlanId, RunFailure, RunReport, WorkerReport};
use crate::data::{AccessKind, Frame, Scalar, ScalarValue, Store};
use crate::graph::{GroupId, Recording, StageKind, TaskId};

struct Loaded {
    recording: Arc<Recording>,
    frames: Vec<Frame>,
    step: u64,
}

/// Runs tasks one after the other in recorded order.
#[derive(Default)]
pub struct Sequential {
    plans: Vec<Option<Loaded>>,
    check: bool,
}

impl Sequential {
    /// An executor without programs.
    pub fn new() -> Self {
        Self::default()
    }

    /// In check mode, a run fails at the first task that has written a value that is not finite.
    pub fn set_check(&mut self, check: bool) {
        self.check = check;
    }

    /// Loads a program, in place of `replaced` if given.
    pub fn load(&mut self, replaced: Option<PlanId>, recording: Arc<Recording>, store: &Store) -> PlanId {
        let groups = 0..recording.program.groups.len() as u32;
        let frames = groups.map(|g| recording.frame(GroupId(g), store)).collect();
        let loaded = Some(Loaded { recording, frames, step: 0 });
        let id = replaced.unwrap_or(PlanId(self.plans.len()));
        if id.0 >= self.plans.len() {
            self.plans.resize_with(id.0 + 1, || None);
        }
        self.plans[id.0] = loaded;
        id
    }

    /// Runs a program once without keeping it.
    pub fn run_once(recording: &Recording, store: &mut Store) -> Result<RunReport, RunFailure> {
        let groups = 0..recording.program.groups.len() as u32;
        let mut frames: Vec<Frame> = groups.map(|g| recording.frame(GroupId(g), store)).collect();
        run(recording, &mut frames, store, 0, false)
    }

    /// The value of a scalar after the last run.
    pub fn scalar<T: ScalarValue>(&self, plan: PlanId, scalar: Scalar<T>) -> T {
        T::from_word(self.word(plan, GroupId(scalar.group()), scalar.index()))
    }

    fn loaded(&self, plan: PlanId) -> &Loaded {
        self.plans[plan.0].as_ref().expect("a loaded plan")
    }
}

impl Executor for Sequential {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn unload(&mut self, plan: PlanId) {
        self.plans[plan.0] = None;
    }

    fn run(&mut self, plan: PlanId, store: &mut Store) -> Result<RunReport, RunFailure> {
        let loaded = self.plans[plan.0].as_mut().expect("a loaded plan");
        let step = loaded.step;
        loaded.step += 1;
        for (group, frame) in loaded.frames.iter_mut().enumerate() {
            frame.clear();
            loaded.recording.refresh(GroupId(group as u32), frame, store);
        }
        run(&loaded.recording, &mut loaded.frames, store, step, self.check)
    }

    fn recording(&self, plan: PlanId) -> &Arc<Recording> {
        &self.loaded(plan).recording
    }

    fn word(&self, plan: PlanId, group: GroupId, index: u32) -> u64 {
        self.loaded(plan).frames[group.0 as usize].word(index)
    }
}

fn run(
    recording: &Recording,
    frames: &mut [Frame],
    store: &mut Store,
    step: u64,
    check: bool,
) -> Result<RunReport, RunFailure> {
    let start = std::time::Instant::now();
    let mut current = 0;
    let outcome = catch_unwind(AssertUnwindSafe(|| interpret(recording, frames, store, check, &mut current)));
    let failure = match outcome {
        Ok(Ok(())) => None,
        Ok(Err(message)) => Some((FailureKind::NonFinite, message)),
        Err(payload) => Some((FailureKind::Panic, RunFailure::panic_message(&*payload))),
    };
    if let Some((kind, message)) = failure {
        let task = recording.program.tasks.get(current);
        return Err(RunFailure {
            kind,
            step,
            task: task.map(|_| TaskId(current as u32)),
            task_name: task.map_or("(none)", |t| t.name),
            component: task.map(|t| t.component),
            message,
        });
    }
    store.mark_written(&recording.program.written_states);
    let busy_ns = start.elapsed().as_nanos() as u64;
    Ok(RunReport { step, workers: vec![WorkerReport { busy_ns, wait_ns: 0 }] })
}

/// Walks the stages; `current` is the task that runs.
fn interpret(
    recording: &Recording,
    frames: &mut [Frame],
    store: &mut Store,
    check: bool,
    current: &mut usize,
) -> Result<(), String> {
    let Recording { program, table } = recording;
    let mut at = 0;
    while let Some(stage) = program.stages.get(at) {
        let frame = &mut frames[stage.group.0 as usize];
        at += 1;
        match stage.kind {
            StageKind::Own | StageKind::Joint | StageKind::Replicated => {
                for task in stage.tasks.clone() {
                    *current = task as usize;
                    table.call_direct(task as usize, frame, store);
                    if check {
                        check_finite(recording, TaskId(task), store)?;
                    }
                }
            }
            StageKind::BeginLoop(id) => {
                let info = &program.loops[id.0 as usize];
                frame.set_word(info.count, 0);
                if u32::from_word(frame.word(info.limit)) == 0 {
                    at = info.end as usize + 1;
                }
            }
            StageKind::Break(id, condition) => {
                if bool::from_word(frame.word(condition)) {
                    at = program.loops[id.0 as usize].end as usize + 1;
                }
            }
            StageKind::EndLoop(id) => {
                let info = &program.loops[id.0 as usize];
                let count = u32::from_word(frame.word(info.count)) + 1;
                frame.set_word(info.count, count.to_word());
                if count < u32::from_word(frame.word(info.limit)) {
                    at = info.begin as usize + 1;
                }
            }
        }
    }
    Ok(())
}

/// Says which buffer of those that a task has written holds a value that is not finite.
fn check_finite(recording: &Recording, task: TaskId, store: &Store) -> Result<(), String> {
    let accesses = recording.program.accesses_of(task);
    let written = accesses.iter().filter(|a| a.kind.is_exclusive() || a.kind == AccessKind::Accumulate);
    for access in written {
        if let Some(index) = store.first_non_finite(access.id) {
            return Err(format!("a non-finite value in {} at index {index}", store.info(access.id).name));
        }
    }
    Ok(())
}
