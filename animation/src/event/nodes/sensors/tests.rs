use std::f32::consts::FRAC_PI_2;

use crate::event::field::Access::{InputOutput, OutputOnly};
use crate::event::field::Value::{
    self, MFFloat, SFBool, SFFloat, SFInt32, SFRotation, SFString, SFTime, SFVec2f, SFVec3f,
};
use crate::event::host::{ActionKey, Hit, HostEvent, Key, Loading, Pointer};
use crate::event::nodes::bench::Bench;

const ZERO: Value = SFVec3f([0.0; 3]);
const NO: Value = SFBool(false);

/// A pointer that looks along -z at a place, on the geometry or past it.
fn pointer(x: f32, y: f32, z: Option<f32>, pressed: bool) -> HostEvent {
    let hit = z.map(|z| Hit { point: [x, y, z], normal: [0.0, 0.0, 1.0], tex_coord: [x, y] });
    HostEvent::Pointer(Pointer { origin: [x, y, 10.0], direction: [0.0, 0.0, -1.0], hit, pressed })
}

fn touch_sensor() -> Bench {
    Bench::new(
        "TouchSensor",
        &[
            ("enabled", InputOutput, SFBool(true)),
            ("hitNormal_changed", OutputOnly, ZERO),
            ("hitPoint_changed", OutputOnly, ZERO),
            ("hitTexCoord_changed", OutputOnly, SFVec2f([0.0; 2])),
            ("isActive", OutputOnly, NO),
            ("isOver", OutputOnly, NO),
            ("touchTime", OutputOnly, SFTime(0.0)),
        ],
    )
}

fn key_sensor() -> Bench {
    Bench::new(
        "KeySensor",
        &[
            ("enabled", InputOutput, SFBool(true)),
            ("actionKeyPress", OutputOnly, SFInt32(0)),
            ("actionKeyRelease", OutputOnly, SFInt32(0)),
            ("altKey", OutputOnly, NO),
            ("controlKey", OutputOnly, NO),
            ("isActive", OutputOnly, NO),
            ("keyPress", OutputOnly, SFString("".into())),
            ("keyRelease", OutputOnly, SFString("".into())),
            ("shiftKey", OutputOnly, NO),
        ],
    )
}

#[test]
fn a_touch_is_a_press_and_a_release_over_the_geometry() {
    let mut b = touch_sensor();
    assert!(b.host(1.0, &pointer(0.0, 0.0, None, false)).is_empty());
    let sent = b.host(2.0, &pointer(0.5, 0.0, Some(1.0), false));
    assert_eq!(sent[0], ("isOver", SFBool(true)));
    assert_eq!(sent[1], ("hitPoint_changed", SFVec3f([0.5, 0.0, 1.0])));
    assert_eq!(b.host(3.0, &pointer(0.5, 0.0, Some(1.0), true)), [("isActive", SFBool(true))]);
    assert_eq!(
        b.host(4.0, &pointer(0.5, 0.0, Some(1.0), false)),
        [("isActive", NO), ("touchTime", SFTime(4.0))]
    );
    // Let go elsewhere is no touch, and pressed elsewhere is no press.
    b.host(5.0, &pointer(0.5, 0.0, Some(1.0), true));
    b.host(6.0, &pointer(9.0, 0.0, None, true));
    assert_eq!(b.host(7.0, &pointer(9.0, 0.0, None, false)), [("isActive", NO)]);
    b.host(8.0, &pointer(9.0, 0.0, None, true));
    let sent = b.host(9.0, &pointer(0.5, 0.0, Some(1.0), true));
    assert!(sent.iter().all(|s| s.0 != "isActive"));
}

