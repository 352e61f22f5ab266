use std::sync::Arc;

use crate::event::field::Access::{InputOnly, InputOutput, OutputOnly};
use crate::event::field::Value::{self, MFFloat, MFInt32, SFBool, SFFloat, SFInt32, SFTime};
use crate::event::nodes::bench::Bench;

#[test]
fn a_boolean_filter_sorts_and_negates() {
    let mut b = Bench::new(
        "BooleanFilter",
        &[
            ("set_boolean", InputOnly, SFBool(false)),
            ("inputFalse", OutputOnly, SFBool(false)),
            ("inputNegate", OutputOnly, SFBool(false)),
            ("inputTrue", OutputOnly, SFBool(false)),
        ],
    );
    assert_eq!(
        b.event("set_boolean", SFBool(true)),
        [("inputTrue", SFBool(true)), ("inputNegate", SFBool(false))]
    );
    assert_eq!(
        b.event("set_boolean", SFBool(false)),
        [("inputFalse", SFBool(false)), ("inputNegate", SFBool(true))]
    );
}

#[test]
fn a_boolean_toggle_turns_with_true_only() {
    let fields = [("set_boolean", InputOnly, SFBool(false)), ("toggle", InputOutput, SFBool(false))];
    let mut b = Bench::new("BooleanToggle", &fields);
    assert_eq!(b.event("set_boolean", SFBool(true)), [("toggle", SFBool(true))]);
    assert!(b.event("set_boolean", SFBool(false)).is_empty());
    assert_eq!(b.event("set_boolean", SFBool(true)), [("toggle", SFBool(false))]);
    b.event("toggle", SFBool(true));
    assert_eq!(b.event("set_boolean", SFBool(true)), [("toggle", SFBool(false))]);
}

#[test]
fn triggers_answer_any_event() {
    let mut b = Bench::new(
        "BooleanTrigger",
        &[("set_triggerTime", InputOnly, SFTime(0.0)), ("triggerTrue", OutputOnly, SFBool(false))],
    );
    assert_eq!(b.event("set_triggerTime", SFTime(-3.0)), [("triggerTrue", SFBool(true))]);
    let mut b = Bench::new(
        "IntegerTrigger",
        &[
            ("set_boolean", InputOnly, SFBool(false)),
            ("integerKey", InputOutput, SFInt32(42)),
            ("triggerValue", OutputOnly, SFInt32(0)),
        ],
    );
    assert_eq!(b.event("set_boolean", SFBool(true)), [("triggerValue", SFInt32(42))]);
    assert_eq!(b.event("set_boolean", SFBool(false)), [("triggerValue", SFInt32(42))]);
    let mut b = Bench::at(
        "TimeTrigger",
        &[("set_boolean", InputOnly, SFBool(false)), ("triggerTime", OutputOnly, SFTime(0.0))],
        7.5,
    );
    assert_eq!(b.event("set_boolean", SFBool(false)), [("triggerTime", SFTime(7.5))]);
}

fn sequencer(keys: &[f32], values: &[i32]) -> Bench {
    Bench::new(
        "IntegerSequencer",
        &[
            ("set_fraction", InputOnly, SFFloat(0.0)),
            ("next", InputOnly, SFBool(false)),
            ("previous", InputOnly, SFBool(false)),
            ("key", InputOutput, MFFloat(Arc::from(keys))),
            ("keyValue", InputOutput, MFInt32(Arc::from(values))),
            ("value_changed", OutputOnly, SFInt32(0)),
        ],
    )
}

#[test]
fn a_sequencer_steps_at_its_keys() {
    let mut b = sequencer(&[0.0, 0.33, 0.67], &[5, 6, 7]);
    for (fraction, value) in [(-1.0, 5), (0.0, 5), (0.32, 5), (0.33, 6), (0.5, 6), (0.67, 7), (2.0, 7)] {
        assert_eq!(b.event("set_fraction", SFFloat(fraction)), [("value_changed", SFInt32(value))]);
    }
}

#[test]
fn next_and_previous_go_round() {
    let mut b = sequencer(&[0.0, 0.33, 0.67], &[5, 6, 7]);
    let mut go = |name: &'static str| match b.event(name, SFBool(true)).first() {
        Some((_, SFInt32(v))) => *v,
        other => panic!("{other:?}"),
    };
    assert_eq!([go("next"), go("next"), go("next"), go("next")], [5, 6, 7, 5]);
    assert_eq!([go("previous"), go("previous")], [7, 6]);
    b.event("set_fraction", SFFloat(0.9));
    assert_eq!(b.event("next", SFBool(true)), [("value_changed", SFInt32(5))]);
    assert!(b.event("next", SFBool(false)).is_empty());
}

#[test]
fn a_sequencer_s_mistakes_are_said_once() {
    let mut b = sequencer(&[], &[]);
    assert!(b.event("set_fraction", SFFloat(0.5)).is_empty() && b.event("next", SFBool(true)).is_empty());
    assert!(b.complaints().is_empty());
    for (keys, values) in [(&[0.0, 0.5][..], &[1][..]), (&[0.5, 0.0], &[1, 1])] {
        let mut b = sequencer(keys, values);
        for _ in 0..2 {
            let sent = b.event("set_fraction", SFFloat(0.75));
            assert_eq!(sent, [("value_changed", Value::SFInt32(1))]);
        }
        assert_eq!(b.complaints().len(), 1);
    }
}
