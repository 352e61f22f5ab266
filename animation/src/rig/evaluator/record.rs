//! From nodes that must run to a recording.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Resource, Store, Workspace, exclusive, look_in, read, read_all, update};
use engine::graph::{ComponentTag, Recorder, Recording};

use super::place::Placed;
use super::run::{PlanCode, TaskWork};
use super::state::{Guards, State};
use crate::rig::ports::Others;
use crate::rig::structure::{Guard, Structure, Work};

/// What a task of the plan must not run together with.
#[derive(Clone, Copy)]
enum Kept {
    /// Nothing.
    Free,
    /// A task that tolerates no other one.
    Beside(Data<u8>),
    /// Any other task.
    Alone(Data<u8>),
    /// Tasks of a resource.
    Turns(Resource),
    /// Both.
    TurnsBeside(Resource, Data<u8>),
}

/// Splits the nodes that run in each frame into tasks, block by block.
pub(super) fn tasks(s: &Structure, frames: &[Vec<Work>]) -> (Vec<Work>, Vec<(TaskWork, u32)>) {
    let mut work: Vec<Work> = Vec::with_capacity(frames.iter().map(Vec::len).sum());
    let mut tasks: Vec<(TaskWork, u32)> = Vec::new();
    for (frame, of_frame) in (0..).zip(frames) {
        for group in of_frame.chunk_by(|a, b| s.block_of[a.step as usize] == s.block_of[b.step as usize]) {
            let block = s.block_of[group[0].step as usize];
            let begin = work.len() as u32;
            work.extend_from_slice(group);
            let first_step = s.blocks[block as usize].steps.start;
            tasks.push((TaskWork { begin, end: work.len() as u32, frame, first_step }, block));
        }
    }
    (work, tasks)
}

/// Records the tasks of all frames: a group for each frame, and in it sweeps of tasks that do not wait for each other, at most one for
/// each worker, so that a worker waits for what its next task needs and for nothing else.
pub(super) fn record(
    s: &Structure,
    store: &mut Store,
    states: &[State],
    guards: &Guards,
    code: Workspace<PlanCode>,
    (tasks, placed): (&[(TaskWork, u32)], &Placed),
) -> Recording {
    let mut rec = Recorder::new(store);
    let places = Places { first_object: 0, tag: None, groups: true };
    emit_tasks(&mut rec, s, states, (guards, code), (tasks, placed), places);
    rec.finish()
}

/// Whose tasks are, and what is around them.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// The object of the first block.
    pub(super) first_object: u32,
    /// The component that they are of; none: each block is one.
    pub(super) tag: Option<ComponentTag>,
    /// Whether each frame is a group.
    pub(super) groups: bool,
}

/// Records the tasks of all frames into a recording that has begun.
pub(super) fn emit_tasks(
    rec: &mut Recorder<'_>,
    s: &Structure,
    states: &[State],
    (guards, code): (&Guards, Workspace<PlanCode>),
    (tasks, placed): (&[(TaskWork, u32)], &Placed),
    places: Places,
) {
    let is_any_alone = tasks.iter().any(|(_, b)| s.blocks[*b as usize].guard == Guard::Everything);
    let mut sweep = Sweep::new(s, placed.assignment.workers());
    let mut frame = None;
    for &k in &placed.order {
        let (task, b) = tasks[k as usize];
        let (state, block) = (&states[task.frame as usize], &s.blocks[b as usize]);
        if frame != Some(task.frame) {
            if frame.is_some() && places.groups {
                rec.end_group();
            }
            if places.groups {
                rec.begin_group("frame");
            }
            sweep.clear();
        }
        let object = ObjectId(task.frame * s.blocks.len() as u32 + b);
        if sweep.is_new(b, placed.assignment.worker(object)) || frame != Some(task.frame) {
            rec.sweep("nodes");
        }
        frame = Some(task.frame);
        let everything = guards.everything;
        let turns = match block.guard {
            Guard::Group(group) => Some(guards.groups[group as usize]),
            Guard::None | Guard::Everything => guards.one_frame[b as usize],
        };
        let kept = match (block.guard, turns) {
            (Guard::Everything, _) => Kept::Alone(everything),
            (_, Some(turns)) if is_any_alone => Kept::TurnsBeside(turns, everything),
            (_, Some(turns)) => Kept::Turns(turns),
            (_, None) if is_any_alone => Kept::Beside(everything),
            (_, None) => Kept::Free,
        };
        let object = ObjectId(places.first_object + object.0);
        let tag = places.tag.unwrap_or(ComponentTag(b));
        emit(rec, s, state, code, (k, b, object, tag), kept);
    }
    if frame.is_some() && places.groups {
        rec.end_group();
    }
}

