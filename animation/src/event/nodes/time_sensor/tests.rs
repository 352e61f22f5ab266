//! The standard's rules, each by name.

use crate::event::field::Access::{InputOutput, OutputOnly};
use crate::event::field::Value::{self, SFBool, SFFloat, SFTime};
use crate::event::nodes::bench::Bench;

/// A sensor with some fields set, the others as X3D has them.
fn sensor_at(time: f64, given: &[(&str, Value)]) -> Bench {
    let mut fields = vec![
        ("enabled", InputOutput, SFBool(true)),
        ("cycleInterval", InputOutput, SFTime(1.0)),
        ("loop", InputOutput, SFBool(false)),
        ("startTime", InputOutput, SFTime(0.0)),
        ("stopTime", InputOutput, SFTime(0.0)),
        ("pauseTime", InputOutput, SFTime(0.0)),
        ("resumeTime", InputOutput, SFTime(0.0)),
        ("isActive", OutputOnly, SFBool(false)),
        ("isPaused", OutputOnly, SFBool(false)),
        ("cycleTime", OutputOnly, SFTime(0.0)),
        ("elapsedTime", OutputOnly, SFTime(0.0)),
        ("fraction_changed", OutputOnly, SFFloat(0.0)),
        ("time", OutputOnly, SFTime(0.0)),
    ];
    for (name, value) in given {
        fields.iter_mut().find(|f| f.0 == *name).unwrap().2 = value.clone();
    }
    Bench::at("TimeSensor", &fields, time)
}
fn sensor(given: &[(&str, Value)]) -> Bench {
    sensor_at(0.0, given)
}
/// What a field sent, if it did.
fn of(sent: &[(&str, Value)], name: &str) -> Option<Value> {
    sent.iter().find(|s| s.0 == name).map(|s| s.1.clone())
}
fn fraction(sent: &[(&str, Value)]) -> Option<f32> {
    match of(sent, "fraction_changed")? {
        SFFloat(f) => Some(f),
        _ => None,
    }
}

#[test]
fn a_sensor_of_defaults_is_inactive_and_sends_nothing() {
    let mut s = sensor(&[]);
    for k in 0..20 {
        assert!(s.tick(0.1 * f64::from(k)).is_empty());
    }
}

#[test]
fn a_looping_sensor_is_active_from_the_first_frame_with_initial_events() {
    let mut s = sensor(&[("loop", SFBool(true)), ("cycleInterval", SFTime(2.0))]);
    assert_eq!(
        s.tick(0.0),
        [
            ("isActive", SFBool(true)),
            ("cycleTime", SFTime(0.0)),
            ("elapsedTime", SFTime(0.0)),
            ("fraction_changed", SFFloat(0.0)),
            ("time", SFTime(0.0)),
        ]
    );
    assert_eq!(
        s.tick(0.5),
        [("elapsedTime", SFTime(0.5)), ("fraction_changed", SFFloat(0.25)), ("time", SFTime(0.5))]
    );
}

#[test]
fn the_fraction_is_1_exactly_at_a_cycle_s_end_and_never_0_but_at_the_start() {
    let mut s = sensor(&[("loop", SFBool(true)), ("cycleInterval", SFTime(0.5))]);
    assert_eq!(fraction(&s.tick(0.0)), Some(0.0));
    for k in 1..=8 {
        let f = fraction(&s.tick(0.25 * f64::from(k)));
        assert_eq!(f, Some(if k % 2 == 0 { 1.0 } else { 0.5 }), "{k}");
    }
}

#[test]
fn cycle_time_is_sent_at_each_cycle_s_beginning_with_the_time_of_that() {
    let mut s = sensor(&[("loop", SFBool(true)), ("cycleInterval", SFTime(0.5))]);
    let times: Vec<_> = (0..10).map(|k| of(&s.tick(0.15 * f64::from(k)), "cycleTime")).collect();
    let sent: Vec<_> = times.iter().flatten().cloned().collect();
    assert_eq!(sent, [SFTime(0.0), SFTime(0.5), SFTime(1.0)]);
    assert!(times[4].is_some() && times[7].is_some());
}

#[test]
fn loaded_in_the_middle_of_a_cycle_the_fraction_follows_from_start_time() {
    let mut s = sensor_at(10.0, &[("loop", SFBool(true)), ("cycleInterval", SFTime(4.0))]);
    let sent = s.tick(10.0);
    assert_eq!(fraction(&sent), Some(0.5));
    assert_eq!(of(&sent, "cycleTime"), Some(SFTime(8.0)));
    assert_eq!(of(&sent, "elapsedTime"), Some(SFTime(0.0)), "it counts from the activation");
}

