//! Event graphs: nodes with typed fields, and routes along which events travel.
//!
//! [`field`] says what a field may be; [`behaviour`] what a node does with events; [`scene`] is a whole graph as plain data, as a file's reader yields it.

pub mod behaviour;
pub mod field;
mod ids;
pub mod scene;

pub use ids::{ContextId, FieldId, NodeId};
