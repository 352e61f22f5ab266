//! The lowering of a program to a schedule.

use std::collections::BTreeSet;

use super::ledger::Ledger;
use super::placement::{Accumulation, TaskInstances};
use super::reducer::{Planned, plan_reducers};
use super::wiring::wire;
use engine::graph::chain::Key;
use engine::graph::dependence::Spot;
use engine::graph::schedule::{GroupPlan, Item, ItemKind, PlanKind, PlanStage, region_of};
use engine::graph::{Assignment, Group, GroupId, Program, Schedule, Stage, StageKind};

/// A schedule for a program with its objects assigned to workers.
///
/// # Determinism
/// The schedule is a function of its arguments; results of its execution do not depend on it at all.
pub fn lower(program: &Program, assignment: &Assignment, mode: Accumulation) -> Schedule {
    lower_with_ledger(program, assignment, mode).0
}

/// A schedule, and what is needed to update it in proportion to a change. There is no ledger for schedules with reducers.
pub fn lower_with_ledger(
    program: &Program,
    assignment: &Assignment,
    mode: Accumulation,
) -> (Schedule, Option<Ledger>) {
    let n_data = program.n_data();
    let mut placement = TaskInstances::new(program, assignment, mode);
    let (reducers, n_logs) = plan_reducers(program, assignment, &mut placement, n_data);
    let mut ledger = Ledger::new(assignment.workers());
    let mut schedule = Schedule {
        assignment: assignment.clone(),
        order: program.order().clone(),
        n_logs,
        ..Schedule::default()
    };
    let mut reducers_left = reducers.iter().enumerate().peekable();
    for (id, group) in program.groups() {
        ledger.open_group(id);
        let mut plan = GroupPlan::default();
        for stage in &group.stages {
            plan.stages.push(empty_stage(group, stage));
            let plan_stage = plan.stages.last_mut().expect("pushed just above");
            for (key, &task) in stage.tasks.iter() {
                for &(worker, item) in placement.of(task) {
                    plan_stage.of_mut(worker).chain.push(key, item);
                    ledger.book_instance(program, id, stage, (worker, item), n_data as u32, 1);
                }
            }
            let follows = |r: &&Planned| r.group == id && r.position == stage.position;
            let mut reduce = PlanStage {
                position: stage.position + 1,
                kind: PlanKind::Reduce,
                workers: Vec::new(),
                ..*plan_stage
            };
            while let Some((index, planned)) = reducers_left.next_if(|(_, r)| follows(r)) {
                let item = Item { kind: ItemKind::Reducer, ..Item::task(index as u32) };
                let key = Key(planned.reducer.target, 0, 0);
                reduce.of_mut(planned.worker).chain.push(key, item);
                let spot = Spot { group: id, position: reduce.position, worker: planned.worker };
                let logs = planned.reducer.logs.iter().map(|l| n_data as u32 + l.2);
                ledger.book_reducer(spot, stage.in_loop, planned.reducer.target, logs);
            }
            if !reduce.workers.is_empty() {
                plan.stages.push(reduce);
            }
        }
        *schedule.group_mut(id) = plan;
    }
    let (mut changed, mut groups) = (Vec::new(), BTreeSet::new());
    ledger.close(program, &mut changed, &mut groups);
    for (id, group) in program.groups() {
        replicate(group, id, &mut schedule, ledger.participants(id), |_| {});
    }
    wire(&mut schedule, &ledger, &mut changed, |_| {});
    schedule.in_order = ledger.is_in_order();
    schedule.reducers = reducers.into_iter().map(|r| r.reducer).collect();
    let can_be_updated = schedule.reducers.is_empty();
    (schedule, can_be_updated.then_some(ledger))
}

/// A stage of a plan without workers.
pub(super) fn empty_stage(group: &Group, stage: &Stage) -> PlanStage {
    // The beginning and the end of a loop are seen from outside.
    let around = match stage.kind {
        StageKind::BeginLoop(id) | StageKind::EndLoop(id) => group.loops[id.0 as usize].parent,
        _ => stage.in_loop,
    };
    PlanStage {
        position: stage.position,
        kind: PlanKind::Recorded(stage.kind),
        region: region_of(around),
        name: stage.name,
        workers: Vec::new(),
    }
}

/// Puts replicated tasks and loop control on those workers of a group that lack them; tells which stages of workers came.
pub(super) fn replicate(
    group: &Group,
    id: GroupId,
    schedule: &mut Schedule,
    participants: &[u32],
    mut came: impl FnMut(Spot),
) {
    let plan = schedule.group_mut(id);
    plan.participants = participants.to_vec();
    for stage in group.stages.iter().filter(|s| s.kind.is_replicated()) {
        let at = match plan.find(stage.position) {
            Ok(at) => at,
            Err(at) => {
                plan.stages.insert(at, empty_stage(group, stage));
                at
            }
        };
        for &worker in participants {
            if plan.stages[at].of(worker).is_none() {
                plan.stages[at].of_mut(worker).chain = stage.tasks.map(|_, task| Item::task(task.0));
                came(Spot { group: id, position: stage.position, worker });
            }
        }
    }
}
