use proptest::prelude::*;

use super::*;
use crate::skeleton::{Joint, Transform};

mod rotations;

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
    let lasting = moving(&[1.0, 2.0], &[1.0, 2.0], Interpolation::Linear).until(3.0);
    assert_eq!((lasting.duration(), lasting.clone().until(1.0).duration()), (3.0, 3.0));
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

/// A clip of some joints, whose tracks have the same times or not; joint 5 has none, joint 6 steps.
fn many(n: usize, has_equal_times: bool) -> Clip {
    let noise = |k: usize| ((k * 7919 % 1000) as f32 - 499.5) / 500.0;
    let times = |joint: usize| -> Vec<f32> {
        let n = if has_equal_times { 7 } else { 1 + joint % 5 };
        (0..n)
            .map(|k| 0.1 + k as f32 * if has_equal_times { 0.2 } else { 0.1 + 0.03 * joint as f32 })
            .collect()
    };
    let moved = (0..n).filter(|joint| *joint != 5);
    let translations = moved.clone().map(|joint| {
        let values = (0..times(joint).len()).map(|k| [0, 1, 2].map(|c| noise(31 * joint + 7 * k + c)));
        let kind = if joint == 6 { Interpolation::Step } else { Interpolation::Linear };
        Track::new(joint as u32, times(joint), values.collect(), kind).expect("a track")
    });
    let rotations = moved.clone().map(|joint| {
        let values =
            (0..times(joint).len()).map(|k| [0, 1, 2, 3].map(|c| noise(37 * joint + 9 * k + c) + 0.01));
        let kind = if joint % 3 == 0 { Interpolation::Chord } else { Interpolation::Linear };
        Track::rotation(joint as u32, times(joint), values.collect(), kind).expect("a track")
    });
    let scales = moved.filter(|joint| joint % 2 == 0).map(|joint| {
        let values = (0..times(joint).len()).map(|k| [1.0 + 0.5 * noise(41 * joint + k); 3]);
        Track::new(joint as u32, times(joint), values.collect(), Interpolation::Linear).expect("a track")
    });
    let tracks = (translations.collect(), rotations.collect(), scales.collect());
    Clip::new("many", n, tracks, vec![]).expect("a clip")
}

/// The value of a track as glTF 2.0 writes it down, appendix C, in `f64`.
fn by_definition<const N: usize>(track: &Track<N>, time: f32) -> [f64; N] {
    let (times, last) = (&track.times, track.times.len() - 1);
    let k = times.partition_point(|t| *t <= time).saturating_sub(1);
    let at = |k: usize| track.values[k].map(f64::from);
    if k == last || time <= times[0] || track.interpolation == Interpolation::Step {
        return at(k);
    }
    let t = f64::from(time - times[k]) / f64::from(times[k + 1] - times[k]);
    let (a, b) = (at(k), at(k + 1));
    let dot: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
    let is_arc = N == 4 && track.interpolation == Interpolation::Linear && dot < 1.0 - 1e-9;
    let angle = dot.clamp(-1.0, 1.0).acos();
    let weights = match is_arc {
        true => [((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin()],
        false => [1.0 - t, t],
    };
    let mixed: [f64; N] = std::array::from_fn(|c| weights[0] * a[c] + weights[1] * b[c]);
    let length = if N == 4 { mixed.iter().map(|x| x * x).sum::<f64>().sqrt() } else { 1.0 };
    mixed.map(|x| x / length)
}

#[test]
fn eight_tracks_at_once_show_what_each_shows_and_have_the_same_bits_everywhere() {
    use crate::skeleton::lane::{Kernel, Plain};
    let rest = Transform { translation: [5.0, 6.0, 7.0], ..Transform::default() };
    for (n, has_equal_times) in [(3, true), (8, false), (19, true), (21, false)] {
        let joint = |k| Joint { name: format!("{k}"), parent: None, rest };
        let skeleton = Skeleton::new((0..n).map(joint).collect()).expect("a skeleton").0;
        let clip = many(n, has_equal_times);
        let (mut cursors, mut pose, mut plain) = (Cursors::new(&clip), Pose::new(n), Pose::new(n));
        for time in [-1.0, 0.0, 0.1, 0.15, 0.33, 0.3, 0.5, 0.71, 1.2, 1.3, 9.0, f32::INFINITY, 0.11, f32::NAN]
        {
            clip.sample(&skeleton, time, &mut cursors, &mut pose);
            let near = |a: &[f32], b: &[f64]| a.iter().zip(b).all(|(x, y)| (f64::from(*x) - y).abs() < 1e-6);
            let asked = if time.is_nan() { 0.0 } else { time };
            for track in &clip.translations {
                let (seen, wanted) =
                    (pose.get(track.joint as usize).translation, by_definition(track, asked));
                assert!(near(&seen, &wanted), "{n}, {time}: {seen:?}, {wanted:?}");
            }
            for track in &clip.rotations {
                let (seen, wanted) = (pose.get(track.joint as usize).rotation, by_definition(track, asked));
                assert!(near(&seen, &wanted), "{n}, {time}: {seen:?}, {wanted:?}");
            }
            for track in &clip.scales {
                assert!(near(&pose.get(track.joint as usize).scale, &by_definition(track, asked)));
            }
            if n > 5 {
                assert_eq!(pose.get(5), rest);
            }
            plain.copy_from(&pose);
            let spans = &cursors.at[..clip.timelines.len()];
            Sampled { time, of: (&clip.lines.0, &clip.lines.1), spans, pose: &mut plain }.run(Plain);
            let numbers = |pose: &Pose| pose.groups().as_flattened().as_flattened().to_vec();
            let bits = |pose: &Pose| numbers(pose).into_iter().map(f32::to_bits).collect::<Vec<_>>();
            assert_eq!(bits(&pose), bits(&plain), "{n}, {time}");
        }
    }
}

/// The matrix of a transform without scale, in `f64`.
fn exact_matrix([x, y, z, w]: [f64; 4], at: [f64; 3]) -> [[f64; 4]; 4] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w), 0.0],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w), 0.0],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y), 0.0],
        [at[0], at[1], at[2], 1.0],
    ]
}

