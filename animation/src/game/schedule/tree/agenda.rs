//! What trees that run have still to do.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use super::super::cycle::Cycle;
use super::super::panicked::Panicked;
use super::behaviour::Heard;

/// What is common to all trees that run.
#[derive(Default)]
pub(super) struct Agenda {
    pub cycle: Cycle,
    /// What nodes are still to hear; the latest first.
    pub stack: Vec<(u32, Heard)>,
    /// Tasks that wait: the longest chain first, then the earliest.
    pub ready: BinaryHeap<(Duration, Reverse<u64>, u32)>,
    pub stamp: u64,
    /// Whether a cycle runs.
    pub is_open: bool,
    /// Roots that begin in the next cycle, in the order of submission.
    pub submitted: Vec<u32>,
    /// Behaviours that panicked.
    pub panicked: Vec<Panicked>,
    /// Nodes for which the next cycle has something.
    pub next: Vec<u32>,
    /// Tasks that workers have and that end within the cycle.
    pub out: usize,
}

impl Agenda {
    pub fn hear(&mut self, slot: u32, heard: Heard) {
        self.stack.push((slot, heard));
    }

    pub fn cycle(&self) -> &Cycle {
        &self.cycle
    }
}
