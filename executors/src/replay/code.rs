//! The code of a stream: a worker's share of a schedule with kernels and addresses in place.
#![allow(unsafe_code, reason = "streams hold addresses of frames and ops that live as long as they do")]

use sim_core::data::{Addition, Ctx, EnvArena, Frame, Instances, Op, Store};
use sim_core::exec::LoadError;
use sim_core::graph::chain::Chain;
use sim_core::graph::schedule::{Item, ItemKind, PlanKind};
use sim_core::graph::{GroupId, LoopId, Program, Recording, Schedule, StageKind, TaskId};

use crate::checks::Checks;

/// Bits of a stamp: step (28), iteration (20), stage (16).
pub(super) const STEP_SHIFT: u32 = 36;
pub(super) const ITERATION_SHIFT: u32 = 16;
/// Iterations of one region in one step that a stamp can count.
pub(super) const MAX_ITERATIONS: u64 = 1 << (STEP_SHIFT - ITERATION_SHIFT);
/// Steps that a stamp can count.
pub(super) const MAX_STEPS: u64 = 1 << (64 - STEP_SHIFT);

/// A wait of a stage.
#[derive(Clone, Copy)]
pub(super) struct WaitCode {
    /// Progress word to poll.
    pub word: u32,
    /// Where the latest stamp that was seen of it is kept.
    pub seen: u32,
    /// Region whose iteration counts.
    pub region: u32,
    /// Stage in the stamp.
    pub low: u64,
    /// The previous iteration is meant.
    pub carried: bool,
}

/// What a stage does, with addresses.
pub(super) enum Action {
    /// Runs a chain of ops.
    Run(Chain<Op>),
    /// Enters a loop, or jumps behind its end.
    Begin { region: u32, limit: *const u64, count: *mut u64, end: u32 },
    /// Jumps behind the end of a loop.
    Break { condition: *const u64, end: u32 },
    /// Jumps to the first stage of the loop, or leaves it.
    End { region: u32, limit: *const u64, count: *mut u64, first: u32 },
}

/// One stage of a stream.
pub(super) struct Entry {
    pub waits: std::ops::Range<u32>,
    pub ctx: *const Ctx,
    pub action: Action,
    /// Word to publish, region whose iteration counts, stage in the stamp.
    pub publish: Option<(u32, u32, u64)>,
    /// Number of the stage in the schedule.
    pub stage: u32,
    /// Number of the worker in that stage.
    pub part: u32,
    /// Number of its first op among all of the stream.
    pub first_op: u32,
    /// Mean time of its ops when they were last timed; zero: never.
    pub mean_ticks: u64,
}

/// Everything about a stream that a run does not change.
pub(super) struct Code {
    pub worker: u32,
    pub entries: Vec<Entry>,
    pub waits: Vec<WaitCode>,
    pub frames: Vec<(GroupId, Frame)>,
    pub n_seen: usize,
    pub n_regions: usize,
    pub n_ops: usize,
    /// Owns the environments of the ops.
    _arena: EnvArena,
}
// SAFETY: the addresses lead into frames and environments that the code owns; banks are touched by its stream alone.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

/// Numbers the progress words: one per region and worker that publishes in it.
pub(super) struct Words {
    number: Vec<u32>,
    n_workers: usize,
    pub len: u32,
}

impl Words {
    pub fn new(schedule: &Schedule) -> Self {
        let n_workers = schedule.assignment.workers() as usize;
        let mut words =
            Self { number: vec![u32::MAX; schedule.regions.len() * n_workers], n_workers, len: 0 };
        for stage in &schedule.stages {
            for worker in stage.workers.iter().filter(|w| w.publishes > 0) {
                let number = &mut words.number[stage.region as usize * n_workers + worker.worker as usize];
                if *number == u32::MAX {
                    *number = words.len;
                    words.len += 1;
                }
            }
        }
        words
    }

    fn of(&self, region: u32, worker: u32) -> u32 {
        self.number[region as usize * self.n_workers + worker as usize]
    }
}

/// Checks that the stages of each region can be counted in a stamp.
pub(super) fn check_stamps(schedule: &Schedule) -> Result<(), LoadError> {
    let low =
        |s: &sim_core::graph::schedule::PlanStage| s.position - schedule.regions[s.region as usize].base + 1;
    let largest = schedule.stages.iter().map(low).max().unwrap_or(0);
    if largest >= 1 << ITERATION_SHIFT { Err(LoadError::TooManyStages(largest / 2)) } else { Ok(()) }
}

/// Builds the code of all streams.
pub(super) fn compile(
    recording: &Recording,
    schedule: &Schedule,
    words: &Words,
    store: &mut Store,
    checks: &mut Checks,
) -> Vec<Code> {
    let n_workers = schedule.assignment.workers();
    let mut codes: Vec<Builder> =
        (0..n_workers).map(|w| Builder::new(w, recording, schedule, store)).collect();
    let mut instances = Instances::new(&recording.table, store);
    for (number, stage) in schedule.stages.iter().enumerate() {
        let low =
            |region: u32, position: u32| u64::from(position - schedule.regions[region as usize].base + 1);
        for (part, worker) in stage.workers.iter().enumerate() {
            let code = &mut codes[worker.worker as usize];
            let begin = code.waits.len() as u32;
            for wait in &worker.waits {
                let word = words.of(wait.region, wait.worker);
                let seen = code.seen(word);
                let low = low(wait.region, wait.position);
                code.waits.push(WaitCode { word, seen, region: wait.region, low, carried: wait.carried });
            }
            let word = words.of(stage.region, worker.worker);
            let publish =
                (worker.publishes > 0).then(|| (word, stage.region, low(stage.region, stage.position)));
            let action = match stage.kind {
                PlanKind::Recorded(StageKind::BeginLoop(id)) => code.begin_loop(&recording.program, id),
                PlanKind::Recorded(StageKind::Break(id, condition)) => {
                    code.breaks.push((id, code.entries.len()));
                    Action::Break { condition: code.frame(stage.group).word_address(condition), end: 0 }
                }
                PlanKind::Recorded(StageKind::EndLoop(id)) => code.end_loop(&recording.program, id),
                _ => {
                    let place = (recording, schedule, stage.group);
                    let arena = &mut code.arena;
                    Action::Run(
                        worker.chain.map(|_, item| instantiate(&mut instances, place, *item, arena, checks)),
                    )
                }
            };
            let ctx = code.frame(stage.group).ctx();
            let waits = begin..code.waits.len() as u32;
            let (stage, part, first_op) = (number as u32, part as u32, code.n_ops as u32);
            code.n_ops += worker.chain.len();
            code.entries.push(Entry { waits, ctx, action, publish, stage, part, first_op, mean_ticks: 0 });
        }
    }
    codes.into_iter().map(|b| b.finish(schedule.regions.len())).collect()
}