#[test]
fn a_start_time_to_come_activates_when_it_is_reached() {
    let mut s = sensor(&[("startTime", SFTime(0.25)), ("cycleInterval", SFTime(1.0))]);
    assert!(s.tick(0.0).is_empty() && s.tick(0.2).is_empty());
    let sent = s.tick(0.5);
    assert_eq!(sent[0], ("isActive", SFBool(true)));
    assert_eq!(of(&sent, "cycleTime"), Some(SFTime(0.25)));
    assert_eq!((fraction(&sent), of(&sent, "elapsedTime")), (Some(0.25), Some(SFTime(0.25))));
}

#[test]
fn a_sensor_that_does_not_loop_ends_with_its_cycle_at_fraction_1() {
    let mut s = sensor(&[("startTime", SFTime(0.1)), ("cycleInterval", SFTime(1.0))]);
    s.tick(0.0);
    s.tick(0.9);
    let sent = s.tick(1.3);
    assert_eq!(fraction(&sent), Some(1.0));
    assert_eq!(of(&sent, "elapsedTime"), Some(SFTime(1.0)));
    assert_eq!(of(&sent, "time"), Some(SFTime(1.3)));
    assert_eq!(sent.last().map(|s| s.0), Some("isActive"));
    assert_eq!(s.value("isActive"), SFBool(false));
    assert!(s.tick(1.4).is_empty());
}

#[test]
fn set_start_time_to_now_starts_at_once() {
    let mut s = sensor(&[]);
    s.tick(0.0);
    let sent = s.tick_with(0.5, &[("startTime", SFTime(0.5))]);
    assert_eq!(sent[0], ("isActive", SFBool(true)));
    assert_eq!((fraction(&sent), of(&sent, "cycleTime")), (Some(0.0), Some(SFTime(0.5))));
    assert_eq!(fraction(&s.tick(0.75)), Some(0.25));
}

#[test]
fn set_start_time_is_ignored_while_active() {
    let mut s = sensor(&[("loop", SFBool(true))]);
    s.tick(0.0);
    s.tick_with(0.5, &[("startTime", SFTime(0.5))]);
    assert_eq!(s.value("startTime"), SFTime(0.0));
    assert_eq!(fraction(&s.tick(0.75)), Some(0.75));
}

#[test]
fn set_cycle_interval_is_ignored_while_active() {
    let mut s = sensor(&[("loop", SFBool(true))]);
    s.tick(0.0);
    s.tick_with(0.5, &[("cycleInterval", SFTime(5.0))]);
    assert_eq!(s.value("cycleInterval"), SFTime(1.0));
    assert_eq!(fraction(&s.tick(0.75)), Some(0.75));
}

#[test]
fn a_stop_time_before_or_at_the_start_is_ignored() {
    for stop in [-1.0, 0.25] {
        let mut s =
            sensor(&[("loop", SFBool(true)), ("startTime", SFTime(0.25)), ("stopTime", SFTime(stop))]);
        s.tick(0.0);
        assert_eq!(fraction(&s.tick(0.5)), Some(0.25), "{stop}");
        assert!(fraction(&s.tick_with(0.75, &[("stopTime", SFTime(0.1))])).is_some());
        assert_eq!(s.value("isActive"), SFBool(true));
    }
}

#[test]
fn at_its_stop_time_a_sensor_sends_what_it_shows_then_and_becomes_inactive() {
    let mut s = sensor(&[("loop", SFBool(true)), ("stopTime", SFTime(0.75))]);
    s.tick(0.0);
    s.tick(0.5);
    let sent = s.tick(1.0);
    assert_eq!((fraction(&sent), of(&sent, "isActive")), (Some(0.75), Some(SFBool(false))));
    assert_eq!(of(&sent, "elapsedTime"), Some(SFTime(0.75)));
    assert!(s.tick(1.5).is_empty());
}

#[test]
fn set_stop_time_to_now_stops_at_once() {
    let mut s = sensor(&[("loop", SFBool(true))]);
    s.tick(0.0);
    let sent = s.tick_with(0.5, &[("stopTime", SFTime(0.5))]);
    assert_eq!((fraction(&sent), of(&sent, "isActive")), (Some(0.5), Some(SFBool(false))));
}

#[test]
fn loop_set_to_false_ends_with_the_present_cycle() {
    let mut s = sensor(&[("loop", SFBool(true))]);
    s.tick(0.0);
    s.tick(1.25);
    s.tick_with(1.5, &[("loop", SFBool(false))]);
    assert_eq!(fraction(&s.tick(1.75)), Some(0.75));
    let sent = s.tick(2.25);
    assert_eq!((fraction(&sent), of(&sent, "isActive")), (Some(1.0), Some(SFBool(false))));
}

