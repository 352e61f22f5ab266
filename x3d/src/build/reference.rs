//! Nodes that have a name already (`USE`).

use animation::event::FieldId;
use diagnostics::Severity;

use super::{Builder, Frame, Kind, NOWHERE, What};
use crate::catalogue;
use crate::names::Name;
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::{self, Tree};

/// Fields that name nodes which stand elsewhere: a node may name one that it stands in.
pub(super) const REFERENCES: [&str; 6] =
    ["targetObject", "pickTarget", "body1", "body2", "collidables", "shape"];

impl Builder<'_> {
    /// A node that has a name already (`USE`).
    pub(super) fn used(
        &mut self,
        tree: &Tree,
        frame: Frame,
        field: Option<Name>,
        syntax: &tree::Node,
        name: Name,
    ) {
        let scope = &self.scopes[frame.scope];
        let Some(node) = scope.defs.get(&name).copied() else {
            let text = self.state.names.text(name).clone();
            if scope.broken.contains(&name) {
                self.warn(tree, syntax.at, format!("USE of `{text}`, which is left out"));
                return;
            }
            if scope.imports.contains(&name) {
                let message = format!(
                    "USE of `{text}`, which is imported: routes lead to it, and USE names a node of this file"
                );
                let d = self.finding(Severity::Error, tree, syntax.at, message);
                self.report_left_out(d);
                return;
            }
            let suggestion = self.suggest_def(frame.scope, &text);
            let d = self.finding(
                Severity::Error,
                tree,
                syntax.at,
                format!("USE of `{text}`, which no DEF before it names"),
            );
            self.report_left_out(d.suggestion(suggestion));
            return;
        };
        let used_type = self.scene.node(node).node_type.clone();
        let element = self.state.names.text(syntax.type_name);
        if tree.encoding == Encoding::Xml && !syntax.is_instance && **element != *used_type.name {
            let message = format!("a {element} here, and the node is a {}", used_type.name);
            let d = self.finding(Severity::Warning, tree, syntax.at, message).component(self.label(node));
            self.report(d);
        }
        let standard = catalogue::standard().get(&used_type.name).filter(|_| !used_type.is_prototype);
        let target = match (frame.what, standard) {
            (What::Node(..), Some(standard)) => {
                self.target(tree, frame, field, Kind::Standard(standard), syntax.at)
            }
            (What::Node(parent, _), None) => {
                self.named_target(tree, frame, field, parent, "children", syntax.at)
            }
            (What::Field(_, field), _) => field,
            (What::Scope, _) => NOWHERE,
        };
        let is_open = (node.0 as usize).checked_sub(self.first_node).is_some_and(|k| self.open[k]);
        if is_open {
            if self.may_name_its_own(frame, target) {
                self.may_be_circular = true;
            } else {
                let d = self.finding(Severity::Error, tree, syntax.at, "a node cannot stand in itself");
                self.report(d.component(self.label(node)));
                return;
            }
        }
        self.children.push((target, node));
    }

    /// Whether a field may name a node that it stands in: a Script's and a prototype's own fields and some others hold references.
    fn may_name_its_own(&self, frame: Frame, target: FieldId) -> bool {
        let (What::Node(parent, _) | What::Field(parent, _)) = frame.what else { return false };
        let node_type = &self.scene.node(parent).node_type;
        if node_type.is_prototype || matches!(frame.what, What::Field(..)) {
            return true;
        }
        let Some(field) = node_type.fields.get(target.0 as usize) else { return false };
        REFERENCES.contains(&&*field.name) || (&*node_type.name == "Script" && &*field.name != "metadata")
    }
}
