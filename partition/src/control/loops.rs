//! Loops: regions of stages that share an iteration count, replicated on every worker of their group.

use sim_core::graph::schedule::Region;
use sim_core::graph::{GroupId, LoopId, Program, StageKind};

/// The regions of a program: one per group for its straight code, then one per loop.
pub(super) fn regions(program: &Program) -> Vec<Region> {
    let mut bases = vec![0; program.groups.len()];
    for (number, stage) in program.stages.iter().enumerate().rev() {
        bases[stage.group.0 as usize] = 2 * number as u32;
    }
    let straight = bases.iter().enumerate().map(|(group, &base)| Region {
        group: GroupId(group as u32),
        in_loop: None,
        base,
    });
    let loops = program.loops.iter().enumerate().map(|(number, info)| Region {
        group: info.group,
        in_loop: Some(LoopId(number as u32)),
        base: 2 * info.begin,
    });
    straight.chain(loops).collect()
}

/// The region of a loop, or of a group's straight code.
pub(super) fn region_of(program: &Program, group: GroupId, in_loop: Option<LoopId>) -> u32 {
    in_loop.map_or(group.0, |id| program.groups.len() as u32 + id.0)
}

/// The region that a stage's waits and stamps belong to: the beginning and the end of a loop are seen from outside.
pub(super) fn region_of_stage(program: &Program, number: usize) -> u32 {
    let stage = &program.stages[number];
    let around = match stage.kind {
        StageKind::BeginLoop(id) | StageKind::EndLoop(id) => program.loops[id.0 as usize].parent,
        _ => stage.in_loop,
    };
    region_of(program, stage.group, around)
}
