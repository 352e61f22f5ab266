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

/// Whether an edge within a group needs no wait of its own, since an all-gather of both workers lies between.
///
/// The wait that this relies on may itself be covered, by an all-gather strictly inside: never in a circle.
pub fn is_covered(edge: &Edge, gathers: &[AllGather]) -> bool {
    let (from, to) = (edge.from.position, edge.to.position);
    edge.from.group == edge.to.group
        && gathers.iter().filter(|g| g.in_loop == edge.in_loop).any(|gather| {
            let Some(part) = gather.parts[edge.from.worker as usize] else { return false };
            if !gather.summing[edge.to.worker as usize] {
                return false;
            }
            if edge.carried {
                from <= part || gather.sum <= to
            } else {
                from <= part && gather.sum <= to && (from, to) != (part, gather.sum)
            }
        })
}
