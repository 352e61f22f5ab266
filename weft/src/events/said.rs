//! What the nodes of a running graph have to say: what is wrong, and what Scripts print.

use std::collections::BTreeMap;

use animation::event::NodeId;
use scenes::diagnostics::{Diagnostic, Severity};

use super::EventSimulation;

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
enum Fate {
    Shown,
    /// It is the last one that is shown.
    Last,
    Hidden,
}

impl Printed {
    fn fate(&mut self, node: NodeId) -> Fate {
        let of_node = self.of_node.entry(node).or_default();
        if *of_node >= MOST_OF_NODE || self.all >= MOST_OF_ALL {
            return Fate::Hidden;
        }
        (*of_node, self.all) = (*of_node + 1, self.all + 1);
        if *of_node == MOST_OF_NODE || self.all == MOST_OF_ALL { Fate::Last } else { Fate::Shown }
    }
}

impl EventSimulation {
    /// What was said since the last call, each with its place in the file: what is wrong with files that were loaded, what nodes
    /// complain of, and as notes what Scripts print (the first hundred lines of each; -v shows the others).
    pub fn take_said(&mut self) -> Vec<Diagnostic> {
        let mut said = self.graph.take_findings();
        for complaint in self.graph.take_complaints() {
            said.push(self.of_node(Severity::Warning, complaint.node, &complaint.message));
        }
        for print in self.graph.take_prints() {
            for line in print.text.lines() {
                let note = self.of_node(Severity::Note, print.node, line);
                match self.printed.fate(print.node) {
                    Fate::Hidden => log::info!("{note}"),
                    Fate::Shown => said.push(note),
                    Fate::Last => {
                        let rest = "it has printed a lot; the rest is shown with -v";
                        said.extend([note, self.of_node(Severity::Note, print.node, rest)]);
                    }
                }
            }
        }
        said
    }

    /// What a node says, with its place in the file.
    fn of_node(&self, severity: Severity, node: NodeId, message: &str) -> Diagnostic {
        let node = self.graph.scene().node(node);
        let name = node.def.as_deref().map_or_else(String::new, |def| format!("{def} "));
        Diagnostic::new(severity, &node.location, message)
            .component(format!("{name}({})", node.node_type.name))
    }
}
