//! A chunk's states that come a frame late.

use super::chunk::Chunk;
use super::turn::Now;
use super::waiting::{StateField, Waiting, change};
use crate::event::field::Value;

impl Chunk {
    /// Lets a node's field send a state.
    pub fn send_state(&mut self, node: u32, field: u32, state: bool, frame: u32) {
        let port = (self.nodes[node as usize].fields.start + field) as usize;
        let (value, sent) = (&mut self.ports.wide[port], &mut self.ports.wide_sent[port]);
        if change(&mut self.waiting, StateField { node, field, value, sent }, state, frame) {
            self.sent = frame;
        }
    }

    /// Whether a state of an earlier frame is to be sent in this one.
    pub fn has_waiting(&self, frame: u32) -> bool {
        self.waiting.iter().any(|w| w.frame != frame)
    }

    /// Sends what states of a node have waited for this frame.
    pub fn send_waiting(&mut self, node: u32, now: Now) {
        let mut k = 0;
        while let Some(&Waiting { node: of, field, state, frame }) = self.waiting.get(k) {
            if of != node || frame == now.frame {
                k += 1;
                continue;
            }
            self.waiting.remove(k);
            let port = (self.nodes[node as usize].fields.start + field) as usize;
            if self.ports.wide_sent[port] != now.frame && self.ports.wide[port] != Value::SFBool(state) {
                self.ports.wide[port] = Value::SFBool(state);
                self.ports.wide_sent[port] = now.frame;
                self.turn.push(field);
                self.sent = now.frame;
            }
        }
    }
}
