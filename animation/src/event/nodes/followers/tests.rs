use std::sync::Arc;

use crate::event::field::Access::{InitializeOnly, InputOnly, InputOutput, OutputOnly};
use crate::event::field::Value::{self, MFVec3f, SFBool, SFFloat, SFInt32, SFRotation, SFTime, SFVec3f};
use crate::event::nodes::bench::Bench;

fn follower(name: &str, from: Value, to: Value) -> Bench {
    follower_with(name, from, to, &[])
}
fn follower_with(name: &str, from: Value, to: Value, given: &[(&str, Value)]) -> Bench {
    let mut fields = [
        ("set_destination", InputOnly, to.clone()),
        ("set_value", InputOnly, to.clone()),
        ("initialDestination", InitializeOnly, to.clone()),
        ("initialValue", InitializeOnly, from),
        ("value_changed", OutputOnly, to),
        ("isActive", OutputOnly, SFBool(false)),
        ("duration", InitializeOnly, SFTime(1.0)),
        ("order", InitializeOnly, SFInt32(1)),
        ("tau", InputOutput, SFTime(0.5)),
        ("tolerance", InputOutput, SFFloat(-1.0)),
    ];
    for (name, value) in given {
        fields.iter_mut().find(|f| f.0 == *name).unwrap().2 = value.clone();
    }
    Bench::new(name, &fields)
}
fn number(sent: &[(&str, Value)]) -> Option<f32> {
    sent.iter().find_map(|s| match s {
        ("value_changed", SFFloat(v)) => Some(*v),
        _ => None,
    })
}

#[test]
fn a_follower_that_is_there_says_nothing() {
    for name in ["ScalarChaser", "ScalarDamper"] {
        let mut f = follower(name, SFFloat(1.0), SFFloat(1.0));
        assert!(f.tick(0.0).is_empty() && f.tick(1.0).is_empty(), "{name}");
        assert_eq!(f.value("value_changed"), SFFloat(1.0));
    }
}

#[test]
fn a_chaser_reaches_its_destination_after_its_duration() {
    let mut f = follower("ScalarChaser", SFFloat(0.0), SFFloat(2.0));
    assert_eq!(f.tick(0.0), [("isActive", SFBool(true)), ("value_changed", SFFloat(0.0))]);
    assert!((number(&f.tick(0.25)).unwrap() - (1.0 - 0.5f32.sqrt())).abs() < 1e-6);
    assert!((number(&f.tick(0.5)).unwrap() - 1.0).abs() < 1e-6);
    assert_eq!(f.tick(1.0), [("value_changed", SFFloat(2.0)), ("isActive", SFBool(false))]);
    assert!(f.tick(1.5).is_empty());
}

#[test]
fn a_chaser_adds_its_answers_to_all_steps() {
    let mut f = follower("ScalarChaser", SFFloat(0.0), SFFloat(0.0));
    f.tick(0.0);
    f.tick_with(1.0, &[("set_destination", SFFloat(1.0))]);
    f.tick_with(1.5, &[("set_destination", SFFloat(-1.0))]);
    let answer = |t: f32| 0.5 - 0.5 * (t * std::f32::consts::PI).cos();
    let value = number(&f.tick(1.75)).unwrap();
    assert!((value - (answer(0.75) - 2.0 * answer(0.25))).abs() < 1e-6, "{value}");
    assert_eq!(number(&f.tick(2.5)), Some(-1.0));
}

#[test]
fn a_jump_goes_on_from_there() {
    let mut f = follower("ScalarChaser", SFFloat(0.0), SFFloat(2.0));
    f.tick(0.0);
    let sent = f.tick_with(0.5, &[("set_value", SFFloat(6.0))]);
    assert_eq!(sent, [("value_changed", SFFloat(6.0))], "one value a frame, the one that it was set to");
    assert!((number(&f.tick(1.0)).unwrap() - 4.0).abs() < 1e-6);
    assert_eq!(number(&f.tick(1.5)), Some(2.0));
}

#[test]
fn a_value_that_is_set_while_it_moves_is_sent_in_its_frame() {
    for name in ["ScalarChaser", "ScalarDamper"] {
        let mut f = follower(name, SFFloat(0.0), SFFloat(1.0));
        f.tick(0.0);
        f.tick(0.25);
        assert_eq!(f.tick_with(0.5, &[("set_value", SFFloat(50.0))]), [("value_changed", SFFloat(50.0))]);
        let next = number(&f.tick(0.75)).unwrap();
        assert!(next > 1.0 && next < 50.0, "{name}: {next}");
    }
}

#[test]
fn a_follower_that_does_not_lag_sends_each_destination_on_at_once() {
    let at_once = [
        ("ScalarDamper", "tau", SFTime(0.0)),
        ("ScalarDamper", "tau", SFTime(-1.0)),
        ("ScalarDamper", "order", SFInt32(0)),
        ("ScalarChaser", "duration", SFTime(0.0)),
    ];
    for (name, field, value) in at_once {
        let given = [(field, value)];
        let mut f = follower_with(name, SFFloat(0.0), SFFloat(0.0), &given);
        f.tick(0.0);
        let sent = f.tick_with(0.5, &[("set_destination", SFFloat(1.0))]);
        assert_eq!(sent, [("value_changed", SFFloat(1.0))], "{given:?}");
        assert!(f.tick(1.0).is_empty(), "{given:?}");
        // It sends the last of a frame.
        let sent = f.tick_with(1.5, &[("set_destination", SFFloat(2.0)), ("set_destination", SFFloat(3.0))]);
        assert_eq!(sent, [("value_changed", SFFloat(3.0))], "{given:?}");
        // From a value that is set it goes back in the next frame.
        let sent = f.tick_with(2.0, &[("set_value", SFFloat(9.0))]);
        assert_eq!(number(&sent), Some(9.0), "{given:?}");
        assert_eq!(number(&f.tick(2.5)), Some(3.0), "{given:?}");
        assert!(f.tick(3.0).is_empty(), "{given:?}");
    }
}

