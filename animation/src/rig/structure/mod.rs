//! What one version of a rig means: where values lie, which nodes are one task, and what depends on what.

mod check;
mod fixed;
mod layout;
mod need;
mod threading;

use std::sync::Arc;

use super::bits::BitMatrix;
use super::error::RigError;
use super::node::{NodeKind, Safety};
use super::ports::Place;
use super::rig::{NodeId, Rig};
pub use crate::graph::Fusion;
pub(crate) use need::{Needed, Work};
pub use threading::Threading;

/// Where an input's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// An attribute: the output of a node, by its number among all outputs.
    Attribute(u32),
    /// Controls and constants, from this number on.
    Fixed(u32),
}

/// A node, at its place in the order of evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Its kind among [`Code::kinds`].
    pub(crate) kind: u32,
    pub(crate) first_input: u32,
    pub(crate) n_inputs: u32,
    pub(crate) first_attribute: u32,
    pub(crate) n_attributes: u32,
    /// The first number of its outputs in its block's buffer, and how many there are.
    pub(crate) begin: u32,
    pub(crate) len: u32,
}

/// What evaluation looks at: everything in the order of evaluation.
pub(crate) struct Code {
    pub(crate) kinds: Vec<Arc<dyn NodeKind>>,
    pub(crate) steps: Vec<Step>,
    /// Where each input lies, seen from its node's block.
    pub(crate) places: Vec<Place>,
    /// Where each attribute lies in its node's outputs, and its length.
    pub(crate) outputs: Vec<(u32, u32)>,
}

/// What of a block may run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// Anything.
    None,
    /// No two blocks of this number.
    Group(u32),
    /// No other block.
    Everything,
}

/// Nodes that are one task.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Its steps.
    pub(crate) steps: std::ops::Range<u32>,
    /// The blocks that it reads, ascending.
    pub(crate) before: Vec<u32>,
    pub(crate) level: u32,
    pub(crate) guard: Guard,
    /// Whether a node of it may not run in two frames at once.
    pub(crate) is_one_frame: bool,
    /// Numbers in its buffer.
    pub(crate) len: u32,
    /// Estimated or measured time [ns].
    pub(crate) cost_ns: f64,
    pub(crate) component: u16,
}

/// One version of a rig, ready to be evaluated.
pub struct Structure {
    pub(crate) code: Arc<Code>,
    /// Where each input's value comes from.
    pub(crate) from: Vec<From>,
    /// The step of each input and of each attribute.
    pub(crate) step_of_input: Vec<u32>,
    pub(crate) step_of_attribute: Vec<u32>,
    /// The inputs that read each attribute, and each control.
    pub(crate) readers: crate::graph::Rows,
    pub(crate) control_readers: crate::graph::Rows,
    /// Controls and constants, and where each control's value begins.
    pub(crate) fixed: Vec<f64>,
    pub(crate) control_at: Vec<u32>,
    /// The dirty rules of each kind.
    pub(crate) rules: Vec<BitMatrix>,
    pub(crate) blocks: Vec<Block>,
    /// The block of each step.
    pub(crate) block_of: Vec<u32>,
    /// The node of each step, and the step of each node.
    pub(crate) node_of: Vec<NodeId>,
    pub(crate) step_of: Vec<u32>,
    /// The steps that are switches.
    pub(crate) switches: Vec<u32>,
    /// The switch of each step, if it is one.
    pub(crate) switch_of: Vec<u32>,
    /// The attributes of the rig's outputs.
    pub(crate) outputs: Vec<u32>,
    /// Names of groups of which one block at a time may run.
    pub(crate) groups: Vec<String>,
    pub(crate) n_levels: u32,
    pub(crate) threading: Threading,
}

impl Rig {
    /// All that makes it impossible to evaluate the rig: cycles by name, inputs that must be bound.
    pub fn check(&self) -> Vec<RigError> {
        check::findings(self, &crate::graph::Structure::of(&check::graph(self)))
    }
}

/// No switch.
pub(crate) const NO_SWITCH: u32 = u32::MAX;

impl Structure {
    /// Checks a rig, and lays it out for so many workers.
    ///
    /// # Errors
    /// All that is wrong: cycles by name, inputs that must be bound.
    pub fn new(
        rig: &Rig,
        fusion: Option<Fusion>,
        workers: u32,
        threading: Threading,
    ) -> Result<Self, Vec<RigError>> {
        let graph = check::graph(rig);
        let order = crate::graph::Structure::of(&graph);
        let wrong = check::findings(rig, &order);
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let fusion = fusion.unwrap_or_else(|| layout::grain(rig, workers));
        layout::lay_out(rig, &order, fusion, threading).map_err(|e| vec![e])
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.code.steps.len()
    }

    /// Number of tasks that a full evaluation has.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Number of levels of tasks.
    pub fn n_levels(&self) -> u32 {
        self.n_levels
    }

    /// Numbers that one frame's state holds.
    pub fn n_values(&self) -> usize {
        self.fixed.len() + self.blocks.iter().map(|b| b.len as usize).sum::<usize>()
    }

    /// Number of attributes.
    pub(crate) fn n_attributes(&self) -> usize {
        self.code.outputs.len()
    }

    /// Where an attribute lies: its block, and its numbers there.
    pub(crate) fn place_of(&self, attribute: u32) -> (u32, std::ops::Range<usize>) {
        let step = self.step_of_attribute[attribute as usize];
        let (begin, len) = self.code.outputs[attribute as usize];
        let begin = (self.code.steps[step as usize].begin + begin) as usize;
        (self.block_of[step as usize], begin..begin + len as usize)
    }

    /// The name and number of the lock that a class asks for.
    pub(crate) fn group_name(kind: &str, safety: &Safety) -> Option<String> {
        match safety {
            Safety::TypeUnsafe => Some(format!("kind {kind}")),
            Safety::GroupUnsafe(group) => Some(format!("group {group}")),
            Safety::Reentrant | Safety::Threadsafe | Safety::GloballyUnsafe => None,
        }
    }
}
