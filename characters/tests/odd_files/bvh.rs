//! BVH as programs write it.

use weft_characters::read_bvh;

use super::{at, near};

const ARM: &str = "HIERARCHY
ROOT upper
{
\tOFFSET 0 0 0
\tCHANNELS 3 Zrotation Xrotation Yrotation
\tJOINT lower
\t{
\t\tOFFSET 0 1 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 2 0
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.5
0 0 0 0 0 0
90 0 0 0 0 0
";

/// After half a second the arm lies along -x.
fn is_arm(text: &str) {
    let arm = read_bvh("arm.bvh", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(near(at(&arm, "lower end", 0.0), [0.0, 3.0, 0.0]), "{text}");
    assert!(near(at(&arm, "lower end", 0.5), [-3.0, 0.0, 0.0]), "{text}");
    assert!(near(at(&arm, "lower", 0.25), [-0.5_f32.sqrt(), 0.5_f32.sqrt(), 0.0]), "{text}");
}

#[test]
fn white_space_and_case_and_end_sites_of_all_programs() {
    is_arm(ARM);
    is_arm(&ARM.replace('\n', "\r\n"));
    is_arm(&ARM.replace('\t', "  ").replace(' ', "\t "));
    is_arm(&format!("\u{feff}\n\n{ARM}\n \n"));
    is_arm(&ARM.replace("End Site", "end site"));
    is_arm(&ARM.replace("End Site", "EndSite"));
    is_arm(
        &ARM.replace("End Site\n", "End Site tip of it {").replace("\t\t{\n\t\t\tOFFSET 0 2", " OFFSET 0 2"),
    );
    is_arm(&ARM.replace("JOINT lower\n\t{\n", "JOINT lower { "));
    is_arm(&ARM.replace("JOINT lower\n\t{\n", "JOINT lower{\n"));
    is_arm(&ARM.replace("Frames: 2", "Frames:2").replace("Frame Time: 0.5", "frame time :\t0.5"));
    is_arm(&ARM.replace("90 0 0 0 0 0", "9.0E+1 -0 +0 0e0 .0 0."));
    // Braces need no white space around them.
    is_arm(&ARM.replace("}\nMOTION", "}MOTION"));
    is_arm(&ARM.replace("\t\t}\n\t}\n}", "}}}"));
    is_arm(&ARM.replace("OFFSET 0 2 0\n\t\t}", "OFFSET 0 2 0}"));
    is_arm(&ARM.replace("\t{\n\t\tOFFSET 0 1", "{OFFSET 0 1"));
    is_arm(&ARM.replace("End Site\n\t\t{\n\t\t\t", "End Site{"));
    is_arm(&format!("{ARM}\u{1a}\r\n"));
    is_arm(&ARM.replace('\n', "\r"));
    // All numbers of a frame need not be on a line.
    is_arm(&ARM.replace("90 0 0 0 0 0", "90\n0 0\n0 0 0"));
    // With a brace on its line, as one text: only numbers and words count.
    is_arm(&ARM.replace("\n\t\t\tOFFSET 0 2 0\n\t\t}", " OFFSET 0 2 0 }"));
}

#[test]
fn channels_in_any_order_and_six_on_every_joint() {
    let six = ARM.replace("CHANNELS 3 Zrotation", "CHANNELS 6 Zposition Xposition Yposition Zrotation");
    let six = six.replace("0 0 0 0 0 0\n90 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0 0 0\n3 1 2 90 0 0 7 5 6 0 0 0");
    let arm = read_bvh("arm.bvh", &six).expect("reads");
    // The upper joint at (1, 2, 3), turned: what is (5, 6, 7) from it, by its positions, is at (-6, 5, 7).
    assert!(near(at(&arm, "lower", 0.5), [-5.0, 7.0, 10.0]), "{:?}", at(&arm, "lower", 0.5));
    // Y * X * Z: z first, then x, then y.
    let order = ARM.replace("Zrotation Xrotation Yrotation", "Yrotation Xrotation Zrotation");
    let arm = read_bvh("arm.bvh", &order.replace("90 0 0 0 0 0", "90 0 90 0 0 0")).expect("reads");
    assert!(near(at(&arm, "lower", 0.5), [0.0, 0.0, 1.0]), "{:?}", at(&arm, "lower", 0.5));
    // Rotations between positions.
    let mixed = ARM.replace(
        "CHANNELS 3 Zrotation Xrotation Yrotation\n\tJ",
        "CHANNELS 4 Xrotation Yposition Zrotation Yrotation\n\tJ",
    );
    let arm =
        read_bvh("arm.bvh", &mixed.replace("0 0 0 0 0 0\n90 0", "0 0 0 0 0 0 0\n0 4 90")).expect("reads");
    assert!(near(at(&arm, "lower", 0.5), [-1.0, 4.0, 0.0]), "{:?}", at(&arm, "lower", 0.5));
}

#[test]
fn several_roots_joints_without_channels_and_a_still_clip() {
    let second = "ROOT hat\n{\nOFFSET 0 9 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION";
    let arm = read_bvh("arm.bvh", &ARM.replace("MOTION", second)).expect("reads");
    assert!(near(at(&arm, "hat end", 0.5), [0.0, 10.0, 0.0]));
    // Without channels the word may be missing, too.
    let arm =
        read_bvh("arm.bvh", &ARM.replace("MOTION", &second.replace("CHANNELS 0\n", ""))).expect("reads");
    assert!(near(at(&arm, "hat end", 0.5), [0.0, 10.0, 0.0]));
    assert_eq!(arm.skeleton.joints().iter().filter(|j| j.parent.is_none()).count(), 2);
    let still = ARM.replace("Frames: 2", "Frames: 1").replace("0 0 0 0 0 0\n90", "90").replace("0.5", "0");
    let still = read_bvh("arm.bvh", &still).expect("reads");
    assert_eq!((still.clips[0].duration(), still.clips[0].looped(7.0)), (0.0, 0.0));
    assert!(near(at(&still, "lower", 7.0), [-1.0, 0.0, 0.0]));
    let frozen = read_bvh("arm.bvh", &ARM.replace("0.5", "0")).expect_err("no time");
    assert!(frozen.to_string().ends_with("18: the time of a frame is 0, it must be above zero"), "{frozen}");
}

#[test]
fn letters_of_another_encoding_are_read_with_a_warning() {
    let path = std::env::temp_dir().join(format!("weft-odd-{}.bvh", std::process::id()));
    let bytes: Vec<u8> =
        ARM.replace("lower", "kn?e").bytes().map(|b| if b == b'?' { 0xe9 } else { b }).collect();
    std::fs::write(&path, bytes).expect("writes");
    let read = weft_characters::load(&path, None);
    std::fs::remove_file(&path).expect("is removed");
    let arm = read.expect("reads");
    assert!(arm.warnings[0].starts_with("names are not in UTF-8"), "{:?}", arm.warnings);
    assert!(arm.skeleton.find("kn\u{fffd}e").is_some());
}
