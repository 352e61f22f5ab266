//! `weft topology`: the machine as it is and as it is described.

use super::{Scratch, answer, program, weft_ok, weft_refuses};

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
fn a_description_that_is_wrong_is_a_usage_error() {
    let s = Scratch::new();
    let file = s.file("machine.txt", "node 0 cpus 0-3\nnode 1 cpus 3-5\n");
    weft_refuses(&["topology", "--topology", &file], 2, &["line 2", "cpu 3 is on two nodes"]);
    weft_refuses(&["topology", "--topology", "no/such/file"], 2, &["cannot read no/such/file"]);
    weft_refuses(&["topology", "--topology", "2x0"], 2, &["hardware threads"]);
}
