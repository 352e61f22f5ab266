//! HAnimPose, and sensors on maps.

use animation::event::field::Value;
use animation::event::host::{Hit, HostEvent, Pointer};
use animation::event::runtime::EventOptions;

use crate::play::Run;
use crate::support::folder;

fn run(name: &str, text: &str) -> Run {
    let text = format!("#X3D V4.0 utf8\nPROFILE Full\n{text}");
    Run::of(&folder(name, &[("a.x3dv", &text)]).join("a.x3dv"), EventOptions::default())
}

const FIGURE: &str = "DEF H HAnimHumanoid { skeleton DEF R HAnimJoint { name \"humanoid_root\" translation 0 1 0 children
    DEF K HAnimJoint { name \"l_knee\" rotation 1 0 0 0.5 } }
    poses DEF P HAnimPose { transitionDuration 0.4 children [ HAnimJoint { name \"l_knee\" rotation 1 0 0 1.5 } HAnimJoint { name \"nose\" } ] } }
    DEF S Script { outputOnly SFBool go outputOnly SFBool back outputOnly SFFloat share inputOnly SFBool active }
    ROUTE S.go TO P.commencePose ROUTE S.back TO P.resetAllJoints ROUTE S.share TO P.set_fraction ROUTE P.isActive TO S.active\n";

fn angle(run: &Run) -> f32 {
    match run.value("K", "rotation") {
        Some(Value::SFRotation(r)) if r[3] == 0.0 || (r[0] - 1.0).abs() < 1e-6 => r[3],
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_pose_is_taken_within_its_time() {
    let mut run = run("pose", FIGURE);
    run.frame();
    let said = run.complaints();
    assert!(said.len() == 1 && said[0].contains("nose"), "{said:?}");
    run.send("P", "commencePose", Value::SFBool(true));
    assert_eq!(run.frame(), ["P.isActive>S.active"]);
    let mut angles = Vec::new();
    let mut ends = Vec::new();
    for _ in 0..6 {
        ends.extend(run.frame());
        angles.push(angle(&run));
    }
    for (a, due) in angles.iter().zip([0.75, 1.0, 1.25, 1.5, 1.5, 1.5]) {
        assert!((a - due).abs() < 1e-5, "{angles:?}");
    }
    assert_eq!(ends, ["P.isActive>S.active"]);
    assert_eq!(run.value("R", "translation"), Some(Value::SFVec3f([0.0, 1.0, 0.0])), "not of the pose");
    run.send("P", "resetAllJoints", Value::SFBool(true));
    run.frame();
    assert_eq!(angle(&run), 0.0);
    assert_eq!(run.value("R", "translation"), Some(Value::SFVec3f([0.0; 3])));
    for (share, due) in [(0.5, 0.75), (0.25, 0.375), (1.0, 1.5)] {
        run.send("P", "set_fraction", Value::SFFloat(share));
        run.frame();
        assert!((angle(&run) - due).abs() < 1e-5, "{share}: {}", angle(&run));
    }
}

#[test]
fn sensors_on_maps_say_where_they_are_touched_and_the_viewer_is() {
    let mut run = run(
        "maps",
        "DEF T GeoTouchSensor { geoOrigin DEF O GeoOrigin { geoCoords 40 -75 100 rotateYUp TRUE } }
         DEF P GeoProximitySensor { geoOrigin USE O geoCenter 40 -75 130 size 10 10 10 }
         DEF S Script { inputOnly SFVec3d t inputOnly SFVec3d p inputOnly SFVec3f q }
         ROUTE T.hitGeoCoord_changed TO S.t ROUTE P.geoCoord_changed TO S.p ROUTE P.position_changed TO S.q",
    );
    run.frame();
    let hit = Hit { point: [0.0, 30.0, 0.0], normal: [0.0, 1.0, 0.0], tex_coord: [0.0; 2] };
    let pointer =
        Pointer { origin: [0.0, 99.0, 0.0], direction: [0.0, -1.0, 0.0], hit: Some(hit), pressed: false };
    run.tell("T", HostEvent::Pointer(pointer));
    let viewer = |y: f32| HostEvent::Viewer {
        position: [0.0, y, 0.0],
        orientation: [0.0, 0.0, 1.0, 0.0],
        center_of_rotation: None,
    };
    run.tell("P", viewer(33.0));
    let sent = run.frame();
    assert!(sent.iter().any(|s| s == "T.hitGeoCoord_changed>S.t") && sent.len() == 3, "{sent:?}");
    let place = |run: &Run, def: &str, field: &str| match run.value(def, field) {
        Some(Value::SFVec3d(v)) => v,
        other => panic!("{other:?}"),
    };
    let near =
        |a: [f64; 3], b: [f64; 3]| (0..2).all(|k| (a[k] - b[k]).abs() < 1e-7) && (a[2] - b[2]).abs() < 1e-3;
    assert!(near(place(&run, "T", "hitGeoCoord_changed"), [40.0, -75.0, 130.0]));
    assert!(near(place(&run, "P", "geoCoord_changed"), [40.0, -75.0, 133.0]));
    run.tell("P", viewer(50.0));
    let sent = run.frame();
    assert!(sent.len() == 2 && near(place(&run, "P", "geoCoord_changed"), [40.0, -75.0, 150.0]), "{sent:?}");
    run.tell("P", viewer(51.0));
    assert!(run.frame().is_empty(), "outside");
}
