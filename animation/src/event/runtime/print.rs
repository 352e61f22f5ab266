//! What nodes write for people to read.

use crate::event::ids::NodeId;

/// What a node wrote for people to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// Which.
    pub node: NodeId,
    /// What.
    pub text: String,
}

/// Texts that the nodes of a task may write in a frame, since a program may write without end.
pub(super) const MOST_PRINTS: usize = 1000;
/// Characters of one.
pub(super) const LONGEST_PRINT: usize = 10_000;