fn drag(name: &str, moved: (&'static str, Value), offset: Value, more: &[(&'static str, Value)]) -> Bench {
    let mut fields = vec![
        ("enabled", InputOutput, SFBool(true)),
        ("autoOffset", InputOutput, SFBool(true)),
        ("offset", InputOutput, offset),
        ("isActive", OutputOnly, NO),
        ("isOver", OutputOnly, NO),
        ("trackPoint_changed", OutputOnly, ZERO),
        (moved.0, OutputOnly, moved.1),
    ];
    fields.extend(more.iter().map(|(n, v)| (*n, InputOutput, v.clone())));
    Bench::new(name, &fields)
}

#[test]
fn a_plane_sensor_moves_within_its_limits_and_goes_on_from_there() {
    let mut b = drag(
        "PlaneSensor",
        ("translation_changed", ZERO),
        ZERO,
        &[("minPosition", SFVec2f([0.0, 1.0])), ("maxPosition", SFVec2f([3.0, -1.0]))],
    );
    b.host(0.0, &pointer(1.0, 1.0, Some(2.0), true));
    let sent = b.host(1.0, &pointer(3.0, -4.0, None, true));
    assert_eq!(
        sent.last(),
        Some(&("translation_changed", SFVec3f([2.0, -5.0, 0.0]))),
        "y has no limits: its lower one is the higher"
    );
    assert!(sent.contains(&("trackPoint_changed", SFVec3f([3.0, -4.0, 2.0]))));
    let sent = b.host(2.0, &pointer(9.0, 0.0, None, true));
    assert_eq!(sent.last(), Some(&("translation_changed", SFVec3f([3.0, -1.0, 0.0]))));
    let sent = b.host(3.0, &pointer(9.0, 0.0, None, false));
    assert_eq!(sent, [("isActive", NO), ("offset", SFVec3f([3.0, -1.0, 0.0]))]);
    b.host(4.0, &pointer(0.0, 0.0, Some(2.0), true));
    let sent = b.host(5.0, &pointer(-1.0, 0.0, None, true));
    assert_eq!(sent.last(), Some(&("translation_changed", SFVec3f([2.0, -1.0, 0.0]))));
}

#[test]
fn a_cylinder_sensor_turns_about_y() {
    let mut b = drag(
        "CylinderSensor",
        ("rotation_changed", SFRotation([0.0, 0.0, 1.0, 0.0])),
        SFFloat(0.0),
        &[("diskAngle", SFFloat(0.26)), ("minAngle", SFFloat(0.0)), ("maxAngle", SFFloat(-1.0))],
    );
    b.host(0.0, &pointer(0.0, 0.0, Some(1.0), true));
    b.host(1.0, &pointer(0.5, 0.0, None, true));
    let SFRotation(r) = b.value("rotation_changed") else { panic!() };
    assert!((r[3] - 0.5f32.asin()).abs() < 1e-5, "{r:?}");
    // Past the mantle the nearest point counts.
    b.host(2.0, &pointer(3.0, 0.0, None, true));
    let SFRotation(r) = b.value("rotation_changed") else { panic!() };
    assert!((r[3] - FRAC_PI_2).abs() < 1e-5, "{r:?}");
    let sent = b.host(3.0, &pointer(3.0, 0.0, None, false));
    assert!(matches!(sent.last(), Some(("offset", SFFloat(a))) if (a - FRAC_PI_2).abs() < 1e-5));
    // Seen from above it is a disk.
    let from_above = |x: f32, z: f32, pressed| {
        let hit = Hit { point: [x, 1.0, z], normal: [0.0, 1.0, 0.0], tex_coord: [0.0; 2] };
        let (origin, direction) = ([x, 9.0, z], [0.0, -1.0, 0.0]);
        HostEvent::Pointer(Pointer { origin, direction, hit: Some(hit), pressed })
    };
    b.host(4.0, &from_above(0.0, 1.0, true));
    b.host(5.0, &from_above(-1.0, 0.0, true));
    let SFRotation(r) = b.value("rotation_changed") else { panic!() };
    assert!(r[3].abs() < 1e-5, "back from where it was left: {r:?}");
}

