//! What reads bodies: fields by name, instances of prototypes looked through, findings with their place.

use std::sync::Arc;

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::scene::EventScene;
use diagnostics::{Diagnostic, Severity};

use super::Memory;
use crate::shape::{FieldValues, Fields, InnerRoots, body, inner_roots};

/// A scene that is being read.
pub(super) struct Reader<'a> {
    pub fields: Fields<'a>,
    inner: InnerRoots,
    pub memory: &'a mut Memory,
    pub found: Vec<Diagnostic>,
    /// The nodes that were looked at.
    pub sources: Vec<NodeId>,
}

impl<'a> Reader<'a> {
    pub fn new(scene: &'a EventScene, values: &'a dyn FieldValues, memory: &'a mut Memory) -> Self {
        let fields = Fields { scene, values };
        Self { fields, inner: inner_roots(scene), memory, found: Vec::new(), sources: Vec::new() }
    }

    /// What an instance of a prototype stands for.
    pub fn resolved(&self, node: Option<NodeId>) -> Option<NodeId> {
        node.map(|node| body(&self.inner, node))
    }

    /// The node in a field.
    pub fn node(&mut self, node: NodeId, name: &str) -> Option<NodeId> {
        let found = self.resolved(self.fields.node(node, name))?;
        self.sources.push(found);
        Some(found)
    }

    /// The nodes in a field.
    pub fn nodes(&mut self, node: NodeId, name: &str) -> Vec<NodeId> {
        let found = self.fields.nodes(node, name);
        let found: Vec<NodeId> = found.into_iter().map(|n| body(&self.inner, n)).collect();
        self.sources.extend(&found);
        found
    }

    /// Strings.
    pub fn words(&self, node: NodeId, name: &str) -> Vec<Arc<str>> {
        match self.fields.get(node, name) {
            Some(Value::MFString(words)) => words.to_vec(),
            Some(Value::SFString(word)) => vec![word],
            _ => Vec::new(),
        }
    }

    /// Something is not as the file has it.
    pub fn warn(&mut self, node: NodeId, field: &str, message: impl Into<String>) {
        let of = self.fields.scene.node(node);
        let name = of.def.as_deref().map_or_else(String::new, |def| format!("{def} "));
        let found = Diagnostic::new(Severity::Warning, &of.location, message);
        let found = found.component(format!("{name}({})", of.node_type.name));
        self.found.push(if field.is_empty() { found } else { found.attribute(field) });
    }
}
