//! What takes part in a cascade: nodes with behaviours, and fields of others.

use super::kept::CostKind;
use super::kernels::KernelKind;
use super::places::{Field, Home, NONE};
use super::slot::Slot;
use crate::event::behaviour::{Behaviour, Reach};
use crate::event::field::Value;
use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::EventScene;

/// What is known of a node beside its fields.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nature {
    /// Whether it has a behaviour.
    pub is_active: bool,
    pub is_timed: bool,
    pub reach: Reach,
    /// The same once something from outside the routes speaks to it.
    pub reach_of_host: Reach,
    pub is_initialized: bool,
    /// The kernel that may evaluate it.
    pub kernel: Option<KernelKind>,
    /// Whether its behaviour evaluates it, though there is a kernel of its kind.
    pub is_by_behaviour: bool,
    /// It has been removed.
    pub is_gone: bool,
}

impl Nature {
    /// Of a node with a behaviour, or without one.
    pub fn of(behaviour: Option<&dyn Behaviour>) -> Self {
        Self {
            is_active: behaviour.is_some(),
            is_timed: behaviour.is_some_and(|b| b.is_time_dependent()),
            reach: behaviour.map(|b| b.reach()).unwrap_or_default(),
            reach_of_host: behaviour.map(|b| b.reach_of_host()).unwrap_or_default(),
            is_initialized: behaviour.is_none(),
            ..Self::default()
        }
    }
}

/// What takes part in a cascade: a node with a behaviour (field [`NONE`]), or a field of one without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Vertex {
    pub node: NodeId,
    pub field: u32,
    /// The kernel that evaluates it, if one does.
    pub kernel: Option<KernelKind>,
}

impl Vertex {
    /// Its fields: all of a node's, or one.
    pub fn fields(&self, scene: &EventScene) -> impl Iterator<Item = Field> + use<> {
        let node = self.node;
        let range = match self.field {
            NONE => 0..scene.node(node).node_type.fields.len() as u32,
            field => field..field + 1,
        };
        range.map(move |f| (node, FieldId(f)))
    }
}

/// What a vertex shares with others, if it does.
pub(super) fn shares(natures: &[Nature], vertex: &Vertex) -> Option<u64> {
    match natures[vertex.node.0 as usize].reach {
        Reach::Shared(what) if vertex.field == NONE => Some(what),
        _ => None,
    }
}

/// An estimate of a vertex's time, with so many links \[ns\].
pub(super) fn estimate(scene: &EventScene, vertex: &Vertex, links: u32) -> u32 {
    let Vertex { node, field, kernel } = *vertex;
    match kernel {
        _ if field != NONE => 4 + 4 * links,
        Some(KernelKind::Coordinates) => 40 + 2 * n_each_key(scene, node),
        Some(KernelKind::Normals) => 40 + 60 * n_each_key(scene, node),
        Some(KernelKind::Orientation) => 45,
        Some(_) => 15,
        None if &*scene.node(node).node_type.name == "Script" => 3000,
        None => 150 + 50 * links,
    }
}

/// What a vertex costs as.
pub(super) fn cost_kind(scene: &EventScene, vertex: &Vertex) -> CostKind {
    let is_node = vertex.field == NONE;
    (is_node.then(|| scene.node(vertex.node).node_type.name.clone()), vertex.kernel.is_some())
}

/// The values of an interpolator's keys.
pub(super) fn keys_of(scene: &EventScene, node: NodeId) -> Option<(&Value, &Value)> {
    let node = scene.node(node);
    let value = |name| node.node_type.field(name).and_then(|f| node.values.get(f.0 as usize));
    Some((value("key")?, value("keyValue")?))
}

fn n_each_key(scene: &EventScene, node: NodeId) -> u32 {
    match keys_of(scene, node) {
        Some((Value::MFFloat(keys), Value::MFVec3f(values))) if !keys.is_empty() => {
            (values.len() / keys.len()) as u32
        }
        _ => 0,
    }
}

/// Where the value of a field of a vertex is kept in its chunk.
pub(super) fn port(vertex: &Vertex, home: Home, field: Field) -> Slot {
    match home.slot.split() {
        // All fields of a node with a behaviour lie side by side.
        Err(base) if vertex.field == NONE && vertex.kernel.is_none() => Slot::wide(base as u32 + field.1.0),
        _ => home.slot,
    }
}

/// The kernel that may evaluate a node: that of its type, if it takes the node's keys.
pub(super) fn kernel_of(scene: &EventScene, node: NodeId) -> Option<KernelKind> {
    let declared = &scene.node(node).node_type;
    let kind = KernelKind::of(declared)?;
    let out = declared.fields[declared.field("value_changed")?.0 as usize].field_type;
    let (keys, values) = keys_of(scene, node)?;
    kind.takes(keys, values, out).then_some(kind)
}
