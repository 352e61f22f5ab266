//! The names that kinds of nodes of one's own need: `use weft::rigs::node::*`.
//!
//! A kind is one file: its ports ([`PortList`]) and its function ([`NodeKind`]), and a [`NodeDescription`] with the word that files use, which
//! [`Registry::register_rig_node`](scenes::registry::Registry::register_rig_node) takes. All commands, the window and a `RigFile` then know it.
//!
//! ```
//! use std::sync::Arc;
//!
//! use weft::rigs::node::*;
//!
//! /// The sine of an angle.
//! struct Sine;
//!
//! impl NodeKind for Sine {
//!     fn kind(&self) -> &'static str {
//!         "sine"
//!     }
//!     fn ports(&self) -> PortList {
//!         PortList::new().input("angle", PortType::Scalar).output("value", PortType::Scalar)
//!     }
//!     fn evaluate(&self, p: &mut Ports<'_>) {
//!         let angle = p.scalar(0);
//!         p.set_scalar(0, angle.sin());
//!     }
//!     fn safety(&self) -> Option<Safety> {
//!         Some(Safety::Reentrant)
//!     }
//! }
//!
//! const SINE: NodeDescription = NodeDescription { kind: "sine", make: |_| Some(Arc::new(Sine)), sample: "" };
//!
//! let mut registry = weft::prelude::Registry::with_builtins();
//! registry.register_rig_node(SINE);
//! // weft::program::main(registry)
//! weft::rigs::testing::node(SINE).unwrap();
//! ```

pub use animation::rig::Ports;
pub use animation::rig::format::{Attributes, NodeDescription};
pub use animation::rig::node::{NodeKind, PortList, Safety};
pub use animation::rig::value::PortType;
