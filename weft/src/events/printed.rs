//! How much Scripts have printed.

use std::collections::BTreeMap;

use animation::event::NodeId;

/// Lines that one node, and all together, may print to where people read.
const MOST_OF_NODE: u32 = 100;
const MOST_OF_ALL: u32 = 2000;

/// How much was printed.
#[derive(Default)]
pub(super) struct Printed {
    of_node: BTreeMap<NodeId, u32>,
    all: u32,
}

/// What becomes of a printed line.
pub(super) enum Fate {
    Shown,
    /// It is the last one that is shown.
    Last,
    Hidden,
}

impl Printed {
    /// What becomes of one more line.
    pub fn fate(&mut self, node: NodeId) -> Fate {
        let of_node = self.of_node.entry(node).or_default();
        if *of_node >= MOST_OF_NODE || self.all >= MOST_OF_ALL {
            return Fate::Hidden;
        }
        (*of_node, self.all) = (*of_node + 1, self.all + 1);
        if *of_node == MOST_OF_NODE || self.all == MOST_OF_ALL { Fate::Last } else { Fate::Shown }
    }
}
