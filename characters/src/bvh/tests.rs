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
    assert!(near(&still, &[[1.0, 2.0, 3.0], [1.0, 12.0, 3.0], [1.0, 17.0, 3.0]]), "{still:?}");
    // Turned by 90 degrees around z the arm points along -x, and the lower part back up.
    let bent = points(&arm, 0.5);
    assert!(near(&bent, &[[2.0, 2.0, 3.0], [-8.0, 2.0, 3.0], [-8.0, 7.0, 3.0]]), "{bent:?}");
}

#[test]
fn the_first_channel_is_outermost() {
    let text = ARM.replace("1 0 0 90 0 0  0 -90 0", "0 0 0 90 90 0  0 0 0");
    // Z * X: first around x (y to z), then around z (z stays).
    let bent = points(&read_bvh("arm.bvh", &text).expect("reads"), 0.5);
    assert!(near(&bent[1..2], &[[1.0, 2.0, 13.0]]), "{bent:?}");
}

#[test]
fn what_is_wrong_has_a_line() {
    for (from, to, expected) in [
        ("ROOT", "ROOTS", "2: `ROOT` or `MOTION` should be here, not `ROOTS`"),
        ("0 10 0", "0 ten 0", "8: a number of the offset should be here, not `ten`"),
        ("0 10 0", "0 NaN 0", "8: a number of the offset should be here, not `NaN`"),
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
        ("}\nMOTION", "MOTION", "15: `JOINT`, `End Site` or `}` should be here, not `MOTION`"),
    ] {
        let error = read_bvh("arm.bvh", &ARM.replacen(from, to, 1)).expect_err(to).to_string();
        assert_eq!(error, format!("arm.bvh:{expected}"));
    }
}

#[test]
fn recordings_that_were_cut_and_numbers_too_many() {
    let cut = read_bvh("arm.bvh", &ARM.replace("Frames: 2", "Frames: 3")).expect("reads");
    assert_eq!(cut.warnings, ["it ends after 2 whole frames of 3: these are played"]);
    assert!(near(&points(&cut, 0.5), &points(&read_bvh("arm.bvh", ARM).expect("reads"), 0.5)));
    assert_eq!(cut.clips[0].duration(), 0.5);
    let half = read_bvh("arm.bvh", ARM.trim_end().trim_end_matches(" 0")).expect("reads");
    assert_eq!(half.warnings, ["it ends after 1 whole frames of 2: these are played"]);
    assert_eq!(half.clips[0].duration(), 0.0);
    let more = read_bvh("arm.bvh", &ARM.replace("Frames: 2", "Frames: 1")).expect("reads");
    assert_eq!(more.warnings, ["9 numbers stand behind its 1 frames: they are left out"]);
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
