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

/// A scene of one file in a directory of its own.
fn scene(text: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("scene.scn");
    std::fs::write(&file, text).expect("it is written");
    let name = file.to_str().expect("its name is text").to_owned();
    (directory, name)
}

/// A large triangle of four, whose middle goes while all points stay.
#[test]
fn pictures_and_videos_show_the_elements_that_are_left() {
    let (directory, file) = scene(
        "<Node gravity='0 0 0' dt='0.04'>
        <InteractiveCamera position='0 0 10' lookAt='0 0 0'/>
        <EulerExplicitSolver/>
        <TriangleSetTopologyContainer position='-4 -2 0  4 -2 0  0 4 0  0 -2 0  2 1 0  -2 1 0'
            triangles='0 3 5  3 1 4  5 4 2  3 4 5'/>
        <TriangleSetTopologyModifier/><TriangleSetGeometryAlgorithms template='Vec3'/>
        <MechanicalObject/><UniformMass vertexMass='1'/>
        <TriangularFEMForceField youngModulus='10' poissonRatio='0.3'/>
        <TopologicalChangeProcessor useDataInputs='1' timeToRemove='0.1' trianglesToRemove='3'/>
        </Node>",
    );
    let of_sheet = |[r, g, b]: [u8; 3]| r > 90 && r > g.saturating_add(50) && r > b.saturating_add(50);
    let at = |step: &str| {
        let p = screenshot(&[&file, "--at-step", step, "--size", "320x240", "--threads", "1"])?;
        Some(p.find(of_sheet).expect("the sheet").0)
    };
    let (Some(before), Some(after)) = (at("0"), at("8")) else { return };
    assert!(before > 2000 && after < before * 8 / 10 && after > before * 7 / 10, "{before} {after}");
    let film = directory.path().join("film");
    let output = weft()
        .args(["view", &file, "--steps", "8", "--size", "320x240", "--video"])
        .arg(&film)
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let number = |k: usize| {
        let frame = image::open(film.join(format!("frame_{k:05}.png"))).expect("a frame").to_rgb8();
        frame.pixels().filter(|p| of_sheet(p.0)).count()
    };
    assert!(number(8) < number(0) * 8 / 10, "{} {}", number(0), number(8));
}

#[test]
fn faces_have_the_colors_and_images_of_their_materials() {
    let (directory, file) =
        scene("<Node><MechanicalObject position='0 0 0'/><OglModel filename='three.obj'/></Node>");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("written");
    let square = |x: i32| format!("v {x} 0 0\nv {0} 0 0\nv {0} 1 0\nv {x} 1 0\n", x + 1);
    let points = [0, 1, 2].map(square).concat();
    let image = "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n";
    write(
        "three.obj",
        &format!(
            "mtllib three.mtl\n{points}{image}usemtl a\nf 1 2 3 4\nusemtl b\nf 5 6 7 8\nusemtl c\nf 9/1 10/2 11/3 12/4\n"
        ),
    );
    write("three.mtl", "newmtl a\nKd 1 0 0\nnewmtl b\nKd 0 0 1\nnewmtl c\nmap_Kd green.png\n");
    let lawn = image::RgbImage::from_pixel(4, 4, image::Rgb([0, 220, 0]));
    lawn.save(directory.path().join("green.png")).expect("it is written");
    let Some(p) = screenshot(&[&file, "--size", "320x240"]) else { return };
    let at = |color: fn([u8; 3]) -> bool| p.find(color).filter(|(n, _)| *n > 1000).expect("it is seen").1[0];
    let (r, b, g) = (at(red), at(blue), at(green));
    // Side by side in this order, whichever side they are seen from.
    assert!(
        (r - b).abs() > 30.0 && (b - g).abs() > 30.0 && (r - g).abs() > 90.0,
        "red {r}, blue {b}, green {g}"
    );
}

#[test]
fn an_image_that_is_none_is_left_out() {
    let text = "<Node><MechanicalObject position='0 0 0'/>
        <OglModel position='0 0 0 1 0 0 1 1 0 0 1 0' quads='0 1 2 3' texcoords='0 0 1 0 1 1 0 1' color='red'
            texturename='no.png'/>
    </Node>";
    let (directory, file) = scene(text);
    std::fs::write(directory.path().join("no.png"), "no image at all").expect("it is written");
    let Some(p) = screenshot(&[&file, "--size", "320x240"]) else { return };
    assert!(p.find(red).expect("a red square").0 > 3000);
}

