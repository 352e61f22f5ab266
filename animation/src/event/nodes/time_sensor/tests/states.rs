//! `isActive` and `isPaused` say what the sensor does, though a field sends once in a time stamp.

use super::{fraction, of, sensor};
use crate::event::field::Value::{self, SFBool, SFTime};
use crate::event::nodes::bench::Bench;

const YES: Option<Value> = Some(SFBool(true));
const NO: Option<Value> = Some(SFBool(false));

/// A looping sensor that starts between its first frames.
fn started(sent_with: &[(&str, Value)]) -> Bench {
    let mut s = sensor(&[("loop", SFBool(true)), ("startTime", SFTime(0.13))]);
    s.tick(0.0);
    assert_eq!(of(&s.tick_with(0.2, sent_with), "isActive"), YES);
    s
}

#[test]
fn a_sensor_that_stops_in_the_frame_of_its_start_says_so_in_the_next_one() {
    for event in [("stopTime", SFTime(0.2)), ("enabled", SFBool(false))] {
        let mut s = started(std::slice::from_ref(&event));
        assert_eq!(s.tick(0.3), [("isActive", SFBool(false))], "{event:?}");
        assert!(s.tick(0.4).is_empty(), "{event:?}");
    }
}

#[test]
fn a_start_waits_until_the_stop_has_been_said() {
    let mut s = started(&[("enabled", SFBool(false))]);
    let sent = s.tick_with(0.3, &[("enabled", SFBool(true))]);
    assert_eq!((of(&sent, "isActive"), fraction(&sent)), (NO, None));
    let sent = s.tick(0.4);
    assert_eq!(of(&sent, "isActive"), YES);
    assert!((fraction(&sent).unwrap() - 0.27).abs() < 1e-6, "without losing time");
}

#[test]
fn a_pause_and_its_end_in_one_frame_are_said_one_after_the_other() {
    let given = [("startTime", SFTime(0.05)), ("cycleInterval", SFTime(10.0))];
    // A resumeTime in the frame in which it pauses.
    let mut s = sensor(&[&given[..], &[("pauseTime", SFTime(0.35))]].concat());
    s.tick(0.0);
    s.tick(0.1);
    assert_eq!(of(&s.tick_with(0.4, &[("resumeTime", SFTime(0.4))]), "isPaused"), YES);
    let sent = s.tick(0.5);
    assert_eq!(of(&sent, "isPaused"), NO);
    assert!(fraction(&sent).is_some(), "it runs");
    // A pauseTime in the frame in which it resumes.
    let mut s = sensor(&[&given[..], &[("pauseTime", SFTime(0.15)), ("resumeTime", SFTime(0.35))]].concat());
    s.tick(0.0);
    s.tick(0.1);
    assert_eq!(of(&s.tick(0.2), "isPaused"), YES);
    assert_eq!(of(&s.tick_with(0.4, &[("pauseTime", SFTime(0.4))]), "isPaused"), NO);
    assert_eq!(s.tick(0.5), [("isPaused", SFBool(true))]);
}

#[test]
fn a_stop_in_the_frame_of_a_pause_ends_both() {
    let given = [("startTime", SFTime(0.05)), ("cycleInterval", SFTime(10.0)), ("pauseTime", SFTime(0.35))];
    let mut s = sensor(&given);
    s.tick(0.0);
    s.tick(0.1);
    let sent = s.tick_with(0.4, &[("stopTime", SFTime(0.4))]);
    assert_eq!((of(&sent, "isPaused"), of(&sent, "isActive")), (YES, NO));
    assert_eq!(s.tick(0.5), [("isPaused", SFBool(false))]);
}

#[test]
fn what_comes_before_the_first_frame_is_as_if_the_file_had_said_it() {
    let mut s = sensor(&[("loop", SFBool(true))]);
    assert!(s.event("cycleInterval", SFTime(4.0)).is_empty(), "no clock is looked at");
    let sent = s.tick(0.0);
    assert_eq!((of(&sent, "isActive"), fraction(&sent)), (YES, Some(0.0)));
    assert_eq!(fraction(&s.tick(0.5)), Some(0.125));
}
