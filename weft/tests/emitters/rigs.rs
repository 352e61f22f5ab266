//! Rigs as a user runs them: the program itself, on files of its own.

use std::path::Path;

use viewer::attribute::Edit;
use viewer::snapshot::{self, Link, Snapshot};
use weft::live::{Beginning, LiveFrames};
use weft::rigs::{RigSimulation, WatchedRig, gallery};
use weft::simulation::SimulationOptions;

use super::{folder, ok, said, wait, weft};

/// The example of the manual, which is to work without anything else.
fn example() -> String {
    let manual = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rigs.md"));
    let manual = manual.expect("the manual");
    let begin = manual.find("```json\n").expect("an example") + "```json\n".len();
    manual[begin..].split("```").next().unwrap_or_default().to_owned()
}

#[test]
fn the_manuals_example_is_checked_and_its_outputs_are_written() {
    let folder = folder(&[("a.rig", &example())]);
    let text = ok(folder.path(), &["check", "a.rig"]);
    let expected = "a.rig: would run (0 errors, 0 warnings): 7 nodes, 7 edges; 1 task on 1 level
4 controls
    shoulder: vec3 from -3.2 to 3.2
    elbow: scalar from 0 to 2.6
    wave: scalar from 0 to 1
    time: scalar
2 outputs
    hand: vec3
    skin: points(6), 4 triangles
validated: 4 controls edited one by one, as if all were evaluated anew\n";
    assert_eq!(text, expected);
    let run = ["run", "a.rig", "--steps", "3", "--dt", "0.5", "--quiet", "--set", "wave=0", "--set"];
    let options = ["elbow=0", "--set", "shoulder=0,0,0", "--export-outputs", "hand:o.jsonl"];
    ok(folder.path(), &[&run[..], &options].concat());
    let written = std::fs::read_to_string(folder.path().join("o.jsonl")).expect("outputs");
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[2], r#"{"frame":2,"time":1,"output":"hand","value":[0.55,1.0,0.0]}"#);
}

#[test]
fn a_control_that_time_drives_moves_what_hangs_on_it_unless_it_is_set() {
    let folder = folder(&[("a.rig", &example())]);
    let hands = |set: &[&str]| {
        let run = ["run", "a.rig", "--steps", "4", "--quiet", "--export-outputs", "hand:o.jsonl"];
        ok(folder.path(), &[&run[..], set].concat());
        let written = std::fs::read_to_string(folder.path().join("o.jsonl")).expect("outputs");
        let value = |line: &str| line.split("\"value\":").nth(1).unwrap_or_default().to_owned();
        written.lines().map(value).collect::<Vec<String>>()
    };
    let moved = hands(&[]);
    assert!(moved.windows(2).all(|w| w[0] != w[1]), "{moved:?}");
    let still = hands(&["--set", "time=0.3"]);
    assert!(still.windows(2).all(|w| w[0] == w[1]), "{still:?}");
}

