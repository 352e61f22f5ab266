use proptest::prelude::*;

use super::*;
use crate::skeleton::{Joint, Transform};

fn skeleton() -> Skeleton {
    let rest = Transform { translation: [5.0, 6.0, 7.0], ..Transform::default() };
    Skeleton::new(vec![Joint { name: "a".to_owned(), parent: None, rest }]).expect("a skeleton").0
}

fn shown(clip: &Clip, time: f32) -> Transform {
    let mut pose = Pose::new(1);
    clip.sample(&skeleton(), time, &mut Cursors::new(clip), &mut pose);
    pose.get(0)
}

fn moving(times: &[f32], values: &[f32], interpolation: Interpolation) -> Clip {
    let values = values.iter().map(|v| [*v, 0.0, 0.0]).collect();
    let track = Track::new(0, times.to_vec(), values, interpolation).expect("a track");
    Clip::new("c", 1, (vec![track], vec![], vec![]), vec![]).expect("a clip")
}

fn turning(times: &[f32], values: &[[f32; 4]]) -> Clip {
    let track = Track::rotation(0, times.to_vec(), values.to_vec(), Interpolation::Linear).expect("a track");
    Clip::new("c", 1, (vec![], vec![track], vec![]), vec![]).expect("a clip")
}

fn around_z(degrees: f32) -> [f32; 4] {
    let half = degrees.to_radians() / 2.0;
    [0.0, 0.0, half.sin(), half.cos()]
}

#[test]
fn lines_steps_and_splines() {
    let line = moving(&[1.0, 2.0, 4.0], &[10.0, 20.0, 0.0], Interpolation::Linear);
    for (time, x) in
        [(0.0, 10.0), (1.0, 10.0), (1.25, 12.5), (2.0, 20.0), (3.0, 10.0), (4.0, 0.0), (9.0, 0.0)]
    {
        assert_eq!(shown(&line, time).translation[0], x, "at {time}");
    }
    assert_eq!(shown(&line, f32::NAN).translation[0], 10.0);
    let step = moving(&[1.0, 2.0], &[10.0, 20.0], Interpolation::Step);
    for (time, x) in [(0.0, 10.0), (1.999, 10.0), (2.0, 20.0)] {
        assert_eq!(shown(&step, time).translation[0], x, "at {time}");
    }
    // The tangents of t^3 from 1 to 3: the spline is the cubic itself.
    let cube = |t: f32| t * t * t;
    let values = [0.0, 1.0, 3.0, 27.0, 27.0, 0.0];
    let spline = moving(&[1.0, 3.0], &values, Interpolation::CubicSpline);
    for time in [1.0, 1.3, 2.0, 2.9, 3.0] {
        assert!((shown(&spline, time).translation[0] - cube(time)).abs() < 2e-5, "at {time}");
    }
    // What no track moves is at rest.
    assert_eq!(shown(&turning(&[0.0], &[around_z(0.0)]), 1.0).translation, [5.0, 6.0, 7.0]);
}

#[test]
fn rotations_go_the_shorter_way_at_one_speed() {
    for (from, to, half) in
        [(0.0, 90.0, 45.0), (170.0, 190.0, 180.0), (10.0, -100.0, -45.0), (0.0, 0.01, 0.005)]
    {
        for sign in [1.0, -1.0] {
            let clip = turning(&[0.0, 2.0], &[around_z(from), around_z(to).map(|x| sign * x)]);
            let (q, e) = (shown(&clip, 1.0).rotation, around_z(half));
            let dot: f32 = q.iter().zip(e).map(|(x, y)| x * y).sum();
            assert!((dot.abs() - 1.0).abs() < 1e-6, "{from} to {to}: {q:?}");
        }
    }
    let quarter = shown(&turning(&[0.0, 4.0], &[around_z(0.0), around_z(160.0)]), 1.0).rotation;
    assert!((quarter[2] - around_z(40.0)[2]).abs() < 1e-6, "{quarter:?}");
}

