//! LinePickSensor, PointPickSensor, PrimitivePickSensor, VolumePickSensor: what a geometry meets.
//!
//! Which geometry that is, the host finds out, as it knows where things are; a sensor makes events of it. While a sensor is active, each of its
//! outputs is sent when it changes.
//!
//! **Source:** ISO/IEC 19775-1, clause 38, *Picking component*.

use std::sync::Arc;

use super::super::port::{MFVec3f, Port, SFBool};
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::field::{FieldType, Value};
use crate::event::host::HostEvent;
use crate::event::scene::NodeType;
use crate::event::{FieldId, NodeId};

/// Types of sensors that find what a geometry meets.
pub const PICK_SENSORS: [&str; 4] =
    ["LinePickSensor", "PointPickSensor", "PrimitivePickSensor", "VolumePickSensor"];

pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    let geometry = node_type.field("pickedGeometry")?;
    if node_type.fields[geometry.0 as usize].field_type != FieldType::MFNode {
        return None;
    }
    Some(Box::new(PickSensor {
        enabled: Port::of(node_type, "enabled")?,
        is_active: Port::of(node_type, "isActive")?,
        geometry,
        points: Port::of(node_type, "pickedPoint"),
        normals: Port::of(node_type, "pickedNormal"),
        last: None,
    }))
}

/// What was met last.
type Met = (Arc<[Option<NodeId>]>, Arc<[[f32; 3]]>, Arc<[[f32; 3]]>);

#[derive(Clone)]
struct PickSensor {
    enabled: Port<SFBool>,
    is_active: Port<SFBool>,
    geometry: FieldId,
    /// Of those that know where they meet something.
    points: Option<Port<MFVec3f>>,
    normals: Option<Port<MFVec3f>>,
    /// None where nothing is met.
    last: Option<Met>,
}

impl PickSensor {
    fn end(&mut self, turn: &mut dyn Turn) {
        if self.last.take().is_some() {
            self.is_active.say(turn, false);
        }
    }
}

impl Behaviour for PickSensor {
    fn host(&mut self, event: &HostEvent, turn: &mut dyn Turn) {
        let HostEvent::Picked { geometry, points, normals } = event else { return };
        if !self.enabled.get(turn) {
            return;
        }
        if geometry.is_empty() {
            return self.end(turn);
        }
        let before = self.last.take();
        if before.is_none() {
            self.is_active.say(turn, true);
        }
        if before.as_ref().is_none_or(|b| b.0 != *geometry) {
            turn.send(self.geometry, Value::MFNode(geometry.clone()));
        }
        if let Some(port) = self.points.filter(|_| before.as_ref().is_none_or(|b| b.1 != *points)) {
            port.send(turn, points.clone());
        }
        if let Some(port) = self.normals.filter(|_| before.as_ref().is_none_or(|b| b.2 != *normals)) {
            port.send(turn, normals.clone());
        }
        self.last = Some((geometry.clone(), points.clone(), normals.clone()));
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if self.enabled.is(field) && !self.enabled.get(turn) {
            self.end(turn);
        }
    }
}
