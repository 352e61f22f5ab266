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

/// A key of a raw clip: its time, and what is there.
type RawKeys<const N: usize> = &'static [(f32, [f32; N])];

/// Keys of three joints in a chain: translations, rotations, scales.
const CHAIN: [(RawKeys<3>, RawKeys<4>, RawKeys<3>); 3] = [
    (
        &[(0.0, [0.0, 0.9, 0.0]), (0.5, [0.1, 0.95, 0.2]), (1.5, [0.0, 0.9, 1.1])],
        &[
            (0.0, [0.0, 0.149_438_13, 0.0, 0.988_771_1]),
            (1.5, [-0.110_206_924, -0.551_034_6, -0.055_103_462, 0.825_335_6]),
        ],
        &[(0.0, [1.0; 3])],
    ),
    (
        &[(0.0, [0.0, 0.45, 0.05])],
        &[
            (0.0, [0.099_833_414, 0.0, 0.0, 0.995_004_2]),
            (0.75, [0.617_048_6, 0.185_114_59, 0.0, 0.764_842_2]),
            (1.5, [-0.264_321_3, 0.0, -0.132_160_65, 0.955_336_5]),
        ],
        &[(0.0, [1.0; 3]), (1.5, [1.5, 0.75, 1.25])],
    ),
    (
        &[(0.0, [0.25, 0.0, -0.1]), (1.0, [0.3, 0.05, -0.1])],
        &[
            (0.25, [0.0, 0.0, 0.247_403_96, 0.968_912_4]),
            (1.25, [0.0, 0.357_856_5, 0.894_641_34, 0.267_498_82]),
        ],
        &[(0.0, [2.0; 3])],
    ),
];

/// The chain's matrices at some times, three rows of each column: computed in double precision by another program, from ozz's definitions
/// (straight between keys, rotations on the shorter side and of length one again, translation after rotation after scale).
const GOLDEN: [(f32, [[f64; 12]; 3]); 3] = [
    (
        0.0,
        [
            [
                0.955_336_49,
                0.0,
                -0.295_520_2,
                0.0,
                1.0,
                0.0,
                0.295_520_2,
                0.0,
                0.955_336_49,
                0.0,
                0.899_999_98,
                0.0,
            ],
            [
                0.955_336_49,
                0.0,
                -0.295_520_2,
                0.058_710_8,
                0.980_066_58,
                0.189_796_05,
                0.289_629_47,
                -0.198_669_32,
                0.936_293_37,
                0.014_776_01,
                1.349_999_96,
                0.047_766_83,
            ],
            [
                1.733_068_2,
                0.939_737_91,
                -0.336_700_59,
                -0.812_978_3,
                1.720_178_67,
                0.616_483_28,
                0.579_258_94,
                -0.397_338_65,
                1.872_586_74,
                0.224_647_19,
                1.369_866_9,
                -0.119_742_56,
            ],
        ],
    ),
    (
        0.6,
        [
            [
                0.959_683_77,
                -0.033_454_03,
                0.279_084_03,
                0.059_888_12,
                0.994_429_83,
                -0.086_733_63,
                -0.274_627_9,
                0.099_950_67,
                0.956_341_66,
                0.09,
                0.944_999_99,
                0.290_000_03,
            ],
            [
                1.193_569_22,
                0.123_635_27,
                0.010_337_38,
                -0.055_214_26,
                0.468_975_17,
                0.766_168_17,
                0.091_541_83,
                -0.931_990_8,
                0.577_073,
                0.103_218_26,
                1.397_490_93,
                0.298_786_98,
            ],
            [
                0.742_146_54,
                1.376_215,
                1.109_740_28,
                -2.160_536_28,
                -0.125_653_74,
                0.791_760_56,
                0.724_876_19,
                -1.582_897_47,
                1.349_861_77,
                0.426_607_04,
                1.539_377_15,
                0.266_959_19,
            ],
        ],
    ),
    (
        1.2,
        [
            [
                0.626_548_53,
                -0.003_483_33,
                0.779_374_62,
                0.161_905_31,
                0.978_757,
                -0.125_783_15,
                -0.762_380_23,
                0.204_994_14,
                0.613_802_73,
                0.03,
                0.914_999_98,
                0.830_000_06,
            ],
            [
                1.009_168_17,
                -0.275_446_74,
                0.930_434_71,
                0.111_022_68,
                0.784_333_95,
                0.111_777_51,
                -0.814_886_02,
                -0.010_181_73,
                0.880_827_53,
                0.064_738_37,
                1.365_690_32,
                0.804_087_78,
            ],
            [
                -1.155_033_16,
                1.310_218_26,
                -1.760_987_61,
                -2.238_244_64,
                -0.595_298_62,
                -0.061_093_78,
                -0.659_774_14,
                0.832_805_46,
                1.873_881_14,
                0.454_528_57,
                1.323_291_17,
                1.000_724_33,
            ],
        ],
    ),
];

#[test]
fn a_made_clip_has_the_matrices_of_another_program() {
    fn list<const N: usize>(keys: RawKeys<N>) -> Vec<u8> {
        let numbers: Vec<f32> = keys.iter().flat_map(|(time, x)| [*time].into_iter().chain(*x)).collect();
        [ints(&[keys.len() as i32, 1]), floats(&numbers)].concat()
    }
    let joints: Vec<u8> = CHAIN.iter().flat_map(|(t, r, s)| [list(t), list(r), list(s)].concat()).collect();
    let bytes =
        archive("ozz-raw_animation", 3, &[&floats(&[1.5]), &ints(&[3, 1]), &joints, &ints(&[4]), b"made"]);
    let mut rest = [[0.0_f32; 4]; 10];
    rest[6..].fill([1.0; 4]);
    let parents: Vec<u8> = [-1_i16, 0, 1].iter().flat_map(|p| p.to_le_bytes()).collect();
    let names = b"a\0b\0c\0";
    let skeleton =
        archive("ozz-skeleton", 2, &[&ints(&[3, 6]), names, &parents, &floats(rest.as_flattened())]);
    let character = read_ozz("made.ozz", &bytes, Some(("chain.ozz", &skeleton))).expect("reads");
    for (time, golden) in GOLDEN {
        for (matrix, golden) in model(&character.skeleton, &character.clips[0], time).iter().zip(golden) {
            for (k, wanted) in golden.iter().enumerate() {
                let there = f64::from(matrix[k / 3][k % 3]);
                assert!((there - wanted).abs() < 2e-6, "{time} s: {matrix:?}, {golden:?}");
            }
        }
    }
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