#[test]
fn wrong_keys_are_refused() {
    use crate::skeleton::ClipError;
    let of = |times: &[f32], values: &[[f32; 3]], i| Track::new(0, times.to_vec(), values.to_vec(), i);
    let line = Interpolation::Linear;
    assert_eq!(of(&[], &[], line), Err(ClipError::Empty));
    assert_eq!(of(&[1.0, 1.0], &[[0.0; 3]; 2], line), Err(ClipError::Unsorted { key: 1 }));
    assert_eq!(of(&[1.0, f32::NAN], &[[0.0; 3]; 2], line), Err(ClipError::NotFinite { key: 1 }));
    assert_eq!(of(&[0.0, 1.0], &[[0.0; 3], [f32::INFINITY; 3]], line), Err(ClipError::NotFinite { key: 1 }));
    let spline = of(&[0.0], &[[0.0; 3]], Interpolation::CubicSpline);
    assert_eq!(spline, Err(ClipError::Count { times: 1, wanted: 3, given: 1 }));
    assert_eq!(Track::rotation(0, vec![0.0], vec![[0.0; 4]], line), Err(ClipError::NoRotation { key: 0 }));
    let track = || Track::new(3, vec![0.0], vec![[0.0; 3]], line).expect("a track");
    assert_eq!(
        Clip::new("c", 3, (vec![track()], vec![], vec![]), vec![]),
        Err(ClipError::Joint { joint: 3, n: 3 })
    );
    let twice = Clip::new("c", 4, (vec![], vec![], vec![track(), track()]), vec![]);
    assert_eq!(twice, Err(ClipError::Twice { what: "scale", joint: 3 }));
}

#[test]
fn morph_weights_and_a_clip_without_length() {
    let track = MorphTrack::new(2, 2, vec![0.0, 1.0], vec![0.0, 1.0, 1.0, 0.0], Interpolation::Linear);
    let clip = Clip::new("c", 0, (vec![], vec![], vec![]), vec![track.expect("a track")]).expect("a clip");
    let (mut cursors, mut weights) = (Cursors::new(&clip), [9.0; 2]);
    assert!(!clip.sample_morph(0, 0.25, &mut cursors, &mut weights));
    assert!(clip.sample_morph(2, 0.25, &mut cursors, &mut weights));
    assert_eq!(weights, [0.25, 0.75]);
    let still = moving(&[0.0], &[3.0], Interpolation::Linear);
    assert_eq!((still.duration(), still.looped(7.0)), (0.0, 0.0));
    assert_eq!(clip.looped(2.25), 0.25);
    assert_eq!(clip.looped(-0.25), 0.75);
    assert_eq!(
        (clip.looped(0.0), clip.looped(1.0), clip.looped(3.0 + 1e-9), clip.looped(1.01)),
        (0.0, 1.0, 1.0, 1.01_f64.fract() as f32)
    );
    let short = MorphTrack::new(0, 2, vec![0.0, 1.0], vec![0.0; 3], Interpolation::Linear);
    assert!(short.is_err());
}

proptest! {
    /// Whatever was shown before, a cursor finds the same as a look-up from the beginning, which is what a plain loop finds.
    #[test]
    fn cursors_only_save_time(
        steps in prop::collection::vec(0.001_f32..1.0, 1..40),
        times in prop::collection::vec(-1.0_f32..20.0, 1..30),
    ) {
        let mut at = 0.0;
        let keys: Vec<f32> = steps.iter().map(|s| { at += s; at }).collect();
        let values: Vec<f32> = (0..keys.len()).map(|k| (k * k % 7) as f32).collect();
        let clip = moving(&keys, &values, Interpolation::Linear);
        let (mut cursors, mut pose) = (Cursors::new(&clip), Pose::new(1));
        for time in times {
            clip.sample(&skeleton(), time, &mut cursors, &mut pose);
            let mut expected = values[0];
            for k in 0..keys.len() {
                if time >= keys[k] {
                    expected = values[k];
                    if let Some(next) = keys.get(k + 1).filter(|next| time < **next) {
                        expected += (values[k + 1] - values[k]) * (time - keys[k]) / (next - keys[k]);
                    }
                }
            }
            prop_assert!((pose.get(0).translation[0] - expected).abs() < 1e-4);
            prop_assert_eq!(pose.get(0), shown(&clip, time));
        }
    }
}
