//! A chunk: the nodes of one task, with all that they keep.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::delivery::Delivery;
use super::kernels::Batch;
use super::places::Place;
use super::print::Print;
use super::slot::{Ports, Slot};
use super::waiting::Waiting;
use crate::event::behaviour::Behaviour;
use crate::event::field::{FieldType, Value};
use crate::event::host::HostEvent;
use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::NodeType;

/// The producer's number where a chunk reads its own ports.
pub(super) const SELF: u32 = u32::MAX;

/// A way on which events come into a node: a route, looked at through aliases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Which of the chunk's producers, or [`SELF`].
    pub producer: u32,
    /// The port there.
    pub slot: Slot,
    pub field_type: FieldType,
    /// The field of the node that receives; of a passive field's vertex: unused.
    pub field: u32,
    /// Number of the route.
    pub route: u32,
    /// Number of the way.
    pub way: u32,
    /// The frame in which its event was delivered, where that is kept: after a frame was stopped, and inside loops.
    pub delivered: u32,
}

/// What a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VertexKind {
    /// A field that keeps and passes values.
    Passive(Slot),
    /// An interpolator among those of a batch: number of the batch, and of the interpolator there.
    Interpolator(u32, u32),
    /// A node with a behaviour: number among `nodes`.
    Node(u32),
}

/// What takes part in a cascade: a node with a behaviour, or a field of one without.
#[derive(Clone, Debug)]
pub(super) struct LocalVertex {
    pub kind: VertexKind,
    /// Its links, in the order of routes.
    pub links: Range<u32>,
    /// Place of its component in the order of deliveries.
    pub order: Place,
}

/// A node with a behaviour.
pub(super) struct ActiveNode {
    pub id: NodeId,
    pub node_type: Arc<NodeType>,
    /// Its fields among the wide ports.
    pub fields: Range<u32>,
    pub is_timed: bool,
    /// The frame in which it last looked at the clock.
    pub ticked: u32,
    /// The frame in which it is to be told that all events were received.
    pub received: u32,
    /// A behaviour need not be shareable; chunks are.
    pub behaviour: Mutex<Box<dyn Behaviour>>,
}

/// What a host wants of a node.
pub(super) enum HostInput {
    /// An event to a field that receives.
    Event(FieldId, Value),
    /// Something that the node makes events of.
    Tell(HostEvent),
}

/// A passive field that takes the value of another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub producer: u32,
    pub from: Slot,
    pub to: Slot,
    pub field_type: FieldType,
}

/// A part of the work of a chunk.
pub(super) enum Step {
    /// Small values are copied within the chunk: places of narrow ports.
    Own(Vec<(u32, u32)>),
    /// Small values are copied from other chunks: producer, place there, and place here.
    Foreign(Vec<(u32, u32, u32)>),
    /// Other values are copied.
    Copies(Vec<Copy>),
    /// A batch of interpolators.
    Batch(u32),
    /// A node with a behaviour, or a passive field with several links.
    Vertex(u32),
    /// A loop.
    Loop(u32),
}

/// A strongly connected component with a circle.
#[derive(Default)]
pub(super) struct Loop {
    /// Its vertices.
    pub vertices: Range<u32>,
    /// Per vertex, first of the loop first: the ways inside, by field of the sender in the order of routes.
    pub inner: Vec<Vec<Inner>>,
    /// What is to travel, in order.
    pub queue: VecDeque<Queued>,
    /// Nodes that are to be told that all events were received; one may be there twice.
    pub received: Vec<u32>,
}

/// An event in a loop that is to travel.
pub(super) struct Queued {
    pub vertex: u32,
    pub field: u32,
    /// What the field could not send, as it has sent: noted in its turn, behind what it has sent.
    pub refused: Option<Value>,
}

/// A way inside a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// The sender's field; of a passive vertex: zero.
    pub from: u32,
    /// The vertex that receives.
    pub to: u32,
    /// The field that receives; of a passive vertex: unused.
    pub field: u32,
    pub field_type: FieldType,
    pub route: u32,
    pub way: u32,
    pub delivered: u32,
}

