//! X3D's pointing sensors, pressed by the mouse in the real window.

use crate::desktop::Desktop;
use crate::picture::{Picture, blue, red};

const SHIFT: u32 = 0xffe1;
const P: u32 = 'p' as u32;
const ESCAPE: u32 = 0xff1b;

/// A blue box that is red while its sensor is pressed, and does what the sensor says.
fn scene(sensor: &str, moves: &str) -> String {
    format!(
        "#X3D V3.3 utf8
PROFILE Immersive
DEF MOVED Transform {{ children Shape {{
  appearance Appearance {{ material DEF PAINT Material {{ diffuseColor 0 0 1 }} }} geometry Box {{ }} }} }}
DEF SENSOR {sensor} {{ }}
DEF PAINTER Script {{ inputOnly SFBool pressed outputOnly SFColor color
  url \"ecmascript: function pressed(on) {{ color = on ? new SFColor(1, 0, 0) : new SFColor(0, 0, 1); }}\" }}
ROUTE SENSOR.isActive TO PAINTER.pressed
ROUTE PAINTER.color TO PAINT.diffuseColor
{moves}
"
    )
}

fn middle(p: &Picture, color: fn([u8; 3]) -> bool) -> Option<[f64; 2]> {
    p.find(color).filter(|(n, _)| *n > 500).map(|(_, at)| at)
}

/// Presses the mouse over the box, drags it to the right, lets go; returns the events. None where there is no display.
fn pressed(sensor: &str, moves: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, log) = (folder.path().join("a.x3dv"), folder.path().join("events.jsonl"));
    std::fs::write(&file, scene(sensor, moves)).expect("a file");
    let [file, log] = [file, log].map(|p| p.to_str().expect("its name is text").to_owned());
    let arguments = [&file, "--size", "480x360", "--threads", "1", "--export-events", &log];
    let mut desktop = Desktop::start(&arguments)?;
    desktop.key(P);
    let [x, y] = desktop.wait("a blue box", |p| middle(p, blue)).map(|c| c as i16);
    desktop.hold(SHIFT, true);
    desktop.point([x, y]);
    desktop.button(1, true);
    desktop.wait("a red box", |p| middle(p, red));
    desktop.point([x + 30, y]);
    desktop.point([x + 60, y]);
    // What a drag leads to is in the file as soon as its frame is done.
    let last = moves.split_whitespace().nth(1).unwrap_or("SENSOR.isActive");
    let is_there = || std::fs::read_to_string(&log).is_ok_and(|events| events.contains(last));
    desktop.wait("the drag", |_| is_there().then_some(()));
    desktop.button(1, false);
    desktop.hold(SHIFT, false);
    desktop.wait("a blue box again", |p| middle(p, blue));
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
    Some(std::fs::read_to_string(&log).expect("events"))
}

/// How many events of a field there are, with this in their line.
fn count(events: &str, from: &str, what: &str) -> usize {
    events.lines().filter(|l| l.contains(&format!("\"from\":\"{from}\"")) && l.contains(what)).count()
}

fn is_pressed_once(events: &str) {
    let of = |value: &str| count(events, "SENSOR.isActive", &format!("\"value\":{value}"));
    assert_eq!((of("true"), of("false")), (1, 1), "{events}");
    assert_eq!(count(events, "PAINTER.color", "[1.0,0.0,0.0]"), 1, "{events}");
}

#[test]
fn a_touch_sensor_hears_the_mouse_and_a_route_paints_the_box() {
    if let Some(events) = pressed("TouchSensor", "") {
        is_pressed_once(&events);
    }
}

#[test]
fn a_plane_sensor_moves_the_box() {
    let moves = "ROUTE SENSOR.translation_changed TO MOVED.translation";
    let Some(events) = pressed("PlaneSensor", moves) else { return };
    is_pressed_once(&events);
    assert!(count(&events, "SENSOR.translation_changed", "MOVED.translation") > 0, "{events}");
}

#[test]
fn a_sphere_and_a_cylinder_sensor_turn_the_box() {
    for sensor in ["SphereSensor", "CylinderSensor"] {
        let Some(events) = pressed(sensor, "ROUTE SENSOR.rotation_changed TO MOVED.rotation") else { return };
        is_pressed_once(&events);
        assert!(count(&events, "SENSOR.rotation_changed", "MOVED.rotation") > 0, "{events}");
    }
}
