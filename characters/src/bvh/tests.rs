use animation::skeleton::{Cursors, IDENTITY, Pose, moved_point};
use proptest::prelude::*;

use super::*;

const ARM: &str = "HIERARCHY
ROOT upper arm
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT lower
  {
    OFFSET 0 10 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 0 0 0 0 0  0 0 0
1 0 0 90 0 0  0 -90 0
";

fn points(character: &Character, time: f32) -> Vec<[f32; 3]> {
    let (clip, n) = (&character.clips[0], character.skeleton.len());
    let (mut pose, mut matrices) = (Pose::new(n), vec![IDENTITY; n]);
    clip.sample(&character.skeleton, time, &mut Cursors::new(clip), &mut pose);
    character.skeleton.to_model(&pose, &mut matrices);
    matrices.iter().map(|m| moved_point(m, [0.0; 3])).collect()
}

fn near(a: &[[f32; 3]], b: &[[f32; 3]]) -> bool {
    a.as_flattened().iter().zip(b.as_flattened()).all(|(x, y)| (x - y).abs() < 2e-5)
}

#[test]
fn an_arm_is_where_geometry_says() {
    let arm = read_bvh("arm.bvh", ARM).expect("reads");
    let names: Vec<_> = arm.skeleton.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["upper arm", "lower", "lower end"]);
    assert_eq!(arm.clips[0].duration(), 0.5);
    let still = points(&arm, 0.0);
    assert!(near(&still, &[[0.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 15.0, 0.0]]), "{still:?}");
    // Turned by 90 degrees around z the arm points along -x, and the lower part back up.
    let bent = points(&arm, 0.5);
    assert!(near(&bent, &[[1.0, 0.0, 0.0], [-9.0, 0.0, 0.0], [-9.0, 5.0, 0.0]]), "{bent:?}");
}

#[test]
fn the_first_channel_is_outermost() {
    let text = ARM.replace("1 0 0 90 0 0  0 -90 0", "0 0 0 90 90 0  0 0 0");
    // Z * X: first around x (y to z), then around z (z stays).
    let bent = points(&read_bvh("arm.bvh", &text).expect("reads"), 0.5);
    assert!(near(&bent[1..2], &[[0.0, 0.0, 10.0]]), "{bent:?}");
}

#[test]
fn what_is_wrong_has_a_line() {
    for (from, to, expected) in [
        ("ROOT", "ROOTS", "2: `ROOT` or `MOTION` should be here, not `ROOTS`"),
        ("0 10 0", "0 ten 0", "8: a number of the offset should be here, not `ten`"),
        ("0 10 0", "0 NaN 0", "8: a number of the offset should be here, not `NaN`"),
        ("CHANNELS 3", "CHANELS 3", "9: `CHANNELS` should be here, not `CHANELS`"),
        (
            "Yrotation Zrotation Xrotation",
            "Yrotation Zrotation Yrotation",
            "9: `lower` has the channel `Yrotation` twice",
        ),
        (
            "Xposition",
            "Xpos",
            "5: `Xpos` is no channel (there are Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation)",
        ),
        (
            "0 0 0 0 0 0  0 0 0\n1 0 0 90 0 0  0 -90 0\n",
            "0 0\n",
            "19: frame 0 of 2: the file ends where a number of a channel should be",
        ),
        ("0 -90 0\n", "0 -90 0\nEND", "21: the end, or one more number, should be here, not `END`"),
        ("Frames: 2", "Frames: 0", "18: there are no frames"),
        ("Time: 0.5", "Time: 0", "18: the time of a frame is 0, it must be above zero"),
        ("Time: 0.5", "Time:", "18: the time of a frame should be on this line"),
        ("}\nMOTION", "MOTION", "15: `JOINT`, `End Site` or `}` should be here, not `MOTION`"),
    ] {
        let error = read_bvh("arm.bvh", &ARM.replacen(from, to, 1)).expect_err(to).to_string();
        assert_eq!(error, format!("arm.bvh:{expected}"));
    }
}

/// The offset is what a position channel is at rest: it does not count twice, at the root or elsewhere.
#[test]
fn a_position_channel_stands_in_the_place_of_the_offset_along_its_axis() {
    let text = ARM
        .replace("3 Yrotation Zrotation Xrotation", "2 Yposition Xposition")
        .replace("0 0 0 0 0 0  0 0 0", "1 2 3 0 0 0  10 0")
        .replace("1 0 0 90 0 0  0 -90 0", "4 5 6 0 0 0  8 7")
        .replace("OFFSET 0 10 0", "OFFSET 0 10 9");
    let arm = read_bvh("arm.bvh", &text).expect("reads");
    let still = points(&arm, 0.0);
    assert!(near(&still[..2], &[[1.0, 2.0, 3.0], [1.0, 12.0, 12.0]]), "{still:?}");
    let moved = points(&arm, 0.5);
    assert!(near(&moved[..2], &[[4.0, 5.0, 6.0], [11.0, 13.0, 15.0]]), "{moved:?}");
    let rest: Vec<_> = (0..2).map(|k| arm.skeleton.rest().get(k).translation).collect();
    assert_eq!(rest, [[1.0, 2.0, 3.0], [0.0, 10.0, 9.0]]);
}