#[test]
fn a_follower_that_stops_to_lag_is_there_at_once() {
    let mut f = follower("ScalarDamper", SFFloat(0.0), SFFloat(1.0));
    f.tick(0.0);
    f.tick(0.25);
    let sent = f.tick_with(0.5, &[("tau", SFTime(0.0)), ("set_destination", SFFloat(2.0))]);
    assert_eq!(sent, [("value_changed", SFFloat(2.0)), ("isActive", SFBool(false))]);
    assert!(f.tick(0.75).is_empty());
}

#[test]
fn a_damper_comes_nearer_by_its_time_constant() {
    let mut f = follower("ScalarDamper", SFFloat(0.0), SFFloat(1.0));
    assert_eq!(number(&f.tick(0.0)), Some(0.0));
    let value = number(&f.tick(0.5)).unwrap();
    assert!((value - (1.0 - (-1.0f32).exp())).abs() < 1e-6, "{value}");
    // The frames in between do not matter.
    let mut g = follower("ScalarDamper", SFFloat(0.0), SFFloat(1.0));
    for k in 0..=50 {
        g.tick(0.01 * f64::from(k));
    }
    assert!(matches!(g.value("value_changed"), SFFloat(v) if (v - value).abs() < 1e-5));
    let mut last = Vec::new();
    for k in 0..1000 {
        let sent = f.tick(0.6 + 0.1 * f64::from(k));
        if sent.is_empty() {
            break;
        }
        last = sent.into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
    }
    assert_eq!(last, [("value_changed".into(), SFFloat(1.0)), ("isActive".into(), SFBool(false))]);
}

#[test]
fn rotations_and_lists_are_followed() {
    let mut f =
        follower("OrientationChaser", SFRotation([0.0, 1.0, 0.0, 0.0]), SFRotation([0.0, 1.0, 0.0, 2.0]));
    f.tick(0.0);
    f.tick(0.5);
    let SFRotation(r) = f.value("value_changed") else { panic!() };
    assert!((r[1] - 1.0).abs() < 1e-6 && (r[3] - 1.0).abs() < 1e-6, "{r:?}");
    let points = |x: f32, n: usize| MFVec3f(Arc::from(vec![[x, 0.0, 0.0]; n]));
    for name in ["CoordinateChaser", "CoordinateDamper"] {
        let mut f = follower(name, points(0.0, 3), points(1.0, 3));
        f.tick(0.0);
        f.tick(0.5);
        let MFVec3f(v) = f.value("value_changed") else { panic!() };
        assert!(v.len() == 3 && v[0][0] > 0.0 && v[0][0] < 1.0, "{name}: {v:?}");
        // A list of another length is taken over.
        f.tick_with(0.6, &[("set_destination", points(5.0, 2))]);
        f.tick(0.7);
        let MFVec3f(v) = f.value("value_changed") else { panic!() };
        assert_eq!(v.len(), 2, "{name}");
    }
    let mut f = follower("PositionDamper", SFVec3f([0.0; 3]), SFVec3f([1.0, 2.0, 3.0]));
    f.tick(0.0);
    f.tick(100.0);
    assert_eq!(f.value("value_changed"), SFVec3f([1.0, 2.0, 3.0]));
}

#[test]
fn set_off_again_in_the_frame_of_its_end_a_follower_is_active_from_the_next_one_on() {
    for name in ["ScalarChaser", "ScalarDamper"] {
        let mut f = follower(name, SFFloat(0.0), SFFloat(0.0));
        f.tick(0.0);
        f.tick_with(0.5, &[("set_destination", SFFloat(1.0))]);
        let end = (1..).map(|k| 0.5 + f64::from(k)).find(|time| {
            let sent = f.tick_with(*time, &[]);
            sent.contains(&("isActive", SFBool(false)))
        });
        // The same once more, with a destination in the frame of the end.
        let mut f = follower(name, SFFloat(0.0), SFFloat(0.0));
        f.tick(0.0);
        f.tick_with(0.5, &[("set_destination", SFFloat(1.0))]);
        let mut time = 0.5;
        let end = end.expect("it ends");
        while time + 1.0 < end {
            time += 1.0;
            f.tick(time);
        }
        let sent = f.tick_with(end, &[("set_destination", SFFloat(2.0))]);
        assert_eq!(sent, [("value_changed", SFFloat(1.0)), ("isActive", SFBool(false))], "{name}");
        let sent = f.tick(end + 0.5);
        assert_eq!(sent[0], ("isActive", SFBool(true)), "{name}");
        assert!(number(&sent).is_some_and(|v| v > 1.0 && v < 2.0), "{name}: {sent:?}");
    }
}

#[test]
fn a_jump_to_a_list_of_another_length_ends_at_the_destination() {
    let points = |x: f32, n: usize| MFVec3f(Arc::from(vec![[x, 0.0, 0.0]; n]));
    for name in ["CoordinateChaser", "CoordinateDamper"] {
        let mut f = follower(name, points(5.0, 1), points(5.0, 1));
        f.tick(0.0);
        f.tick_with(0.5, &[("set_value", points(5.0, 2))]);
        for k in 0..100 {
            f.tick(1.0 + f64::from(k));
        }
        assert_eq!(f.value("value_changed"), points(5.0, 1), "{name}");
    }
}
