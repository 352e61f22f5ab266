//! Findings, with the place, the node and the field.

use animation::event::NodeId;
use diagnostics::{Diagnostic, Location, Severity, did_you_mean};

use super::Builder;
use crate::syntax::tree::Tree;

/// More errors, or more warnings, than this are not worth reading.
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
        self.is_fatal |= d.severity == Severity::Error;
        self.report_left_out(d);
    }
    /// Keeps a finding about what is left out of the scene, which runs without it.
    pub(super) fn report_left_out(&mut self, d: Diagnostic) {
        let is_error = d.severity == Severity::Error;
        let count = &mut self.counts[usize::from(is_error)];
        if *count >= MOST {
            self.stopped |= is_error;
            self.is_fatal |= is_error;
            self.is_cut = true;
            return;
        }
        let known =
            |f: &Diagnostic| f.location == d.location && f.message == d.message && f.attribute == d.attribute;
        if !self.found.iter().any(known) {
            *count += 1;
            self.found.push(d);
        }
    }
    /// All findings, with a word about those that are left out.
    pub(super) fn findings(&mut self) -> Vec<Diagnostic> {
        let mut found = std::mem::take(&mut self.found);
        if self.is_cut
            && let Some(last) = found.last().map(|d| d.location.clone())
        {
            let at = Location { line: 0, column: 0, ..last };
            found.push(Diagnostic::new(
                Severity::Note,
                &at,
                format!("and more; of each kind the first {MOST} are shown"),
            ));
        }
        found
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
