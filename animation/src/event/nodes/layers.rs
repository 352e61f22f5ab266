//! Layers: which layer a node stands in. Each has bindable nodes of its own.
//!
//! **Source:** ISO/IEC 19775-1, 35.2, *Layering component*.

use std::collections::BTreeMap;

use crate::event::NodeId;
use crate::event::field::Value;
use crate::event::scene::{ContextKind, EventScene};

/// Nodes of layers; those of a scene without a LayerSet cost nothing.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// How many nodes and contexts have been looked at.
    n_looked_at: (usize, usize),
    sets: Vec<NodeId>,
    layer_of: BTreeMap<NodeId, u32>,
    n_layers: u32,
}

impl Layers {
    /// Looks at the nodes of a scene, if others are there than before.
    pub fn look(&mut self, scene: &EventScene) {
        let counts = (scene.nodes.len(), scene.contexts.len());
        if self.n_looked_at == counts {
            return;
        }
        let ids = (self.n_looked_at.0..counts.0).map(|k| NodeId(k as u32));
        let is_set = |node: &NodeId| {
            let node_type = &scene.node(*node).node_type;
            &*node_type.name == "LayerSet" && !node_type.is_prototype
        };
        self.sets.extend(ids.filter(is_set));
        self.n_looked_at = counts;
        if let Some(set) = self.sets.first() {
            self.layer_of = nodes_of_layers(scene, *set);
            self.n_layers = self.layer_of.values().copied().max().unwrap_or(0);
        }
    }
    /// The layer of a node, as `activeLayer` counts them: 0 is what stands in none.
    pub fn layer_of(&self, node: NodeId) -> u32 {
        self.layer_of.get(&node).copied().unwrap_or(0)
    }
    /// The highest number of a layer with nodes; 0 where there are none.
    pub fn n_layers(&self) -> u32 {
        self.n_layers
    }
    /// The scene's LayerSet; a second one has no effect.
    pub fn set(&self) -> Option<NodeId> {
        self.sets.first().copied()
    }
}

/// All nodes in the layers of a LayerSet, with the layers' numbers from 1 on.
fn nodes_of_layers(scene: &EventScene, set: NodeId) -> BTreeMap<NodeId, u32> {
    let mut below: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for context in &scene.contexts {
        if let ContextKind::Prototype(node) | ContextKind::Inline(node) = context.kind {
            below.entry(node).or_default().extend(&context.roots);
        }
    }
    let mut layer_of = BTreeMap::new();
    let layers = scene.node(set).node_type.field("layers");
    let Some(Value::MFNode(layers)) = layers.and_then(|f| scene.node(set).values.get(f.0 as usize)) else {
        return layer_of;
    };
    for (number, layer) in (1..).zip(layers.iter()) {
        let mut stack: Vec<NodeId> = layer.iter().copied().collect();
        while let Some(node) = stack.pop() {
            // A node of several layers is the first one's.
            if layer_of.contains_key(&node) {
                continue;
            }
            layer_of.insert(node, number);
            stack.extend(below.get(&node).into_iter().flatten());
            let node = scene.node(node);
            // What Scripts and instances name stands elsewhere.
            if node.node_type.is_prototype || &*node.node_type.name == "Script" {
                continue;
            }
            for value in &node.values {
                match value {
                    Value::SFNode(child) => stack.extend(child),
                    Value::MFNode(children) => stack.extend(children.iter().flatten()),
                    _ => {}
                }
            }
        }
    }
    layer_of
}
