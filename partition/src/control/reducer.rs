//! Accumulations whose additions are not all done by the owner of their target: logs, and reducers that replay them.
//!
//! An epoch is a run of accumulations into one buffer without another access or loop control between. If its owner
//! does every addition, all are done in place. Otherwise the longest prefix that the owner does is, and from the first
//! remote addition on all are logged, the owner's too; a reducer at the end of the last stage of the epoch replays
//! the logs in recorded order.

use super::placement::TaskInstances;
use engine::data::{AccessKind, DataId};
use engine::graph::schedule::Reducer;
use engine::graph::{Assignment, GroupId, Program, TaskId};

/// One reducer, and where it runs.
pub(super) struct Planned {
    /// Place in the order of execution of the recorded stage that it follows.
    rank: usize,
    /// The group of that stage.
    pub group: GroupId,
    /// Its position.
    pub position: u32,
    /// The worker that owns the target.
    pub worker: u32,
    pub reducer: Reducer,
}

struct Addition {
    task: TaskId,
    /// Of the access.
    position: u32,
    rank: usize,
    group: GroupId,
    stage: u32,
    /// Loop controls before it.
    control: u32,
    remote: bool,
}

/// What happens to a buffer with remote additions.
struct History {
    owner: u32,
    epoch: Vec<Addition>,
}

/// Decides what is logged, marks it in the placement's items, and gives the reducers sorted by stage and target.
pub(super) fn plan_reducers(
    program: &Program,
    assignment: &Assignment,
    placement: &mut TaskInstances,
    n_data: usize,
) -> (Vec<Planned>, u32) {
    let mut slot_of: Vec<u32> = vec![u32::MAX; n_data];
    let mut histories: Vec<History> = Vec::new();
    for (task, _) in program.tasks() {
        let accesses = program.accesses_of(task);
        for access in accesses.iter().filter(|a| a.kind == AccessKind::Accumulate) {
            let owner = assignment.worker(access.object);
            if slot_of[access.id as usize] == u32::MAX && placement.on(task, owner).is_none() {
                slot_of[access.id as usize] = histories.len() as u32;
                histories.push(History { owner, epoch: Vec::new() });
            }
        }
    }
    if histories.is_empty() {
        return (Vec::new(), 0);
    }
    let mut planned = Vec::new();
    let mut control = 0;
    let stages = program.groups().flat_map(|(id, g)| g.stages.iter().map(move |s| (id, g, s)));
    let mut before = None;
    for (rank, (group, info, stage)) in stages.enumerate() {
        // Epochs end where the group does: the next one is another stream.
        if stage.kind.is_control() || before.replace(group) != Some(group) {
            control += 1;
        }
        for (_, &task) in stage.tasks.iter() {
            for (position, access) in program.accesses_of(task).iter().enumerate() {
                let targets: &[DataId] = match access.kind {
                    // A running sum reads its vectors; they are in `terms`, so look there.
                    AccessKind::Gather => {
                        let dot = &info.dots[access.id as usize];
                        for (a, b) in dot.terms.iter().filter_map(|t| t.vectors) {
                            for id in [a, b] {
                                if let Some(history) = histories.get_mut(slot_of[id as usize] as usize) {
                                    close(history, id, &mut planned);
                                }
                            }
                        }
                        &[]
                    }
                    kind if kind.is_data() => std::slice::from_ref(&access.id),
                    _ => &[],
                };
                for &id in targets {
                    let Some(history) = histories.get_mut(slot_of[id as usize] as usize) else { continue };
                    if access.kind != AccessKind::Accumulate
                        || history.epoch.last().is_some_and(|l| l.control != control)
                    {
                        close(history, id, &mut planned);
                    }
                    if access.kind == AccessKind::Accumulate {
                        let remote = placement.on(task, history.owner).is_none();
                        let (position, stage) = (position as u32, stage.position);
                        history.epoch.push(Addition { task, position, rank, group, stage, control, remote });
                    }
                }
            }
        }
    }
    for (id, &slot) in slot_of.iter().enumerate() {
        if let Some(history) = histories.get_mut(slot as usize) {
            close(history, id as DataId, &mut planned);
        }
    }
    planned.sort_by_key(|p| (p.rank, p.reducer.target));
    let n_logs = number_logs(placement, &mut planned);
    (planned, n_logs)
}

/// Ends an epoch.
fn close(history: &mut History, target: DataId, planned: &mut Vec<Planned>) {
    let first = history.epoch.iter().position(|a| a.remote);
    if let (Some(first), Some(last)) = (first, history.epoch.last()) {
        let logs = history.epoch[first..].iter().map(|a| (a.task.0, a.position, 0)).collect();
        let (rank, group, position, worker) = (last.rank, last.group, last.stage, history.owner);
        planned.push(Planned { rank, group, position, worker, reducer: Reducer { target, logs } });
    }
    history.epoch.clear();
}

/// Gives each logged access a number, in the order of instances and positions.
fn number_logs(placement: &mut TaskInstances, planned: &mut [Planned]) -> u32 {
    let mut logged: Vec<(usize, u32, usize, usize)> = Vec::new();
    for (r, plan) in planned.iter().enumerate() {
        for (l, &(task, position, _)) in plan.reducer.logs.iter().enumerate() {
            // The owner's own instance logs what it would have added; else the first instance does.
            let instance = placement.on(TaskId(task), plan.worker);
            let instance = instance.unwrap_or(placement.first(TaskId(task)));
            logged.push((instance, position, r, l));
        }
    }
    logged.sort_unstable();
    for (number, &(instance, position, r, l)) in logged.iter().enumerate() {
        let item = placement.item_mut(instance);
        if item.log == 0 {
            item.first_log = number as u32;
        }
        item.log |= 1 << position;
        planned[r].reducer.logs[l].2 = number as u32;
    }
    logged.len() as u32
}
