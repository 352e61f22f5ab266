//! Where in its sweep a task stands, so that conflicts keep recorded order and no stage crosses objects.

use super::task::Place;
use crate::data::{AccessDecl, AccessKind};

/// In `Depth`: touched by tasks of several objects, or by tasks of pairs.
const SEVERAL: u32 = u32::MAX;

/// Where the accesses to a buffer in the present sweep stand. Positions: `2 * depth + (pair ? 1 : 0) + 1`, 0: none.
#[derive(Clone, Copy, Default)]
struct Depth {
    sweep: u32,
    exclusive: u32,
    exclusive_by: u32,
    read: u32,
    read_by: u32,
    accumulate: u32,
}

/// The accesses of the present sweep's tasks, by buffer.
#[derive(Default)]
pub(super) struct Conflicts {
    depths: Vec<Depth>,
    sweep: u32,
}

impl Conflicts {
    /// Forgets what was noted: another sweep begins.
    pub fn begin_sweep(&mut self) {
        self.sweep += 1;
    }

    /// The first position in the sweep that keeps the order of conflicts; notes a task's accesses there.
    /// The task touches buffers below `n_data`. `in_turn` says whether those that ask for one resource count as conflicts.
    pub fn place(&mut self, place: Place, accesses: &[AccessDecl], n_data: usize, in_turn: bool) -> u32 {
        let (parity, by) = match place {
            Place::Own(object) => (0, object.0),
            Place::Joint(..) => (1, SEVERAL),
            Place::Replicated => return 0,
        };
        let Self { depths, sweep } = self;
        if depths.len() < n_data {
            depths.resize(n_data, Depth::default());
        }
        let mut position = 1 + parity;
        let data = accesses.iter().filter(|a| a.kind.is_data() && (in_turn || !a.is_resource()));
        for access in data.clone() {
            let d = &mut depths[access.id as usize];
            if d.sweep != *sweep {
                *d = Depth { sweep: *sweep, ..Depth::default() };
            }
            let after = |at: u32, of: u32| if at == 0 || (of == by && by != SEVERAL) { at } else { at + 1 };
            let mut least = after(d.exclusive, d.exclusive_by);
            if access.kind != AccessKind::Accumulate && d.accumulate > 0 {
                least = least.max(d.accumulate + 1);
            }
            if access.kind != AccessKind::Read {
                least = least.max(after(d.read, d.read_by));
            }
            position = position.max(least);
        }
        // Odd positions are own tasks, even ones tasks of pairs.
        if position % 2 == parity {
            position += 1;
        }
        for access in data {
            let d = &mut depths[access.id as usize];
            match access.kind {
                AccessKind::Read => {
                    d.read_by = if d.read == 0 || d.read_by == by { by } else { SEVERAL };
                    d.read = d.read.max(position);
                }
                AccessKind::Accumulate => d.accumulate = d.accumulate.max(position),
                _ => (d.exclusive, d.exclusive_by) = (position, by),
            }
        }
        position
    }
}
