//! What nodes sense of the viewer, in runs of the program itself: it looks from the viewpoint that is bound.

use std::path::Path;

use super::{WAYS, complaints, weft};

/// A viewpoint that rides through a box on an animated Transform, another one that a Script binds, a level of detail, a box that is seen.
const SCENE: &str = r#"#X3D V3.3 utf8
PROFILE Full
DEF CLOCK TimeSensor { cycleInterval 1 loop TRUE }
DEF WAY PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 10, 0 0 -10 ] }
DEF RIDE Transform { translation 0 0 10 children DEF EYE Viewpoint { position 0 0 0 } }
DEF FAR Viewpoint { position 0 0 100 orientation 0 1 0 3.1415927 }
DEF NEAR ProximitySensor { size 8 8 8 }
DEF SEEN VisibilitySensor { size 1 1 1 }
DEF LEVELS LOD { range [ 5 20 ] children [ Group { } Group { } Group { } ] }
DEF HEARD Script {
  inputOnly SFBool near inputOnly SFTime enter inputOnly SFTime exit inputOnly SFVec3f at inputOnly SFInt32 level inputOnly SFBool seen
  inputOnly SFTime cycle outputOnly SFBool far initializeOnly SFInt32 n 0
  url "ecmascript: function near() { } function cycle() { n = n + 1; if (n == 2) { far = true; } }"
}
ROUTE CLOCK.fraction_changed TO WAY.set_fraction
ROUTE CLOCK.cycleTime TO HEARD.cycle
ROUTE WAY.value_changed TO RIDE.translation
ROUTE NEAR.isActive TO HEARD.near
ROUTE NEAR.enterTime TO HEARD.enter
ROUTE NEAR.exitTime TO HEARD.exit
ROUTE NEAR.position_changed TO HEARD.at
ROUTE LEVELS.level_changed TO HEARD.level
ROUTE SEEN.isActive TO HEARD.seen
ROUTE HEARD.far TO FAR.set_bind
"#;

fn events(folder: &Path, options: &[&str]) -> String {
    std::fs::write(folder.join("a.x3dv"), SCENE).expect("a file");
    let run = ["run", "a.x3dv", "--steps", "15", "--dt", "0.1", "--quiet", "--export-events", "e.jsonl"];
    let output = weft(folder, &[&run[..], options].concat());
    let said = complaints(&output);
    assert!(output.status.success() && said.is_empty(), "{options:?}: {said}");
    std::fs::read_to_string(folder.join("e.jsonl")).expect("events")
}

/// Frame and value of each event of a field.
fn of<'a>(events: &'a str, from: &str) -> Vec<(u32, &'a str)> {
    let from = format!("\"from\":\"{from}\"");
    let part = |line: &'a str, before: &str, after: &str| {
        line.split_once(before).and_then(|(_, rest)| rest.split_once(after)).map(|(text, _)| text)
    };
    let lines = events.lines().filter(|line| line.contains(&from));
    lines
        .filter_map(|l| Some((part(l, "\"frame\":", ",")?.parse().ok()?, part(l, "\"value\":", "}")?)))
        .collect()
}

#[test]
fn nodes_sense_the_bound_viewpoint_as_it_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let events = events(folder.path(), &[]);
    // What a frame tells of the viewer is where the frame before left it: at 10 - 20 t.
    assert_eq!(of(&events, "NEAR.isActive"), [(4, "true"), (9, "false")], "{events}");
    assert_eq!(of(&events, "NEAR.enterTime"), [(4, "0.4")]);
    assert_eq!(of(&events, "NEAR.exitTime"), [(9, "0.9")]);
    let at = of(&events, "NEAR.position_changed");
    assert_eq!(at.first(), Some(&(4, "[0.0,0.0,4.0]")), "{at:?}");
    assert_eq!((at.len(), at.last()), (6, Some(&(9, "[0.0,0.0,-6.0]"))), "{at:?}");
    // Nearer than 5 m, again farther away; at 1 s the viewpoint 100 m away is bound.
    assert_eq!(of(&events, "LEVELS.level_changed"), [(0, "1"), (4, "0"), (9, "1"), (11, "2")]);
    // The eye passes the middle of the box; the far viewpoint looks the other way.
    assert_eq!(of(&events, "SEEN.isActive"), [(0, "true"), (7, "false")]);
}

#[test]
fn all_ways_sense_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = events(folder.path(), &["--executor", "sequential"]);
    for way in WAYS {
        let options: Vec<&str> = way.split(' ').collect();
        assert_eq!(events(folder.path(), &options), expected, "{way}");
    }
}

/// Two layers with a viewpoint and a sensor each, and one of each in no layer.
const LAYERS: &str = r#"#X3D V3.3 utf8
PROFILE Full
LayerSet { activeLayer 1 order [ 1 2 ] layers [
  Layer { children [ DEF V1 Viewpoint { position 1 1 1 } DEF P1 ProximitySensor { size 100 100 100 } ] }
  Layer { children [ DEF V2 Viewpoint { position 2 2 2 } DEF W2 Viewpoint { position 3 3 3 } DEF P2 ProximitySensor { size 100 100 100 } ] } ] }
DEF V0 Viewpoint { position 4 4 4 }
DEF P0 ProximitySensor { size 100 100 100 }
DEF CLOCK TimeSensor { startTime 0.2 cycleInterval 9 }
DEF K Script { inputOnly SFBool b inputOnly SFVec3f p }
ROUTE V0.isBound TO K.b ROUTE V1.isBound TO K.b ROUTE V2.isBound TO K.b ROUTE W2.isBound TO K.b
ROUTE P0.position_changed TO K.p ROUTE P1.position_changed TO K.p ROUTE P2.position_changed TO K.p
ROUTE CLOCK.isActive TO W2.set_bind
"#;

#[test]
fn each_layer_has_its_own_viewpoint() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("layers.x3dv"), LAYERS).expect("a file");
    let run = ["run", "layers.x3dv", "--steps", "5", "--dt", "0.1", "--quiet", "--export-events", "e.jsonl"];
    let output = weft(folder.path(), &run);
    assert!(output.status.success(), "{}", complaints(&output));
    let events = std::fs::read_to_string(folder.path().join("e.jsonl")).expect("events");
    for (def, at) in [("P0", "[4.0,4.0,4.0]"), ("P1", "[1.0,1.0,1.0]")] {
        assert_eq!(of(&events, &format!("{def}.position_changed")), [(0, at)], "{events}");
    }
    assert_eq!(of(&events, "P2.position_changed"), [(0, "[2.0,2.0,2.0]"), (3, "[3.0,3.0,3.0]")], "{events}");
    assert_eq!(of(&events, "V2.isBound"), [(0, "true"), (2, "false")], "{events}");
    for def in ["V0", "V1"] {
        let bound = of(&events, &format!("{def}.isBound"));
        assert_eq!(bound, [(0, "true")], "another layer's binding changes nothing: {events}");
    }
}
