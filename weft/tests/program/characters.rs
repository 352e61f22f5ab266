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
    let cut = s.file("cut.bvh", &ARM.replace("90 0 0\n", "90\n"));
    weft_refuses(&["run", &cut], 1, &["cut.bvh:15: frame 1 of 2: the file ends where a number of a channel"]);
    let bad = s.file("bad.gltf", "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[9]}]}");
    weft_refuses(&["check", &bad], 1, &["bad.gltf: nodes[0].children: there is no nodes[9], there are 1"]);
    weft_refuses(&["stages", &arm], 2, &["is a character"]);
}