/// The tasks of the sweep that is being recorded.
struct Sweep<'a> {
    s: &'a Structure,
    number: u32,
    /// By block, and by worker: the last sweep that it was in. On one worker nothing waits, and levels do as sweeps.
    blocks: Vec<u32>,
    workers: Vec<u32>,
    has_guard: bool,
}

impl<'a> Sweep<'a> {
    fn new(s: &'a Structure, workers: u32) -> Self {
        Self {
            s,
            number: 1,
            blocks: vec![0; s.blocks.len()],
            workers: vec![0; workers as usize],
            has_guard: false,
        }
    }

    /// Another frame: nothing of the one before counts.
    fn clear(&mut self) {
        self.number += 1;
        self.has_guard = false;
    }

    /// Adds a task, and says whether a sweep begins with it.
    fn is_new(&mut self, block: u32, worker: u32) -> bool {
        let of = &self.s.blocks[block as usize];
        let waits = of.before.iter().any(|b| self.blocks[*b as usize] == self.number);
        let is_full = self.workers.len() > 1 && self.workers[worker as usize] == self.number;
        // What takes turns comes in the order of the recording.
        let guarded = of.guard != Guard::None;
        let is_new = waits || is_full || self.has_guard && (guarded || self.workers.len() > 1);
        if is_new {
            self.number += 1;
            self.has_guard = false;
        }
        self.has_guard |= guarded;
        self.blocks[block as usize] = self.number;
        self.workers[worker as usize] = self.number;
        is_new
    }
}

/// Records one task, for a block that reads few others or many, with what it must not run together with.
fn emit(
    rec: &mut Recorder<'_>,
    s: &Structure,
    state: &State,
    code: Workspace<PlanCode>,
    (task, b, object, tag): (u32, u32, ObjectId, ComponentTag),
    kept: Kept,
) {
    let block = b as usize;
    let (values, reads) = (state.values[block], state.reads[block]);
    macro_rules! own {
        ($([$guard:expr]),*) => { own!(@ $([$guard, _]),*) };
        (@ $([$guard:expr, $nothing:pat]),*) => {
            if let Some(list) = state.lists[block] {
                let accesses =
                    (update(values), update(reads), read(state.fixed), look_in(code), $($guard,)* read_all(list));
                rec.own("nodes", tag, object, accesses, move |(values, reads, fixed, plan, $($nothing,)* others)| {
                    plan.run(task, values, reads, fixed, Others::Many(others));
                });
            } else {
                let before = &s.blocks[block].before;
                let other = |k: usize| read(before.get(k).map_or(state.fixed, |b| state.values[*b as usize]));
                let few = [other(0), other(1), other(2), other(3)];
                let accesses = (
                    update(values), update(reads), read(state.fixed), look_in(code), $($guard,)*
                    few[0], few[1], few[2], few[3],
                );
                rec.own("nodes", tag, object, accesses, move |(values, reads, fixed, plan, $($nothing,)* a, b, c, d)| {
                    plan.run(task, values, reads, fixed, Others::Few([a, b, c, d]));
                });
            }
        };
    }
    match kept {
        Kept::Free => own!(),
        Kept::Beside(all) => own!([read(all)]),
        Kept::Alone(all) => own!([update(all)]),
        Kept::Turns(turns) => own!([exclusive(turns)]),
        Kept::TurnsBeside(turns, all) => own!([exclusive(turns)], [read(all)]),
    }
}

/// The code that a recording's tasks look at.
pub(super) fn plan_code(
    s: &Structure,
    states: &[State],
    work: Vec<Work>,
    tasks: &[(TaskWork, u32)],
) -> PlanCode {
    PlanCode {
        code: s.code.clone(),
        work,
        tasks: tasks.iter().map(|(task, _)| *task).collect(),
        cancel: states.iter().map(|state| Arc::clone(&state.cancel)).collect(),
        failed: Default::default(),
        memo: None,
    }
}
