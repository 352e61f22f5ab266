//! What a player does.

use std::sync::{Mutex, PoisonError};

use super::state::State;
use crate::game::attributes::{AttributeError, Post};

/// What a player wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// More members, as many as the options say.
    Spawn,
    /// As many members less, the last ones by slot.
    Remove,
    /// Twice the pace.
    Faster,
    /// Half the pace.
    Slower,
}

/// Paces that may be had: within them spheres see each other in time, up to a pace of 1; beyond it they may pass through each other.
const PACES: [f64; 2] = [0.125, 1.0];

/// Keys on their way.
#[derive(Default)]
pub(super) struct Input {
    /// What was pressed since input was updated last.
    pressed: Mutex<Vec<Key>>,
    /// What is to be done in this cycle.
    due: Mutex<Vec<Key>>,
    /// Members that were wished for.
    births: Mutex<u64>,
}

impl Input {
    /// After so many births.
    pub fn new(births: u64) -> Self {
        Self { births: Mutex::new(births), ..Self::default() }
    }

    /// A key was pressed.
    pub fn press(&self, key: Key) {
        self.pressed.lock().unwrap_or_else(PoisonError::into_inner).push(key);
    }

    /// Takes what was pressed; the window's thread does so.
    pub fn update(&self) {
        let mut pressed = self.pressed.lock().unwrap_or_else(PoisonError::into_inner);
        self.due.lock().unwrap_or_else(PoisonError::into_inner).append(&mut pressed);
    }

    /// Does what was taken.
    pub fn process(&self, state: &State) -> Result<(), AttributeError> {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        if due.is_empty() {
            return Ok(());
        }
        let mut log = state.input.lock().unwrap_or_else(PoisonError::into_inner);
        let mut births = self.births.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scene = state.scene()?;
        let mut leaving = state.members.iter().rev().copied().flatten();
        for key in due.drain(..) {
            match key {
                Key::Spawn => {
                    for _ in 0..state.options.spawn {
                        state.wish(&mut log, *births)?;
                        *births += 1;
                    }
                }
                Key::Remove => {
                    let gone = leaving.by_ref().take(state.options.spawn);
                    gone.for_each(|member| log.destroy(member, (state.frame, 1)));
                }
                Key::Faster => scene.pace = (scene.pace * 2.0).min(PACES[1]),
                Key::Slower => scene.pace = (scene.pace / 2.0).max(PACES[0]),
            }
        }
        let (entity, stamp) = (state.stage, state.frame);
        log.post(state.scene, Post { entity, value: scene, priority: 0, stamp, poster: 0 })
    }
}
