//! Rigid bodies of X3D files as a user runs them: against closed forms, at rest, on joints, moved by Scripts.

use std::f64::consts::PI;

use super::{WAYS, complaints, weft};

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Full\nCOMPONENT RigidBodyPhysics:2\n";

/// A run of a scene: the values of some fields, frame by frame, and what was said.
struct Ran {
    lines: Vec<serde_json::Value>,
    said: String,
}

impl Ran {
    fn of(&self, field: &str) -> Vec<Vec<f64>> {
        let lines = self.lines.iter().filter(|l| l["field"] == field);
        let numbers = |value: &serde_json::Value| match value.as_array() {
            Some(all) => all.iter().filter_map(serde_json::Value::as_f64).collect(),
            None => vec![value.as_f64().unwrap_or(if *value == true { 1.0 } else { 0.0 })],
        };
        lines.map(|l| numbers(&l["value"])).collect()
    }

    fn last(&self, field: &str) -> Vec<f64> {
        self.of(field).pop().unwrap_or_default()
    }
}

fn run(scene: &str, frames: u32, fields: &str) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.x3dv"), format!("{HEADER}{scene}")).expect("a file");
    let (frames, fields) = (frames.to_string(), format!("{fields}:f.jsonl"));
    let arguments =
        ["run", "a.x3dv", "--quiet", "--threads", "1", "--steps", &frames, "--export-fields", &fields];
    let output = weft(folder.path(), &arguments);
    let said = complaints(&output);
    assert!(output.status.success(), "{said}");
    let text = std::fs::read_to_string(folder.path().join("f.jsonl")).expect("fields");
    let lines = text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    Ran { lines, said }
}

/// Time between frames.
const DT: f64 = 1.0 / 60.0;

fn is_near(found: &[f64], wanted: &[f64], tolerance: f64) {
    let near =
        found.len() == wanted.len() && found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(near, "{found:?}, wanted {wanted:?}");
}

#[test]
fn a_thrown_body_falls_and_spins_as_it_shall() {
    let scene = "RigidBodyCollection { gravity 0 -10 0 bodies [
        DEF A RigidBody { position 0 5 0 linearVelocity 2 1 0 angularVelocity 0 3 0 inertia 2 0 0 0 1 0 0 0 3 }
        DEF B RigidBody { useGlobalGravity FALSE mass 2 torques [ 0 0 1, 0 0 1 ] forces 4 0 0 inertia 2 0 0 0 1 0 0 0 4 }
        DEF C RigidBody { useGlobalGravity FALSE linearVelocity 1 0 0 angularVelocity 0 0 2 centerOfMass 0 1 0 }
        DEF D RigidBody { useGlobalGravity FALSE linearVelocity 8 0 0 autoDamp TRUE linearDampingFactor 0.5 }
    ] }";
    let fields =
        "A.position,A.orientation,A.linearVelocity,B.position,B.angularVelocity,C.position,D.linearVelocity";
    let ran = run(scene, 31, fields);
    let t = 0.5;
    assert_eq!(ran.said, "");
    is_near(&ran.of("A.position")[0], &[0.0, 5.0, 0.0], 0.0);
    // Velocities are exact; the integrator's steps of 1/120 s are too far by g h t / 2.
    is_near(&ran.last("A.linearVelocity"), &[2.0, 1.0 - 10.0 * t, 0.0], 1e-5);
    is_near(&ran.last("A.position"), &[2.0 * t, 5.0 + t - 5.0 * t * t - 5.0 * t / 120.0, 0.0], 1e-5);
    is_near(&ran.last("A.orientation"), &[0.0, 1.0, 0.0, 3.0 * t], 1e-5);
    is_near(&ran.last("B.angularVelocity"), &[0.0, 0.0, 2.0 / 4.0 * t], 1e-5);
    is_near(&ran.last("B.position"), &[0.5 * 2.0 * t * (t + 1.0 / 120.0), 0.0, 0.0], 1e-5);
    // The center of mass goes straight on, and the body turns about it.
    let angle = 2.0 * t;
    is_near(&ran.last("C.position"), &[t + angle.sin(), 1.0 - angle.cos(), 0.0], 1e-5);
    is_near(&ran.last("D.linearVelocity"), &[8.0 * 0.5_f64.powi(30), 0.0, 0.0], 1e-6);
}

