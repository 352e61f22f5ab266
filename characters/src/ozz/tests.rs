use std::path::Path;

use animation::skeleton::{Cursors, IDENTITY, Matrix, Pose, Skeleton};
use proptest::prelude::*;

use super::*;
use crate::load;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/animation-assets/ozz");

/// The archives of ozz's samples, where they are.
fn samples() -> Option<&'static Path> {
    let folder = Path::new(FOLDER);
    if !folder.is_dir() {
        println!("skipped: {FOLDER} is not there");
    }
    folder.is_dir().then_some(folder)
}

fn archive(tag: &str, version: u32, rest: &[&[u8]]) -> Vec<u8> {
    [&[1_u8][..], tag.as_bytes(), &[0], &version.to_le_bytes(), &rest.concat()].concat()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// An upper arm and a forearm, one further along x.
fn arm() -> Vec<u8> {
    let mut numbers = [[0.0_f32; 4]; 10];
    numbers[0] = [0.0, 1.0, 0.0, 0.0];
    numbers[6] = [1.0; 4];
    numbers[7..].fill([1.0; 4]);
    let parents: Vec<u8> = [-1_i16, 0].iter().flat_map(|p| p.to_le_bytes()).collect();
    archive(
        "ozz-skeleton",
        2,
        &[&ints(&[2, 12]), b"upper\0lower\0", &parents, &floats(numbers.as_flattened())],
    )
}

/// The forearm turns by a quarter about z in two seconds.
fn bend() -> Vec<u8> {
    let h = 0.5_f32.sqrt();
    let key = |numbers: &[f32]| [ints(&[1, 1]), floats(numbers)].concat();
    let at = |x: f32| key(&[0.0, x, 0.0, 0.0]);
    let (still, one) = (key(&[0.0, 0.0, 0.0, 0.0, 1.0]), key(&[0.0, 1.0, 1.0, 1.0]));
    let turn = [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, h, h];
    let turn = [ints(&[2, 1]), floats(&turn)].concat();
    let joints = [at(0.0), still, one.clone(), at(1.0), turn, one].concat();
    archive("ozz-raw_animation", 3, &[&floats(&[2.0]), &ints(&[2, 1]), &joints, &ints(&[4]), b"bend"])
}

fn model(skeleton: &Skeleton, clip: &Clip, time: f32) -> Vec<Matrix> {
    let (mut pose, mut matrices) = (Pose::new(skeleton.len()), vec![IDENTITY; skeleton.len()]);
    clip.sample(skeleton, time, &mut Cursors::new(clip), &mut pose);
    skeleton.to_model(&pose, &mut matrices);
    matrices
}

#[test]
fn a_clip_moves_the_skeleton_of_another_archive() {
    let (arm, bend) = (arm(), bend());
    let character = read_ozz("bend.ozz", &bend, Some(("arm.ozz", &arm))).expect("reads");
    assert_eq!(character.skeleton.joints()[1].name, "lower");
    let clip = &character.clips[0];
    assert_eq!((clip.name(), clip.duration()), ("bend", 2.0));
    // Half way on the chord is half of the angle; a quarter of the way is not quite a quarter of it.
    let angle = |time: f32| model(&character.skeleton, clip, time)[1][0][1].asin();
    assert!((angle(1.0) - std::f32::consts::FRAC_PI_4).abs() < 1e-6, "{}", angle(1.0));
    let h = 0.5_f32.sqrt();
    let (z, w) = (0.25 * h, 0.75 + 0.25 * h);
    assert!((angle(0.5) - 2.0 * z.atan2(w)).abs() < 1e-6, "{}", angle(0.5));
    let alone = read_ozz("arm.ozz", &arm, None).expect("reads");
    assert_eq!((alone.clips.len(), alone.skeleton.joints()[1].rest.translation), (0, [1.0, 0.0, 0.0]));
}

#[test]
fn what_is_wrong_is_said_with_its_byte() {
    let (arm, bend) = (arm(), bend());
    let error = |bytes: &[u8], skeleton: Option<&[u8]>| {
        let skeleton = skeleton.map(|bytes| ("arm.ozz", bytes));
        read_ozz("a.ozz", bytes, skeleton).expect_err("it is wrong").to_string()
    };
    assert_eq!(error(&bend, None), "a.ozz: it is a clip: say by which skeleton it is to be played");
    assert_eq!(error(&bend, Some(&bend)), "arm.ozz: it is a clip, not a skeleton");
    assert_eq!(error(&arm, Some(&arm)), "a.ozz: it is a skeleton itself, so arm.ozz is not needed");
    assert_eq!(error(b"", None), "a.ozz: byte 0: the file is empty");
    assert_eq!(error(b"hello", None), "a.ozz: byte 0: it is no ozz archive");
    let cut = &arm[..arm.len() - 1];
    assert_eq!(error(cut, None), "a.ozz: byte 42: the file ends within poses at rest");
    let mut long = arm.clone();
    long.push(0);
    assert_eq!(error(&long, None), "a.ozz: byte 202: 1 bytes follow that do not belong to it");
    let old = archive("ozz-animation", 6, &[]);
    let text = "a.ozz: byte 15: `ozz-animation` of version 6 is not supported, 7 is";
    assert_eq!(error(&old, Some(&arm)), text);
    let other = archive("ozz-float_track", 1, &[]);
    assert!(error(&other, None).contains("no ozz archive `ozz-float_track`"));
    let three = archive("ozz-raw_animation", 3, &[&floats(&[1.0]), &ints(&[3, 1])]);
    assert!(error(&three, Some(&arm)).contains("it is of 3 joints, but the skeleton has 2"));
    let mut parent = arm.clone();
    parent[40] = 7;
    assert!(
        error(&parent, None).contains("joint 1 has the parent 7, but there are 2"),
        "{}",
        error(&parent, None)
    );
}

/// Played clips are packed raw clips: they differ by what packing loses, and by keys that were left out since ozz's builder bears their
/// error (a millimetre at the tip by its defaults).
#[test]
fn packed_and_raw_clips_are_the_same_motion() {
    let Some(folder) = samples() else { return };
    let read = |name: &str| load(&folder.join(name), Some(&folder.join("pab_skeleton.ozz"))).expect("reads");
    let (packed, raw) = (read("pab_walk.ozz"), read("pab_walk_raw.ozz"));
    assert_eq!(packed.skeleton.len(), 67);
    let mut worst = 0.0_f32;
    for k in 0..=40 {
        let time = packed.clips[0].duration() * k as f32 / 40.0;
        let poses = [&packed, &raw].map(|c| model(&c.skeleton, &c.clips[0], time));
        for (a, b) in poses[0].iter().zip(&poses[1]) {
            worst = (0..3).map(|r| (a[3][r] - b[3][r]).abs()).fold(worst, f32::max);
        }
    }
    assert!(worst < 5e-3 && worst > 0.0, "{worst}");
}

#[test]
fn all_samples_are_read_and_find_their_skeleton() {
    let Some(folder) = samples() else { return };
    for (name, duration) in [("crossarms", 8.6), ("jog", 0.8), ("run", 2.0 / 3.0), ("walk", 4.0 / 3.0)] {
        let character = load(&folder.join(format!("pab_{name}.ozz")), None).expect("reads");
        assert!(character.warnings[0].contains("pab_skeleton.ozz, the only one of 67 joints"));
        let clip = &character.clips[0];
        assert!((clip.duration() - duration as f32).abs() < 1e-5, "{name}: {}", clip.duration());
        // Bones keep their lengths, wherever time is.
        let skeleton = &character.skeleton;
        for k in 0..20 {
            let matrices = model(skeleton, clip, duration as f32 * k as f32 / 19.0);
            assert!(matrices.as_flattened().as_flattened().iter().all(|x| x.is_finite() && x.abs() < 10.0));
        }
    }
}

proptest! {
    #[test]
    fn mutated_archives_are_read_or_refused(
        which in 0..2,
        changes in prop::collection::vec((0_usize..400, any::<u8>()), 0..6),
        cut in 0_usize..400,
    ) {
        let (arm, mut bytes) = (arm(), if which == 0 { arm() } else { bend() });
        for (at, to) in changes {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
        }
        bytes.truncate(bytes.len().saturating_sub(cut % 3 * cut));
        let _ = read_ozz("a", &bytes, Some(("arm", &arm)));
        let _ = read_ozz("a", &bytes, None);
    }

    #[test]
    fn mutated_samples_are_read_or_refused(changes in prop::collection::vec((0_usize..8000, any::<u8>()), 1..8)) {
        let Some(folder) = samples() else { return Ok(()) };
        let read = |name: &str| std::fs::read(folder.join(name)).expect("reads");
        let (skeleton, mut bytes) = (read("pab_skeleton.ozz"), read("pab_jog.ozz"));
        for (at, to) in changes {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = to;
            }
        }
        let _ = read_ozz("a", &bytes, Some(("skeleton", &skeleton)));
    }
}
