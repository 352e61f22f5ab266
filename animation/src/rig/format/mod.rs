//! The text format `.rig`: a rig as JSON.
//!
//! ```text
//! {
//!   "rig": "arm",
//!   "controls": [ { "name": "bend", "type": "vec3", "range": [-3, 3], "default": [0, 0, 0] } ],
//!   "nodes": [
//!     { "name": "shoulder", "kind": "joint", "component": "body", "inputs": { "translate": [0, 1, 0] } },
//!     { "name": "elbow", "kind": "joint", "inputs": { "parent": "shoulder.world", "rotate": "@bend", "translate": [0.3, 0, 0] } },
//!     { "name": "which", "kind": "switch", "type": "matrix", "branches": 2,
//!       "inputs": { "index": 1, "branch0": "shoulder.world", "branch1": "elbow.world" } }
//!   ],
//!   "outputs": [ { "name": "hand", "from": "which.value" } ]
//! }
//! ```
//! - A **control** has a name, a type (`scalar` unless said), a range and a default; those of arrays have a number `n` of elements.
//! - A **node** has a name, a kind, inputs, what else its kind asks for ([`Catalogue`]), and if wanted a component (that of the node before
//!   unless said) and a safety: `reentrant`, `threadsafe`, `type-unsafe`, `globally-unsafe`, or any other word, which names a group.
//! - An **input** is bound to the output of a node (`"node.output"`), to a control (`"@control"`), or is a value: a number, or a list of
//!   numbers (lists in lists count as one list).
//! - An **output** of the rig is the output of a node under a name; one of points may have `triangles`, three numbers of points each:
//!   then it is a mesh.
//!
//! Nodes may stand in any order. All mistakes are reported at once, each with line, node, attribute and the nearest known name. An attribute
//! that is not read is a mistake; of nodes and controls that nothing reads, [`read_and_warn`] warns.

mod attributes;
mod binding;
mod catalogue;
mod reader;
#[cfg(test)]
mod reference;
mod samples;
#[cfg(test)]
mod tests;
mod unread;

pub use attributes::Attributes;
pub use catalogue::{Catalogue, NodeDescription};
pub(crate) use reader::read_loose;
pub use reader::{read, read_and_warn};
