//! What an event graph keeps beside its chunks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::data::{Data, StepParameter, Workspace};

use super::chunk::{Chunk, HostInput};
use super::places::Field;
use super::print::Print;
use super::waiting::Waiting;
use crate::event::field::Value;
use crate::event::host::HostEvent;
use crate::event::ids::NodeId;

/// What of the graph is kept in a store.
pub(super) struct InStore {
    pub frame: StepParameter<u32>,
    pub time: StepParameter<f64>,
    /// Whether the frame goes on; gates say no.
    pub goes_on: Data<bool>,
    pub workspaces: Vec<Workspace<Chunk>>,
}

/// What is to happen to a node from outside the cascade.
pub(super) enum Outside {
    /// An event to a field that receives.
    Event(Field, Value),
    /// A field sends.
    Emit(Field, Value),
    /// A field sends a state, in the next frame if it has sent in this one.
    State(Field, bool),
    /// The node makes events of it.
    Tell(NodeId, HostEvent),
}

/// What a stopped frame keeps when its chunks are made anew.
#[derive(Default)]
pub(super) struct Carried {
    /// Whether a frame is in progress.
    pub is_stopped: bool,
    /// Fields that have sent.
    pub sent: Vec<Field>,
    /// Ways on which an event was delivered: route and ends.
    pub delivered: BTreeSet<(u32, Field, Field)>,
    /// Nodes that have looked at the clock.
    pub ticked: Vec<NodeId>,
    /// What the host said that is still to be heard.
    pub host: Vec<(NodeId, HostInput)>,
    /// States that wait, of nodes' fields.
    pub waiting: Vec<(NodeId, Waiting)>,
    /// How many routes there were.
    pub n_routes: u32,
    pub complaints: Vec<(NodeId, String)>,
    pub prints: Vec<Print>,
}

/// A kind of vertices that cost alike: a type of nodes, by a kernel or not; without a name: passive fields.
pub(super) type CostKind = (Option<Arc<str>>, bool);

/// Measured costs in parts of the estimated ones, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Scales(pub BTreeMap<CostKind, f64>);

impl Scales {
    /// The scale of a kind; 1 before anything is measured.
    pub fn of(&self, kind: &CostKind) -> f64 {
        self.0.get(kind).copied().unwrap_or(1.0)
    }
}
