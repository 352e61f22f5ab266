//! States that wait for the next frame.
//!
//! A field sends at most once in a time stamp. What is lost by that is an event to most fields; a state (`isActive`, `isBound`) would be wrong from
//! then on, so the last one that was refused is sent when the next frame begins.

use crate::event::field::Value;

/// A state that a field could not send any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// The node's number in its chunk.
    pub node: u32,
    pub field: u32,
    pub state: bool,
    /// The frame in which it was refused.
    pub frame: u32,
}

/// A field as [`change`] sees it.
pub(super) struct StateField<'a> {
    pub node: u32,
    pub field: u32,
    pub value: &'a mut Value,
    pub sent: &'a mut u32,
}

/// Lets a field send a state, now or when the next frame begins; says whether it has sent it now.
pub(super) fn change(all: &mut Vec<Waiting>, of: StateField<'_>, state: bool, frame: u32) -> bool {
    let StateField { node, field, value, sent } = of;
    let before = all.len();
    all.retain(|w| (w.node, w.field) != (node, field));
    let differs = *value != Value::SFBool(state);
    if *sent == frame {
        if differs {
            all.push(Waiting { node, field, state, frame });
        }
        return false;
    }
    // The state that waited is over before anybody has seen it.
    if before != all.len() && !differs {
        return false;
    }
    *sent = frame;
    *value = Value::SFBool(state);
    true
}
