//! Fields: their names, their values, and `IS`.

use std::sync::Arc;

use animation::event::field::{Access, Value};
use animation::event::scene::Alias;
use animation::event::{FieldId, NodeId};
use diagnostics::Severity;

use super::{Builder, Frame, Kind, What};
use crate::catalogue;
use crate::names::Name;
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::{Span, Tree};
use crate::syntax::value::{self, Style};

/// Most fields of a type: they are looked for one by one.
pub(super) const MOST_FIELDS: usize = 10_000;
/// Most programs of a node.
const MOST_PROGRAMS: usize = 100;

/// Fields that have been looked for: files ask for the same few again and again.
#[derive(Debug)]
pub(super) struct Memo(Vec<(usize, Name, Option<FieldId>)>);

impl Default for Memo {
    fn default() -> Self {
        Self(vec![(0, Name(0), None); 1 << 10])
    }
}

/// How a tree's fields are written.
pub(super) fn style(tree: &Tree) -> Style {
    if tree.encoding == Encoding::Xml { Style::Attribute } else { Style::Classic }
}

impl Builder<'_> {
    /// The field of a node by its name.
    pub(super) fn field(&mut self, node: NodeId, name: Name) -> Option<FieldId> {
        let node_type = &self.scene.node(node).node_type;
        // A type stays where it is for as long as its nodes are there, that is for this load.
        let place = Arc::as_ptr(node_type) as usize;
        let slot = (place >> 4).wrapping_mul(31).wrapping_add(name.0 as usize * 7) % self.memo.0.len();
        let held = self.memo.0[slot];
        if (held.0, held.1) == (place, name) {
            return held.2;
        }
        let found = catalogue::field_of(node_type, self.state.names.text(name));
        self.memo.0[slot] = (place, name, found);
        found
    }
    /// The same; that there is none is reported.
    pub(super) fn field_or_report(
        &mut self,
        tree: &Tree,
        node: NodeId,
        name: Name,
        at: u32,
    ) -> Option<FieldId> {
        let found = self.field(node, name);
        if found.is_none() {
            let text = self.state.names.text(name).clone();
            let node_type = self.scene.node(node).node_type.clone();
            let suggestion = self.suggest(&text, node_type.fields.iter().map(|f| &*f.name));
            let d =
                self.finding(Severity::Error, tree, at, format!("a {} has no such field", node_type.name));
            let d = d.component(self.label(node)).attribute(&*text);
            self.report_left_out(d.suggestion(suggestion));
        }
        found
    }

    /// Whether a file may give a field a value. A prototype's event fields may be given one in vain.
    pub(super) fn may_be_written(&mut self, tree: &Tree, node: NodeId, field: FieldId, at: u32) -> bool {
        let declared = self.scene.field((node, field));
        if declared.access.is_written_in_files() {
            return true;
        }
        let is_prototype = self.scene.node(node).node_type.is_prototype;
        let severity = if is_prototype { Severity::Warning } else { Severity::Error };
        let rest = if is_prototype { "; the value is left out" } else { "" };
        let message = format!("an {} field, which takes no value in a file{rest}", declared.access.name());
        let name = declared.name.clone();
        let d = self.finding(severity, tree, at, message).component(self.label(node)).attribute(&*name);
        self.report_left_out(d);
        false
    }

    /// A field's value as text.
    pub(super) fn value(&mut self, tree: &Tree, frame: Frame, name: Name, text: Span, at: u32) {
        let What::Node(node, kind) = frame.what else {
            self.error(tree, at, "a value that belongs to no node");
            return;
        };
        let found = self.field(node, name);
        if found.is_none() && tree.encoding == Encoding::Xml && self.is_of_hypertext(name) {
            return;
        }
        let Some(field) = found.or_else(|| self.field_or_report(tree, node, name, at)) else { return };
        if !self.may_be_written(tree, node, field, at) {
            return;
        }
        if matches!(kind, Kind::Prototype(_)) {
            self.given.push(field);
        }
        self.check_hidden(node, field, &tree.source.location(at));
        if let Some(value) = self.read_value(tree, node, field, text, at) {
            let value = self.in_base_units(tree, node, field, value);
            self.scene.nodes[node.0 as usize].values[field.0 as usize] = value;
        }
    }

    /// Attributes that style sheets and pages give to elements.
    fn is_of_hypertext(&self, name: Name) -> bool {
        matches!(&**self.state.names.text(name), "class" | "id" | "style" | "xmlns")
    }

    /// A text as the value of a field; mistakes are reported.
    pub(super) fn read_value(
        &mut self,
        tree: &Tree,
        node: NodeId,
        field: FieldId,
        text: Span,
        said: u32,
    ) -> Option<Value> {
        let declared = self.scene.field((node, field));
        let (severity, offset, message, value) =
            match value::read(declared.field_type, tree.text(text), style(tree)) {
                Ok((value, None)) if tree.is_bare(text) && value.n_elements() > 1 => {
                    let message = "several values without brackets: a list of more than one stands in `[ ]`";
                    (Severity::Warning, 0, message.to_owned(), Some(value))
                }
                Ok((value, None)) => return Some(value),
                Ok((value, Some(oddity))) => (Severity::Warning, 0, oddity, Some(value)),
                Err(fault) => {
                    let message = format!("no {}: {}", declared.field_type, fault.message);
                    (Severity::Error, fault.at, message, None)
                }
            };
        let name = declared.name.clone();
        let at = tree.place(text, offset, said);
        let d = self.finding(severity, tree, at, message).component(self.label(node)).attribute(&*name);
        self.report_left_out(d);
        value
    }

    /// A field that is one of the prototype's.
    pub(super) fn is(&mut self, tree: &Tree, frame: Frame, name: Name, outer: Name, at: u32) {
        let What::Node(node, kind) = frame.what else { return };
        let Some(field) = self.field_or_report(tree, node, name, at) else { return };
        self.check_hidden(node, field, &tree.source.location(at));
        self.check_side(tree, frame, (node, field), name, outer, at);
        if self.join(tree, frame, node, field, outer, at) && matches!(kind, Kind::Prototype(_)) {
            self.given.push(field);
        }
    }

    /// Makes a field one with the prototype's; whether that could be.
    fn join(
        &mut self,
        tree: &Tree,
        frame: Frame,
        node: NodeId,
        field: FieldId,
        outer: Name,
        at: u32,
    ) -> bool {
        let text = self.state.names.text(outer).clone();
        let Some((instance, _)) = self.scopes[frame.scope].instance else {
            let d = self.finding(Severity::Error, tree, at, "IS stands outside of a prototype");
            self.report(d.component(self.label(node)).attribute(&*text));
            return false;
        };
        let outer_type = self.scene.node(instance).node_type.clone();
        let Some(outer_field) = outer_type.field(&text) else {
            let suggestion = self.suggest(&text, outer_type.fields.iter().map(|f| &*f.name));
            let message = format!("IS `{text}`, and the prototype {} has no such field", outer_type.name);
            let d = self.finding(Severity::Error, tree, at, message).component(self.label(node));
            self.report(d.suggestion(suggestion));
            return false;
        };
        let theirs = &outer_type.fields[outer_field.0 as usize];
        let ours = self.scene.field((node, field)).clone();
        let fault = if theirs.field_type != ours.field_type {
            // Browsers go on without an event that could not travel; a value that is lost is another thing.
            let rest = if theirs.access.is_written_in_files() { "" } else { "; the IS is left out" };
            Some(format!("IS `{text}`: an {} cannot be an {}{rest}", ours.field_type, theirs.field_type))
        } else if ours.access != theirs.access && ours.access != Access::InputOutput {
            Some(format!(
                "IS `{text}`: an {} field cannot be an {} one",
                ours.access.name(),
                theirs.access.name()
            ))
        } else {
            None
        };
        if let Some(message) = fault {
            let is_left_out = ours.field_type != theirs.field_type && !theirs.access.is_written_in_files();
            let severity = if is_left_out { Severity::Warning } else { Severity::Error };
            let d = self.finding(severity, tree, at, message);
            self.report(d.component(self.label(node)).attribute(&*ours.name));
            return false;
        }
        if ours.access.is_written_in_files() && theirs.access.is_written_in_files() {
            let value = self.scene.node(instance).values[outer_field.0 as usize].clone();
            self.scene.nodes[node.0 as usize].values[field.0 as usize] = value;
        }
        self.scene.aliases.push(Alias { outer: (instance, outer_field), inner: (node, field) });
        true
    }

    /// A field that a Script declares: its value, nodes or `IS`.
    pub(super) fn declared(&mut self, tree: &Tree, frame: Frame, index: u32) {
        let What::Node(node, _) = frame.what else { return };
        let declared = tree.declarations[index as usize];
        let Some(field) = self.field(node, declared.name) else { return };
        if let Some(outer) = declared.is {
            self.join(tree, frame, node, field, outer, declared.at);
        }
        let has_nodes = tree.item(declared.nodes.first).is_some();
        if (has_nodes || declared.value.is_some()) && !declared.access.is_written_in_files() {
            let message = format!(
                "an {} field, which takes no value in a file; it is left out",
                declared.access.name()
            );
            let name = self.state.names.text(declared.name).clone();
            let d = self.finding(Severity::Warning, tree, declared.at, message);
            self.report(d.component(self.label(node)).attribute(&*name));
            return;
        }
        if let Some(value) =
            declared.value.and_then(|text| self.read_value(tree, node, field, text, declared.at))
        {
            let value = self.in_base_units(tree, node, field, value);
            self.scene.nodes[node.0 as usize].values[field.0 as usize] = value;
        }
        if has_nodes {
            self.nodes_of_field(tree, frame, node, field, &declared);
        }
    }

    /// Nodes that a declaration holds.
    pub(super) fn nodes_of_field(
        &mut self,
        tree: &Tree,
        frame: Frame,
        node: NodeId,
        field: FieldId,
        declared: &crate::syntax::tree::Declaration,
    ) {
        if !declared.field_type.is_nodes() {
            let name = self.state.names.text(declared.name).clone();
            let message = format!("nodes in a field of type {}", declared.field_type);
            let d = self.finding(Severity::Error, tree, declared.at, message);
            self.report_left_out(d.component(self.label(node)).attribute(&*name));
            return;
        }
        self.frames.push(Frame {
            next: declared.nodes.first,
            what: What::Field(node, field),
            children_from: self.children.len(),
            given_from: self.given.len(),
            ..frame
        });
    }

    /// A program's text in a node: one more of its addresses.
    pub(super) fn program(&mut self, tree: &Tree, frame: Frame, text: Span, at: u32) {
        let What::Node(node, _) = frame.what else { return };
        let url = self.scene.node(node).node_type.field("url");
        let target = url.and_then(|f| self.scene.nodes[node.0 as usize].values.get_mut(f.0 as usize));
        let Some(Value::MFString(urls)) =
            target.filter(|v| !matches!(v, Value::MFString(u) if u.len() >= MOST_PROGRAMS))
        else {
            let d = self.finding(
                Severity::Warning,
                tree,
                at,
                "text in a node that holds no program, or a hundred already; it is left out",
            );
            self.report(d.component(self.label(node)));
            return;
        };
        let program: Arc<str> = tree.text(text).trim().into();
        *urls = urls.iter().cloned().chain([program]).collect();
    }
}
