//! Characters of glTF and BVH files.

use super::{Scratch, weft_ok, weft_refuses};

const ARM: &str = "HIERARCHY
ROOT upper
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 5 0
  }
}
MOTION
Frames: 2
Frame Time: 1
0 0 0
90 0 0
";

#[test]
fn joints_are_written_frame_by_frame() {
    let s = Scratch::new();
    let (arm, out, report) = (s.file("arm.bvh", ARM), s.path("p.jsonl"), s.path("r.json"));
    let a = weft_ok(&["check", &arm]);
    assert!(a.stdout.contains("would run (0 warnings): 2 joints, 0 skins, 0 meshes"), "{}", a.stdout);
    let mut hashes = Vec::new();
    for executor in ["sequential", "replay", "stealing", "fork-join"] {
        let run = ["run", &arm, "--set", "models=4", "--steps", "3", "--dt", "0.25", "--executor", executor];
        weft_ok(&[&run[..], &["--export-pose", &out, "--report", &report, "--quiet"]].concat());
        hashes.push(s.json("r.json")["state_hash"].to_string());
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
    let lines = s.read("p.jsonl");
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert_eq!(lines.len(), 12);
    // Model 0 in frame 2, and model 2 in frame 0, are half way: at 45 degrees.
    let half = 5.0 * 0.5_f64.sqrt();
    for line in [&lines[8], &lines[2]] {
        let at = |k: usize| line["joints"][1]["matrix"][k].as_f64().expect("a number");
        assert!((at(12) + half).abs() < 1e-5 && (at(13) - half).abs() < 1e-5, "{line}");
    }
    let still = ["run", &arm, "--clip", "none", "--steps", "1", "--export-pose", &out, "--quiet"];
    weft_ok(&still);
    assert!(!s.read("p.jsonl").contains("\"clip\""));
}

#[test]
fn without_workers_models_are_animated_one_after_the_other() {
    let s = Scratch::new();
    let (arm, out) = (s.file("arm.bvh", ARM), s.path("r.json"));
    let config = s.file("plain.json", r#"{"threads": 0}"#);
    let run = ["run", &arm, "--models", "3", "--steps", "2", "--report", &out];
    let usual = weft_ok(&[&run[..], &["--threads", "2"]].concat());
    assert!(usual.stdout.contains("replay with 2 workers, placed by metis"), "{}", usual.stdout);
    let expected = s.json("r.json")["state_hash"].clone();
    for plain in [["--threads", "0"], ["--config", &config]] {
        let a = weft_ok(&[&run[..], &plain].concat());
        assert!(a.stdout.contains("sequential with 1 worker\n"), "{}", a.stdout);
        let report = s.json("r.json");
        let said = (&report["executor"], report["workers"].as_u64(), &report["state_hash"]);
        assert_eq!(said, (&"sequential".into(), Some(1), &expected), "{plain:?}");
    }
    let a = weft_ok(&[&run[..], &["--config", &config, "--threads", "2"]].concat());
    assert!(a.stdout.contains("replay with 2 workers"), "the command line holds: {}", a.stdout);
    let a = weft_ok(&["profile", &arm, "--set", "models=3", "--steps", "5", "--threads", "0"]);
    assert!(a.stdout.contains("sequential"), "{}", a.stdout);
}

#[test]
fn characters_are_watched_as_physics_is() {
    let s = Scratch::new();
    let (arm, config) = (s.file("arm.bvh", ARM), s.file("crowd.json", r#"{"models": 3, "interval": 2}"#));
    let (trace, report) = (s.path("trace.json"), s.path("report.json"));
    let run = ["run", &arm, "--config", &config, "--steps", "4", "--threads", "2", "--compare"];
    let a = weft_ok(&[&run[..], &["--trace", &trace, "--report", &report]].concat());
    assert!(a.stdout.contains("the same bits") && a.stdout.contains("playing motion"), "{}", a.stdout);
    let report = s.json("report.json");
    // Each in the first frame, then the second, with an odd number, in frames 1 and 3, the others in frame 2.
    assert_eq!((report["models"].as_u64(), report["animated"].as_u64()), (Some(3), Some(7)), "{report}");
    let trace = s.json("trace.json");
    let events = trace["traceEvents"].as_array().expect("events");
    // Those that are not due are seen, too, with what their test takes.
    assert_eq!(events.iter().filter(|e| e["name"] == "animate").count(), 12);
    let p = weft_ok(&["profile", &arm, "--set", "models=3", "--steps", "5"]);
    assert!(p.stdout.contains("animate"), "{}", p.stdout);
    let p = weft_ok(&[
        "predict",
        &arm,
        "--set",
        "models=8",
        "--steps",
        "2",
        "--samples",
        "2",
        "--workers",
        "1,4",
    ]);
    assert!(p.stdout.contains("arm.bvh"), "{}", p.stdout);
    let folder = s.path("meshes");
    weft_ok(&[
        "run",
        &arm,
        "--models",
        "2",
        "--steps",
        "3",
        "--export-mesh",
        &folder,
        "--every",
        "2",
        "--quiet",
    ]);
    let obj = s.read("meshes/step_000002.obj");
    assert_eq!(obj.lines().filter(|l| l.starts_with("v ")).count(), 4, "{obj}");
    assert!(!std::path::Path::new(&folder).join("step_000001.obj").exists());
}

/// A joint that three clips hold at x = 0, 2 and 4, and a triangle on it; its numbers are in a file of their own.
fn three_clips(s: &Scratch) -> String {
    let numbers =
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 4.0, 0.0, 0.0, 4.0, 0.0, 0.0];
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> = numbers.iter().chain(&corners).flat_map(|x: &f32| x.to_le_bytes()).collect();
    std::fs::write(s.path("steps.bin"), &bytes).expect("writes");
    let clip = |name: &str, output: usize| {
        format!(
            r#"{{"name":"{name}","samplers":[{{"input":0,"output":{output}}}],
            "channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}]}}"#
        )
    };
    let clips = [clip("Loiter", 1), clip("Walk", 2), clip("Run", 3)].join(",");
    let accessor = |offset: usize, n: usize, of: &str| {
        format!(r#"{{"bufferView":0,"byteOffset":{offset},"componentType":5126,"count":{n},"type":"{of}"}}"#)
    };
    let of = [(0, 2, "SCALAR"), (8, 2, "VEC3"), (32, 2, "VEC3"), (56, 2, "VEC3"), (80, 3, "VEC3")];
    let accessors = of.map(|(offset, n, of)| accessor(offset, n, of)).join(",");
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"name":"root","mesh":0}}],"animations":[{clips}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":4}}}}]}}],
        "buffers":[{{"byteLength":{},"uri":"steps.bin"}}],"bufferViews":[{{"buffer":0,"byteLength":{}}}],
        "accessors":[{accessors}]}}"#,
        bytes.len(),
        bytes.len()
    );
    s.file("steps.gltf", &text)
}

