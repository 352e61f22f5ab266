//! Graphs of nodes that exchange data through ports: what must come before what, what runs in circles, and which nodes are small
//! enough to be one task together.
//!
//! - [`Graph`] is what an emitter edits: nodes and edges with numbers that stay, and a version that counts the edits.
//! - [`Structure`] is what one version of it means: neighbours, strongly connected components in an order in which producers come
//!   before consumers, levels, and the circles by name.
//! - [`Chunks`] are what becomes tasks: a node of 44 ns cannot afford a task of its own, which costs some 80 ns.
//!
//! ```
//! use weft_animation::graph::{Chunks, Fusion, Graph, Port, Structure};
//!
//! let mut graph = Graph::new();
//! let [clock, turn, move_, joint] = [(); 4].map(|()| graph.add_node());
//! for (from, to) in [(clock, turn), (clock, move_), (turn, joint), (move_, joint)] {
//!     graph.connect(Port { node: from, port: 0 }, Port { node: to, port: 0 });
//! }
//! let structure = Structure::of(&graph);
//! assert_eq!(structure.n_components(), 4);
//! assert_eq!(structure.level(structure.component(joint)), 2);
//! assert!(structure.cycles().next().is_none());
//! // All of it is small.
//! let together = Chunks::of(&structure, Fusion::On { grain_ns: 1000 }, |_| 44, |_| 0);
//! assert_eq!(together.len(), 1);
//! assert_eq!(Chunks::of(&structure, Fusion::Off, |_| 44, |_| 0).len(), 4);
//! ```

mod components;
mod edits;
mod fusion;
mod islands;
mod rows;
mod structure;
pub(crate) mod told;
mod units;

pub use edits::{Edge, EdgeKey, Graph, NodeKey, Port};
pub use fusion::{Chunks, Fusion};
pub use islands::islands;
pub use rows::Rows;
pub use structure::Structure;
pub use units::ALONE;