#[test]
fn loop_set_to_true_starts_an_inactive_sensor_whose_start_is_past() {
    let mut s = sensor(&[]);
    s.tick(0.0);
    let sent = s.tick_with(0.5, &[("loop", SFBool(true))]);
    assert_eq!((of(&sent, "isActive"), fraction(&sent)), (Some(SFBool(true)), Some(0.5)));
}

#[test]
fn disabled_while_active_it_sends_its_last_values_and_becomes_inactive() {
    let mut s = sensor(&[("loop", SFBool(true))]);
    s.tick(0.0);
    let sent = s.tick_with(0.25, &[("enabled", SFBool(false))]);
    assert_eq!((fraction(&sent), of(&sent, "isActive")), (Some(0.25), Some(SFBool(false))));
    assert!(s.tick(0.5).is_empty());
    let sent = s.tick_with(0.75, &[("enabled", SFBool(true))]);
    assert_eq!((of(&sent, "isActive"), fraction(&sent)), (Some(SFBool(true)), Some(0.75)));
}

#[test]
fn a_pause_stands_still_and_is_no_elapsed_time() {
    let mut s = sensor(&[("loop", SFBool(true)), ("cycleInterval", SFTime(4.0))]);
    s.tick(0.0);
    let sent = s.tick_with(1.0, &[("pauseTime", SFTime(1.0))]);
    assert_eq!((of(&sent, "isPaused"), fraction(&sent)), (Some(SFBool(true)), Some(0.25)));
    assert!(s.tick(2.0).is_empty() && s.tick(2.5).is_empty());
    assert_eq!(s.value("isActive"), SFBool(true), "a paused sensor is active");
    let sent = s.tick_with(3.0, &[("resumeTime", SFTime(3.0))]);
    assert_eq!((of(&sent, "isPaused"), fraction(&sent)), (Some(SFBool(false)), Some(0.25)));
    let sent = s.tick(4.0);
    assert_eq!((fraction(&sent), of(&sent, "elapsedTime")), (Some(0.5), Some(SFTime(2.0))));
}

#[test]
fn a_pause_that_a_file_foresees_lasts_from_pause_to_resume_time() {
    let given = [
        ("loop", SFBool(true)),
        ("cycleInterval", SFTime(4.0)),
        ("pauseTime", SFTime(1.0)),
        ("resumeTime", SFTime(2.0)),
    ];
    let mut s = sensor(&given);
    s.tick(0.0);
    let sent = s.tick(1.5);
    assert_eq!((of(&sent, "isPaused"), fraction(&sent)), (Some(SFBool(true)), Some(0.25)));
    let sent = s.tick(2.5);
    assert_eq!((of(&sent, "isPaused"), fraction(&sent)), (Some(SFBool(false)), Some(0.375)));
    // The same within a frame.
    let mut s = sensor(&given);
    s.tick(0.0);
    let sent = s.tick(3.0);
    assert_eq!((of(&sent, "isPaused"), fraction(&sent)), (None, Some(0.5)));
    assert_eq!(fraction(&s.tick(4.0)), Some(0.75), "counted once");
}

#[test]
fn pause_times_before_the_start_are_ignored() {
    let early = [("loop", SFBool(true)), ("startTime", SFTime(-1.0)), ("stopTime", SFTime(-1.0))];
    let mut s = sensor(&[&early[..], &[("pauseTime", SFTime(-2.0))]].concat());
    assert_eq!(fraction(&s.tick(0.0)), Some(1.0));
    assert_eq!(fraction(&s.tick(0.5)), Some(0.5));
    // Zero and zero is no pause either.
    let mut s = sensor(&early);
    s.tick(0.0);
    assert_eq!(fraction(&s.tick(0.5)), Some(0.5));
}

#[test]
fn a_paused_sensor_stops_at_its_stop_time() {
    let mut s = sensor(&[("loop", SFBool(true)), ("pauseTime", SFTime(0.5)), ("stopTime", SFTime(2.0))]);
    s.tick(0.0);
    s.tick(0.75);
    let sent = s.tick(2.5);
    assert_eq!(sent, [("isPaused", SFBool(false)), ("isActive", SFBool(false))]);
}

#[test]
fn an_interval_of_0_or_less_never_runs_and_is_said_once() {
    for interval in [0.0, -1.0, f64::NAN] {
        let mut s = sensor(&[("loop", SFBool(true)), ("cycleInterval", SFTime(interval))]);
        assert!(s.tick(0.0).is_empty() && s.tick(0.1).is_empty());
        assert_eq!(s.complaints().len(), 1);
        // A good one puts it right.
        assert!(!s.tick_with(0.25, &[("cycleInterval", SFTime(1.0))]).is_empty());
    }
}