#[test]
fn a_rig_of_many_nodes_runs_without_fusion_on_any_number_of_workers() {
    let folder = folder(&[]);
    let hash = |way: &str| {
        let run = ["run", "biped", "--set", "nodes=20000", "--steps", "2", "--quiet", "--report", "r.json"];
        let way: Vec<&str> = way.split(' ').collect();
        ok(folder.path(), &[&run[..], &way].concat());
        let text = std::fs::read_to_string(folder.path().join("r.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        report["state_hash"].as_str().expect("a hash").to_owned()
    };
    let fused = hash("--threads 1");
    for workers in ["1", "2", "3"] {
        assert_eq!(hash(&format!("--fusion off --threads {workers}")), fused, "{workers} workers");
    }
}

#[test]
fn all_executors_end_with_the_same_bits() {
    let folder = folder(&[("a.rig", &example())]);
    let hash = |way: &str| {
        let run = ["run", "biped", "--set", "nodes=1600", "--steps", "8", "--quiet", "--report", "r.json"];
        let way: Vec<&str> = way.split(' ').collect();
        ok(folder.path(), &[&run[..], &way].concat());
        let text = std::fs::read_to_string(folder.path().join("r.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(report["nodes"], 1600);
        report["state_hash"].as_str().expect("a hash").to_owned()
    };
    let expected = hash("--executor sequential");
    for way in
        ["--threads 1", "--threads 2", "--threads 3 --executor stealing", "--threads 2 --executor fork-join"]
    {
        assert_eq!(hash(way), expected, "{way}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = folder(&[("a.rig", &example())]);
    let run = ["run", "a.rig", "--steps", "1", "--quiet"];
    for (options, hint) in [
        (&["--set", "elbo=1"][..], "there is no control `elbo`; did you mean `elbow`?\n"),
        (&["--set", "elbow=inf"], "`inf` is not finite"),
        (&["--set", "elbow=1e309"], "`1e309` is not finite"),
        (&["--set", "shoulder=0,nan,0"], "`0,nan,0` is not finite"),
        (&["--set", "elbow=4"], "is not between 0 and 2.6"),
        (&["--set", "shoulder=1"], "vec3, which is 3 numbers, not 1"),
        (&["--set", "elbow=much"], "no list of numbers"),
        (&["--export-outputs", "hnd:o.jsonl"], "there is no output `hnd`; did you mean `hand`?\n"),
        (&["--export-state", "s.jsonl"], "--export-outputs"),
        (&["--export-events", "e.jsonl"], "only event graphs"),
        (&["--pieces", "2"], "no bodies"),
    ] {
        let output = weft(folder.path(), &[&run[..], options].concat());
        let text = said(&output);
        assert!(output.status.code() == Some(2) && text.contains(hint), "{options:?}: {text}");
    }
    let output = weft(folder.path(), &["run", "falling", "--steps", "1", "--export-outputs", "o.jsonl"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("only rigs"), "{}", said(&output));
    let wrong = example().replacen("\"upper.world\"", "\"uper.world\"", 1);
    let line = wrong.lines().position(|l| l.contains("uper.world")).expect("it is there") + 1;
    std::fs::write(folder.path().join("b.rig"), wrong).expect("a file");
    for command in ["check", "run", "profile"] {
        let output = weft(folder.path(), &[command, "b.rig"]);
        let (text, place) = (said(&output), format!("b.rig:{line}:"));
        let hint = "attribute `parent`: there is no node `uper`; did you mean `upper`?";
        assert!(output.status.code() == Some(1) && text.contains(&place) && text.contains(hint), "{text}");
    }
    let broken = example().replacen("1.5*wave", "1.5*(wave", 1);
    std::fs::write(folder.path().join("c.rig"), broken).expect("a file");
    let text = said(&weft(folder.path(), &["check", "c.rig"]));
    assert!(text.contains("c.rig:") && text.contains("would not run (1 error, 0 warnings)"), "{text}");
    let output = weft(folder.path(), &["view", "nowhere.rig"]);
    assert!(
        output.status.code() == Some(1) && said(&output).contains("there is no file"),
        "{}",
        said(&output)
    );
}

#[test]
fn profiles_predictions_and_traces_take_rigs() {
    let folder = folder(&[("a.rig", &example())]);
    let profile = ["profile", "biped", "--set", "nodes=1600", "--steps", "20", "--threads", "2"];
    let text = ok(folder.path(), &[&profile[..], &["--json", "p.json", "--trace", "t.json"]].concat());
    assert!(text.contains("body: "), "{text}");
    let written = std::fs::read_to_string(folder.path().join("p.json")).expect("a profile");
    assert!(written.contains("\"class\": \"body\""), "{written}");
    // Node by node, two profiles have the same rows.
    let apart =
        |file: &str| ok(folder.path(), &[&profile[..], &["--fusion", "off", "--json", file]].concat());
    apart("p.json");
    apart("q.json");
    let compared = ok(folder.path(), &["profile", "--compare", "p.json", "q.json"]);
    // What workers wait for may be there in one of two runs only; tasks are in both.
    let tasks: Vec<&str> = compared.lines().filter(|l| l.contains("  body: ")).collect();
    assert!(!tasks.is_empty() && tasks.iter().all(|l| !l.contains("-100.0 %")), "{compared}");
    let trace = std::fs::read_to_string(folder.path().join("t.json")).expect("a trace");
    assert!(trace.contains("body: "), "a trace names tasks");
    let predict =
        ["predict", "biped", "--set", "nodes=1600", "--steps", "5", "--samples", "2", "--workers", "1,2"];
    assert!(ok(folder.path(), &predict).contains("critical path"));
    let text = ok(folder.path(), &["run", "biped", "--steps", "5", "--threads", "2", "--compare"]);
    assert!(text.contains("the same bits"), "{text}");
}

#[test]
fn the_gallery_lists_and_exports_rigs() {
    let folder = folder(&[("a.rig", &example())]);
    let list = ok(folder.path(), &["list"]);
    assert!(list.contains("biped") && list.contains("nodes = 3000"), "{list}");
    let arm = ok(folder.path(), &["list", "--export", "arm"]);
    std::fs::write(folder.path().join("arm.rig"), arm).expect("a file");
    assert!(ok(folder.path(), &["check", "arm.rig"]).contains("408 triangles"));
    let output = weft(folder.path(), &["list", "--export", "biped"]);
    assert!(
        output.status.code() == Some(2) && said(&output).contains("made by a program"),
        "{}",
        said(&output)
    );
}

fn tell(link: &Link, attribute: &str, value: &str) {
    let (path, attribute, value) = ("/arm".to_owned(), attribute.to_owned(), value.to_owned());
    link.tell(snapshot::Command::SetAttribute { path, attribute, value });
}

#[test]
fn a_control_that_is_moved_in_the_window_moves_the_rig_at_once() {
    let make = || {
        let rig = gallery::find("arm").expect("a rig").rig(&[]).expect("it is read");
        let simulation = RigSimulation::new(rig, &SimulationOptions::default()).expect("it is whole");
        WatchedRig::new(simulation)
    };
    let options = SimulationOptions::default();
    let beginning = Beginning { running: false, paced: true };
    let started = LiveFrames::start("arm", beginning, options.execution(), make);
    let (live, viewed, mut link) = started.expect("it starts");
    let paths: Vec<&str> = viewed.surfaces.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(paths, ["/skeleton", "/skin"]);
    assert_eq!(viewed.surfaces[0].faces.lines, [[0, 1], [1, 2], [2, 3]]);
    let tip = |s: &Snapshot| s.states.first().map(|joints| joints.point(3));
    let first = wait(&mut link, "the arm", tip);
    let edit = |s: &Snapshot, name: &str| {
        let controls = s.outline.component("/arm").expect("controls of the part");
        controls.attributes.iter().find(|a| a.name == name).expect("a control").edit.clone()
    };
    let shown = link.newest();
    assert_eq!(edit(shown, "elbow"), Edit::Sliders { values: vec![0.6], low: 0.0, high: 2.5 });
    assert!(matches!(edit(shown, "time"), Edit::Fixed(_)));
    assert_eq!(shown.outline.opens.as_deref(), Some("/arm"));
    // A slider that is dragged.
    for k in 0..=20 {
        tell(&link, "elbow", &(0.1 * f64::from(k)).to_string());
    }
    let wanted = Edit::Sliders { values: vec![2.0], low: 0.0, high: 2.5 };
    let moved = wait(&mut link, "the slider", |s| (edit(s, "elbow") == wanted).then(|| tip(s)).flatten());
    assert!((moved - first).norm() > 0.1, "{first:?} {moved:?}");
    assert_eq!(link.newest().step, 0, "no frame went by");
    tell(&link, "elbw", "1");
    wait(&mut link, "a refusal", |s| s.refusal.as_ref().filter(|r| r.contains("`elbw`")).map(drop));
    // Frames move it by the time, and it begins anew.
    link.tell(snapshot::Command::Run(true));
    wait(&mut link, "frames", |s| (s.step > 3 && tip(s) != Some(moved)).then_some(()));
    link.tell(snapshot::Command::Run(false));
    link.tell(snapshot::Command::Reset);
    wait(&mut link, "the beginning", |s| (s.resets == 1 && tip(s) == Some(first)).then_some(()));
    drop(link);
    live.join();
}

#[test]
fn the_head_says_how_a_rig_is_placed_and_nodes_may_be_tasks() {
    let folder = folder(&[("a.rig", &example())]);
    let run = ["run", "a.rig", "--steps", "2", "--threads", "2"];
    let text = ok(folder.path(), &run);
    assert!(
        text.contains("with 2 workers, placed by critical path") && text.contains("; 1 tasks on"),
        "{text}"
    );
    let apart = ok(folder.path(), &[&run[..], &["--fusion", "off", "--partitioner", "owner"]].concat());
    assert!(apart.contains("; 7 tasks on") && apart.contains("--partitioner has no effect"), "{apart}");
    let output = weft(folder.path(), &[&run[..], &["--events", "levels"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
}

#[test]
fn why_a_node_runs_with_others_is_asked_by_name() {
    let folder = folder(&[("a.rig", &example())]);
    let profile = ["profile", "a.rig", "--steps", "3", "--threads", "2", "--why"];
    let text = ok(folder.path(), &[&profile[..], &["lower"]].concat());
    assert!(text.contains("why `lower`") && text.contains("serial: one task of"), "{text}");
    assert!(text.contains("made anew: the rig was new"), "{text}");
    let output = weft(folder.path(), &[&profile[..], &["lowr"]].concat());
    assert!(output.status.code() == Some(2), "{}", said(&output));
    assert!(said(&output).contains("there is no node `lowr`; did you mean `lower`?\n"), "{}", said(&output));
}

#[test]
fn an_output_that_is_no_number_is_named_once() {
    let rig = r#"{ "rig": "x", "controls": [ { "name": "time" } ],
        "nodes": [ { "name": "bad", "kind": "expression", "text": "sqrt(-1) * time", "inputs": { "time": "@time" } } ],
        "outputs": [ { "name": "out", "from": "bad.value" } ] }"#;
    let folder = folder(&[("a.rig", rig)]);
    let text = ok(folder.path(), &["run", "a.rig", "--steps", "3"]);
    assert_eq!(text.matches("output `out` is not a number").count(), 1, "{text}");
}

/// A rig of an output that time moves, one that does not exist for the index that its control begins with, and one that is infinite.
const OUTPUTS: &str = r#"{ "rig": "x", "controls": [ { "name": "time" }, { "name": "which", "default": 5 } ],
    "nodes": [
      { "name": "v", "kind": "vector", "inputs": { "x": "@time" } },
      { "name": "s", "kind": "switch", "inputs": { "index": "@which", "branch0": 1, "branch1": 2 } },
      { "name": "d", "kind": "divide", "inputs": { "a": 1, "b": "@time" } } ],
    "outputs": [ { "name": "v", "from": "v.value" }, { "name": "s", "from": "s.value" }, { "name": "d", "from": "d.value" } ] }"#;

#[test]
fn only_what_is_asked_for_is_evaluated_and_may_fail() {
    let folder = folder(&[("a.rig", OUTPUTS)]);
    let run = ["run", "a.rig", "--steps", "2", "--export-outputs"];
    let text = ok(folder.path(), &[&run[..], &["v:v.jsonl", "--compare"]].concat());
    assert!(text.contains("1 nodes ran per frame") && text.contains("the same bits"), "{text}");
    assert!(!text.contains("infinite"), "{text}");
    let text = ok(folder.path(), &[&run[..], &["v:v.jsonl", "--export-outputs", "d:d.jsonl"]].concat());
    assert!(text.contains("2 nodes ran per frame"), "{text}");
    assert_eq!(text.matches("warning: a.rig:5:7: output `d` is infinite (frame 0)").count(), 1, "{text}");
    for outputs in [&["all.jsonl"][..], &["s:s.jsonl"], &["v:v.jsonl", "--export-outputs", "all.jsonl"]] {
        let output = weft(folder.path(), &[&run[..], outputs].concat());
        let text = said(&output);
        let expected = "a.rig:4:7: node `s` (switch): there is no branch 5; there are 2, counted from 0";
        assert!(output.status.code() == Some(3) && text.contains(expected), "{outputs:?}: {text}");
    }
}

/// A rig of a skin of so many points that it is worth dividing, and where it stands.
fn dense() -> String {
    let (rest, joints, weights) =
        (["[0,1,0]"; 4000].join(","), ["[0,1]"; 4000].join(","), ["[0.5,0.5]"; 4000].join(","));
    format!(
        r#"{{ "rig": "dense", "controls": [ {{ "name": "time" }} ], "nodes": [
  {{ "name": "angle", "kind": "vector", "inputs": {{ "z": "@time" }} }},
  {{ "name": "a", "kind": "joint" }},
  {{ "name": "b", "kind": "joint", "inputs": {{ "parent": "a.world", "rotate": "angle.value" }} }},
  {{ "name": "hide", "kind": "skin", "points": 4000, "per_point": 2,
    "bind": [[1,0,0,0, 0,1,0,0, 0,0,1,0], [1,0,0,0, 0,1,0,0, 0,0,1,0]], "joints": [{joints}], "weights": [{weights}],
    "inputs": {{ "rest": [{rest}], "joint0": "a.world", "joint1": "b.world" }} }} ],
  "outputs": [ {{ "name": "hide", "from": "hide.points" }} ] }}"#
    )
}

#[test]
fn what_of_a_rig_runs_on_several_workers_is_chosen_and_changes_no_bit() {
    let folder = folder(&[("a.rig", &dense())]);
    let hash = |way: &str| {
        let run = ["run", "a.rig", "--steps", "4", "--quiet", "--threads", "2", "--report", "r.json"];
        let way: Vec<&str> = way.split_whitespace().collect();
        ok(folder.path(), &[&run[..], &way].concat());
        let text = std::fs::read_to_string(folder.path().join("r.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        (report["state_hash"].as_str().expect("a hash").to_owned(), report["nodes"].as_u64().expect("nodes"))
    };
    let (expected, nodes) = hash("");
    for what in ["graph", "off"] {
        assert_eq!(hash(&format!("--threading {what}")), (expected.clone(), nodes), "{what}");
    }
    for what in ["nodes", "both", "nodes --executor stealing"] {
        let (found, more) = hash(&format!("--threading {what}"));
        assert!(found == expected && more > nodes, "{what}: {found} {more}");
    }
    assert_eq!(hash("--threading both --whole hide"), (expected.clone(), nodes));
    assert_eq!(hash("--safety hide=globally-unsafe --safety joint=type-unsafe").0, expected);
    let profile = ["profile", "a.rig", "--steps", "5", "--threads", "2", "--threading", "both"];
    let text = ok(folder.path(), &profile);
    assert!(
        text.contains("loops inside nodes: 1 nodes in ") && text.contains("hide (skin, a.rig:5:3)"),
        "{text}"
    );
    let text = ok(
        folder.path(),
        &["profile", "a.rig", "--steps", "5", "--why", "a", "--safety", "a=globally-unsafe"],
    );
    assert!(!text.contains("loops inside nodes") && text.contains("globally unsafe"), "{text}");
    for (option, value) in [("--whole", "hid"), ("--safety", "hid=threadsafe")] {
        let output = weft(folder.path(), &["run", "a.rig", option, value]);
        assert!(
            output.status.code() == Some(2) && said(&output).contains("did you mean `hide`?"),
            "{}",
            said(&output)
        );
    }
    let output = weft(folder.path(), &["run", "free_fall", "--threading", "both"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("only rigs"), "{}", said(&output));
}

#[test]
fn a_partitioner_has_no_effect_on_a_rig_and_that_is_said() {
    let folder = folder(&[("a.rig", &example())]);
    for command in [&["run", "a.rig", "--steps", "2"][..], &["profile", "a.rig", "--steps", "2"]] {
        let text = ok(folder.path(), &[command, &["--partitioner", "metis"]].concat());
        assert!(text.contains("--partitioner has no effect"), "{text}");
    }
}

#[test]
fn stages_show_the_tasks_of_a_frame() {
    let folder = folder(&[("a.rig", &example())]);
    for rig in ["a.rig", "arm"] {
        let text = ok(folder.path(), &["stages", rig]);
        assert!(text.starts_with("rig: 1 tasks\n") && text.contains("arm: "), "{text}");
    }
    let text = ok(folder.path(), &["stages", "biped", "--at-step", "2", "--all"]);
    assert!(text.contains("wardrobe: "), "{text}");
    let output = weft(folder.path(), &["stages", "flock"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("is a game"), "{}", said(&output));
}

#[test]
fn what_a_file_says_in_vain_is_warned_of_once() {
    let rig = example().replacen("\"name\": \"time\"", "\"name\": \"idle\" }, { \"name\": \"time\"", 1);
    let folder = folder(&[("a.rig", &rig)]);
    let expected = "warning: control `idle`: nothing follows it";
    for command in [&["check", "a.rig"][..], &["run", "a.rig", "--steps", "2", "--compare"]] {
        let text = ok(folder.path(), command);
        assert_eq!(text.matches(expected).count(), 1, "{text}");
    }
    std::fs::write(folder.path().join("b.rig"), b"{\n \"rig\": \"\xff\" }").expect("a file");
    let output = weft(folder.path(), &["check", "b.rig"]);
    assert!(said(&output).contains("b.rig:2: it is not text in UTF-8"), "{}", said(&output));
}
