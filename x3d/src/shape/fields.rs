//! Values of fields by their names, as numbers.

use std::sync::Arc;

use animation::event::field::Value;
use animation::event::scene::EventScene;
use animation::event::{FieldId, NodeId};

/// Where the present values of fields are: a graph that runs, or a scene as its file has it.
pub trait FieldValues {
    /// The present value of a field.
    fn present(&self, node: NodeId, field: FieldId) -> Value;
}

impl FieldValues for EventScene {
    fn present(&self, node: NodeId, field: FieldId) -> Value {
        self.node(node).values[field.0 as usize].clone()
    }
}

/// A scene with the present values of its fields.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    /// Its nodes.
    pub scene: &'a EventScene,
    /// Their values.
    pub values: &'a dyn FieldValues,
}

impl Fields<'_> {
    /// The type of a node.
    pub fn type_name(&self, node: NodeId) -> &str {
        &self.scene.node(node).node_type.name
    }

    /// The value of a field, if the node has it.
    pub fn get(&self, node: NodeId, name: &str) -> Option<Value> {
        let field = self.scene.node(node).node_type.field(name)?;
        Some(self.values.present(node, field))
    }

    /// The node in a field.
    pub fn node(&self, node: NodeId, name: &str) -> Option<NodeId> {
        match self.get(node, name)? {
            Value::SFNode(node) => node,
            _ => None,
        }
    }

    /// The nodes in a field.
    pub fn nodes(&self, node: NodeId, name: &str) -> Vec<NodeId> {
        match self.get(node, name) {
            Some(Value::MFNode(nodes)) => nodes.iter().flatten().copied().collect(),
            Some(Value::SFNode(node)) => node.into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// A number.
    pub fn number(&self, node: NodeId, name: &str, otherwise: f64) -> f64 {
        match self.get(node, name) {
            Some(Value::SFFloat(v)) => f64::from(v),
            Some(Value::SFDouble(v) | Value::SFTime(v)) => v,
            Some(Value::SFInt32(v)) => f64::from(v),
            _ => otherwise,
        }
    }

    /// Yes or no.
    pub fn flag(&self, node: NodeId, name: &str, otherwise: bool) -> bool {
        match self.get(node, name) {
            Some(Value::SFBool(v)) => v,
            _ => otherwise,
        }
    }

    /// Two numbers.
    pub fn two(&self, node: NodeId, name: &str, otherwise: [f64; 2]) -> [f64; 2] {
        match self.get(node, name) {
            Some(Value::SFVec2f(v)) => v.map(f64::from),
            Some(Value::SFVec2d(v)) => v,
            _ => otherwise,
        }
    }

    /// Three numbers.
    pub fn three(&self, node: NodeId, name: &str, otherwise: [f64; 3]) -> [f64; 3] {
        match self.get(node, name) {
            Some(Value::SFVec3f(v) | Value::SFColor(v)) => v.map(f64::from),
            Some(Value::SFVec3d(v)) => v,
            _ => otherwise,
        }
    }

    /// A rotation: axis and angle.
    pub fn rotation(&self, node: NodeId, name: &str) -> [f64; 4] {
        match self.get(node, name) {
            Some(Value::SFRotation(v)) => v.map(f64::from),
            _ => [0.0, 0.0, 1.0, 0.0],
        }
    }

    /// Indices.
    pub fn indices(&self, node: NodeId, name: &str) -> Arc<[i32]> {
        match self.get(node, name) {
            Some(Value::MFInt32(v)) => v,
            _ => Arc::new([]),
        }
    }

    /// Numbers.
    pub fn numbers(&self, node: NodeId, name: &str) -> Vec<f64> {
        match self.get(node, name) {
            Some(Value::MFFloat(v)) => v.iter().map(|x| f64::from(*x)).collect(),
            Some(Value::MFDouble(v)) => v.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Points in the plane or in space.
    pub fn points(&self, node: NodeId, name: &str) -> Vec<[f64; 3]> {
        match self.get(node, name) {
            Some(Value::MFVec3f(v)) => v.iter().map(|p| p.map(f64::from)).collect(),
            Some(Value::MFVec3d(v)) => v.to_vec(),
            Some(Value::MFVec2f(v)) => v.iter().map(|p| [f64::from(p[0]), f64::from(p[1]), 0.0]).collect(),
            Some(Value::MFVec2d(v)) => v.iter().map(|p| [p[0], p[1], 0.0]).collect(),
            _ => Vec::new(),
        }
    }
}
