//! What a follower sends: once in a frame, when all events have come that change it.

use super::super::port::{Kind, Port, SFBool};
use super::followed::Followed;
use crate::event::behaviour::Turn;
use crate::event::scene::NodeType;

/// `value_changed` and `isActive`, with what is still to be sent.
pub(super) struct Output<F: Followed> {
    value: Port<F::Kind>,
    is_active: Port<SFBool>,
    due: Option<F::State>,
    active: bool,
    ends: bool,
}

impl<F: Followed> Output<F> {
    pub(super) fn of(node_type: &NodeType) -> Option<Self> {
        let (value, is_active) = (Port::of(node_type, "value_changed")?, Port::of(node_type, "isActive")?);
        Some(Self { value, is_active, due: None, active: false, ends: false })
    }
    /// The value in the beginning, which is not sent.
    pub(super) fn begin(&self, turn: &mut dyn Turn, value: &F::State) {
        turn.set(self.value.id(), F::Kind::value(F::written(value)));
    }
    pub(super) fn is_active(&self) -> bool {
        self.active
    }
    /// It is on its way.
    pub(super) fn activate(&mut self, turn: &mut dyn Turn) {
        if !std::mem::replace(&mut self.active, true) && !self.ends {
            self.is_active.say(turn, true);
        }
    }
    /// It is there. One that is there at once need not say that it was on its way.
    pub(super) fn end(&mut self) {
        self.ends |= std::mem::take(&mut self.active);
    }
    /// The value of this frame.
    pub(super) fn show(&mut self, value: F::State) {
        self.due = Some(value);
    }
    /// A value that holds in this frame only: in a circle that has sent already, it is dropped.
    pub(super) fn jump(&mut self, turn: &mut dyn Turn, value: F::State) {
        if self.value.has_sent(turn) {
            self.value.send(turn, F::written(&value));
        } else {
            self.due = Some(value);
        }
    }
    pub(super) fn has_more_to_say(&self) -> bool {
        self.due.is_some() || self.ends
    }
    /// Sends what is to be sent. A value that comes when one has been sent waits for the next frame.
    pub(super) fn send(&mut self, turn: &mut dyn Turn) {
        if !self.value.has_sent(turn)
            && let Some(value) = self.due.take()
        {
            self.value.send(turn, F::written(&value));
        }
        if std::mem::take(&mut self.ends) {
            self.is_active.say(turn, false);
            if self.active {
                self.is_active.say(turn, true);
            }
        }
    }
}