#[test]
fn a_body_that_tumbles_keeps_its_angular_momentum() {
    let scene = "RigidBodyCollection { gravity 0 0 0 bodies DEF A RigidBody { angularVelocity 0.1 3 0.2 inertia 1 0 0 0 2 0 0 0 3 } }";
    let ran = run(scene, 301, "A.orientation,A.angularVelocity");
    let momentum = |k: usize| {
        let (r, w) = (&ran.of("A.orientation")[k], &ran.of("A.angularVelocity")[k]);
        let (axis, (s, c)) = ([r[0], r[1], r[2]], r[3].sin_cos());
        let turn = |v: [f64; 3], s: f64| -> [f64; 3] {
            let dot: f64 = (0..3).map(|i| axis[i] * v[i]).sum();
            std::array::from_fn(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                v[i] * c + (axis[j] * v[k] - axis[k] * v[j]) * s + axis[i] * dot * (1.0 - c)
            })
        };
        let local = turn([w[0], w[1], w[2]], -s);
        turn([local[0], 2.0 * local[1], 3.0 * local[2]], s)
    };
    let (first, last) = (momentum(0), momentum(300));
    is_near(&last, &first, 0.35);
    // The intermediate axis is unstable: it has turned over.
    let lowest = ran
        .of("A.orientation")
        .iter()
        .map(|r| 1.0 - (1.0 - r[3].cos()) * (1.0 - r[1] * r[1]))
        .fold(1.0, f64::min);
    assert!(lowest < -0.5, "{lowest}");
}

const FLOOR: &str = "RigidBody { fixed TRUE position 0 -1 0 geometry DEF F CollidableShape { shape Shape { geometry Box { size 40 2 40 } } } }";

fn on_floor(bodies: &str, collider: &str, more: &str) -> String {
    format!(
        "RigidBodyCollection {{ bodies [ {FLOOR} {bodies} ] collider DEF CC CollisionCollection {{ {collider} }} {more} }}"
    )
}

#[test]
fn boxes_come_to_rest_on_each_other() {
    let cube = |name: &str, x: f64, y: f64| {
        format!(
            "DEF {name} RigidBody {{ position {x} {y} 0 massDensityModel Box {{ size 1 1 1 }}
             geometry DEF {name}S CollidableShape {{ shape Shape {{ geometry Box {{ size 1 1 1 }} }} }} }}"
        )
    };
    let bodies = format!("{} {}", cube("A", 0.0, 0.6), cube("B", 0.2, 1.7));
    let collider = "frictionCoefficients 0.5 0.5 collidables [ USE F USE AS USE BS ]";
    let ran =
        run(&on_floor(&bodies, collider, ""), 241, "A.position,B.position,B.linearVelocity,BS.translation");
    assert_eq!(ran.said, "");
    is_near(&ran.last("A.position"), &[0.0, 0.5, 0.0], 5e-3);
    is_near(&ran.last("B.position"), &[0.2, 1.5, 0.0], 5e-3);
    is_near(&ran.last("B.linearVelocity"), &[0.0; 3], 1e-2);
    assert_eq!(ran.of("B.position"), ran.of("BS.translation"));
}

#[test]
fn balls_bounce_and_roll() {
    let ball = |name: &str, more: &str| {
        format!(
            "DEF {name} RigidBody {{ {more} massDensityModel Sphere {{ radius 0.5 }}
             geometry DEF {name}S CollidableShape {{ shape Shape {{ geometry Sphere {{ radius 0.5 }} }} }} }}"
        )
    };
    let bodies =
        format!("{} {}", ball("A", "position 0 2.5 0"), ball("B", "position -9 0.5 5 linearVelocity 7 0 0"));
    let collider = "frictionCoefficients 0.5 0.5 bounce 0.6 collidables [ USE F DEF S CollisionSpace { collidables [ USE AS USE BS ] } ]";
    let ran = run(&on_floor(&bodies, collider, ""), 121, "A.position,B.linearVelocity,B.angularVelocity");
    let heights: Vec<f64> = ran.of("A.position").iter().map(|p| p[1]).collect();
    let lowest = heights.iter().position(|y| *y < 0.6).expect("it comes down");
    let highest = heights[lowest..].iter().copied().fold(0.0, f64::max);
    // It falls by 2 m and comes up again by 0.6^2 of that.
    assert!((highest - 0.5 - 0.72).abs() < 0.05, "{highest}");
    // A ball that slides and then rolls keeps five sevenths of its speed.
    is_near(&ran.last("B.linearVelocity"), &[5.0, 0.0, 0.0], 0.05);
    is_near(&ran.last("B.angularVelocity"), &[0.0, 0.0, -10.0], 0.1);
}