#[test]
fn clips_come_in_over_transitions_from_the_command_line_and_from_a_file() {
    let s = Scratch::new();
    let (file, out) = (three_clips(&s), s.path("p.jsonl"));
    let config = s.file("c.json", r#"{"clip":"Loiter","then":["Walk@1/1","Run@3/1"],"threads":0}"#);
    let said = ["--clip", "Loiter", "--then", "Walk@1/1", "--then", "Run@3/1"];
    for options in [&said[..], &["--config", &config]] {
        let run = ["run", &file, "--steps", "9", "--dt", "0.5", "--export-pose", &out];
        let a = weft_ok(&[&run[..], options].concat());
        assert!(a.stdout.contains("playing Loiter, then Walk, then Run"), "{}", a.stdout);
        let lines = s.read("p.jsonl");
        let lines: Vec<serde_json::Value> =
            lines.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        let x: Vec<f64> =
            lines.iter().map(|l| l["joints"][0]["matrix"][12].as_f64().expect("a number")).collect();
        assert_eq!(x, [0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 3.0, 4.0]);
        let clips: Vec<_> = lines.iter().map(|l| l["clip"].as_str().expect("a clip")).collect();
        assert_eq!((clips[2], clips[3], clips[8]), ("Loiter", "Walk", "Run"));
    }
    weft_refuses(&["run", &file, "--then", "Wlak@1"], 2, &["no clip `Wlak`", "did you mean `Walk`?"]);
    weft_refuses(&["run", &file, "--then", "Walk"], 2, &["then: `Walk`: it should be NAME@TIME"]);
    weft_refuses(&["run", &file, "--clip", "none", "--then", "Walk@1"], 2, &["a clip comes in after a clip"]);
}

#[test]
fn budgets_intervals_rates_and_a_camera_that_looks_around() {
    let s = Scratch::new();
    let (file, report) = (three_clips(&s), s.path("r.json"));
    let run = |options: &[&str]| {
        weft_ok(&[&["run", &file, "--models", "16", "--steps", "60", "--report", &report], options].concat())
    };
    run(&["--budget", "4"]);
    let r = s.json("r.json");
    // Four of 16 a frame: 3 vertices of 32 bytes each.
    assert_eq!((r["animated"].as_u64(), r["most_uploaded_bytes"].as_u64()), (Some(240), Some(4 * 96)), "{r}");
    assert_eq!(r["waited"].as_u64(), Some(60 * 12), "{r}");
    let config = s.file("c.json", r#"{"intervals":[1,2],"priorities":[1,0]}"#);
    run(&["--config", &config]);
    // Eight in each frame, and four of the others, which take turns; in the first all.
    assert_eq!(s.json("r.json")["animated"].as_u64(), Some(16 + 59 * (8 + 4)));
    let a = run(&["--interval", "6", "--least-rate", "20"]);
    assert!(a.stdout.contains("an interval of 6 frames is 10.0 updates a second: it is 3"), "{}", a.stdout);
    let a = run(&["--interval", "6", "--life", "1"]);
    assert!(
        a.stdout.contains("10.0 times a second; below 15") && a.stdout.contains("models vanish"),
        "{}",
        a.stdout
    );
    run(&["--look-around", "1"]);
    let r = s.json("r.json");
    let (seen, animated) =
        (r["in_view"].as_u64().expect("a count"), r["animated"].as_u64().expect("a count"));
    assert!(seen == animated && (60..16 * 60 / 2).contains(&seen), "{r}");
    assert_eq!(r["vanished"].as_u64(), Some(0), "what comes into view is filled in the same frame");
    let mut hashes = Vec::new();
    for executor in ["sequential", "replay", "stealing", "fork-join"] {
        run(&["--look-around", "0.7", "--budget", "3", "--executor", executor, "--threads", "1"]);
        hashes.push(s.json("r.json")["state_hash"].to_string());
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
    weft_refuses(&["run", &file, "--budget", "0"], 2, &["budget: at least one model"]);
    weft_refuses(&["run", &file, "--look-around", "0"], 2, &["look-around: `0` is not above zero"]);
    // More workers than cores, and than models.
    run(&["--threads", "24"]);
}

#[test]
fn a_recording_that_was_cut_is_played_as_far_as_it_goes() {
    let s = Scratch::new();
    let cut = s.file("cut.bvh", &ARM.replace("90 0 0\n", "90\n"));
    let a = weft_ok(&["run", &cut, "--steps", "2"]);
    assert!(a.stderr.contains("cut.bvh: it ends after 1 whole frames of 2"), "{}", a.stderr);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let s = Scratch::new();
    let (arm, scene) = (s.file("arm.bvh", ARM), s.file("a.scn", "<Node/>"));
    weft_refuses(&["run", &arm, "--clip", "motoin"], 2, &["no clip `motoin`", "did you mean `motion`?"]);
    weft_refuses(&["run", &arm, "--set", "models=0"], 2, &["models: `0` is no number from 1"]);
    weft_refuses(&["run", &arm, "--set", "model=2"], 2, &["no such parameter", "did you mean `models`?"]);
    weft_refuses(&["run", &arm, "--interval", "0"], 2, &["interval: models are animated every so many"]);
    weft_refuses(&["run", &scene, "--export-pose", &s.path("x")], 2, &["--export-pose: only characters"]);
    weft_refuses(&["view", &scene, "--models", "2"], 2, &["--models: only characters"]);
    weft_refuses(&["run", &arm, "--export-state", &s.path("x")], 2, &["has no mechanical states"]);
    weft_refuses(&["run", &scene, "--clip", "walk"], 2, &["--clip: only characters"]);
    weft_refuses(&["run", &s.path("none.glb")], 1, &["there is no file"]);
    let odd = s.file("odd.bvh", &ARM.replace("90 0 0\n", "90 x 0\n"));
    weft_refuses(&["run", &odd], 1, &["odd.bvh:15: "]);
    let bad = s.file("bad.gltf", "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[9]}]}");
    weft_refuses(&["check", &bad], 1, &["bad.gltf: nodes[0].children: there is no nodes[9], there are 1"]);
    assert!(weft_ok(&["stages", &arm]).stdout.contains(" Own "));
    weft_refuses(
        &["topology", "--verify", &arm],
        2,
        &["is a character: this command is for scenes of physics"],
    );
}

#[test]
fn a_frame_is_drawn_while_the_next_one_is_computed() {
    let s = Scratch::new();
    let (file, report, trace) = (three_clips(&s), s.path("r.json"), s.path("t.json"));
    let run =
        ["run", &file, "--models", "40", "--steps", "12", "--draw", "--report", &report, "--trace", &trace];
    let mut seen = Vec::new();
    for executor in ["sequential", "replay", "stealing", "fork-join"] {
        let a = weft_ok(&[&run[..], &["--executor", executor, "--threads", "2"]].concat());
        assert!(a.stdout.contains("overlap"), "{}", a.stdout);
        let report = s.json("r.json");
        let drawing = &report["drawing"];
        // Of each frame but the last, which no frame follows: three points of each model.
        assert_eq!((drawing["frames"].as_u64(), drawing["points"].as_u64()), (Some(11), Some(11 * 40 * 3)));
        let overlap = drawing["overlap"].as_f64().expect("a share");
        assert!((0.0..=1.0 + 1e-9).contains(&overlap), "{report}");
        seen.push((drawing["picture"].to_string(), report["state_hash"].to_string()));
        let trace = s.json("t.json");
        let events = trace["traceEvents"].as_array().expect("events");
        let drawn: Vec<_> = events.iter().filter(|e| e["name"] == "draw").collect();
        assert_eq!(drawn.len(), 11);
        let rows = |name: &str| events.iter().find(|e| e["args"]["name"] == name).map(|e| e["tid"].clone());
        assert!(drawn.iter().all(|e| Some(&e["tid"]) == rows("drawing").as_ref()));
    }
    assert!(seen.iter().all(|of| *of == seen[0]), "{seen:?}");
    // In a file of options, and on the plain path.
    let config = s.file("c.json", r#"{"draw":true,"threads":0,"models":40}"#);
    weft_ok(&["run", &file, "--config", &config, "--steps", "12", "--report", &report, "--quiet"]);
    let report = s.json("r.json");
    assert_eq!(report["drawing"]["picture"].to_string(), seen[0].0);
    assert_eq!(report["drawing"]["both_ms"].as_f64(), Some(0.0), "one after the other: {report}");
    weft_refuses(&["run", "falling", "--draw"], 2, &["--draw: only characters"]);
}

#[test]
fn models_come_and_go_at_times_that_are_said() {
    let s = Scratch::new();
    let (arm, out, report) = (s.file("arm.bvh", ARM), s.path("p.jsonl"), s.path("r.json"));
    let run = ["run", &arm, "--models", "3", "--models-at", "5@0.5", "--models-at", "2@1", "--dt", "0.25"];
    let files = ["--steps", "6", "--export-pose", &out, "--report", &report];
    let (mut hashes, mut poses) = (Vec::new(), Vec::new());
    for executor in ["sequential", "replay", "stealing", "fork-join"] {
        weft_ok(&[&run[..], &files, &["--executor", executor, "--threads", "2"]].concat());
        hashes.push(s.json("r.json")["state_hash"].to_string());
        poses.push(s.read("p.jsonl"));
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]) && poses.iter().all(|p| *p == poses[0]), "{hashes:?}");
    let lines: Vec<serde_json::Value> =
        poses[0].lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let counts: Vec<usize> = (0..6).map(|step| lines.iter().filter(|l| l["step"] == step).count()).collect();
    assert_eq!(counts, [3, 3, 5, 5, 2, 2]);
    // Those who stay are where they are in a crowd of which nobody goes.
    weft_ok(&["run", &arm, "--models", "3", "--dt", "0.25", "--steps", "6", "--export-pose", &out]);
    let alone = s.read("p.jsonl");
    for line in poses[0].lines().filter(|l| l.contains("\"model\":0,") || l.contains("\"model\":1,")) {
        assert!(alone.lines().any(|other| other == line), "{line}");
    }
    let all = weft_ok(&[&run[..], &["--models-at", "0@1.25", "--steps", "7", "--compare"]].concat());
    assert!(all.stdout.contains("the same bits"), "{}", all.stdout);
    for (wrong, line) in
        [("5", "it should be N@TIME"), ("x@1", "there may be from 0"), ("5@-1", "no number of seconds")]
    {
        weft_refuses(&["run", &arm, "--models-at", wrong], 2, &["models-at", line]);
    }
}

#[test]
fn clips_of_a_file_are_played_on_the_skeleton_of_another() {
    let s = Scratch::new();
    let arm = s.file("arm.bvh", ARM);
    // The same arm, twice as long, on a shoulder of its own and with a thumb.
    let nodes = r#"{"name":"shoulder","translation":[7,0,0],"children":[1]},{"name":"upper","children":[2,3]},{"name":"upper end","translation":[0,10,0]},{"name":"thumb","translation":[1,0,0]}"#;
    let long = s.file(
        "long.gltf",
        &format!(r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{nodes}]}}"#),
    );
    let out = s.path("p.jsonl");
    let run = ["run", &arm, "--skeleton", &long, "--steps", "2", "--dt", "0.5", "--export-pose", &out];
    let a = weft_ok(&run);
    let warnings: Vec<&str> = a.stderr.lines().filter(|l| l.contains("warning")).collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("their skeleton has no `shoulder`, `thumb`, which stay at rest"),
        "{warnings:?}"
    );
    let lines = s.read("p.jsonl");
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().expect("a line")).expect("JSON");
    let joints = last["joints"].as_array().expect("joints");
    let names: Vec<&str> = joints.iter().filter_map(|j| j["name"].as_str()).collect();
    assert_eq!(names, ["shoulder", "upper", "upper end", "thumb"]);
    // Half way the arm is at 45 degrees about z.
    let way = 10.0 * 0.5_f64.sqrt();
    for (k, wanted) in [(12, 7.0 - way), (13, way)] {
        let there = joints[2]["matrix"][k].as_f64().expect("a number");
        assert!((there - wanted).abs() < 1e-5, "{k}: {there} {wanted}");
    }
    let other = s.file("other.bvh", &ARM.replace("upper", "tail"));
    weft_refuses(
        &["run", &other, "--skeleton", &long, "--steps", "1"],
        1,
        &["none of the joints that its clips move", "`tail`"],
    );
    weft_refuses(&["run", &long, "--skeleton", &arm, "--steps", "1"], 1, &["it has no clips"]);
}
