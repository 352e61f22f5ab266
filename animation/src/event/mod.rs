//! Event graphs: nodes with typed fields, and routes along which events travel.
//!
//! [`field`] says what a field may be; [`behaviour`] what a node does with events; [`graph_access`] what some may do with the graph, and [`host`] what comes from
//! outside; [`nodes`] are X3D's own; [`scene`] is a whole graph as plain data, as a file's reader yields it; [`runtime`] runs it on the engine.

pub mod behaviour;
pub mod field;
pub mod graph_access;
pub mod host;
mod ids;
pub mod json;
pub mod nodes;
pub mod runtime;
pub mod scene;

pub use ids::{ContextId, FieldId, NodeId};
