//! The scene: a tree of nodes that hold components.
//!
//! `tree.rs` has the nodes and components and how one finds another; [`parts`] what each family keeps;
//! [`solvers`] the solvers; `add.rs` puts all of these into a scene,
//! `change.rs` takes them out again.

mod add;
mod change;
mod ids;
pub mod parts;
pub mod solvers;
mod tree;

pub use diagnostics::Location;

pub use change::SceneMark;
pub use ids::{ComponentId, NodeId, StateId};
pub use tree::{Component, Node, NodeGravity, Scene};