#[test]
fn time_that_runs_backwards_is_waited_for() {
    let mut s = sensor(&[("loop", SFBool(true))]);
    s.tick(0.0);
    s.tick(0.5);
    assert!(s.tick(0.25).is_empty() && s.tick(0.5).is_empty());
    assert_eq!(fraction(&s.tick(0.75)), Some(0.75));
    assert_eq!(s.complaints().len(), 1);
}

#[test]
fn started_again_in_the_time_stamp_of_its_end_it_starts_in_the_next_frame() {
    let mut s = sensor(&[("startTime", SFTime(0.5))]);
    s.tick(0.0);
    s.tick(1.0);
    let sent = s.tick_with(1.5, &[("startTime", SFTime(1.5))]);
    assert_eq!(of(&sent, "isActive"), Some(SFBool(false)));
    let sent = s.tick(1.75);
    assert_eq!((of(&sent, "isActive"), fraction(&sent)), (Some(SFBool(true)), Some(0.25)));
}

#[test]
fn a_cycle_that_ends_on_a_frame_ends_with_fraction_1_whatever_the_rounding() {
    // 8 times 0.05 is a unit of the last place more than 0.1 + 0.3.
    let mut s = sensor(&[("startTime", SFTime(0.1)), ("cycleInterval", SFTime(0.3))]);
    let frames: Vec<_> = (0..12)
        .map(|k| s.tick(f64::from(k) * 0.05).into_iter().map(|(n, v)| (n.to_owned(), v)).collect::<Vec<_>>())
        .collect();
    let ends = |sent: &[(String, Value)]| sent.contains(&("isActive".to_owned(), SFBool(false)));
    assert_eq!(frames.iter().position(|f| ends(f)), Some(8));
    assert!(frames[8].contains(&("fraction_changed".to_owned(), SFFloat(1.0))), "{:?}", frames[8]);
    // All cycles of one frame end in one.
    for dt in [0.05, 0.1, 0.3, 1.0 / 60.0, 0.007] {
        for n in [1, 3, 7] {
            let mut s = sensor(&[("loop", SFBool(true)), ("cycleInterval", SFTime(f64::from(n) * dt))]);
            for k in 0..2000 {
                let sent = s.tick(f64::from(k) * dt);
                let expected =
                    if k > 0 && k % n == 0 { 1.0 } else { (f64::from(k % n) / f64::from(n)) as f32 };
                assert!((fraction(&sent).unwrap() - expected).abs() < 1e-6, "{dt} {n} {k}: {sent:?}");
                assert!(expected < 1.0 || fraction(&sent) == Some(1.0), "{dt} {n} {k}: {sent:?}");
                assert_eq!(of(&sent, "cycleTime").is_some(), k % n == 0, "{dt} {n} {k}: {sent:?}");
            }
        }
    }
}

#[test]
fn a_start_just_before_a_frame_begins_with_fraction_0() {
    let mut s = sensor(&[("startTime", SFTime(0.3))]);
    s.tick(0.2);
    assert_eq!(fraction(&s.tick(3.0 * 0.1)), Some(0.0));
}

#[test]
fn a_stop_and_a_start_of_one_time_stamp_stop_and_start_again() {
    let now = SFTime(0.5);
    for looped in [false, true] {
        for order in [["stopTime", "startTime"], ["startTime", "stopTime"]] {
            let mut s = sensor(&[("loop", SFBool(looped)), ("startTime", SFTime(0.1))]);
            s.tick(0.0);
            s.tick(0.25);
            let sent = s.tick_with(0.5, &order.map(|name| (name, now.clone())));
            assert_eq!(of(&sent, "isActive"), Some(SFBool(false)), "{order:?}");
            assert!((fraction(&sent).unwrap() - 0.4).abs() < 1e-6, "{order:?}");
            let sent = s.tick(0.75);
            assert_eq!(
                (of(&sent, "isActive"), fraction(&sent)),
                (Some(SFBool(true)), Some(0.25)),
                "{order:?}"
            );
            assert_eq!(of(&sent, "cycleTime"), Some(now.clone()), "{order:?}");
        }
    }
}

#[test]
fn a_stop_time_before_the_start_is_not_taken_over_while_active() {
    let mut s = sensor(&[("loop", SFBool(true)), ("startTime", SFTime(0.25)), ("stopTime", SFTime(0.75))]);
    s.tick(0.0);
    s.tick(0.25);
    for stop in [0.1, 0.25] {
        s.tick_with(0.5, &[("stopTime", SFTime(stop))]);
        assert_eq!(s.value("stopTime"), SFTime(0.75), "{stop}");
    }
    assert_eq!(of(&s.tick(1.0), "isActive"), Some(SFBool(false)));
    s.tick_with(1.25, &[("stopTime", SFTime(0.1))]);
    assert_eq!(s.value("stopTime"), SFTime(0.1), "inactive, it takes any");
}

mod states;
