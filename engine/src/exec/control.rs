//! Loop control, where one thread walks the stages of a group.

use crate::data::{Frame, ScalarValue};
use crate::graph::{Group, StageKind};

/// Passes the stage of loop control at index `at`; the index of the stage that follows. Other stages are just passed.
pub fn pass_control(group: &Group, at: usize, frame: &mut Frame) -> usize {
    let after = |position: u32| group.stages.partition_point(|s| s.position <= position);
    match group.stages[at].kind {
        StageKind::BeginLoop(id) => {
            let info = &group.loops[id.0 as usize];
            frame.set_value(info.count, 0_u32);
            if u32::from_word(frame.word(info.limit)) == 0 { after(info.end) } else { at + 1 }
        }
        StageKind::Break(id, condition) => {
            let leaves = bool::from_word(frame.word(condition));
            if leaves { after(group.loops[id.0 as usize].end) } else { at + 1 }
        }
        StageKind::EndLoop(id) => {
            let info = &group.loops[id.0 as usize];
            let count = u32::from_word(frame.word(info.count)) + 1;
            frame.set_value(info.count, count);
            if count < u32::from_word(frame.word(info.limit)) { after(info.begin) } else { at + 1 }
        }
        StageKind::Own | StageKind::Joint | StageKind::Replicated => at + 1,
    }
}
