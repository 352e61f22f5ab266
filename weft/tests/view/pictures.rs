//! `--screenshot` and `--video`: without a display.

use crate::picture::{blue, green, red};
use crate::{has_no_driver, screenshot, text, weft};

#[test]
fn boxes_stand_above_each_other_in_their_colors() {
    let Some(p) = screenshot(&["stack", "--at-step", "100", "--size", "480x360", "--threads", "1"]) else {
        return;
    };
    assert_eq!((p.width, p.height), (480, 360));
    let find = |color: fn([u8; 3]) -> bool| p.find(color).expect("it is seen");
    let ((n_red, [x0, y0]), (n_green, [_, y1]), (n_blue, [x2, y2])) = (find(red), find(green), find(blue));
    assert!(y2 + 20.0 < y1 && y1 + 20.0 < y0, "blue at {y2}, green at {y1}, red at {y0}");
    assert!((x0 - x2).abs() < 15.0, "{x0} {x2}");
    // Boxes of one size at nearly the same distance.
    for n in [n_red, n_green, n_blue] {
        assert!((500..5000).contains(&n), "{n_red} {n_green} {n_blue}");
    }
    let gray = p.find(|[r, g, b]| r.abs_diff(g) < 6 && g.abs_diff(b) < 6 && (90..225).contains(&r));
    assert!(gray.expect("the floor").0 > 8000);
}

#[test]
fn what_falls_comes_nearer_to_what_it_falls_on() {
    let at = |step: &str| {
        let p = screenshot(&["stack", "--at-step", step, "--size", "320x240", "--threads", "1"])?;
        // Each picture shows its state whole, so only distances compare.
        Some(p.find(red).expect("the red box").1[1] - p.find(blue).expect("the blue box").1[1])
    };
    let (Some(before), Some(after)) = (at("0"), at("60")) else { return };
    assert!(after > 20.0 && after < 0.95 * before, "{before} {after}");
}

#[test]
fn a_scene_without_visual_models_shows_its_behavior_models() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("bare.scn");
    let scene = "<Node>
        <EulerImplicitSolver/><CGLinearSolver iterations='10'/>
        <RegularGridTopology name='grid' n='3 3 9' min='0 0 0' max='1 1 4'/>
        <MechanicalObject/><UniformMass totalMass='1'/>
        <HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>
    </Node>";
    std::fs::write(&file, scene).expect("it is written");
    let file = file.to_str().expect("its name is text");
    let Some(p) = screenshot(&[file, "--size", "320x240"]) else { return };
    let (n, [x, y]) =
        p.find(|[r, g, b]| r > 90 && r > g.saturating_add(50) && r > b.saturating_add(50)).expect("a bar");
    assert!(n > 3000, "{n}");
    assert!((x - 160.0).abs() < 40.0 && (y - 120.0).abs() < 40.0, "{x} {y}");
}

#[test]
fn a_video_is_pictures_at_a_steady_rate() {
    let directory = tempfile::tempdir().expect("a directory");
    let film = directory.path().join("film");
    let mut command = weft();
    command.args(["view", "stack", "--steps", "20", "--fps", "25", "--size", "160x120", "--threads", "1"]);
    let output = command.arg("--video").arg(&film).output().expect("it starts");
    if has_no_driver(&text(&output.stderr)) {
        return;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    // 20 steps of 10 ms at 25 pictures a second: at 0, 40, ... 200 ms.
    let mut names: Vec<String> = std::fs::read_dir(&film)
        .expect("a directory")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, (0..6).map(|k| format!("frame_{k:05}.png")).collect::<Vec<_>>());
}

#[test]
fn without_a_display_it_says_so() {
    let output = weft().args(["view", "stack"]).output().expect("it starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("there is no display") && stderr.contains("weft run"), "{stderr}");
}

#[test]
fn a_picture_that_cannot_be_written_is_an_error() {
    let output = weft()
        .args(["view", "stack", "--size", "64x64", "--screenshot", "/nowhere/at/all.png"])
        .output()
        .expect("it starts");
    let stderr = text(&output.stderr);
    if has_no_driver(&stderr) {
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("/nowhere/at/all.png"), "{stderr}");
}
