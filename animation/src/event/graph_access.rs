//! What a node with exclusive access may do with the graph around it, and what a host gives it for that.

use std::sync::Arc;

use diagnostics::{Diagnostic, Severity};

use super::field::{Access, FieldType, Value};
use super::ids::{ContextId, FieldId, NodeId};
use super::scene::{Declared, EventScene, NodeType};

/// Why the graph refuses what a node wants of it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GraphError {
    /// The node has been removed, or has never been.
    #[error("the node does not exist any more")]
    NoSuchNode,
    /// The context has been removed, or has never been.
    #[error("the context does not exist any more")]
    NoSuchContext,
    /// The node has no field of this number.
    #[error("the node has no such field")]
    NoSuchField,
    /// The field is not to be used in this way.
    #[error("the field is {}", .0.name())]
    Access(Access),
    /// The value is of another type than the field.
    #[error("the field is {expected}, the value {given}")]
    Type {
        /// The field's type.
        expected: FieldType,
        /// The value's.
        given: FieldType,
    },
    /// The route is there already, or not there.
    #[error("{0}")]
    Route(String),
    /// A text or file has mistakes.
    #[error("{}", first(.0))]
    Fragment(Vec<Diagnostic>),
    /// The host cannot do this.
    #[error("{0}")]
    Unsupported(String),
}

fn first(findings: &[Diagnostic]) -> String {
    // Warnings may stand before it.
    let error = findings.iter().find(|d| d.severity == Severity::Error);
    error.or(findings.first()).map_or_else(|| "it cannot be read".to_owned(), ToString::to_string)
}

/// The graph as a node with exclusive access sees it (X3D's scene access interface).
///
/// What changes the structure takes effect as the runtime's restart policy says; values and events at once.
pub trait GraphAccess {
    /// The type of a node; none if it is gone.
    fn node_type(&self, node: NodeId) -> Option<Arc<NodeType>>;
    /// The name (`DEF`) of a node.
    fn def(&self, node: NodeId) -> Option<Arc<str>>;
    /// The present value of a field, also of one that no event may leave.
    ///
    /// # Errors
    /// There is no such node or field.
    fn value(&self, node: NodeId, field: FieldId) -> Result<Value, GraphError>;
    /// Sends an event to a field that receives, with the time stamp of the cascade (`directOutput`).
    ///
    /// # Errors
    /// There is no such node or field, it does not receive, or the type is another.
    fn send_to(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError>;
    /// Lets another node's field send an event: a node that takes another one's place in a binding stack says so for it.
    ///
    /// # Errors
    /// There is no such node or field, it does not send, or the type is another.
    fn emit_from(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError>;
    /// The same of a state (`isBound`), which waits for the next frame where the field has sent in this time stamp.
    ///
    /// # Errors
    /// There is no such node or field, it does not send, or its type is another.
    fn emit_state_from(&mut self, node: NodeId, field: FieldId, state: bool) -> Result<(), GraphError>;
    /// Adds a route at the end of all routes.
    ///
    /// # Errors
    /// An end does not exist, types or access do not fit, or it is there already.
    fn add_route(&mut self, from: (NodeId, FieldId), to: (NodeId, FieldId)) -> Result<(), GraphError>;
    /// Removes a route.
    ///
    /// # Errors
    /// It is not there.
    fn delete_route(&mut self, from: (NodeId, FieldId), to: (NodeId, FieldId)) -> Result<(), GraphError>;
    /// All routes of a context.
    fn routes(&self, context: ContextId) -> Vec<Ends>;
    /// Reads a piece of X3D or VRML and adds its nodes and routes; they are in no field yet. Yields its root nodes.
    ///
    /// # Errors
    /// The text has mistakes, the host has no reader, or the context is gone.
    fn create_from_text(&mut self, context: ContextId, text: &str) -> Result<Vec<NodeId>, GraphError>;
    /// The same of the first of several files that can be read; addresses are relative to the context's file.
    ///
    /// # Errors
    /// No file can be read, the host has no reader, or the context is gone.
    fn create_from_urls(&mut self, context: ContextId, urls: &[Arc<str>]) -> Result<Vec<NodeId>, GraphError>;
    /// Makes a node of a type by its name, a built-in one or a prototype that the context knows.
    ///
    /// # Errors
    /// There is no such type, the host has no reader, or the context is gone.
    fn create_node(&mut self, context: ContextId, type_name: &str) -> Result<NodeId, GraphError>;
    /// Removes a node with its routes, and events that are on their way to it.
    ///
    /// # Errors
    /// There is no such node.
    fn remove(&mut self, node: NodeId) -> Result<(), GraphError>;
    /// Sets a context's root nodes.
    ///
    /// # Errors
    /// A node or the context does not exist.
    fn set_roots(&mut self, context: ContextId, roots: &[NodeId]) -> Result<(), GraphError>;
    /// A context's root nodes.
    fn roots(&self, context: ContextId) -> Vec<NodeId>;
    /// The node that a context knows by a name (`DEF`, `IMPORT`).
    fn find(&self, context: ContextId, name: &str) -> Option<NodeId>;
    /// What a context's file says about itself under a name (`META`); a prototype's body is of the file that its instance is in.
    fn metadata(&self, context: ContextId, name: &str) -> Option<Arc<str>>;
    /// What a context's file is written in, and what it declares.
    fn declared(&self, context: ContextId) -> Option<Arc<Declared>>;
    /// The main file's address.
    fn world_url(&self) -> Arc<str>;
}

/// Where a route begins and ends.
pub type Ends = ((NodeId, FieldId), (NodeId, FieldId));

/// Reads pieces of X3D for a run: what a host gives a runtime, so that Scripts may create nodes and Inlines load.
///
/// The scene of a run has no routes in it while it is given to [`Self::load_inline`] and [`Self::unload_inline`]; the runtime keeps them.
pub trait FragmentLoader: Send {
    /// A graph from a text in any encoding, without header if it is ClassicVRML. `base` is the file that relative addresses in it
    /// start from.
    ///
    /// # Errors
    /// What is wrong with it.
    fn fragment_of_text(&mut self, text: &str, base: &str) -> Result<EventScene, Vec<Diagnostic>>;
    /// A graph from the first of several files that can be read.
    ///
    /// # Errors
    /// What is wrong with each.
    fn fragment_of_urls(&mut self, urls: &[Arc<str>], base: &str) -> Result<EventScene, Vec<Diagnostic>>;
    /// A node of a type by its name: a built-in one, or a prototype of the file `base`.
    ///
    /// # Errors
    /// There is no such type.
    fn node(&mut self, type_name: &str, base: &str) -> Result<EventScene, Vec<Diagnostic>>;
    /// Adds the first of several files that can be read to a scene, as what an Inline node of it shows: nodes and contexts behind those
    /// that are there, routes as the only ones, imports of it where they belong. Yields its context, and warnings.
    ///
    /// # Errors
    /// What is wrong with the files; the scene is as it was.
    fn load_inline(
        &mut self,
        scene: &mut EventScene,
        inline: NodeId,
        urls: &[Arc<str>],
    ) -> Result<(ContextId, Vec<Diagnostic>), Vec<Diagnostic>>;
    /// What an Inline node shows has gone; its nodes stay in the scene's lists, where numbers are places.
    fn unload_inline(&mut self, scene: &mut EventScene, inline: NodeId);
}
