//! Interpolators on curves whose control points are another node's, and on the earth.

use animation::event::field::Value;
use animation::event::runtime::{EventOptions, Mode, Restart, Strategy};

use crate::play::Run;
use crate::support::folder;

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Full\n";

fn run(name: &str, text: &str, options: EventOptions) -> Run {
    let file = folder(name, &[("main.x3dv", &format!("{HEADER}{text}"))]).join("main.x3dv");
    Run::of(&file, options)
}

fn all_ways() -> Vec<EventOptions> {
    let mut all = Vec::new();
    for mode in [Mode::Dataflow, Mode::Levels(Strategy::PoolDynamic)] {
        for restart in [Restart::Resume, Restart::Full] {
            all.push(EventOptions { mode, restart, ..EventOptions::default() });
        }
    }
    all
}

fn three(run: &Run, def: &str, field: &str) -> [f32; 3] {
    match run.value(def, field) {
        Some(Value::SFVec3f(v)) => v,
        other => panic!("{def}.{field}: {other:?}"),
    }
}

fn near(a: [f32; 3], b: [f64; 3]) -> bool {
    a.iter().zip(&b).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5)
}

#[test]
fn a_quarter_of_a_circle_in_a_second() {
    let text = "DEF C TimeSensor { loop TRUE cycleInterval 1 }
        DEF P NurbsPositionInterpolator { order 3 knot [ 0 0 0 1 1 1 ] weight [ 1 0.70710678118654752 1 ]
          controlPoint DEF Q CoordinateDouble { point [ 1 0 0, 1 1 0, 0 1 0 ] } }
        DEF O NurbsOrientationInterpolator { order 3 knot [ 0 0 0 1 1 1 ] weight [ 1 0.70710678118654752 1 ] controlPoint USE Q }
        DEF T Transform { }
        ROUTE C.fraction_changed TO P.set_fraction
        ROUTE C.fraction_changed TO O.set_fraction
        ROUTE P.value_changed TO T.translation
        ROUTE O.value_changed TO T.rotation\n";
    for options in all_ways() {
        let mut run = run("circle", text, options);
        for _ in 0..6 {
            run.frame();
        }
        let h = 0.5_f64.sqrt();
        let at = three(&run, "T", "translation");
        assert!(near(at, [h, h, 0.0]), "{at:?}");
        // The tangent at (h, h) is (-h, h): z turns into it by a quarter about (-h, -h, 0).
        let Some(Value::SFRotation([x, y, z, angle])) = run.value("T", "rotation") else {
            panic!("a rotation")
        };
        assert!(near([x, y, z], [-h, -h, 0.0]) && (angle - std::f32::consts::FRAC_PI_2).abs() < 1e-5);
        // Control points that others set count from the next fraction on.
        let square = [[3.0, 0.0, 0.0], [3.0, 3.0, 0.0], [0.0, 3.0, 0.0]];
        run.send("Q", "point", Value::MFVec3d(square.into()));
        run.frame();
        run.frame();
        let [x, y, _] = three(&run, "T", "translation");
        assert!((x.hypot(y) - 3.0).abs() < 1e-5, "{x} {y}");
        assert_eq!(run.complaints(), Vec::<String>::new());
    }
}

#[test]
fn a_surface_sends_points_and_normals() {
    let text = "DEF S NurbsSurfaceInterpolator { uOrder 2 vOrder 2 uDimension 2 vDimension 2
          controlPoint Coordinate { point [ 0 0 0, 2 0 0, 0 0 -3, 2 0 -3 ] } }
        DEF T Transform { }\nDEF N Transform { }
        ROUTE S.position_changed TO T.translation\nROUTE S.normal_changed TO N.translation\n";
    let mut run = run("surface", text, EventOptions::default());
    run.frame();
    run.send("S", "set_fraction", Value::SFVec2f([0.25, 0.5]));
    run.frame();
    assert!(near(three(&run, "T", "translation"), [0.5, 0.0, -1.5]));
    assert!(near(three(&run, "N", "translation"), [0.0, 1.0, 0.0]));
}

