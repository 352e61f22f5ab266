//! What the nodes of a running graph have to say: what is wrong, and what Scripts print.

use animation::event::NodeId;
use scenes::diagnostics::{Diagnostic, Severity};

use super::printed::Fate;
use super::simulation::EventSimulation;

impl EventSimulation {
    /// What was said since the last call, each with its place in the file: what is wrong with files that were loaded, what nodes
    /// complain of, and as notes what Scripts print (the first hundred lines of each; -v shows the others).
    pub fn take_said(&mut self) -> Vec<Diagnostic> {
        let mut said = self.graph.take_findings();
        said.extend(self.bodies.take_found());
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
