//! The code of a stream: a worker's share of a group's plan with kernels and addresses in place.
#![allow(unsafe_code, reason = "streams hold addresses of frames and ops that live as long as they do")]

use engine::data::{Addition, Ctx, EnvArena, Frame, Instances, Op};
use engine::graph::chain::Chain;
use engine::graph::schedule::{Item, ItemKind, PlanKind, PlanStage, Schedule, WorkerStage};
use engine::graph::{Group, GroupId, Recording, StageKind, TaskId};

use super::words::Words;
use crate::checks::Checks;

/// Bits of a stamp: step (12), iteration (20), stage (32). Steps are few since they can start again from zero; positions have all bits.
pub(super) const STEP_SHIFT: u32 = 52;
pub(super) const ITERATION_SHIFT: u32 = 32;
/// Iterations of one region in one step that a stamp can count.
pub(super) const MAX_ITERATIONS: u64 = 1 << (STEP_SHIFT - ITERATION_SHIFT);
/// Steps that a stamp can count before all start again from zero.
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
    pub low: u32,
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

/// What to publish at the end of a stage.
#[derive(Clone, Copy)]
pub(super) struct Publication {
    /// The progress word.
    pub word: u32,
    /// Region whose iteration counts.
    pub region: u32,
    /// Stage in the stamp.
    pub low: u32,
}

/// One stage of a stream.
pub(super) struct Entry {
    pub waits: Vec<WaitCode>,
    pub action: Action,
    pub publish: Option<Publication>,
    /// Position of the stage in its group.
    pub position: u32,
    /// Number of its first op among all of the stream, as of the last sampled or observed run.
    pub first_op: u32,
    /// Mean time of its ops when they were last timed; zero: never.
    pub mean_ticks: u64,
}

/// Everything about a stream that a run does not change.
pub(super) struct Code {
    pub group: GroupId,
    pub worker: u32,
    pub entries: Vec<Entry>,
    pub frame: Frame,
    /// The context of all its ops, in the frame.
    pub ctx: *const Ctx,
    pub n_regions: usize,
    /// The words that it waits for.
    words_seen: Vec<u32>,
}
// SAFETY: the addresses lead into the frame, which the code owns, and into environments that live as long as the plan;
// banks are touched by its stream alone.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

/// What code is made from.
pub(super) struct Source<'a, 'b> {
    pub instances: &'a mut Instances<'b>,
    pub recording: &'a Recording,
    pub schedule: &'a Schedule,
    pub words: &'a mut Words,
    pub checks: &'a mut Checks,
}

impl Code {
    /// Code without stages.
    pub fn new(group: GroupId, worker: u32, n_loops: usize, frame: Frame) -> Self {
        let ctx = frame.ctx();
        Self {
            group,
            worker,
            entries: Vec::new(),
            frame,
            ctx,
            n_regions: n_loops + 1,
            words_seen: Vec::new(),
        }
    }

    /// Appends a stage with its ops.
    pub fn push(
        &mut self,
        source: &mut Source<'_, '_>,
        info: &Group,
        stage: &PlanStage,
        part: &WorkerStage,
        arena: &mut EnvArena,
    ) {
        let mut entry = self.empty_entry(info, stage);
        if let Action::Run(chain) = &mut entry.action {
            let place = (source.recording, source.schedule, self.group);
            let Source { instances, checks, .. } = source;
            *chain = part.chain.map(|_, item| instantiate(instances, place, *item, arena, checks));
        }
        self.wire(&mut entry, source.words, stage, part);
        self.entries.push(entry);
    }

    /// The entry of a stage, to be changed; made without ops if it is not there.
    pub fn entry(&mut self, info: &Group, stage: &PlanStage) -> &mut Entry {
        let at = match self.find(stage.position) {
            Ok(at) => at,
            Err(at) => {
                let entry = self.empty_entry(info, stage);
                self.entries.insert(at, entry);
                at
            }
        };
        &mut self.entries[at]
    }

