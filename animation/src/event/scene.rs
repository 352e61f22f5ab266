//! A graph of nodes, fields and routes as plain data: what a file's reader yields and a runtime records.
//!
//! A file, an instance of a prototype and an inlined file are [`Context`]s. Their nodes stand in one list; a prototype's `IS` is an
//! [`Alias`] between a field of the instance and one of a node of its body, so that whoever records the graph may look through
//! the borders or keep them.

use std::sync::Arc;

use diagnostics::Location;

use super::field::{Access, FieldType, Value};
use super::ids::{ContextId, FieldId, NodeId};

/// A field of a type of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDeclaration {
    /// Its name, without `set_` and `_changed` where it is an input and an output.
    pub name: Arc<str>,
    /// The type of its values.
    pub field_type: FieldType,
    /// Who may touch it.
    pub access: Access,
    /// The value that it has where a file gives none.
    pub default: Value,
}

impl FieldDeclaration {
    /// What a route calls the field at its beginning (`x_changed`), or at its end (`set_x`), if it names the side.
    pub fn side_name(&self, is_beginning: bool, names_side: bool) -> String {
        match (names_side && self.access == Access::InputOutput, is_beginning) {
            (false, _) => self.name.to_string(),
            (true, true) => format!("{}_changed", self.name),
            (true, false) => format!("set_{}", self.name),
        }
    }
}

/// A type of nodes: built in, a prototype, or what a single Script declares.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeType {
    /// Its name: `TimeSensor`, `Script`, the prototype's.
    pub name: Arc<str>,
    /// Its fields; a [`FieldId`] counts them.
    pub fields: Vec<FieldDeclaration>,
    /// Whether it is a prototype, whose instances have bodies.
    pub is_prototype: bool,
}

impl NodeType {
    /// The field of a name. `set_x` and `x_changed` name an input and output `x`, too.
    pub fn field(&self, name: &str) -> Option<FieldId> {
        let exact = self.fields.iter().position(|f| &*f.name == name);
        let side = || {
            let bare = name.strip_prefix("set_").or_else(|| name.strip_suffix("_changed"))?;
            self.fields.iter().position(|f| f.access == Access::InputOutput && &*f.name == bare)
        };
        exact.or_else(side).map(|k| FieldId(k as u32))
    }
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its type.
    pub node_type: Arc<NodeType>,
    /// Its name (`DEF`).
    pub def: Option<Arc<str>>,
    /// A value per field: what the file says, or the default.
    pub values: Vec<Value>,
    /// The context in which it stands; of an instance of a prototype: the one that it stands in, not that of its body.
    pub context: ContextId,
    /// Where it stands in the file.
    pub location: Location,
}

/// A route from a field that sends to a field that receives.
#[derive(Clone, Debug)]
pub struct Route {
    /// Where events come from.
    pub from: (NodeId, FieldId),
    /// Where they go to.
    pub to: (NodeId, FieldId),
    /// Whether the file says `x_changed` and `set_x` for the two ends, where these are fields `x` that receive and send.
    pub sides: [bool; 2],
    /// What the file calls the two ends where that is another name of the field, as VRML97's `choice` for `children`.
    pub older_names: [Option<Arc<str>>; 2],
    /// Where it stands in the file.
    pub location: Location,
}

/// An `IS` in the body of a prototype: the two fields are one.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The field of the instance.
    pub outer: (NodeId, FieldId),
    /// The field of a node of the instance's body.
    pub inner: (NodeId, FieldId),
}

/// What a context is.
#[derive(Clone, Debug, PartialEq)]
pub enum ContextKind {
    /// The main file.
    File,
    /// The body of an instance of a prototype.
    Prototype(NodeId),
    /// What an Inline node shows.
    Inline(NodeId),
}

/// A name space of nodes, with routes of its own.
#[derive(Clone, Debug)]
pub struct Context {
    /// What it is.
    pub kind: ContextKind,
    /// The context that it stands in; none for the main file.
    pub parent: Option<ContextId>,
    /// The file that relative addresses start from.
    pub file: Arc<str>,
    /// Its root nodes in order.
    pub roots: Vec<NodeId>,
    /// Nodes of other contexts by the names that they have here (`IMPORT`).
    pub imports: Vec<(Arc<str>, NodeId)>,
    /// What its file says about itself, names and contents (`META`).
    pub metadata: Vec<(Arc<str>, Arc<str>)>,
    /// What its file is written in, and what it declares; a prototype's body is of the file that its instance is in.
    pub declared: Arc<Declared>,
}

/// What a file is written in, and what it declares, as far as Scripts may ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// The version of the language; empty where nothing says it.
    pub version: Arc<str>,
    /// The encoding in X3D's words: `XML`, `VRML`.
    pub encoding: Arc<str>,
    /// Names of its prototypes.
    pub prototypes: Vec<Arc<str>>,
    /// Names of prototypes that it takes from other files.
    pub extern_prototypes: Vec<Arc<str>>,
    /// Its own units: category, name, and the factor to that of the standard.
    pub units: Vec<(Arc<str>, Arc<str>, f64)>,
}

/// A whole graph. Numbers are places in these lists; the order is that of the file, instances and inlined files where they stand.
#[derive(Clone, Debug, Default)]
pub struct EventScene {
    /// All nodes.
    pub nodes: Vec<Node>,
    /// All routes, in the order in which values that meet at one field arrive.
    pub routes: Vec<Route>,
    /// All `IS`.
    pub aliases: Vec<Alias>,
    /// All contexts; the first is the main file.
    pub contexts: Vec<Context>,
}

impl EventScene {
    /// The node of a number.
    ///
    /// # Panics
    /// The number is another graph's.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
    /// The declaration of a field.
    ///
    /// # Panics
    /// The numbers are another graph's.
    pub fn field(&self, (node, field): (NodeId, FieldId)) -> &FieldDeclaration {
        &self.node(node).node_type.fields[field.0 as usize]
    }
}
