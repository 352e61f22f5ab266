//! Control points of a curve: those of another node, with the curve's weights.

use crate::event::FieldId;
use crate::event::behaviour::Turn;
use crate::event::field::Value;
use crate::event::nodes::port::{MFDouble, Port, SFNode};
use crate::event::scene::NodeType;

use super::curve::{Weighted, weighted};

/// The control points that a node looks at.
#[derive(Clone)]
pub(super) struct Control {
    node: Port<SFNode>,
    weight: Port<MFDouble>,
    /// The list of points that the ones here were made of.
    seen: Option<Value>,
    points: Vec<Weighted>,
    said: bool,
}

/// Whether two values are the same list in memory.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::MFVec3f(a), Value::MFVec3f(b)) => std::ptr::eq(&raw const **a, &raw const **b),
        (Value::MFVec3d(a), Value::MFVec3d(b)) => std::ptr::eq(&raw const **a, &raw const **b),
        _ => false,
    }
}

/// A list of points; none of another type.
fn points_of(value: &Value) -> Option<Vec<[f64; 3]>> {
    match value {
        Value::MFVec3f(points) => Some(points.iter().map(|p| p.map(f64::from)).collect()),
        Value::MFVec3d(points) => Some(points.to_vec()),
        _ => None,
    }
}

impl Control {
    /// Of a type; none if it lacks the fields.
    pub fn of(node_type: &NodeType) -> Option<Self> {
        let (node, weight) = (Port::of(node_type, "controlPoint")?, Port::of(node_type, "weight")?);
        Some(Self { node, weight, seen: None, points: Vec::new(), said: false })
    }

    /// Whether the control points are others once this field has changed.
    pub fn depends_on(&self, field: FieldId) -> bool {
        self.node.is(field) || self.weight.is(field)
    }

    /// Makes them anew at the next look.
    pub fn forget(&mut self) {
        self.seen = None;
    }

    /// The points as the last look found them.
    pub fn points(&self) -> &[Weighted] {
        &self.points
    }

    /// Looks whether the other node has other points; whether there are others now.
    pub fn look(&mut self, turn: &mut dyn Turn) -> bool {
        let node = self.node.get(turn);
        let present = node.zip(turn.graph()).and_then(|(node, graph)| {
            let field = graph.node_type(node)?.field("point")?;
            graph.value(node, field).ok()
        });
        let is_known = match (&self.seen, &present) {
            (Some(seen), Some(present)) => is_same(seen, present),
            (None, None) => self.points.is_empty(),
            _ => false,
        };
        if is_known {
            return false;
        }
        let points = present.as_ref().and_then(points_of).unwrap_or_default();
        let weights = self.weight.get(turn);
        let fit = weights.len() == points.len() && weights.iter().all(|w| w.is_finite() && *w > 0.0);
        let is_odd = !weights.is_empty() && !fit && !points.is_empty();
        self.points = weighted(&points, if fit { weights } else { &[] });
        self.seen = present;
        if is_odd && !std::mem::replace(&mut self.said, true) {
            turn.complain(format_args!(
                "its weights are not one above zero for each control point: all count as 1"
            ));
        }
        true
    }
}