/// As large as ozz's samples: 67 joints, some two meters, keys joined by chords as there, or by arcs.
#[test]
fn poses_are_those_of_exact_arithmetic() {
    const JOINTS: usize = 67;
    let noise = |k: usize| ((k * 7919 % 1000) as f32 - 499.5) / 500.0;
    let rest = Transform { translation: [0.0, 0.2, 0.05], ..Transform::default() };
    let joint = |k: usize| {
        let parent = k.checked_sub(1).map(|k| (if k % 4 == 3 { k / 2 } else { k }) as u32);
        Joint { name: format!("{k}"), parent, rest }
    };
    let skeleton = Skeleton::new((0..JOINTS).map(joint).collect()).expect("a skeleton").0;
    for kind in [Interpolation::Chord, Interpolation::Linear] {
        let times = |k: usize| (0..5 + k % 3).map(|key| key as f32 / (4 + k % 3) as f32).collect::<Vec<_>>();
        let rotations = (0..JOINTS).map(|k| {
            let values = (0..times(k).len()).map(|key| {
                let q = [0, 1, 2].map(|c| 0.4 * noise(31 * k + 7 * key + c));
                [q[0], q[1], q[2], 1.0]
            });
            Track::rotation(k as u32, times(k), values.collect(), kind).expect("a track")
        });
        let translations = (0..JOINTS).step_by(5).map(|k| {
            let values = (0..times(k).len()).map(|key| [0.1 * noise(13 * k + key), 0.1, 0.0]);
            Track::new(k as u32, times(k), values.collect(), Interpolation::Linear).expect("a track")
        });
        let tracks = (translations.collect(), rotations.collect(), vec![]);
        let clip = Clip::new("c", JOINTS, tracks, vec![]).expect("a clip");
        let (mut cursors, mut pose) = (Cursors::new(&clip), Pose::new(JOINTS));
        let mut matrices = vec![crate::skeleton::IDENTITY; JOINTS];
        let mut worst = 0.0_f64;
        for frame in 0..=61 {
            let time = frame as f32 / 61.0;
            clip.sample(&skeleton, time, &mut cursors, &mut pose);
            skeleton.to_model(&pose, &mut matrices);
            let mut exact: Vec<[[f64; 4]; 4]> = Vec::new();
            for (k, joint) in skeleton.joints().iter().enumerate() {
                let moved = clip.translations.iter().find(|track| track.joint as usize == k);
                let at = moved.map_or(rest.translation.map(f64::from), |track| by_definition(track, time));
                let local = exact_matrix(by_definition(&clip.rotations[k], time), at);
                let Some(parent) = joint.parent else {
                    exact.push(local);
                    continue;
                };
                let of = exact[parent as usize];
                let product = |c: usize, r: usize| (0..4).map(|j| of[j][r] * local[c][j]).sum::<f64>();
                exact.push(std::array::from_fn(|c| std::array::from_fn(|r| product(c, r))));
            }
            for (a, b) in
                matrices.as_flattened().as_flattened().iter().zip(exact.as_flattened().as_flattened())
            {
                worst = worst.max((f64::from(*a) - b).abs());
            }
        }
        assert!(worst < 1e-5, "{kind:?}: {worst}");
    }
}
