//! `weft topology`: the machine as it is and as it is described.

use super::{Scratch, answer, program, weft, weft_ok, weft_refuses};

#[test]
fn this_machine_is_shown() {
    let shown = weft_ok(&["topology"]).stdout;
    assert!(shown.contains(" core") && shown.contains("node 0: "), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&weft_ok(&["topology", "--json"]).stdout).expect("one JSON object");
    let threads = json["cores"].as_array().expect("cores").iter();
    let threads: usize = threads.map(|c| c["threads"].as_array().expect("threads").len()).sum();
    assert_eq!(threads, json["workers"].as_array().expect("workers").len());
    assert!(threads > 0);
}

#[test]
fn a_described_machine_is_shown_in_its_place() {
    let shown = weft_ok(&["topology", "--topology", "2x3x2"]).stdout;
    assert!(shown.starts_with("2 nodes, 2 packages, 6 cores, 12 hardware threads (described)"), "{shown}");
    assert!(shown.contains("3+9 4+10 5+11") && shown.contains("distances"), "{shown}");
    assert!(!shown.contains("one node"), "{shown}");

    let s = Scratch::new();
    let text = weft_ok(&["topology", "--topology", "2x3x2", "--describe"]).stdout;
    let file = s.file("machine.txt", &text);
    assert_eq!(weft_ok(&["topology", "--topology", &file]).stdout, shown);
    let by_environment = answer(program().arg("topology").env("WEFT_TOPOLOGY", &file));
    assert_eq!(by_environment.stdout, shown);
}

#[test]
fn what_has_no_bodies_is_refused_by_name() {
    for (name, what) in [
        ("biped", "a rig"),
        ("nowhere.rig", "a rig"),
        ("flock", "a game"),
        ("a.x3dv", "an event graph"),
        ("a.glb", "a character"),
    ] {
        let said = format!("{name} is {what}: this command is for scenes of physics");
        weft_refuses(&["topology", "--verify", name], 2, &[&said]);
    }
}

#[test]
fn a_scene_is_verified() {
    let scene = ["--verify", "falling", "--set", "objects=6", "--steps", "70", "--threads", "2"];
    let json = weft(&[&["topology", "--json", "--topology", "2x1", "--numa", "force"], &scene[..]].concat());
    if json.code == Some(1) {
        // Some containers refuse to tell.
        assert!(json.stderr.contains("move_pages"), "{}", json.stderr);
        return;
    }
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("one JSON object");
    let objects = json["objects"].as_array().expect("objects");
    assert!(objects.len() >= 6);
    let number = |o: &serde_json::Value, name: &str| o[name].as_u64().expect("a number");
    for o in objects {
        let sum = number(o, "there") + number(o, "elsewhere") + number(o, "untouched");
        assert_eq!(sum, number(o, "pages"));
    }
    assert!(
        objects.iter().any(|o| number(o, "worker") == 0) && objects.iter().any(|o| number(o, "worker") == 1)
    );

    let shown = weft_ok(&[&["topology"], &scene[..]].concat()).stdout;
    assert!(shown.contains("untouched") && shown.contains("all "), "{shown}");
}

#[test]
fn what_cannot_be_verified_is_said() {
    weft_refuses(&["topology", "--verify", "no_such_scene"], 1, &["no file and no gallery scene"]);
    weft_refuses(&["topology", "--set", "objects=6"], 2, &["--verify"]);
}

#[test]
fn a_description_that_is_wrong_is_a_usage_error() {
    let s = Scratch::new();
    let file = s.file("machine.txt", "node 0 cpus 0-3\nnode 1 cpus 3-5\n");
    weft_refuses(&["topology", "--topology", &file], 2, &["line 2", "cpu 3 is on two nodes"]);
    weft_refuses(&["topology", "--topology", "no/such/file"], 2, &["cannot read no/such/file"]);
    weft_refuses(&["topology", "--topology", "2x0"], 2, &["hardware threads"]);
}