#[test]
fn a_sphere_sensor_turns_the_point_along() {
    let mut b = drag(
        "SphereSensor",
        ("rotation_changed", SFRotation([0.0, 0.0, 1.0, 0.0])),
        SFRotation([0.0, 1.0, 0.0, 0.0]),
        &[],
    );
    b.host(0.0, &pointer(0.0, 0.0, Some(1.0), true));
    b.host(1.0, &pointer(0.0, 1.0, None, true));
    let SFRotation(r) = b.value("rotation_changed") else { panic!() };
    assert!((r[0] + 1.0).abs() < 1e-5 && (r[3] - FRAC_PI_2).abs() < 1e-3, "{r:?}");
    let sent = b.host(2.0, &pointer(0.0, 1.0, None, false));
    assert_eq!(sent.last().map(|s| s.0), Some("offset"));
}

#[test]
fn keys_are_characters_actions_and_modifiers() {
    let mut b = key_sensor();
    let key = |key, pressed| HostEvent::Key { key, pressed };
    assert_eq!(b.host(0.0, &key(Key::Shift, true)), [("shiftKey", SFBool(true)), ("isActive", SFBool(true))]);
    assert_eq!(b.host(0.1, &key(Key::Character('A'), true)), [("keyPress", SFString("A".into()))]);
    assert_eq!(b.host(0.2, &key(Key::Character('A'), false)), [("keyRelease", SFString("A".into()))]);
    assert_eq!(b.host(0.3, &key(Key::Shift, false)), [("shiftKey", NO), ("isActive", NO)]);
    let sent = b.host(0.4, &key(Key::Action(ActionKey::Up), true));
    assert_eq!(sent[0], ("actionKeyPress", SFInt32(17)));
}

#[test]
fn text_is_whole_with_enter() {
    let mut b = Bench::new(
        "StringSensor",
        &[
            ("enabled", InputOutput, SFBool(true)),
            ("deletionAllowed", InputOutput, SFBool(true)),
            ("enteredText", OutputOnly, SFString("".into())),
            ("finalText", OutputOnly, SFString("".into())),
            ("isActive", OutputOnly, NO),
        ],
    );
    let mut write = |c: char| {
        let event = HostEvent::Key { key: Key::Character(c), pressed: true };
        b.host(0.0, &event).into_iter().map(|(n, v)| (n.to_owned(), v)).collect::<Vec<_>>()
    };
    let text = |name: &str, t: &str| (name.to_owned(), SFString(t.into()));
    assert_eq!(write('ä'), [("isActive".to_owned(), SFBool(true)), text("enteredText", "ä")]);
    assert_eq!(write('b'), [text("enteredText", "äb")]);
    assert_eq!(write('\u{8}'), [text("enteredText", "ä")]);
    assert_eq!(write('\r'), [text("finalText", "ä"), ("isActive".to_owned(), NO)]);
    assert!(write('\u{8}').is_empty());
}

