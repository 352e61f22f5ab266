//! Event graphs: nodes with typed fields, and routes along which events travel.
//!
//! [`field`] says what a field may be; [`behaviour`] what a node does with events; [`graph_access`] what some may do with the graph, and [`host`] what comes from
//! outside; [`scene`] is a whole graph as plain data, as a file's reader yields it.

pub mod behaviour;
pub mod field;
pub mod graph_access;
pub mod host;
mod ids;
pub mod scene;

pub use ids::{ContextId, FieldId, NodeId};
