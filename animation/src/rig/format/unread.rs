//! What a file says in vain: nothing reads it.

use diagnostics::{Diagnostic, Severity};

use super::reader::{Found, Reader};
use crate::rig::rig::Source;

impl<'t> Reader<'t> {
    /// Warns of a rig without nodes or outputs, of nodes that nothing reads and of controls that nothing follows.
    ///
    /// Joints are seen in a window, whether anything reads them or not.
    pub(super) fn warn_of_unread(&mut self, at: usize, nodes: &[Found<'t>]) {
        if nodes.is_empty() {
            return self.warn(at, "the rig", "it has no nodes");
        }
        if self.rig.outputs.is_empty() {
            return self.warn(at, "the rig", "it has no outputs, so that nothing is evaluated");
        }
        let mut is_read = vec![false; nodes.len()];
        let mut is_followed = vec![false; self.controls.len()];
        for source in self.rig.nodes.iter().flat_map(|node| &node.sources) {
            match source {
                Source::Output(node, _) => is_read[node.0 as usize] = true,
                Source::Control(control) => is_followed[control.0 as usize] = true,
                Source::Unbound | Source::Value(_) => {}
            }
        }
        for (_, node, _) in &self.rig.outputs {
            is_read[node.0 as usize] = true;
        }
        for node in nodes.iter().filter(|node| !is_read[node.id.0 as usize]) {
            if self.rig.kind_of(node.id) != "joint" {
                self.warn(node.at, &node.about, "nothing reads it");
            }
        }
        for (k, _) in is_followed.iter().enumerate().filter(|(_, is_followed)| !**is_followed) {
            let about = format!("control `{}`", self.rig.controls()[k].name);
            self.warn(self.controls[k], &about, "nothing follows it");
        }
    }

    fn warn(&mut self, at: usize, about: &str, message: &str) {
        let finding = Diagnostic::new(Severity::Warning, &self.text.location(at), message);
        self.found.push(finding.component(about));
    }
}
