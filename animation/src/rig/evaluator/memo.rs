//! What tasks saw when they ran last: one whose inputs have the same bits need not run again.
//!
//! Where a rig is a part of somebody else's program, any task may write its controls, so that nobody can say beforehand what is out of
//! date. Each task finds out by itself: it compares the controls and the values of other blocks that its nodes read with what they were.
//! What comes of the same inputs is the same to the bit, and lies where it lay.

use std::ops::Range;

use crate::rig::ports::{FIXED, OWN, Others, Place};
use crate::rig::structure::{Structure, Work};

/// What each task reads from outside of its block.
pub(super) struct Memo {
    /// By task, each place once.
    outside: Vec<Vec<Place>>,
}

impl Memo {
    /// Of tasks that run parts of a list of nodes.
    pub(super) fn of(s: &Structure, work: &[Work], tasks: impl Iterator<Item = Range<usize>>) -> Self {
        // Constants never change.
        let changes = |place: &Place| match place.buffer {
            OWN => false,
            FIXED => s.control_at.contains(&place.offset),
            _ => true,
        };
        let of_task = |part: Range<usize>| {
            let steps = work[part].iter().map(|w| &s.code.steps[w.step as usize]);
            let inputs = steps.flat_map(|step| {
                let first = step.first_input as usize;
                &s.code.places[first..first + step.n_inputs as usize]
            });
            let mut places: Vec<Place> = inputs.copied().filter(changes).collect();
            places.sort_unstable_by_key(|p| (p.buffer, p.offset, p.len));
            places.dedup();
            places
        };
        Self { outside: tasks.map(of_task).collect() }
    }

    /// How much a task has to keep: whether it has run well, and the bits that it read then.
    pub(super) fn len(&self, task: u32) -> usize {
        1 + self.outside[task as usize].iter().map(|place| place.len as usize).sum::<usize>()
    }

    /// Whether a task's inputs are those with which it ran well last; what it is about to see is kept.
    pub(super) fn is_same(&self, task: u32, seen: &mut [u64], fixed: &[f64], others: Others<'_>) -> bool {
        let Some((has_run, seen)) = seen.split_first_mut() else { return false };
        let mut same = std::mem::replace(has_run, 1) == 1;
        let mut kept = seen.iter_mut();
        for place in &self.outside[task as usize] {
            let range = place.offset as usize..(place.offset + place.len) as usize;
            let values = if place.buffer == FIXED { &fixed[range] } else { &others.of(place.buffer)[range] };
            for (value, kept) in values.iter().zip(&mut kept) {
                same &= std::mem::replace(kept, value.to_bits()) == value.to_bits();
            }
        }
        same
    }

    /// A task has failed: it runs again whatever its inputs are.
    pub(super) fn forget(seen: &mut [u64]) {
        if let Some(has_run) = seen.first_mut() {
            *has_run = 0;
        }
    }
}
