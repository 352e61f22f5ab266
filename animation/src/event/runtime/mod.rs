//! Event graphs as tasks of the engine.
//!
//! An [`EventGraph`] puts the nodes of a scene into parts that no way joins (`region`, `part`), and these into chunks (`layout`, `fill`), each of which is a task that works in its own memory
//! and reads that of the chunks that send to it (`chunk`, `evaluate`): no step brings events from node to node. A field says in which frame
//! it last sent, so whoever reads it sees whether an event came. Events that meet at one field are taken in the order of routes. A passive
//! field, and one that receives and sends, keeps the last of them and sends once. Circles are evaluated as one (`cascade`). Interpolators and passive
//! fields go through arrays (`kernels`), all else through [`Behaviour`](super::behaviour::Behaviour)s.
//!
//! Nodes that reach the whole graph are *gates*: where events wait for one, its task stops the frame, and all that comes after it is skipped. The
//! caller's thread evaluates it, with the graph to itself, and the frame goes on (`gates`, `carry`): what was delivered stays delivered,
//! whatever of the graph is made anew ([`Restart`]). What comes before a gate is what is at its level or below, whatever the
//! workers have done by then, so results do not depend on them.
//!
//! What nodes send when they begin is a cascade before the frame (`before`). A state that a field could not send any more waits for the next
//! frame (`waiting`, `late_states`).
//!
//! A change of the graph makes anew the parts that it touches; tasks are recorded again only where chunks came or went, or read others than before.
//!
//! Programs, values and logs are the same for every executor, number of workers, [`Fusion`](crate::graph::Fusion) and [`Mode`].

mod before;
mod carry;
mod cascade;
mod chunk;
mod counted;
mod delivery;
mod evaluate;
mod event_graph;
mod event_log;
mod exclusive;
mod fill;
mod frame;
mod gates;
mod hierarchy;
mod inlines;
mod kept;
mod kernels;
mod late_states;
mod layout;
mod levels;
mod measure;
mod options;
mod outside;
mod part;
mod places;
mod print;
mod record;
mod region;
mod relays;
mod sample;
mod showing;
mod slot;
mod task_names;
mod turn;
mod vertex;
mod waiting;
mod work;
mod world;

pub use event_graph::{Complaint, EventGraph};
pub use event_log::{Delivery, EventLog};
pub use frame::{Next, Player};
pub use levels::{amdahl, cascade_share};
pub use options::{EventOptions, Mode, Restart, Strategy};
pub use print::Print;
pub use sample::{NUMBERS, Sample};
