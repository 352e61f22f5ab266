//! The scene: a tree of nodes that hold components.
//!
//! `tree.rs` has the nodes and components and how one finds another; [`parts`] what each family keeps.

pub mod parts;
mod tree;

pub use tree::{Component, ComponentId, Location, Node, NodeId, Scene, StateId};
