//! What an interpolator or a sequencer shows before a fraction has come.
//!
//! **Source:** ISO/IEC 19775-1, 19.3.1, *X3DInterpolatorNode*, and 30.3.1, *X3DSequencerNode*.

use crate::event::FieldId;
use crate::event::field::{FieldType, Value};
use crate::event::scene::{Node, NodeType};

/// `value_changed` of a node that has sent nothing yet, and its first key value; none where the node has none, or has no such fields.
pub(in crate::event) fn first_output(node: &Node) -> Option<(FieldId, Value)> {
    let node_type: &NodeType = &node.node_type;
    if node_type.is_prototype
        || !(node_type.name.ends_with("Sequencer") || super::TYPES.contains(&&*node_type.name))
    {
        return None;
    }
    let value = |name: &str| node.values.get(node_type.field(name)?.0 as usize);
    let out = node_type.field("value_changed")?;
    let n_keys = match value("key")? {
        Value::MFFloat(keys) => keys.len(),
        _ => return None,
    };
    Some((out, first_value(n_keys, value("keyValue")?, node_type.fields[out.0 as usize].field_type)?))
}

/// The first of some key values, of a type; a list where each key has one.
pub(in crate::event::nodes) fn first_value(n_keys: usize, values: &Value, out: FieldType) -> Option<Value> {
    let each = |n: usize| n.checked_div(n_keys).filter(|n| *n > 0);
    Some(match (values, out) {
        (Value::MFFloat(v), FieldType::SFFloat) => Value::SFFloat(*v.first()?),
        (Value::MFBool(v), FieldType::SFBool) => Value::SFBool(*v.first()?),
        (Value::MFInt32(v), FieldType::SFInt32) => Value::SFInt32(*v.first()?),
        (Value::MFVec2f(v), FieldType::SFVec2f) => Value::SFVec2f(*v.first()?),
        (Value::MFVec3f(v), FieldType::SFVec3f) => Value::SFVec3f(*v.first()?),
        (Value::MFColor(v), FieldType::SFColor) => Value::SFColor(*v.first()?),
        (Value::MFRotation(v), FieldType::SFRotation) => Value::SFRotation(*v.first()?),
        (Value::MFVec2f(v), FieldType::MFVec2f) => Value::MFVec2f(v[..each(v.len())?].into()),
        (Value::MFVec3f(v), FieldType::MFVec3f) => Value::MFVec3f(v[..each(v.len())?].into()),
        _ => return None,
    })
}
