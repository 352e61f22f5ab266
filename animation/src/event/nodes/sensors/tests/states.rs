//! What a sensor senses ends in the frame in which it has begun: it says so in the next one.

use std::sync::Arc;

use super::{NO, ZERO, drag, key_sensor, pointer, touch_sensor};
use crate::event::NodeId;
use crate::event::field::Access::{InputOutput, OutputOnly};
use crate::event::field::Value::{self, MFNode, MFVec3f, SFBool, SFRotation, SFTime};
use crate::event::host::{HostEvent, Key};
use crate::event::nodes::bench::Bench;

const OFF: (&str, Value) = ("enabled", SFBool(false));
const YES: Value = SFBool(true);

/// Switches a sensor off in the frame in which it is told something; what it says of a state then, and a frame later.
fn switched_off(mut b: Bench, event: &HostEvent, state: &str) {
    let sent = b.host_with(1.0, event, &[OFF]);
    assert!(sent.contains(&(state, YES)), "{state}: {sent:?}");
    let sent = b.tick(2.0);
    assert!(sent.contains(&(state, NO)), "{state}: {sent:?}");
    assert!(b.tick(3.0).is_empty(), "{state}");
}

fn near(name: &str) -> Bench {
    Bench::new(
        name,
        &[
            ("enabled", InputOutput, YES),
            ("center", InputOutput, ZERO),
            ("size", InputOutput, Value::SFVec3f([2.0; 3])),
            ("isActive", OutputOnly, NO),
            ("enterTime", OutputOnly, SFTime(0.0)),
            ("exitTime", OutputOnly, SFTime(0.0)),
            ("position_changed", OutputOnly, ZERO),
            ("orientation_changed", OutputOnly, SFRotation([0.0; 4])),
        ],
    )
}

#[test]
fn environment_sensors_that_are_switched_off_at_once_say_so() {
    let (position, orientation) = ([0.0; 3], [0.0, 0.0, 1.0, 0.0]);
    let viewer = HostEvent::Viewer { position, orientation, center_of_rotation: None };
    switched_off(near("ProximitySensor"), &viewer, "isActive");
    switched_off(near("TransformSensor"), &HostEvent::Target { position, orientation }, "isActive");
    switched_off(near("VisibilitySensor"), &HostEvent::Visible(true), "isActive");
    let fields = [
        ("enabled", InputOutput, YES),
        ("isActive", OutputOnly, NO),
        ("collideTime", OutputOnly, SFTime(0.0)),
    ];
    switched_off(Bench::new("Collision", &fields), &HostEvent::Colliding(true), "isActive");
}

#[test]
fn a_pick_sensor_that_is_switched_off_at_once_says_so() {
    let b = Bench::new(
        "LinePickSensor",
        &[
            ("enabled", InputOutput, YES),
            ("isActive", OutputOnly, NO),
            ("pickedGeometry", OutputOnly, MFNode([].into())),
            ("pickedPoint", OutputOnly, MFVec3f([].into())),
        ],
    );
    let (points, normals): (Arc<[_]>, Arc<[_]>) = ([[0.0; 3]].into(), [].into());
    switched_off(b, &HostEvent::Picked { geometry: [Some(NodeId(7))].into(), points, normals }, "isActive");
}

#[test]
fn pointing_sensors_that_are_switched_off_at_once_say_so() {
    let sphere = || {
        let turned = SFRotation([0.0, 1.0, 0.0, 0.0]);
        drag("SphereSensor", ("rotation_changed", turned.clone()), turned, &[])
    };
    for state in ["isActive", "isOver"] {
        switched_off(touch_sensor(), &pointer(0.0, 0.0, Some(1.0), true), state);
        switched_off(sphere(), &pointer(0.0, 0.0, Some(1.0), true), state);
    }
}

#[test]
fn keys_that_are_pressed_and_let_go_in_a_frame_are_up_in_the_next_one() {
    let mut b = key_sensor();
    let events = [true, false].map(|pressed| HostEvent::Key { key: Key::Shift, pressed });
    assert_eq!(b.told(1.0, &events), [("shiftKey", YES), ("isActive", YES)]);
    assert_eq!(b.tick(2.0), [("shiftKey", NO), ("isActive", NO)]);
    assert!(b.tick(3.0).is_empty());
}