fn instantiate(
    instances: &mut Instances<'_>,
    (recording, schedule, group): (&Recording, &Schedule, GroupId),
    item: Item,
    arena: &mut EnvArena,
    checks: &mut Checks,
) -> Op {
    if item.kind == ItemKind::Reducer {
        let reducer = &schedule.reducers[item.index as usize];
        let logs: Vec<_> = reducer
            .logs
            .iter()
            .map(|&(task, position, log)| (task as usize, position as usize, log))
            .collect();
        let op = instances.reducer(reducer.target, &logs, arena);
        return checks.reducer(op, instances.store(), reducer.target, &logs);
    }
    let mut additions = [(0, Addition::Discard); 16];
    let mut n = 0;
    let discards = (0..16)
        .filter(|p| item.discard >> p & 1 == 1 && item.log >> p & 1 == 0)
        .map(|p| (p, Addition::Discard));
    for addition in discards.chain(item.logs().map(|(p, log)| (p, Addition::Log(log)))) {
        additions[n] = addition;
        n += 1;
    }
    let op = instances.task(item.index as usize, &additions[..n], arena);
    checks.task(op, (&recording.program, instances.store()), group, TaskId(item.index), &additions[..n])
}

struct Builder {
    worker: u32,
    entries: Vec<Entry>,
    waits: Vec<WaitCode>,
    frames: Vec<(GroupId, Frame)>,
    frame_of: Vec<u32>,
    words_seen: Vec<u32>,
    /// The entries that begin and leave each open loop.
    begins: Vec<(LoopId, usize)>,
    breaks: Vec<(LoopId, usize)>,
    n_groups: u32,
    n_ops: usize,
    arena: EnvArena,
}

impl Builder {
    fn new(worker: u32, recording: &Recording, schedule: &Schedule, store: &Store) -> Self {
        let n_groups = schedule.participants.len();
        let (mut frames, mut frame_of) = (Vec::new(), vec![u32::MAX; n_groups]);
        for (group, participants) in schedule.participants.iter().enumerate() {
            if participants.contains(&worker) {
                frame_of[group] = frames.len() as u32;
                let group = GroupId(group as u32);
                frames.push((group, recording.frame(group, store)));
            }
        }
        Self {
            worker,
            entries: Vec::new(),
            waits: Vec::new(),
            frames,
            frame_of,
            words_seen: Vec::new(),
            begins: Vec::new(),
            breaks: Vec::new(),
            n_groups: n_groups as u32,
            n_ops: 0,
            arena: EnvArena::default(),
        }
    }

    fn frame(&self, group: GroupId) -> &Frame {
        &self.frames[self.frame_of[group.0 as usize] as usize].1
    }

    /// Where this stream keeps the latest stamp of a word.
    fn seen(&mut self, word: u32) -> u32 {
        if let Some(known) = self.words_seen.iter().position(|&w| w == word) {
            return known as u32;
        }
        self.words_seen.push(word);
        self.words_seen.len() as u32 - 1
    }

    fn begin_loop(&mut self, program: &Program, id: LoopId) -> Action {
        let info = &program.loops[id.0 as usize];
        self.begins.push((id, self.entries.len()));
        let frame = self.frame(info.group);
        let (limit, count) = (frame.word_address(info.limit), frame.word_address(info.count));
        Action::Begin { region: self.n_groups + id.0, limit, count, end: 0 }
    }

    fn end_loop(&mut self, program: &Program, id: LoopId) -> Action {
        let info = &program.loops[id.0 as usize];
        let here = self.entries.len() as u32;
        let (begun, begin) = self.begins.pop().expect("a loop is begun before it ends");
        assert_eq!(begun, id, "loops are nested");
        if let Action::Begin { end, .. } = &mut self.entries[begin].action {
            *end = here;
        }
        let entries = &mut self.entries;
        self.breaks.retain(|&(of, entry)| {
            if let (true, Action::Break { end, .. }) = (of == id, &mut entries[entry].action) {
                *end = here;
            }
            of != id
        });
        let frame = self.frame(info.group);
        let (limit, count) = (frame.word_address(info.limit), frame.word_address(info.count));
        Action::End { region: self.n_groups + id.0, limit, count, first: begin as u32 + 1 }
    }

    fn finish(self, n_regions: usize) -> Code {
        Code {
            worker: self.worker,
            entries: self.entries,
            waits: self.waits,
            frames: self.frames,
            n_seen: self.words_seen.len(),
            n_regions,
            n_ops: self.n_ops,
            _arena: self.arena,
        }
    }
}
