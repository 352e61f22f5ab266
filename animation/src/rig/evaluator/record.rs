//! From nodes that must run to a recording.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Resource, Store, Workspace, exclusive, look_in, read, read_all, update};
use engine::graph::{ComponentTag, Recorder, Recording};

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

/// Records the tasks of all frames: a group for each frame, a sweep for each level.
pub(super) fn record(
    s: &Structure,
    store: &mut Store,
    states: &[State],
    guards: &Guards,
    code: Workspace<PlanCode>,
    tasks: &[(TaskWork, u32)],
) -> Recording {
    let mut rec = Recorder::new(store);
    let places = Places { first_object: 0, tag: None, groups: true };
    emit_tasks(&mut rec, s, states, guards, code, tasks, places);
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
    guards: &Guards,
    code: Workspace<PlanCode>,
    tasks: &[(TaskWork, u32)],
    places: Places,
) {
    let is_any_alone = tasks.iter().any(|(_, b)| s.blocks[*b as usize].guard == Guard::Everything);
    let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
    // What tolerates nothing beside it comes last of its level, so that the level waits once.
    order.sort_by_key(|&k| {
        let (task, block) = tasks[k as usize];
        let block = &s.blocks[block as usize];
        (task.frame, block.level, block.guard == Guard::Everything)
    });
    let (mut frame, mut level) = (None, None);
    for k in order {
        let (task, b) = tasks[k as usize];
        let (state, block) = (&states[task.frame as usize], &s.blocks[b as usize]);
        if frame.replace(task.frame) != Some(task.frame) {
            if level.take().is_some() && places.groups {
                rec.end_group();
            }
            if places.groups {
                rec.begin_group("frame");
            }
        }
        if level.replace(block.level) != Some(block.level) {
            rec.sweep("level");
        }
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
        let object = ObjectId(places.first_object + task.frame * s.blocks.len() as u32 + b);
        let tag = places.tag.unwrap_or(ComponentTag(b));
        emit(rec, s, state, code, (k, b, object, tag), kept);
    }
    if level.is_some() && places.groups {
        rec.end_group();
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
    }
}
