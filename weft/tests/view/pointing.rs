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

/// A box that is looked at from the front, at the place and with the turn of its group; what its sensor sends is noted.
const TOUCHED: &str = "#X3D V3.3 utf8
PROFILE Immersive
Viewpoint { position 5 0 8 orientation 0 0 1 0 }
Transform { translation 5 0 0 rotation 0 0 1 1.5707963 children [
  DEF SENSOR TouchSensor { }
  Shape { appearance Appearance { material Material { diffuseColor 0 0 1 } } geometry Box { } } ] }
DEF NOTED Script { inputOnly SFBool over inputOnly SFBool active inputOnly SFTime time inputOnly SFVec3f point
  inputOnly SFVec3f normal inputOnly SFVec2f tex url \"ecmascript: \" }
ROUTE SENSOR.isOver TO NOTED.over
ROUTE SENSOR.isActive TO NOTED.active
ROUTE SENSOR.touchTime TO NOTED.time
ROUTE SENSOR.hitPoint_changed TO NOTED.point
ROUTE SENSOR.hitNormal_changed TO NOTED.normal
ROUTE SENSOR.hitTexCoord_changed TO NOTED.tex
";

/// The values of a field in the order in which they came.
fn values(events: &str, from: &str) -> Vec<String> {
    let of = events.lines().filter(|l| l.contains(&format!("\"from\":\"{from}\"")));
    of.filter_map(|l| l.split_once("\"value\":")).map(|(_, v)| v.trim_end_matches('}').to_owned()).collect()
}

fn numbers(value: &str) -> Vec<f64> {
    value.trim_matches(['[', ']']).split(',').map(|x| x.parse().expect("a number")).collect()
}

#[test]
fn a_touch_sensor_hears_where_the_mouse_is_and_of_a_touch_only_if_it_ends_on_the_shape() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, log) = (folder.path().join("a.x3dv"), folder.path().join("events.jsonl"));
    std::fs::write(&file, TOUCHED).expect("a file");
    let [file, log] = [file, log].map(|p| p.to_str().expect("its name is text").to_owned());
    let arguments = [&file, "--size", "480x360", "--threads", "1", "--export-events", &log];
    let Some(mut desktop) = Desktop::start(&arguments) else { return };
    let events = || std::fs::read_to_string(&log).unwrap_or_default();
    let n = |from: &str| values(&events(), from).len();
    desktop.key(P);
    let [x, y] = desktop.wait("a blue box", |p| middle(p, blue)).map(|c| c as i16);
    // Over it without a button.
    desktop.point([x - 20, y]);
    desktop.wait("the mouse over it", |_| (n("SENSOR.hitPoint_changed") == 1).then_some(()));
    desktop.point([x + 20, y - 10]);
    desktop.wait("the mouse elsewhere", |_| (n("SENSOR.hitPoint_changed") == 2).then_some(()));
    assert_eq!(values(&events(), "SENSOR.isOver"), ["true"]);
    assert_eq!(values(&events(), "SENSOR.isActive"), [""; 0]);
    // Pressed, moved off and let go there: no touch.
    desktop.hold(SHIFT, true);
    desktop.button(1, true);
    desktop.wait("the button", |_| (n("SENSOR.isActive") == 1).then_some(()));
    desktop.point([3, 3]);
    desktop.wait("the mouse beside it", |_| (n("SENSOR.isOver") == 2).then_some(()));
    desktop.button(1, false);
    desktop.wait("the button again", |_| (n("SENSOR.isActive") == 2).then_some(()));
    assert_eq!(values(&events(), "SENSOR.touchTime"), [""; 0]);
    // Pressed beside it and moved over it: it does not become active. Pressed and let go on it: a touch.
    desktop.button(1, true);
    desktop.point([x, y]);
    desktop.wait("the mouse over it again", |_| (n("SENSOR.isOver") == 3).then_some(()));
    desktop.button(1, false);
    desktop.button(1, true);
    desktop.button(1, false);
    desktop.wait("the touch", |_| (n("SENSOR.touchTime") == 1).then_some(()));
    desktop.hold(SHIFT, false);
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
    let events = events();
    assert_eq!(values(&events, "SENSOR.isOver"), ["true", "false", "true"]);
    assert_eq!(values(&events, "SENSOR.isActive"), ["true", "false", "true", "false"]);
    let points = values(&events, "SENSOR.hitPoint_changed");
    let [left, right] = [&points[0], &points[1]].map(|p| numbers(p));
    // What is right in the picture is down in the group's coordinates, which are turned by a quarter.
    assert!(left[1] > 0.1 && right[1] < -0.1 && right[0] > left[0] + 0.05, "{points:?}");
    assert!((left[2] - 1.0).abs() < 1e-5 && (right[2] - 1.0).abs() < 1e-5, "{points:?}");
    let normals = values(&events, "SENSOR.hitNormal_changed");
    assert!(normals.iter().all(|n| numbers(n)[2] > 0.999), "the box's front: {normals:?}");
    let textures = values(&events, "SENSOR.hitTexCoord_changed");
    let [s, t] = [0, 1].map(|k| numbers(&textures[0])[k]);
    assert!((s - 0.5 - left[0] / 2.0).abs() < 1e-5 && (t - 0.5 - left[1] / 2.0).abs() < 1e-5, "{textures:?}");
}