#[test]
fn a_line_has_the_numbers_of_whole_frames_or_goes_on_to_the_end_of_one() {
    let of = |rows: &str| {
        let (head, _) = ARM.split_once("0 0 0 0 0 0  0 0 0").expect("a row");
        read_bvh("arm.bvh", &format!("{}{rows}", head.replace("Frames: 2", "Frames: 3")))
    };
    let row = "1 0 0 0 0 0 0 0 0";
    let split = "1 0 0\n\n0 0 0 0\n0 0";
    for rows in [
        format!("{row}\n{row}\n{row}"),
        format!("{row} {row}\n{row}"),
        format!("{row}\n{split}\n{row}"),
        format!("{split}\n{split}\n{split}\n"),
    ] {
        let read = of(&rows).expect("reads");
        assert!(read.warnings.is_empty(), "{rows}: {:?}", read.warnings);
    }
    let line = |n: usize| format!("{n} of 3: 9 numbers should be on this line, one for each channel, not");
    for (rows, expected) in [
        // The same number of numbers as is right.
        (format!("{row}\n1 0 0 0 0 0 0 0\n{row} 7"), format!("20: frame {} 8", line(1))),
        (format!("{row}\n1 0 0 0 0 0 0 0\n{row}"), format!("20: frame {} 8", line(1))),
        (format!("{row}\n{row} 7\n{row}"), format!("20: frame {} 10", line(1))),
        (format!("{row}\n{row}\n{row} 7"), format!("21: frame {} 10", line(2))),
        (
            format!("{split}\n1 0 0\n0 0 0 0 7\n0 0\n{split}"),
            "25: frame 1 of 3: 2 numbers should be on this line".to_owned(),
        ),
    ] {
        let rows = rows.replace("0 0 0 0 7\n0 0", "0 0 0 0\n0 0 7");
        let error = of(&rows).expect_err(&rows).to_string();
        assert!(error.starts_with(&format!("arm.bvh:{expected}")), "{error}");
    }
}

#[test]
fn recordings_that_were_cut_and_numbers_too_many() {
    let cut = read_bvh("arm.bvh", &ARM.replace("Frames: 2", "Frames: 3")).expect("reads");
    assert_eq!(cut.warnings, ["it ends after 2 whole frames of 3, on line 20: these are played"]);
    assert!(near(&points(&cut, 0.5), &points(&read_bvh("arm.bvh", ARM).expect("reads"), 0.5)));
    assert_eq!(cut.clips[0].duration(), 0.5);
    let half = read_bvh("arm.bvh", ARM.trim_end().trim_end_matches(" 0")).expect("reads");
    assert_eq!(half.warnings, ["it ends after 1 whole frames of 2, on line 20: these are played"]);
    assert_eq!(half.clips[0].duration(), 0.0);
    let more = read_bvh("arm.bvh", &ARM.replace("Frames: 2", "Frames: 1")).expect("reads");
    assert_eq!(more.warnings, ["9 numbers stand behind its 1 frames, from line 20 on: they are left out"]);
}

#[test]
fn numbers_that_grow_beyond_single_precision_are_named() {
    let far = ARM.replace("1 0 0 90", "3e38 0 0 90");
    let expected = "joint `upper arm` may be 5.2e38 from the origin in the clip `motion`: \
        single precision ends at 3.4e38, beyond which poses are not finite";
    assert_eq!(read_bvh("arm.bvh", &far).expect("reads").warnings, [expected]);
    let longer = ARM.replace("OFFSET 0 10 0", "OFFSET 0 3e38 0");
    let warnings = read_bvh("arm.bvh", &longer).expect("reads").warnings;
    assert!(warnings[0].starts_with("joint `lower` may be 5.2e38 from the origin at rest: "), "{warnings:?}");
}

proptest! {
    #[test]
    fn no_text_panics(cut in 0..ARM.len(), at in 0..ARM.len(), by in "[ -~\n]{0,6}") {
        let mut text = ARM.to_owned();
        text.insert_str(at, &by);
        let _ = read_bvh("x.bvh", &text);
        let _ = read_bvh("x.bvh", &ARM[..cut]);
    }
}