#[test]
fn a_pendulum_swings_in_its_period() {
    // A rod without mass, whose bob has moments of inertia: T = 2 pi sqrt((I + m d^2) / (m g d)).
    let scene = "RigidBodyCollection { bodies DEF A RigidBody { position 0.1 -0.994987 0 mass 2 inertia 0.1 0 0 0 0.1 0 0 0 0.1 }
        joints DEF J BallJoint { anchorPoint 0 0 0 body1 USE A forceOutput \"ALL\" } }";
    let ran = run(scene, 401, "A.position,J.body1AnchorPoint,J.body2AnchorPoint");
    let xs: Vec<f64> = ran.of("A.position").iter().map(|p| p[0]).collect();
    let crossings: Vec<f64> = (1..xs.len())
        .filter(|k| xs[k - 1] > 0.0 && xs[*k] <= 0.0)
        .map(|k| DT * (k as f64 - xs[k] / (xs[k] - xs[k - 1])))
        .collect();
    let period = (crossings[2] - crossings[0]) / 2.0;
    let wanted = 2.0 * PI * ((0.1 + 2.0) / (2.0 * 9.8_f64)).sqrt();
    assert!((period / wanted - 1.0).abs() < 0.01, "{period}, wanted {wanted}");
    let off = ran.of("J.body1AnchorPoint").iter().flatten().fold(0.0_f64, |a, b| a.max(b.abs()));
    assert!(off < 2e-3, "{off}");
    is_near(&ran.last("J.body2AnchorPoint"), &[0.0; 3], 0.0);
}

#[test]
fn hinges_turn_about_their_axis_and_sliders_slide_between_their_stops() {
    let scene = "RigidBodyCollection { gravity 0 0 0 bodies [
        DEF DOOR RigidBody { position 1 0 0 torques 0 2 1 inertia 1 0 0 0 1 0 0 0 1 }
        DEF LIFT RigidBody { position 5 0 0 forces 1 1 0 torques 0 3 0 }
      ] joints [
        DEF H SingleAxisHingeJoint { body1 USE DOOR anchorPoint 0 0 0 axis 0 1 0 forceOutput [ \"angle\" \"angleRate\" ] }
        DEF S SliderJoint { body1 USE LIFT axis 0 1 0 maxSeparation 0.4 forceOutput \"separation\" } ] }";
    let ran = run(
        scene,
        91,
        "DOOR.position,H.angle,H.angleRate,LIFT.position,LIFT.orientation,S.separation,H.body1AnchorPoint",
    );
    // Two newton metres turn 1 + 1 kilogram square metres about the hinge.
    let t = 1.5;
    assert!((ran.last("H.angleRate")[0] - t).abs() < 0.03, "{:?}", ran.last("H.angleRate"));
    let angle = 0.5 * t * t;
    assert!((ran.last("H.angle")[0] - angle).abs() < 0.04, "{:?}", ran.last("H.angle"));
    is_near(&ran.last("DOOR.position"), &[angle.cos(), 0.0, -angle.sin()], 0.05);
    is_near(&ran.last("H.body1AnchorPoint"), &[0.0; 3], 0.0);
    is_near(&ran.last("LIFT.position"), &[5.0, 0.4, 0.0], 2e-3);
    assert!((ran.last("S.separation")[0] - 0.4).abs() < 2e-3);
    assert!(ran.last("LIFT.orientation")[3].abs() < 2e-3);
}

#[test]
fn scripts_move_bodies_and_change_what_acts_on_them() {
    let scene = "DEF C TimeSensor { loop TRUE }
        DEF K RigidBodyCollection { gravity 0 0 0 bodies [ DEF A RigidBody { mass 2 } DEF B RigidBody { linearVelocity 1 0 0 } DEF E RigidBody { } ] }
        DEF S Script { inputOnly SFTime at outputOnly SFVec3f place outputOnly MFVec3f push outputOnly SFBool held outputOnly SFBool goes
          initializeOnly SFInt32 n 0
          url \"ecmascript: function at() { n = n + 1;
            if (n == 11) { place = new SFVec3f(0, 7, 0); push = new MFVec3f(new SFVec3f(4, 0, 0)); }
            if (n == 31) { held = true; }
            if (n == 41) { goes = false; } }\" }
        DEF T Transform { }
        ROUTE C.time TO S.at
        ROUTE S.place TO A.set_position
        ROUTE S.push TO A.set_forces
        ROUTE S.held TO B.set_fixed
        ROUTE S.goes TO K.set_enabled
        ROUTE A.position_changed TO T.set_translation";
    let ran = run(scene, 61, "A.position,A.linearVelocity,B.position,T.translation");
    assert_eq!(ran.said, "");
    let (a, b) = (ran.of("A.position"), ran.of("B.position"));
    assert_eq!(a, ran.of("T.translation"));
    is_near(&a[9], &[0.0; 3], 0.0);
    is_near(&a[10], &[0.0, 7.0, 0.0], 0.0);
    // From frame 10 to frame 40 the force acts: half a second.
    is_near(&ran.of("A.linearVelocity")[40], &[2.0 * 0.5, 0.0, 0.0], 1e-4);
    is_near(&a[40], &[0.5 * 2.0 * 0.5 * (0.5 + 1.0 / 120.0), 7.0, 0.0], 1e-4);
    assert_eq!(a[40], a[60], "the collection is not enabled any more");
    is_near(&b[30], &[0.5, 0.0, 0.0], 1e-5);
    assert_eq!(b[30], b[40], "it is fixed");
}

#[test]
fn what_events_move_carries_what_stands_on_it() {
    let scene = "DEF C TimeSensor { cycleInterval 4 loop TRUE }
        DEF I PositionInterpolator { key [ 0 0.5 1 ] keyValue [ 0 -0.5 0, 2 -0.5 0, 0 -0.5 0 ] }
        RigidBodyCollection { bodies [
          DEF P RigidBody { fixed TRUE position 0 -0.5 0 geometry DEF PS CollidableShape { shape Shape { geometry Box { size 8 1 8 } } } }
          DEF B RigidBody { position 0 0.5 0 massDensityModel Box { size 1 1 1 }
            geometry DEF BS CollidableShape { shape Shape { geometry Box { size 1 1 1 } } } } ]
          collider CollisionCollection { frictionCoefficients 0.8 0.8 collidables [ USE PS USE BS ] } }
        ROUTE C.fraction_changed TO I.set_fraction
        ROUTE I.value_changed TO P.set_position";
    let ran = run(scene, 121, "P.position,B.position,B.linearVelocity");
    assert_eq!(ran.said, "");
    let (platform, carried) = (ran.of("P.position"), ran.of("B.position"));
    // It begins to move all at once, which friction does to the box in an eighth of a second.
    let lag = platform[20][0] - carried[20][0];
    assert!(lag > 0.02 && lag < 0.12, "{lag}");
    is_near(&ran.of("B.linearVelocity")[90], &[1.0, 0.0, 0.0], 1e-2);
    is_near(&carried[110], &[platform[110][0] - lag, 0.5, 0.0], 2e-2);
}

#[test]
fn sensors_tell_of_contacts() {
    let ball = "DEF A RigidBody { position 0 1 0 massDensityModel Sphere { radius 0.5 }
        geometry DEF AS CollidableShape { shape Shape { geometry Sphere { radius 0.5 } } } }";
    let scene = on_floor(ball, "collidables [ USE F USE AS ]", "")
        + " DEF SENSOR CollisionSensor { collider USE CC }
        DEF S Script { inputOnly MFNode contacts inputOnly MFNode met outputOnly SFVec3f normal outputOnly SFVec3f place outputOnly SFInt32 n
          url \"ecmascript: function contacts(c) { if (c.length > 0) { normal = c[0].contactNormal; place = c[0].position; } }
               function met(m) { n = m.length; }\" }
        DEF N Transform { } DEF P Transform { } DEF W Switch { } DEF V Switch { }
        ROUTE SENSOR.contacts TO S.contacts
        ROUTE SENSOR.intersections TO S.met
        ROUTE S.normal TO N.set_translation
        ROUTE S.place TO P.set_translation
        ROUTE S.n TO W.set_whichChoice";
    let ran = run(&scene, 61, "SENSOR.isActive,N.translation,P.translation,W.whichChoice");
    assert_eq!(ran.said, "");
    let active: Vec<bool> = ran.of("SENSOR.isActive").iter().map(|v| v[0] == 1.0).collect();
    let first = active.iter().position(|a| *a).expect("it touches");
    // It falls by half a metre.
    assert!((DT * first as f64 - (2.0 * 0.5 / 9.8_f64).sqrt()).abs() < 2.5 * DT, "{first}");
    assert!(active[first..].iter().all(|a| *a));
    let normal = ran.last("N.translation");
    is_near(&[normal[0], normal[1].abs(), normal[2]], &[0.0, 1.0, 0.0], 1e-3);
    is_near(&ran.last("P.translation"), &[0.0; 3], 0.02);
    assert_eq!(ran.last("W.whichChoice"), [2.0]);
}

#[test]
fn what_is_wrong_or_not_done_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = "RigidBodyCollection { errorCorrection 0.5 bodies [\n\
        DEF A RigidBody { mass 0 }\n\
        DEF B RigidBody { inertia 1 0 0 0 -1 0 0 0 1 }\n\
        DEF C RigidBody { geometry CollidableShape { translation 3 0 0 } autoDisable TRUE } ]\n\
        joints [ DEF M MotorJoint { body1 USE C }\n\
        DEF J BallJoint { body1 RigidBody { } body2 USE C }\n\
        DEF H SingleAxisHingeJoint { body1 USE C axis 0 0 0 minAngle -1 } ]\n\
        collider CollisionCollection { surfaceSpeed 1 1 slipFactors 1 0 collidables [ ] } }\n\
        CollisionSensor { collider CollisionCollection { } }\n";
    std::fs::write(folder.path().join("a.x3dv"), format!("{HEADER}{scene}")).expect("a file");
    for command in ["check", "run"] {
        let more: &[&str] = if command == "run" { &["--steps", "3", "--quiet"] } else { &[] };
        let output = weft(folder.path(), &[&[command, "a.x3dv"], more].concat());
        let said = complaints(&output);
        assert!(output.status.success(), "{said}");
        for part in [
            "a.x3dv:4:1: warning: (RigidBodyCollection)",
            "a.x3dv:5:1: warning: A (RigidBody)",
            "0 is no mass of a body that moves",
            "no moments of inertia",
            "there is no solid or surface in it",
            "a CollidableOffset puts it elsewhere",
            "no RigidBodyCollection has this collider",
            "bodies at rest are simulated like all others here",
            "joints of this type join nothing here",
            "no enabled body of the joint's collection",
            "an axis without direction",
            "the joint has no stops here",
            "surfaces do not run here",
            "surfaces do not slip by their load here",
        ] {
            assert!(said.contains(part), "{command}: {part}: {said}");
        }
    }
}

/// Each space is in the next one twice: whoever went all ways would not come back.
#[test]
fn what_is_listed_twice_is_there_once() {
    let floor =
        "DEF FLOOR CollidableShape { shape Shape { geometry Box { size 4 1 4 } } translation 0 -0.5 0 }";
    let ball = "DEF BALL CollidableShape { shape Shape { geometry Sphere { radius 0.5 } } }";
    let mut spaces = format!("DEF S0 CollisionSpace {{ collidables [ {floor} {ball} ] }}");
    for k in 1..60 {
        spaces = format!("DEF S{k} CollisionSpace {{ collidables [ {spaces} USE S{} ] }}", k - 1);
    }
    let scene = format!(
        "RigidBodyCollection {{ collider CollisionCollection {{ collidables {spaces} }}\n\
         bodies [ DEF A RigidBody {{ position 0 0.6 0 geometry USE BALL }} USE A ] }}\n"
    );
    let ran = run(&scene, 100, "A.position");
    assert!(ran.said.contains("listed twice in `bodies`"), "{}", ran.said);
    let at = ran.last("A.position");
    assert!((at[1] - 0.5).abs() < 0.01, "{at:?}");
}

#[test]
fn all_ways_move_bodies_with_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let events = |options: &[&str]| {
        let run =
            ["run", "blocks", "--set", "layers=2", "--steps", "60", "--quiet", "--export-events", "e.jsonl"];
        let fields =
            ["--export-fields", "BOX0_BODY.position,BOX5_BODY.orientation,BALL_BODY.angularVelocity:f.jsonl"];
        let output = weft(folder.path(), &[&run[..], &fields, options].concat());
        let said = complaints(&output);
        assert!(output.status.success() && said.is_empty(), "{options:?}: {said}");
        ["e.jsonl", "f.jsonl"].map(|f| std::fs::read_to_string(folder.path().join(f)).expect("events"))
    };
    let expected = events(&["--executor", "sequential"]);
    assert!(expected[0].contains("BALL_BODY.position_changed"), "{}", expected[0]);
    for way in WAYS.into_iter().chain(["--threads 2 --partitioner metis"]) {
        let options: Vec<&str> = way.split(' ').collect();
        assert!(events(&options) == expected, "{way}");
    }
}