    /// The index of the entry at a position, or where it would be.
    pub fn find(&self, position: u32) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&position, |e| e.position)
    }

    /// Brings what a stage waits for and publishes up to date.
    pub fn rewire(&mut self, at: usize, words: &mut Words, stage: &PlanStage, part: &WorkerStage) {
        let mut entry = std::mem::replace(&mut self.entries[at], Entry::NOTHING);
        self.wire(&mut entry, words, stage, part);
        self.entries[at] = entry;
    }

    fn wire(&mut self, entry: &mut Entry, words: &mut Words, stage: &PlanStage, part: &WorkerStage) {
        entry.waits.clear();
        for wait in &part.waits {
            let word = words.of(wait.group, wait.region, wait.worker);
            // Dependences between groups are outside all loops.
            let region = if wait.group == self.group { wait.region } else { 0 };
            let (seen, low) = (self.seen(word), wait.position + 1);
            entry.waits.push(WaitCode { word, seen, region, low, carried: wait.carried });
        }
        entry.publish = (part.publishes > 0).then(|| Publication {
            word: words.of(self.group, stage.region, self.worker),
            region: stage.region,
            low: stage.position + 1,
        });
    }

    /// Number of stamps that are kept.
    pub fn n_seen(&self) -> usize {
        self.words_seen.len()
    }

    /// Where this stream keeps the latest stamp of a word.
    fn seen(&mut self, word: u32) -> u32 {
        if let Some(known) = self.words_seen.iter().position(|&w| w == word) {
            return known as u32;
        }
        self.words_seen.push(word);
        self.words_seen.len() as u32 - 1
    }

    fn empty_entry(&self, info: &Group, stage: &PlanStage) -> Entry {
        let control = |id: engine::graph::LoopId| {
            let info = &info.loops[id.0 as usize];
            let address = |index| self.frame.word_address(index);
            (id.0 + 1, address(info.limit).cast_const(), address(info.count))
        };
        let action = match stage.kind {
            PlanKind::Recorded(StageKind::BeginLoop(id)) => {
                let (region, limit, count) = control(id);
                Action::Begin { region, limit, count, end: 0 }
            }
            PlanKind::Recorded(StageKind::Break(_, condition)) => {
                Action::Break { condition: self.frame.word_address(condition), end: 0 }
            }
            PlanKind::Recorded(StageKind::EndLoop(id)) => {
                let (region, limit, count) = control(id);
                Action::End { region, limit, count, first: 0 }
            }
            _ => Action::Run(Chain::default()),
        };
        Entry { action, position: stage.position, ..Entry::NOTHING }
    }

    /// Finds where loops jump to, after stages came or went.
    pub fn link(&mut self) {
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        for at in 0..self.entries.len() {
            match &mut self.entries[at].action {
                Action::Run(_) => {}
                Action::Begin { .. } => open.push((at, Vec::new())),
                Action::Break { .. } => open.last_mut().expect("a break inside a loop").1.push(at),
                Action::End { first, .. } => {
                    let (begun, breaks) = open.pop().expect("a loop is begun before it ends");
                    *first = begun as u32 + 1;
                    for jump in breaks.into_iter().chain([begun]) {
                        if let Action::Begin { end, .. } | Action::Break { end, .. } =
                            &mut self.entries[jump].action
                        {
                            *end = at as u32;
                        }
                    }
                }
            }
        }
    }

    /// Number of ops.
    pub fn n_ops(&self) -> usize {
        self.entries.iter().map(Entry::n_ops).sum()
    }
}

impl Entry {
    const NOTHING: Self = Self {
        waits: Vec::new(),
        action: Action::Break { condition: std::ptr::null(), end: 0 },
        publish: None,
        position: 0,
        first_op: 0,
        mean_ticks: 0,
    };

    pub fn n_ops(&self) -> usize {
        if let Action::Run(chain) = &self.action { chain.len() } else { 0 }
    }
}

/// The op of an item of a schedule.
pub(super) fn instantiate(
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
