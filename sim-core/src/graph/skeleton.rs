//! What is known of a plan from its stages alone: the all-gathers, and which dependences they already cover.

use super::dependence::Edge;
use super::program::LoopId;

/// An all-gather: every worker waits for the partial sums of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllGather {
    /// The innermost loop that it is in.
    pub in_loop: Option<LoopId>,
    /// Position of the stage that sums.
    pub sum: u32,
    /// Position of the stage in which each worker completes its partial sums, if it has any.
    pub parts: Vec<Option<u32>>,
    /// Which workers sum.
    pub summing: Vec<bool>,
}

/// All all-gathers of a plan.
#[derive(Clone, Debug, Default)]
pub struct Covers {
    straight: Vec<AllGather>,
    in_loops: Vec<Vec<AllGather>>,
}

impl Covers {
    /// Sorts all-gathers by loop.
    pub fn new(n_loops: usize, gathers: Vec<AllGather>) -> Self {
        let mut covers = Self { straight: Vec::new(), in_loops: vec![Vec::new(); n_loops] };
        for gather in gathers {
            match gather.in_loop {
                None => covers.straight.push(gather),
                Some(id) => covers.in_loops[id.0 as usize].push(gather),
            }
        }
        covers
    }

    /// Whether an edge needs no wait of its own, since an all-gather of both workers lies between.
    ///
    /// The wait that this relies on may itself be covered, by an all-gather strictly inside: never in a circle.
    pub fn cover(&self, edge: &Edge) -> bool {
        let gathers = match edge.in_loop {
            None => &self.straight,
            Some(id) => &self.in_loops[id.0 as usize],
        };
        gathers.iter().any(|gather| {
            let Some(part) = gather.parts[edge.from_worker as usize] else { return false };
            if !gather.summing[edge.to_worker as usize] {
                return false;
            }
            if edge.carried {
                edge.from <= part || gather.sum <= edge.to
            } else {
                edge.from <= part && gather.sum <= edge.to && (edge.from, edge.to) != (part, gather.sum)
            }
        })
    }
}
