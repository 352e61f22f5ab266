//! Bindable nodes: of the viewpoints, navigations, backgrounds and fogs of a layer one each is bound, the others wait in a stack.
//!
//! **Source:** ISO/IEC 19775-1, 7.2.2, *Bindable children nodes*; 35.2.3, on stacks of layers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::layers::Layers;
use super::port::{Port, SFBool, SFTime};
use crate::event::behaviour::{Behaviour, Reach, Turn};
use crate::event::field::Value;
use crate::event::scene::{ContextKind, EventScene};
use crate::event::{FieldId, NodeId};

/// Kinds of bindable nodes: each has a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bindable {
    /// Viewpoint, OrthoViewpoint, GeoViewpoint.
    Viewpoint,
    /// NavigationInfo.
    Navigation,
    /// Background, TextureBackground.
    Background,
    /// Fog.
    Fog,
}

impl Bindable {
    /// The kind of a type of nodes; none if it is not bindable.
    pub fn of(type_name: &str) -> Option<Self> {
        match type_name {
            "Viewpoint" | "OrthoViewpoint" | "GeoViewpoint" => Some(Self::Viewpoint),
            "NavigationInfo" => Some(Self::Navigation),
            "Background" | "TextureBackground" => Some(Self::Background),
            "Fog" => Some(Self::Fog),
            _ => None,
        }
    }
}

/// Types that have a behaviour here.
pub const TYPES: &[&str] = &[
    "Viewpoint",
    "OrthoViewpoint",
    "GeoViewpoint",
    "NavigationInfo",
    "Background",
    "TextureBackground",
    "Fog",
];

/// Nodes that are or were bound, the one that is bound last.
type Stack = Arc<Mutex<Vec<NodeId>>>;

/// The stacks of a run: a handle, so that a host may ask what is bound.
#[derive(Clone, Debug, Default)]
pub struct BindingStacks(Arc<Mutex<BTreeMap<(u32, Bindable), Stack>>>);

impl BindingStacks {
    fn stack(&self, layer: u32, kind: Bindable) -> Stack {
        let mut stacks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stacks.entry((layer, kind)).or_default().clone()
    }
    /// The node that is bound, of those in no layer.
    pub fn bound(&self, kind: Bindable) -> Option<NodeId> {
        self.bound_in(0, kind)
    }
    /// The node that is bound in a layer, as [`Layers`] counts them.
    pub fn bound_in(&self, layer: u32, kind: Bindable) -> Option<NodeId> {
        let stack = self.stack(layer, kind);
        let stack = stack.lock().unwrap_or_else(PoisonError::into_inner);
        stack.last().copied()
    }
}

/// Which nodes' `set_bind` something may send to.
#[derive(Debug, Default)]
pub(super) struct Routed {
    n_routes: Option<(usize, usize)>,
    nodes: BTreeSet<NodeId>,
}

impl Routed {
    fn contains(&mut self, scene: &EventScene, node: NodeId) -> bool {
        let counts = (scene.routes.len(), scene.aliases.len());
        if self.n_routes != Some(counts) {
            self.n_routes = Some(counts);
            let ends = scene.routes.iter().map(|r| r.to).chain(scene.aliases.iter().map(|a| a.inner));
            self.nodes =
                ends.filter(|end| &*scene.field(*end).name == "set_bind").map(|(node, _)| node).collect();
        }
        self.nodes.contains(&node)
    }
}

/// A bindable node's behaviour; none for other types.
pub(super) fn behaviour_of(
    scene: &EventScene,
    node: NodeId,
    stacks: &BindingStacks,
    (routed, layers): (&mut Routed, &mut Layers),
) -> Option<Box<dyn Behaviour>> {
    let node_type = &scene.node(node).node_type;
    let kind = Bindable::of(&node_type.name)?;
    layers.look(scene);
    Some(Box::new(Bound {
        kind,
        set_bind: Port::of(node_type, "set_bind")?,
        is_bound: Port::of(node_type, "isBound")?,
        // Came with X3D 3 for all but viewpoints.
        bind_time: Port::of(node_type, "bindTime"),
        stack: stacks.stack(layers.layer_of(node), kind),
        may_be_first: !is_inlined(scene, node),
        alone: !routed.contains(scene, node),
    }))
}

/// Whether a node comes with an inlined file: such a one is not bound by itself.
fn is_inlined(scene: &EventScene, node: NodeId) -> bool {
    let mut context = Some(scene.node(node).context);
    while let Some(c) = context.and_then(|c| scene.contexts.get(c.0 as usize)) {
        if matches!(c.kind, ContextKind::Inline(_)) {
            return true;
        }
        context = c.parent;
    }
    false
}

struct Bound {
    kind: Bindable,
    set_bind: Port<SFBool>,
    is_bound: Port<SFBool>,
    bind_time: Option<Port<SFTime>>,
    stack: Stack,
    may_be_first: bool,
    /// Nothing in the graph sends to `set_bind`: only a host or a Script binds it.
    alone: bool,
}

impl Bound {
    fn say(&self, turn: &mut dyn Turn, bound: bool) {
        self.is_bound.say(turn, bound);
        if let Some(port) = self.bind_time {
            let now = turn.time();
            port.send(turn, now);
        }
    }
    /// Says the same for another node.
    fn say_of(other: NodeId, turn: &mut dyn Turn, bound: bool) {
        let now = turn.time();
        let said = turn.graph().is_some_and(|graph| {
            let Some(node_type) = graph.node_type(other) else { return true };
            let (state, time) = (node_type.field("isBound"), node_type.field("bindTime"));
            state.is_none_or(|field| graph.emit_state_from(other, field, bound).is_ok())
                && time.is_none_or(|field| graph.emit_from(other, field, Value::SFTime(now)).is_ok())
        });
        if !said {
            turn.complain(format_args!("the node that was bound before cannot be told"));
        }
    }
    fn bind(&self, turn: &mut dyn Turn) {
        let me = turn.node();
        let before = {
            let mut stack = self.stack.lock().unwrap_or_else(PoisonError::into_inner);
            let before = stack.last().copied();
            if before == Some(me) {
                return;
            }
            stack.retain(|n| *n != me);
            stack.push(me);
            before
        };
        if let Some(before) = before {
            Self::say_of(before, turn, false);
        }
        self.say(turn, true);
    }
    fn unbind(&self, turn: &mut dyn Turn, says: bool) {
        let me = turn.node();
        let next = {
            let mut stack = self.stack.lock().unwrap_or_else(PoisonError::into_inner);
            let was_bound = stack.last() == Some(&me);
            stack.retain(|n| *n != me);
            if !was_bound {
                return;
            }
            stack.last().copied()
        };
        if says {
            self.say(turn, false);
        }
        if let Some(next) = next {
            Self::say_of(next, turn, true);
        }
    }
}

impl Behaviour for Bound {
    fn reach(&self) -> Reach {
        if self.alone { Reach::Shared(self.kind as u64) } else { Reach::Graph }
    }
    fn reach_of_host(&self) -> Reach {
        Reach::Graph
    }
    fn initialize(&mut self, turn: &mut dyn Turn) {
        let empty = self.stack.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        if empty && self.may_be_first {
            self.bind(turn);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if !self.set_bind.is(field) {
            return;
        }
        if self.set_bind.get(turn) {
            self.bind(turn);
        } else {
            self.unbind(turn, true);
        }
    }
    fn shutdown(&mut self, turn: &mut dyn Turn) {
        self.unbind(turn, false);
    }
}
