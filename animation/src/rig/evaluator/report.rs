//! What an evaluation says about itself.

use crate::rig::rig::NodeId;
use crate::rig::source_place::{SourcePlace, before};

/// What an evaluation did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Nodes that ran, in all frames; those that were asked which way switches stand are not among them.
    pub nodes: usize,
    /// Tasks that ran.
    pub tasks: usize,
    /// Nodes that ran before, to find which way switches stand.
    pub index_nodes: usize,
    /// Whether the recording was there.
    pub hit: bool,
    /// Frames that were cancelled meanwhile.
    pub cancelled: usize,
    /// Time of the replay [ns].
    pub wall_ns: u64,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluated {
    /// Its values are there.
    Done,
    /// It was cancelled; its values are out of date.
    Cancelled,
}

/// A node that could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}node `{name}` ({kind}), frame {frame}: {message}", before(place.as_ref()))]
pub struct Failure {
    /// The node; none where the executor itself failed.
    pub node: Option<NodeId>,
    /// Where it stands in the file that it was read from; none where a program has made it.
    pub place: Option<SourcePlace>,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Number of the frame.
    pub frame: u32,
    /// What it said.
    pub message: String,
}
