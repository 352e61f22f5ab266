//! The lowering of a program to a schedule.

use super::loops::{region_of_stage, regions};
use super::placement::{Accumulation, Placement};
use super::reducer::{Planned, plan_reducers};
use super::signal_wait::Touches;
use sim_core::graph::chain::{Chain, Key};
use sim_core::graph::schedule::{Item, ItemKind, PlanKind, PlanStage, WorkerStage};
use sim_core::graph::{Assignment, Place, Program, Schedule, StageKind, Task};

/// A schedule for a program with its objects assigned to workers.
///
/// # Determinism
/// The schedule is a function of its arguments; results of its execution do not depend on it at all.
pub fn lower(program: &Program, assignment: &Assignment, mode: Accumulation) -> Schedule {
    let n_data = n_data(program);
    let mut placement = Placement::new(program, assignment, mode);
    let (reducers, n_logs) = plan_reducers(program, assignment, &mut placement, n_data);
    let participants = participants(program, assignment, &placement, &reducers);
    let touches =
        Touches::new(program, &placement, &participants, &reducers, assignment.workers(), n_data as u32);
    let waits = touches.waits();
    let mut stages = stages(program, &placement, &participants, &reducers, assignment.workers());
    for placed in waits {
        worker_stage(&mut stages, placed.to, placed.to_worker).waits.push(placed.wait);
        worker_stage(&mut stages, placed.wait.position, placed.wait.worker).publishes += placed.wait.count;
    }
    let mut schedule = Schedule {
        assignment: assignment.clone(),
        stages,
        regions: regions(program),
        participants,
        reducers: reducers.into_iter().map(|r| r.reducer).collect(),
        n_logs,
        ..Schedule::default()
    };
    schedule.count(program);
    schedule
}

/// One more than the largest number of a buffer.
fn n_data(program: &Program) -> usize {
    let accessed = program.accesses.iter().filter(|a| a.kind.is_data()).map(|a| a.id);
    let vectors = program.groups.iter().flat_map(|g| &g.dots).flat_map(|d| &d.terms);
    let vectors = vectors.flat_map(|t| t.vectors.map_or([t.partial; 2], |(a, b)| [a, b]));
    accessed.chain(vectors).max().map_or(0, |id| id as usize + 1)
}

/// The workers of each group: those that run its tasks or own what these add to.
fn participants(
    program: &Program,
    assignment: &Assignment,
    placement: &Placement,
    reducers: &[Planned],
) -> Vec<Vec<u32>> {
    let n_workers = assignment.workers() as usize;
    let mut takes_part = vec![false; n_workers * program.groups.len()];
    for stage in &program.stages {
        let base = stage.group.0 as usize * n_workers;
        let tasks = stage.tasks.start as usize..stage.tasks.end as usize;
        for i in tasks.flat_map(|task| placement.of(task)) {
            takes_part[base + placement.workers[i] as usize] = true;
        }
    }
    for plan in reducers {
        let group = program.stages[plan.stage as usize].group.0 as usize;
        takes_part[group * n_workers + plan.worker as usize] = true;
    }
    let of_group = |flags: &[bool]| {
        let workers: Vec<u32> = (0..n_workers as u32).filter(|&w| flags[w as usize]).collect();
        if workers.is_empty() { vec![0] } else { workers }
    };
    takes_part.chunks(n_workers).map(of_group).collect()
}

fn key_of(task: &Task) -> Key {
    match task.place {
        Place::Own(a) => Key(a.0, 0, task.sequence),
        Place::Joint(a, b) => Key(a.0, b.0, task.sequence),
        Place::Replicated => Key(0, 0, task.sequence),
    }
}

/// The stages with their chains, without waits.
fn stages(
    program: &Program,
    placement: &Placement,
    participants: &[Vec<u32>],
    reducers: &[Planned],
    n_workers: u32,
) -> Vec<PlanStage> {
    let mut stages = Vec::with_capacity(program.stages.len());
    let mut reducers = reducers.iter().enumerate().peekable();
    let mut chains: Vec<Option<Chain<Item>>> = vec![None; n_workers as usize];
    for (number, stage) in program.stages.iter().enumerate() {
        let in_group = &participants[stage.group.0 as usize];
        if !matches!(stage.kind, StageKind::Own | StageKind::Joint) {
            in_group.iter().for_each(|&w| chains[w as usize] = Some(Chain::default()));
        }
        for task in stage.tasks.clone() {
            let key = key_of(&program.tasks[task as usize]);
            if stage.kind == StageKind::Replicated {
                for &w in in_group {
                    chains[w as usize].get_or_insert_default().push(key, Item::task(task));
                }
            }
            for i in placement.of(task as usize) {
                chains[placement.workers[i] as usize].get_or_insert_default().push(key, placement.items[i]);
            }
        }
        let region = region_of_stage(program, number);
        let mut push = |position: u32, kind: PlanKind, chains: &mut [Option<Chain<Item>>]| {
            let taken = chains.iter_mut().enumerate().filter_map(|(w, c)| c.take().map(|c| (w as u32, c)));
            let workers = taken
                .map(|(worker, chain)| WorkerStage { worker, waits: Vec::new(), chain, publishes: 0 })
                .collect();
            stages.push(PlanStage { position, group: stage.group, kind, region, name: stage.name, workers });
        };
        push(2 * number as u32, PlanKind::Recorded(stage.kind), &mut chains);
        if reducers.peek().is_some_and(|(_, r)| r.stage == number as u32) {
            while let Some((index, plan)) = reducers.next_if(|(_, r)| r.stage == number as u32) {
                let item = Item { kind: ItemKind::Reducer, ..Item::task(index as u32) };
                let key = Key(plan.reducer.target, 0, 0);
                chains[plan.worker as usize].get_or_insert_default().push(key, item);
            }
            push(2 * number as u32 + 1, PlanKind::Reduce, &mut chains);
        }
    }
    stages
}

/// What a worker does in the stage at a position.
fn worker_stage(stages: &mut [PlanStage], position: u32, worker: u32) -> &mut WorkerStage {
    let at = stages.binary_search_by_key(&position, |s| s.position).expect("edges join stages");
    let workers = &mut stages[at].workers;
    let at = workers.binary_search_by_key(&worker, |w| w.worker).expect("edges join workers of stages");
    &mut workers[at]
}
