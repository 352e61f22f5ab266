//! Loop control: what its stages do, for every executor.

use crate::data::Frame;
use crate::graph::{Group, StageKind};

/// The words of a group's scalars.
pub trait Bank {
    /// The word of scalar `index`.
    fn word(&self, index: u32) -> u64;
    /// Sets the number of iterations of a loop, scalar `index`.
    fn set_count(&mut self, index: u32, count: u32);
}

impl Bank for Frame {
    fn word(&self, index: u32) -> u64 {
        self.word(index)
    }
    fn set_count(&mut self, index: u32, count: u32) {
        self.set_value(index, count);
    }
}

/// Whether a loop of this limit, or a condition of this flag, is entered.
#[inline(always)]
pub fn enters(limit: u64) -> bool {
    limit as u32 > 0
}

/// Whether a break leaves its loop.
#[inline(always)]
pub fn leaves(condition: u64) -> bool {
    condition & 1 == 1
}

/// Whether a loop goes on that has been iterated `count` times.
#[inline(always)]
pub fn goes_on(count: u64, limit: u64) -> bool {
    (count as u32) < limit as u32
}

/// Passes the stage of loop control at index `at`; the index of the stage that follows. Other stages are just passed.
pub fn pass_control(group: &Group, at: usize, bank: &mut impl Bank) -> usize {
    let after = |position: u32| group.stages.partition_point(|s| s.position <= position);
    match group.stages[at].kind {
        StageKind::BeginLoop(id) => {
            let info = &group.loops[id.0 as usize];
            bank.set_count(info.count, 0);
            if enters(bank.word(info.limit)) { at + 1 } else { after(info.end) }
        }
        StageKind::Break(id, condition) => {
            if leaves(bank.word(condition)) {
                after(group.loops[id.0 as usize].end)
            } else {
                at + 1
            }
        }
        StageKind::EndLoop(id) => {
            let info = &group.loops[id.0 as usize];
            let count = bank.word(info.count) + 1;
            bank.set_count(info.count, count as u32);
            if goes_on(count, bank.word(info.limit)) { after(info.begin) } else { at + 1 }
        }
        StageKind::Own | StageKind::Joint | StageKind::Replicated => at + 1,
    }
}