/// A delivery that was noted while it happened.
#[derive(Clone, Debug)]
pub(super) struct Noted {
    pub order: Place,
    pub delivery: Delivery,
}

/// What a gate does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// It is none: the chunk's task evaluates it.
    None,
    /// Its nodes reach the whole graph: the task stops the frame if events wait for them.
    Shut,
    /// Events wait for them.
    Waiting,
}

/// The nodes of one task, with all that they keep.
pub(super) struct Chunk {
    pub ports: Ports,
    pub links: Vec<Link>,
    pub vertices: Vec<LocalVertex>,
    pub nodes: Vec<ActiveNode>,
    pub batches: Vec<Batch>,
    pub steps: Arc<[Step]>,
    pub loops: Vec<Loop>,
    pub host: Vec<(u32, HostInput)>,
    /// States of its nodes that are to be sent when the next frame begins.
    pub waiting: Vec<Waiting>,
    pub gate: Gate,
    /// Whether it only brings events from one level to the next.
    pub is_relay: bool,
    /// Whether a node looks at the clock in each frame.
    pub is_timed: bool,
    pub notes: bool,
    /// The frame in which it was evaluated last.
    pub done: u32,
    /// The frame in which it delivers one by one, since the frame was stopped.
    pub late: u32,
    /// The frame in which a port of it last sent.
    pub sent: u32,
    pub noted: Vec<Noted>,
    /// A frame, and how many deliveries were noted in it, or would have been.
    pub n_noted: (u32, u64),
    pub complaints: Vec<(NodeId, String)>,
    pub prints: Vec<Print>,
    /// Interpolators that got a fraction that is no number: batch, and which of it.
    pub not_numbers: Vec<(u32, u32, u32)>,
    /// Fields that a node has sent in its turn; kept for its memory.
    pub turn: Vec<u32>,
    /// While a circle is evaluated: what nodes would have sent a second time in this time stamp.
    pub refused: Option<Vec<(u32, Value)>>,
}

impl Chunk {
    pub fn new(notes: bool) -> Self {
        Self {
            ports: Ports::default(),
            links: Vec::new(),
            vertices: Vec::new(),
            nodes: Vec::new(),
            batches: Vec::new(),
            steps: [].into(),
            loops: Vec::new(),
            host: Vec::new(),
            waiting: Vec::new(),
            gate: Gate::None,
            is_relay: false,
            is_timed: false,
            notes,
            done: 0,
            late: 0,
            sent: 0,
            noted: Vec::new(),
            n_noted: (0, 0),
            complaints: Vec::new(),
            prints: Vec::new(),
            not_numbers: Vec::new(),
            turn: Vec::new(),
            refused: None,
        }
    }
}

/// Where a chunk finds the chunks that it reads.
pub(super) trait Producers: std::marker::Copy {
    fn chunk(&self, k: u32) -> &Chunk;
    /// Whether any of them sent in a frame.
    fn any_sent(&self, frame: u32) -> bool;
}

impl Producers for engine::data::Looks<'_, Chunk> {
    #[inline(always)]
    fn chunk(&self, k: u32) -> &Chunk {
        self.get(k as usize)
    }
    #[inline(always)]
    fn any_sent(&self, frame: u32) -> bool {
        self.iter().any(|chunk| chunk.sent == frame)
    }
}

/// The producers of a chunk as the caller's thread sees them between runs.
#[derive(Clone, Copy)]
pub(super) struct Between<'a>(pub &'a engine::data::Store, pub &'a [engine::data::Workspace<Chunk>]);

impl Producers for Between<'_> {
    fn chunk(&self, k: u32) -> &Chunk {
        self.0.workspace_ref(self.1[k as usize])
    }
    fn any_sent(&self, frame: u32) -> bool {
        (0..self.1.len() as u32).any(|k| self.chunk(k).sent == frame)
    }
}
