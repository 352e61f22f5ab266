//! Findings, with the place, the node and the field.

use animation::event::NodeId;
use diagnostics::{Diagnostic, Severity, did_you_mean};

use super::Builder;
use crate::syntax::tree::Tree;

/// More findings than this are not worth reading.
const MOST: usize = 1000;
/// Looking for the nearest name costs; a file that is wrong throughout gets so many proposals.
const MOST_SUGGESTIONS: usize = 100;

impl Builder<'_> {
    /// A finding about a place.
    pub(super) fn finding(
        &self,
        severity: Severity,
        tree: &Tree,
        at: u32,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(severity, &tree.source.location(at), message)
    }
    pub(super) fn error(&mut self, tree: &Tree, at: u32, message: impl Into<String>) {
        let d = self.finding(Severity::Error, tree, at, message);
        self.report(d);
    }
    pub(super) fn warn(&mut self, tree: &Tree, at: u32, message: impl Into<String>) {
        let d = self.finding(Severity::Warning, tree, at, message);
        self.report(d);
    }
    /// Keeps a finding. A prototype's mistake is one mistake, however many instances there are.
    pub(super) fn report(&mut self, d: Diagnostic) {
        if self.found.len() >= MOST {
            self.stopped |= self.found.iter().any(|d| d.severity == Severity::Error);
            return;
        }
        let known =
            |f: &Diagnostic| f.location == d.location && f.message == d.message && f.attribute == d.attribute;
        if !self.found.iter().any(known) {
            self.found.push(d);
        }
    }
    /// A node's name and type, for messages.
    pub(super) fn label(&self, node: NodeId) -> String {
        let node = self.scene.node(node);
        match &node.def {
            Some(def) => format!("{def} ({})", node.node_type.name),
            None => node.node_type.name.to_string(),
        }
    }
    /// The nearest of some names.
    pub(super) fn suggest<'n>(
        &mut self,
        name: &str,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Option<String> {
        if self.suggestions >= MOST_SUGGESTIONS {
            return None;
        }
        self.suggestions += 1;
        did_you_mean(name, names)
    }
}
