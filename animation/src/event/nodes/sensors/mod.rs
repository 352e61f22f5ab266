//! Sensors that a host feeds: pointers, keys, where the viewer stands, what has been loaded.
//!
//! **Source:** ISO/IEC 19775-1, clauses 20 (pointing devices), 21 (keys), 22 (environment), 38 (picking), 9.4.3 (LoadSensor), 23.4.1 (Collision).

mod drag;
mod environment;
mod keyboard;
mod pick;
mod ray;
mod touch;

use crate::event::behaviour::Behaviour;
use crate::event::scene::NodeType;

pub(super) use environment::Near;
pub use pick::PICK_SENSORS;
pub(super) use touch::behaviour_of as touch_sensor;

/// Types of sensors that a pointing device moves.
pub const POINTING_SENSORS: [&str; 5] =
    ["TouchSensor", "PlaneSensor", "SphereSensor", "CylinderSensor", "GeoTouchSensor"];

/// Types that wait for what only a browser tells them: what the viewer bumps into, which keys are pressed.
pub const BROWSER_SENSORS: [&str; 3] = ["Collision", "KeySensor", "StringSensor"];

/// Types that have a behaviour here.
pub const TYPES: &[&str] = &[
    "TouchSensor",
    "PlaneSensor",
    "CylinderSensor",
    "SphereSensor",
    "KeySensor",
    "StringSensor",
    "ProximitySensor",
    "VisibilitySensor",
    "TransformSensor",
    "Collision",
    "LoadSensor",
    "LOD",
    "LinePickSensor",
    "PointPickSensor",
    "PrimitivePickSensor",
    "VolumePickSensor",
];

/// A sensor's behaviour; none for other types.
pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    match &*node_type.name {
        "TouchSensor" => touch::behaviour_of(node_type),
        "PlaneSensor" | "CylinderSensor" | "SphereSensor" => drag::behaviour_of(node_type),
        name if PICK_SENSORS.contains(&name) => pick::behaviour_of(node_type),
        "KeySensor" | "StringSensor" => keyboard::behaviour_of(node_type),
        _ => environment::behaviour_of(node_type),
    }
}

#[cfg(test)]
mod tests;
