use std::sync::Arc;

use crate::event::field::Access::{InputOnly, InputOutput, OutputOnly};
use crate::event::field::Value;
use crate::event::nodes::bench::Bench;

fn floats(v: &[f32]) -> Value {
    Value::MFFloat(Arc::from(v))
}
fn scalar(keys: &[f32], values: &[f32]) -> Bench {
    Bench::new(
        "ScalarInterpolator",
        &[
            ("set_fraction", InputOnly, Value::SFFloat(0.0)),
            ("key", InputOutput, floats(keys)),
            ("keyValue", InputOutput, floats(values)),
            ("value_changed", OutputOnly, Value::SFFloat(0.0)),
        ],
    )
}
fn fraction(f: f32) -> Value {
    Value::SFFloat(f)
}

#[test]
fn a_fraction_sends_a_value() {
    let mut bench = scalar(&[0.0, 1.0], &[2.0, 4.0]);
    assert_eq!(bench.event("set_fraction", fraction(0.5)), [("value_changed", Value::SFFloat(3.0))]);
    assert!(bench.event("keyValue", floats(&[0.0, 1.0])).is_empty(), "new values alone send nothing");
    assert_eq!(bench.event("set_fraction", fraction(0.5)), [("value_changed", Value::SFFloat(0.5))]);
}

#[test]
fn values_and_fraction_of_one_time_belong_together() {
    let mut bench = scalar(&[0.0, 1.0], &[2.0, 4.0]);
    let sent = bench.events(&[("set_fraction", fraction(0.5)), ("keyValue", floats(&[0.0, 1.0]))]);
    assert_eq!(sent, [("value_changed", Value::SFFloat(0.5))]);
}

#[test]
fn mistakes_are_said_once_and_the_rest_is_used() {
    // No keys, more keys than values, fewer, decreasing ones, none that is a number.
    let mut bench = scalar(&[], &[]);
    assert!(bench.event("set_fraction", fraction(0.5)).is_empty() && bench.complaints().is_empty());
    for (keys, values, at_half) in [
        (&[0.0, 0.5, 1.0][..], &[1.0, 2.0][..], 2.0),
        (&[0.0], &[1.0, 2.0], 1.0),
        (&[0.0, 0.6, 0.3, 1.0], &[0.0, 6.0, 7.0, 8.0], 5.0),
        (&[0.0, f32::NAN, 1.0], &[0.0, 5.0, 6.0], 5.5),
    ] {
        let mut bench = scalar(keys, values);
        let sent = bench.event("set_fraction", fraction(0.5));
        assert_eq!(sent, [("value_changed", Value::SFFloat(at_half))], "{keys:?}");
        bench.event("set_fraction", fraction(0.6));
        assert_eq!(bench.complaints().len(), 1, "{keys:?}: {:?}", bench.complaints());
    }
    let mut bench = scalar(&[0.0, 1.0], &[1.0, 2.0]);
    assert!(bench.event("set_fraction", fraction(f32::NAN)).is_empty());
    bench.event("set_fraction", fraction(f32::NAN));
    assert_eq!(bench.complaints().len(), 1);
}

#[test]
fn coordinates_come_as_many_as_each_key_has() {
    let points = |v: &[[f32; 3]]| Value::MFVec3f(Arc::from(v));
    let values: Vec<[f32; 3]> = (0..4).map(|k| [k as f32, 0.0, 0.0]).collect();
    let fields = |values: Value| {
        [
            ("set_fraction", InputOnly, Value::SFFloat(0.0)),
            ("key", InputOutput, floats(&[0.0, 1.0])),
            ("keyValue", InputOutput, values),
            ("value_changed", OutputOnly, points(&[])),
        ]
    };
    let mut bench = Bench::new("CoordinateInterpolator", &fields(points(&values)));
    let sent = bench.event("set_fraction", fraction(0.5));
    assert_eq!(sent, [("value_changed", points(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))]);
    // One value for two keys is too few for any.
    let mut bench = Bench::new("CoordinateInterpolator", &fields(points(&values[..1])));
    assert!(bench.event("set_fraction", fraction(0.5)).is_empty());
    assert_eq!(bench.complaints().len(), 1);
    let mut bench = Bench::new("CoordinateInterpolator", &fields(points(&values[..3])));
    let sent = bench.event("set_fraction", fraction(0.5));
    assert_eq!(sent, [("value_changed", points(&[[0.5, 0.0, 0.0]]))]);
    assert_eq!(bench.complaints().len(), 1);
}

#[test]
fn a_spline_listens_to_its_velocities() {
    let mut bench = Bench::new(
        "SplineScalarInterpolator",
        &[
            ("set_fraction", InputOnly, Value::SFFloat(0.0)),
            ("key", InputOutput, floats(&[0.0, 1.0])),
            ("keyValue", InputOutput, floats(&[0.0, 1.0])),
            ("keyVelocity", InputOutput, floats(&[])),
            ("closed", InputOutput, Value::SFBool(false)),
            ("normalizeVelocity", InputOutput, Value::SFBool(false)),
            ("value_changed", OutputOnly, Value::SFFloat(0.0)),
        ],
    );
    assert_eq!(bench.event("set_fraction", fraction(0.25)), [("value_changed", Value::SFFloat(0.15625))]);
    bench.event("keyVelocity", floats(&[1.0, 1.0]));
    assert_eq!(bench.event("set_fraction", fraction(0.25)), [("value_changed", Value::SFFloat(0.25))]);
}

#[test]
fn every_type_has_a_behaviour() {
    let empty = |t: &str| match t {
        "ScalarInterpolator" | "SplineScalarInterpolator" => (floats(&[]), Value::SFFloat(0.0)),
        "PositionInterpolator" | "SplinePositionInterpolator" => {
            (Value::MFVec3f([].into()), Value::SFVec3f([0.0; 3]))
        }
        "PositionInterpolator2D" | "SplinePositionInterpolator2D" => {
            (Value::MFVec2f([].into()), Value::SFVec2f([0.0; 2]))
        }
        "OrientationInterpolator" | "SquadOrientationInterpolator" => {
            (Value::MFRotation([].into()), Value::SFRotation([0.0; 4]))
        }
        "ColorInterpolator" => (Value::MFColor([].into()), Value::SFColor([0.0; 3])),
        "CoordinateInterpolator" | "NormalInterpolator" => {
            (Value::MFVec3f([].into()), Value::MFVec3f([].into()))
        }
        "CoordinateInterpolator2D" => (Value::MFVec2f([].into()), Value::MFVec2f([].into())),
        _ => (Value::MFVec2f([].into()), Value::SFFloat(0.0)),
    };
    for name in super::TYPES {
        let (values, out) = empty(name);
        let ease = *name == "EaseInEaseOut";
        let mut bench = Bench::new(
            name,
            &[
                ("set_fraction", InputOnly, Value::SFFloat(0.0)),
                ("key", InputOutput, floats(&[])),
                (if ease { "easeInEaseOut" } else { "keyValue" }, InputOutput, values.clone()),
                ("keyVelocity", InputOutput, values),
                ("closed", InputOutput, Value::SFBool(true)),
                ("normalizeVelocity", InputOutput, Value::SFBool(true)),
                (if ease { "modifiedFraction_changed" } else { "value_changed" }, OutputOnly, out),
            ],
        );
        assert!(bench.event("set_fraction", fraction(0.5)).is_empty(), "{name} without keys sends nothing");
    }
}
