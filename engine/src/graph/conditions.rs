//! What runs under conditions must not be all that writes a state's next value.

use super::program::{Group, LoopId, Program};
use crate::data::{AccessDecl, DataId, Store};

/// The states that a task of `group` writes in any case: none under a condition.
pub(super) fn always_written<'a>(
    group: &Group,
    open_loops: &[LoopId],
    accesses: &'a [AccessDecl],
    store: &'a Store,
) -> impl Iterator<Item = DataId> + 'a {
    let is_in_condition = |id: &LoopId| group.loops[id.0 as usize].is_condition;
    let is_conditional =
        open_loops.iter().any(is_in_condition) || accesses.iter().any(AccessDecl::is_condition);
    let written = accesses.iter().filter(move |a| !is_conditional && a.is_written());
    written.map(|a| a.id).filter(|id| store.is_next_state(*id))
}

/// Refuses states whose next value may be left as it was two steps before; `always` are written by tasks that are in the plan
/// already.
///
/// # Panics
/// If there is such a state.
pub(super) fn check(program: &Program, store: &Store, always: &[DataId]) {
    let conditions = || program.groups().flat_map(|(_, g)| &g.loops).any(|l| l.is_condition);
    if !program.pool.all_accesses().iter().any(AccessDecl::is_condition) && !conditions() {
        return;
    }
    let mut always = always.to_vec();
    for (_, group) in program.groups() {
        for stage in &group.stages {
            let mut around = stage.in_loop.map(|id| &group.loops[id.0 as usize]);
            let mut is_always = true;
            while let Some(info) = around {
                is_always &= !info.is_condition;
                around = info.parent.map(|id| &group.loops[id.0 as usize]);
            }
            let tasks = stage.tasks.iter().map(|(_, &task)| program.accesses_of(task));
            let tasks = tasks.filter(|accesses| is_always && !accesses.iter().any(AccessDecl::is_condition));
            always.extend(tasks.flatten().filter(|a| a.is_written()).map(|a| a.id));
        }
    }
    let left = program.written_states.iter().find(|id| !always.contains(id));
    if let Some(&id) = left {
        let name = &store.info(id).name;
        panic!(
            "the next value of {name} is written under conditions only: it would be that of two steps before"
        );
    }
}