#[test]
fn what_makes_no_curve_is_said_once() {
    let text = "DEF C TimeSensor { loop TRUE cycleInterval 1 }
        DEF A NurbsPositionInterpolator { order 4 controlPoint Coordinate { point [ 0 0 0, 1 1 1 ] } }
        DEF B NurbsPositionInterpolator { order 2 knot [ 3 2 1 0 ] weight [ 1 -1 ] controlPoint Coordinate { point [ 0 0 0, 1 1 1 ] } }
        DEF D NurbsPositionInterpolator { }
        DEF T Transform { }
        ROUTE C.fraction_changed TO A.set_fraction\nROUTE C.fraction_changed TO B.set_fraction
        ROUTE C.fraction_changed TO D.set_fraction
        ROUTE A.value_changed TO T.scale\nROUTE B.value_changed TO T.translation\n";
    let mut run = run("no-curve", text, EventOptions::default());
    for _ in 0..6 {
        run.frame();
    }
    assert_eq!(three(&run, "T", "scale"), [1.0; 3]);
    assert!(near(three(&run, "T", "translation"), [0.5; 3]));
    let said = run.complaints().join("\n");
    for part in [
        "2 control points and its order make no curve",
        "knots that do not fit its order",
        "its weights are not one above zero",
        "0 control points and its order make no curve",
    ] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
}

#[test]
fn places_on_the_earth_are_relative_to_their_origin() {
    let text = "DEF C TimeSensor { loop TRUE cycleInterval 1 }
        DEF P GeoPositionInterpolator { geoSystem [ \"GD\" \"WE\" ] key [ 0 1 ] keyValue [ 40 -75 100, 40 -75 300 ]
          geoOrigin GeoOrigin { geoSystem [ \"GD\" \"WE\" ] geoCoords 40 -75 0 rotateYUp TRUE } }
        DEF T Transform { }\nROUTE C.fraction_changed TO P.set_fraction\nROUTE P.value_changed TO T.translation\n";
    let mut run = run("earth", text, EventOptions::default());
    for _ in 0..6 {
        run.frame();
    }
    let at = three(&run, "T", "translation");
    assert!(near(at, [0.0, 200.0, 0.0]), "{at:?}");
    assert_eq!(run.value("P", "geovalue_changed"), Some(Value::SFVec3d([40.0, -75.0, 200.0])));
}

#[test]
fn before_a_fraction_has_come_the_first_key_value_is_shown() {
    let text = "DEF I ScalarInterpolator { key [ 0 1 ] keyValue [ 7 8 ] }
        DEF C CoordinateInterpolator { key [ 0 1 ] keyValue [ 1 0 0 2 0 0 3 0 0 4 0 0 ] }
        DEF B BooleanSequencer { key [ 0 1 ] keyValue [ TRUE FALSE ] }
        DEF E ScalarInterpolator { }
        PROTO P [ initializeOnly MFFloat v [ ] ] { DEF INNER ScalarInterpolator { key [ 0 1 ] keyValue IS v } }
        P { v [ 5 6 ] }
        DEF L ScalarInterpolator { key [ 0 1 ] } DEF S IntegerSequencer { key [ 0 1 ] } DEF N ScalarInterpolator { key [ 0 1 ] keyValue [ 7 8 ] }
        DEF W PointLight { } ROUTE N.value_changed TO W.intensity";
    let mut run = run("first", text, EventOptions::default());
    run.send("L", "keyValue", Value::MFFloat([3.0, 4.0].into()));
    run.send("S", "keyValue", Value::MFInt32([3, 4].into()));
    assert!(run.frame().is_empty(), "it is shown, and no event");
    let shown = |run: &Run, def: &str| run.value(def, "value_changed").expect("a value");
    assert_eq!(shown(&run, "I"), Value::SFFloat(7.0));
    assert_eq!(shown(&run, "N"), Value::SFFloat(7.0));
    assert_eq!(shown(&run, "C"), Value::MFVec3f([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]].into()));
    assert_eq!(shown(&run, "B"), Value::SFBool(true));
    assert_eq!(shown(&run, "E"), Value::SFFloat(0.0));
    assert_eq!(shown(&run, "INNER"), Value::SFFloat(5.0));
    assert_eq!(shown(&run, "L"), Value::SFFloat(3.0));
    assert_eq!(shown(&run, "S"), Value::SFInt32(3));
    run.send("I", "set_fraction", Value::SFFloat(1.0));
    run.frame();
    run.send("I", "keyValue", Value::MFFloat([1.0, 2.0].into()));
    run.frame();
    assert_eq!(shown(&run, "I"), Value::SFFloat(8.0), "what was sent stays");
}