#[test]
fn a_flat_net_is_as_bright_as_its_color() {
    let Some(p) = screenshot(&["net", "--size", "320x240"]) else { return };
    let white = p.find(|[r, g, b]| r > 215 && g > 215 && b > 215 && r.abs_diff(b) < 6);
    // The background is a little blue.
    let (n, [_, y]) = white.expect("a white net");
    assert!(n > 2000 && y < 140.0, "{n} white pixels around row {y}");
}

#[test]
fn a_thousand_objects_are_drawn() {
    let arguments = ["falling", "--set", "objects=1000", "--size", "320x240", "--threads", "1"];
    let Some(p) = screenshot(&arguments) else { return };
    let colored = |[r, g, b]: [u8; 3]| r.max(g).max(b) > r.min(g).min(b).saturating_add(40);
    assert!(p.find(colored).expect("objects").0 > 5000);
}

#[test]
fn a_million_triangles_are_drawn() {
    const N: usize = 708;
    let (directory, file) = scene(
        "<Node><MechanicalObject position='0 0 0'/><OglModel filename='waves.obj' color='red'/></Node>",
    );
    let mut text = String::with_capacity(50_000_000);
    for k in 0..N * N {
        let (x, z) = ((k % N) as f64 / N as f64, (k / N) as f64 / N as f64);
        text += &format!("v {x:.5} {:.5} {z:.5}\n", 0.05 * (20.0 * x).sin() * (15.0 * z).cos());
    }
    for k in (0..N - 1).flat_map(|j| (0..N - 1).map(move |i| j * N + i + 1)) {
        text += &format!("f {k} {} {}\nf {k} {} {}\n", k + N, k + N + 1, k + N + 1, k + 1);
    }
    std::fs::write(directory.path().join("waves.obj"), text).expect("it is written");
    let Some(p) = screenshot(&[&file, "--size", "320x240"]) else { return };
    let (n, [x, _]) = p.find(red).expect("red waves");
    assert!(n > 8000 && (x - 160.0).abs() < 40.0, "{n} at {x}");
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
#[cfg(target_os = "linux")]
fn without_a_driver_it_says_so() {
    let mut command = weft();
    // Where the loaders of Vulkan and of OpenGL look for drivers.
    for name in
        ["VK_ICD_FILENAMES", "VK_DRIVER_FILES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH"]
    {
        command.env(name, "/nowhere");
    }
    let directory = tempfile::tempdir().expect("a directory");
    let picture = directory.path().join("p.png");
    let output = command.args(["view", "stack", "--screenshot"]).arg(picture).output().expect("it starts");
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("no graphics driver was found") && stderr.contains("mesa"), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
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

#[test]
fn what_comes_toward_the_camera_is_seen_until_it_is_there() {
    let (_directory, file) = scene(
        "<Node dt='0.01' gravity='0 0 0'>
        <InteractiveCamera position='0 0 20' lookAt='0 0 0' fieldOfView='45'/>
        <EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-9' threshold='1e-9'/>
        <MechanicalObject template='Rigid3' position='0 0 0  0 0 0 1' velocity='0 0 10  0 0 0'/><UniformMass totalMass='1'/>
        <Node><OglModel position='0 -1 0  1 -1 0  1 1 0  0 1 0' quads='0 1 2 3' color='blue'/><RigidMapping/></Node>
    </Node>",
    );
    let mut before = 0;
    for step in ["0", "100", "150", "180"] {
        let Some(p) = screenshot(&[&file, "--at-step", step, "--size", "320x240"]) else { return };
        let (n, _) = p.find(blue).unwrap_or_default();
        assert!(n > before, "at step {step}: {n}, {before} before");
        before = n;
    }
}

#[test]
fn a_background_has_the_color_that_the_scene_says() {
    let (directory, file) = scene(
        "<Node><BackgroundSetting color='0.1 0.1 0.4 1'/><InteractiveCamera position='0 0 8' lookAt='0 0 0'/>
        <MechanicalObject position='0 0 0  1 0 0'/></Node>",
    );
    let is_so = |p: &crate::picture::Picture| {
        let corner = &p.rgb[..3];
        assert!(corner.iter().zip([26, 26, 102]).all(|(c, e)| c.abs_diff(e) < 2), "{corner:?}");
    };
    let Some(p) = screenshot(&[&file, "--size", "320x240"]) else { return };
    is_so(&p);
    let film = directory.path().join("film");
    let output =
        weft().args(["view", &file, "--steps", "1", "--size", "320x240", "--video"]).arg(&film).output();
    assert!(output.expect("it starts").status.success());
    is_so(&crate::picture::Picture::read(&film.join("frame_00000.png")));
}