#[test]
fn the_viewer_s_nearness_is_told() {
    let mut b = Bench::new(
        "ProximitySensor",
        &[
            ("enabled", InputOutput, SFBool(true)),
            ("center", InputOutput, SFVec3f([1.0, 0.0, 0.0])),
            ("size", InputOutput, SFVec3f([2.0, 2.0, 2.0])),
            ("isActive", OutputOnly, NO),
            ("enterTime", OutputOnly, SFTime(0.0)),
            ("exitTime", OutputOnly, SFTime(0.0)),
            ("position_changed", OutputOnly, ZERO),
            ("orientation_changed", OutputOnly, SFRotation([0.0; 4])),
            ("centerOfRotation_changed", OutputOnly, ZERO),
        ],
    );
    let looking = |x: f32, center_of_rotation| HostEvent::Viewer {
        position: [x, 0.0, 0.0],
        orientation: [0.0, 0.0, 1.0, 0.0],
        center_of_rotation,
    };
    let viewer = |x| looking(x, None);
    assert!(b.host(0.0, &viewer(-0.5)).is_empty());
    let sent = b.host(1.0, &viewer(0.5));
    assert_eq!(sent[..2], [("isActive", SFBool(true)), ("enterTime", SFTime(1.0))]);
    let turned = ("orientation_changed", SFRotation([0.0, 0.0, 1.0, 0.0]));
    assert_eq!(sent[2..], [("position_changed", SFVec3f([0.5, 0.0, 0.0])), turned.clone()]);
    assert_eq!(b.host(2.0, &viewer(1.5)), [("position_changed", SFVec3f([1.5, 0.0, 0.0]))]);
    assert!(b.host(3.0, &viewer(1.5)).is_empty());
    let center = Some([7.0, 0.0, 0.0]);
    let changed = ("centerOfRotation_changed", SFVec3f([7.0, 0.0, 0.0]));
    assert_eq!(b.host(3.5, &looking(1.5, center)), std::slice::from_ref(&changed));
    assert!(b.host(3.6, &viewer(1.5)).is_empty());
    let gone = [
        ("isActive", NO),
        ("exitTime", SFTime(4.0)),
        ("position_changed", SFVec3f([2.5, 0.0, 0.0])),
        turned,
        changed,
    ];
    assert_eq!(b.host(4.0, &looking(2.5, center)), gone);
    assert!(b.host(4.5, &looking(2.6, center)).is_empty());
    b.host(5.0, &viewer(1.0));
    assert_eq!(b.tick_with(6.0, &[("enabled", NO)]), [("isActive", NO), ("exitTime", SFTime(6.0))]);
}

#[test]
fn levels_follow_the_distance() {
    let mut b = Bench::new(
        "LOD",
        &[
            ("center", InputOutput, ZERO),
            ("range", InputOutput, MFFloat([2.0, 5.0].into())),
            ("level_changed", OutputOnly, SFInt32(0)),
        ],
    );
    let viewer = |x: f32| HostEvent::Viewer {
        position: [x, 0.0, 0.0],
        orientation: [0.0; 4],
        center_of_rotation: None,
    };
    let levels: Vec<_> = [1.0, 1.5, 2.0, 4.9, 50.0, 1.0]
        .map(|x| b.host(0.0, &viewer(x)).first().map(|s| s.1.clone()))
        .into_iter()
        .collect();
    let level = |k| Some(SFInt32(k));
    assert_eq!(levels, [level(0), None, level(1), None, level(2), level(0)]);
}

#[test]
fn loading_ends_when_all_is_there_or_has_failed() {
    let mut b = Bench::new(
        "LoadSensor",
        &[
            ("enabled", InputOutput, SFBool(true)),
            ("isActive", OutputOnly, NO),
            ("isLoaded", OutputOnly, NO),
            ("loadTime", OutputOnly, SFTime(0.0)),
            ("progress", OutputOnly, SFFloat(0.0)),
        ],
    );
    let load = |news: &[(u32, Loading)]| HostEvent::Load(news.into());
    let (loaded, failed) = (Loading::Loaded, Loading::Failed);
    assert_eq!(
        b.host(0.0, &load(&[(1, Loading::Progress(0.5))])),
        [("isActive", SFBool(true)), ("progress", SFFloat(0.25))]
    );
    assert_eq!(b.host(1.0, &load(&[(0, loaded)])), [("progress", SFFloat(0.75))]);
    assert_eq!(
        b.host(2.0, &load(&[(1, loaded)])),
        [("progress", SFFloat(1.0)), ("isActive", NO), ("isLoaded", SFBool(true)), ("loadTime", SFTime(2.0))]
    );
    assert_eq!(b.host(3.0, &load(&[(1, failed)])), [("progress", SFFloat(1.0)), ("isLoaded", NO)]);
    assert_eq!(
        b.host(4.0, &load(&[(0, loaded), (1, failed)])),
        [("progress", SFFloat(1.0)), ("isLoaded", NO)]
    );
    assert!(b.host(5.0, &load(&[(u32::MAX, loaded)])).is_empty());
}

mod states;
