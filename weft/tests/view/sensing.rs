//! What X3D's nodes sense of who sits before the real window: where the camera is, and which keys are pressed.

use crate::desktop::Desktop;
use crate::picture::{blue, red};

const CONTROL: u32 = 0xffe3;
const SHIFT: u32 = 0xffe1;
const ESCAPE: u32 = 0xff1b;
const N: u32 = 'n' as u32;
const LEFT: u32 = 0xff51;
const ENTER: u32 = 0xff0d;

/// A blue box that is red from when a key writes `N` on; a file's viewpoint, 8 m away.
const SCENE: &str = "#X3D V3.3 utf8
PROFILE Full
DEF EYE Viewpoint { position 0 0 8 }
DEF CLOCK TimeSensor { loop TRUE }
Shape { appearance Appearance { material DEF PAINT Material { diffuseColor 0 0 1 } } geometry Box { } }
DEF KEYS KeySensor { }
DEF TEXT StringSensor { }
DEF NEAR ProximitySensor { size 1000 1000 1000 }
DEF SEEN VisibilitySensor { size 1 1 1 }
DEF PAINTER Script { inputOnly SFString key inputOnly SFInt32 action inputOnly SFString text inputOnly SFVec3f at inputOnly SFBool seen
  inputOnly SFFloat f outputOnly SFColor color
  url \"ecmascript: function key(k) { if (k == 'N') color = new SFColor(1, 0, 0); }\" }
ROUTE CLOCK.fraction_changed TO PAINTER.f
ROUTE KEYS.keyPress TO PAINTER.key
ROUTE KEYS.actionKeyPress TO PAINTER.action
ROUTE TEXT.finalText TO PAINTER.text
ROUTE NEAR.position_changed TO PAINTER.at
ROUTE SEEN.isActive TO PAINTER.seen
ROUTE PAINTER.color TO PAINT.diffuseColor
";

#[test]
fn nodes_sense_the_camera_and_the_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, log) = (folder.path().join("a.x3dv"), folder.path().join("events.jsonl"));
    std::fs::write(&file, SCENE).expect("a file");
    let [file, log] = [file, log].map(|p| p.to_str().expect("its name is text").to_owned());
    let arguments = [&file, "--size", "480x360", "--threads", "1", "--export-events", &log];
    let Some(mut desktop) = Desktop::start(&arguments) else { return };
    let events = || std::fs::read_to_string(&log).unwrap_or_default();
    desktop.wait("a blue box", |p| p.find(blue).filter(|(n, _)| *n > 500));
    desktop.wait("the camera", |_| events().contains("\"from\":\"NEAR.position_changed\"").then_some(()));
    // The file's viewpoint, seen from which the box is before the camera.
    let first = events();
    let first = first.lines().find(|l| l.contains("NEAR.position_changed")).expect("it was there");
    assert!(first.contains("\"value\":[0.0,0.0,8.0]"), "{first}");
    desktop.wait("the box in sight", |_| {
        events().contains("\"from\":\"SEEN.isActive\",\"to\":\"PAINTER.seen\",\"value\":true").then_some(())
    });
    // The scene has the keys: N is written, and no frame is done alone.
    desktop.hold(SHIFT, true);
    desktop.key(N);
    desktop.hold(SHIFT, false);
    desktop.wait("a red box", |p| p.find(red).filter(|(n, _)| *n > 500));
    desktop.key(LEFT);
    desktop.key(ENTER);
    let is_there = |what: &str| events().contains(what).then_some(());
    desktop.wait("the arrow", |_| {
        is_there("\"from\":\"KEYS.actionKeyPress\",\"to\":\"PAINTER.action\",\"value\":19")
    });
    desktop.wait("the text", |_| {
        is_there("\"from\":\"TEXT.finalText\",\"to\":\"PAINTER.text\",\"value\":\"N\"")
    });
    // The camera goes round the box.
    let n_places = |events: &str| events.matches("NEAR.position_changed").count();
    let before = n_places(&events());
    desktop.point([200, 200]);
    desktop.button(1, true);
    desktop.point([260, 200]);
    desktop.button(1, false);
    desktop.wait("the camera elsewhere", |_| (n_places(&events()) > before).then_some(()));
    // With control the window has its keys: one frame, and none by itself.
    desktop.hold(CONTROL, true);
    desktop.key(N);
    desktop.hold(CONTROL, false);
    desktop.key(ESCAPE);
    assert_eq!(desktop.end(), Some(0));
}
