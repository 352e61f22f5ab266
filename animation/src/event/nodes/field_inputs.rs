//! Inputs that change another field of their node: `addChildren`, `removeChildren`, `set_coordIndex`.
//!
//! What they are follows from their names, so that all types have them: an `addX` or `removeX` beside a list of nodes `x` adds to it
//! what is not yet in it, or takes out of it; a `set_x` beside an `x` that no event may leave replaces it. Nodes without any other behaviour
//! get [`FieldInputs`] once something may send to such an input ([`Behaviours::woken`]), since most nodes of a scene are groups to which
//! nothing is ever added.
//!
//! [`Behaviours::woken`]: crate::event::behaviour::Behaviours::woken
//!
//! **Source:** ISO/IEC 19775-1, 10.2.1, *Grouping node types*; 11.2.3, *X3DComposedGeometryNode*; 13.3, *Geometry3D*.

use std::sync::Arc;

use crate::event::behaviour::{Behaviour, Reach, Turn};
use crate::event::field::{Access, FieldType, Value};
use crate::event::host::HostEvent;
use crate::event::scene::NodeType;
use crate::event::{FieldId, NodeId};

/// What an input does to another field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Replace,
    Add,
    Remove,
}

/// The field that an input changes, and how.
fn rule(node_type: &NodeType, input: FieldId) -> Option<(FieldId, Effect)> {
    // Fields of Scripts and prototypes mean what their authors want.
    if node_type.is_prototype || &*node_type.name == "Script" {
        return None;
    }
    let declared = node_type.fields.get(input.0 as usize)?;
    if declared.access != Access::InputOnly {
        return None;
    }
    let target = |name: &str| (0..).map(FieldId).zip(&node_type.fields).find(|(_, f)| &*f.name == name);
    if let Some(bare) = declared.name.strip_prefix("set_") {
        let (field, kept) = target(bare)?;
        let fits = kept.access == Access::InitializeOnly && kept.field_type == declared.field_type;
        return fits.then_some((field, Effect::Replace));
    }
    let (rest, effect) = match declared.name.strip_prefix("add") {
        Some(rest) => (rest, Effect::Add),
        None => (declared.name.strip_prefix("remove")?, Effect::Remove),
    };
    let first = rest.chars().next().filter(char::is_ascii_uppercase)?;
    let (field, kept) = target(&format!("{}{}", first.to_ascii_lowercase(), &rest[1..]))?;
    let is_list = kept.field_type == FieldType::MFNode && declared.field_type == FieldType::MFNode;
    is_list.then_some((field, effect))
}

/// The field that an event to an input changes, and the value that it has then; none for an input that changes no other field.
pub(crate) fn effect<'v>(
    node_type: &NodeType,
    input: FieldId,
    value: &Value,
    present: impl FnOnce(FieldId) -> Option<std::borrow::Cow<'v, Value>>,
) -> Option<(FieldId, Value)> {
    let (field, effect) = rule(node_type, input)?;
    if effect == Effect::Replace {
        return Some((field, value.clone()));
    }
    let before = present(field)?;
    let (Value::MFNode(before), Value::MFNode(nodes)) = (&*before, value) else { return None };
    let after: Arc<[Option<NodeId>]> = match effect {
        Effect::Remove => before.iter().copied().filter(|n| !nodes.contains(n)).collect(),
        _ => {
            let mut all = before.to_vec();
            for node in nodes.iter().filter(|n| n.is_some()) {
                if !all.contains(node) {
                    all.push(*node);
                }
            }
            all.into()
        }
    };
    Some((field, Value::MFNode(after)))
}

/// The field that an input changes.
pub(super) fn target(node_type: &NodeType, input: FieldId) -> Option<FieldId> {
    rule(node_type, input).map(|(field, _)| field)
}

/// Whether an input of a type changes another field.
pub(crate) fn is_one(node_type: &NodeType, input: FieldId) -> bool {
    rule(node_type, input).is_some()
}

/// A behaviour with the inputs that change other fields; the same one where a type has none.
pub(super) fn with_inputs(node_type: &Arc<NodeType>, inner: Box<dyn Behaviour>) -> Box<dyn Behaviour> {
    let has_some = (0..node_type.fields.len() as u32).any(|k| is_one(node_type, FieldId(k)));
    if has_some { Box::new(FieldInputs::new(node_type, Some(inner))) } else { inner }
}

/// The inputs of a node that change other fields, around what else the node does.
pub(super) struct FieldInputs {
    node_type: Arc<NodeType>,
    inner: Option<Box<dyn Behaviour>>,
    /// What has come of the events of this time stamp: the field and its new value.
    changed: Vec<(FieldId, Value)>,
    /// Whether the node's own behaviour has received something in it.
    received: bool,
}

impl FieldInputs {
    pub(super) fn new(node_type: &Arc<NodeType>, inner: Option<Box<dyn Behaviour>>) -> Self {
        Self { node_type: node_type.clone(), inner, changed: Vec::new(), received: false }
    }
}

impl Behaviour for FieldInputs {
    fn reach(&self) -> Reach {
        self.inner.as_ref().map(|b| b.reach()).unwrap_or_default()
    }
    fn reach_of_host(&self) -> Reach {
        self.inner.as_ref().map(|b| b.reach_of_host()).unwrap_or_default()
    }
    fn initialize(&mut self, turn: &mut dyn Turn) {
        if let Some(inner) = &mut self.inner {
            inner.initialize(turn);
        }
    }
    fn is_time_dependent(&self) -> bool {
        self.inner.as_ref().is_some_and(|b| b.is_time_dependent())
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        if let Some(inner) = &mut self.inner {
            inner.tick(turn);
        }
    }
    fn has_more_to_say(&self) -> bool {
        self.inner.as_ref().is_some_and(|b| b.has_more_to_say())
    }
    fn accepts(&mut self, field: FieldId, value: &Value, turn: &dyn Turn) -> bool {
        self.inner.as_mut().is_none_or(|b| b.accepts(field, value, turn))
    }
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        if let Some(inner) = &mut self.inner {
            inner.host(event, turn);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        let changed = {
            let present = |f: FieldId| {
                let now = self.changed.iter().find(|(k, _)| *k == f).map(|(_, value)| value);
                Some(std::borrow::Cow::Borrowed(now.unwrap_or_else(|| turn.value(f))))
            };
            effect(&self.node_type, field, turn.value(field), present)
        };
        match (changed, &mut self.inner) {
            (Some((field, value)), _) => {
                self.changed.retain(|(k, _)| *k != field);
                self.changed.push((field, value));
            }
            (None, Some(inner)) => {
                // A list that comes as a whole takes the place of what has been added to it before.
                self.changed.retain(|(k, _)| *k != field);
                self.received = true;
                inner.receive(field, turn);
            }
            (None, None) => self.changed.retain(|(k, _)| *k != field),
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        for (field, value) in std::mem::take(&mut self.changed) {
            // A field that has sent in this time stamp sends no more, and has the value all the same.
            turn.set(field, value.clone());
            if self.node_type.fields[field.0 as usize].access.sends() {
                turn.send(field, value);
            }
        }
        let received = std::mem::take(&mut self.received);
        if let Some(inner) = self.inner.as_mut().filter(|inner| received || inner.has_more_to_say()) {
            inner.events_processed(turn);
        }
    }
    fn shutdown(&mut self, turn: &mut dyn Turn) {
        if let Some(inner) = &mut self.inner {
            inner.shutdown(turn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::scene::FieldDeclaration;

    fn a_type(name: &str, fields: &[(&str, Access, Value)]) -> Arc<NodeType> {
        let fields = fields.iter().map(|(name, access, default)| FieldDeclaration {
            name: (*name).into(),
            field_type: default.field_type(),
            access: *access,
            default: default.clone(),
        });
        Arc::new(NodeType { name: name.into(), fields: fields.collect(), is_prototype: false })
    }
    fn nodes(all: &[u32]) -> Value {
        Value::MFNode(all.iter().map(|n| Some(NodeId(*n))).collect())
    }

    #[test]
    fn what_an_input_changes_follows_from_its_name() {
        use Access::{InitializeOnly, InputOnly, InputOutput};
        let indices = |all: &[i32]| Value::MFInt32(all.into());
        let group = a_type(
            "Group",
            &[
                ("addChildren", InputOnly, nodes(&[])),
                ("removeChildren", InputOnly, nodes(&[])),
                ("children", InputOutput, nodes(&[])),
                ("set_index", InputOnly, indices(&[])),
                ("index", InitializeOnly, indices(&[])),
                ("address", InputOnly, nodes(&[])),
                ("set_children", InputOnly, nodes(&[])),
            ],
        );
        let after = |input: u32, value: Value, before: Value| {
            effect(&group, FieldId(input), &value, |_| Some(std::borrow::Cow::Owned(before)))
        };
        assert_eq!(after(0, nodes(&[2, 3, 3]), nodes(&[1, 2])), Some((FieldId(2), nodes(&[1, 2, 3]))));
        assert_eq!(after(1, nodes(&[2, 9]), nodes(&[1, 2, 3])), Some((FieldId(2), nodes(&[1, 3]))));
        assert_eq!(after(3, indices(&[4]), indices(&[1])), Some((FieldId(4), indices(&[4]))));
        assert_eq!(after(5, nodes(&[1]), nodes(&[])), None);
        assert_eq!(after(6, nodes(&[1]), nodes(&[])), None, "that is the field itself");
        let script =
            a_type("Script", &[("set_x", InputOnly, indices(&[])), ("x", InitializeOnly, indices(&[]))]);
        assert!(!is_one(&script, FieldId(0)));
    }
}
