//! `weft predict`: table, CSV, plot, and what it refuses.

use super::{Scratch, weft_ok, weft_refuses};

const QUICK: [&str; 8] = ["predict", "falling", "--set", "objects=10", "--steps", "3", "--samples", "2"];

#[test]
fn a_prediction_is_printed_written_and_drawn() {
    let s = Scratch::new();
    let (csv, svg) = (s.path("p.csv"), s.path("p.svg"));
    let more = ["--workers", "4,1,2,2", "--machine", "opteron-8x2", "--csv", &csv, "--svg", &svg];
    let out = weft_ok(&[&QUICK[..], &more].concat()).stdout;
    assert!(out.contains("falling on opteron-8x2: 8 x 2 cores") && out.contains("critical path"), "{out}");
    assert!(!out.contains("verified"), "{out}");

    let text = s.read("p.csv");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name).expect("a column");
    let rows: Vec<Vec<f64>> =
        lines.map(|l| l.split(',').map(|v| v.parse().expect("a number")).collect()).collect();
    let of = |name: &str| rows.iter().map(|r| r[column(name)]).collect::<Vec<f64>>();
    assert_eq!((of("workers"), of("speedup")[0]), (vec![1.0, 2.0, 4.0], 1.0));
    for row in &rows {
        let speedup = row[column("speedup")];
        assert!((row[column("efficiency")] * row[column("workers")] - speedup).abs() < 1e-9, "{text}");
        assert!(speedup <= row[column("bound")] * (1.0 + 1e-9), "{text}");
        assert!((0.0..=1.0).contains(&row[column("waiting")]), "{text}");
        let parts = ["serial_ms", "bounds_ms", "narrow_phase_ms", "integration_ms"].map(|p| row[column(p)]);
        // What surrounds a graph's stages counts as serial and as part of the graph.
        assert!(row[column("ms_per_step")] <= parts.iter().sum::<f64>() + 1e-9, "{text}");
        assert!(parts[3] > 0.0, "{text}");
    }
    let picture = s.read("p.svg");
    assert!(picture.starts_with("<svg") && picture.contains("ideal") && picture.contains("predicted"));
}

#[test]
fn a_prediction_is_verified_sweep_by_sweep() {
    let out = weft_ok(&[&QUICK[..], &["--verify", "--workers", "1,2,256"]].concat()).stdout;
    assert!(out.contains("verified on this machine") && out.contains("signal"), "{out}");
    assert!(out.contains("\n1 worker: predicted") && out.contains("add_force"), "{out}");
}

#[test]
fn machines_are_sizes_and_files() {
    let s = Scratch::new();
    let machine = r#"{"name": "desk", "nodes": 1, "cores": 3, "signal_ns": [80], "line_ns": [60]}"#;
    let file = s.file("desk.json", machine);
    let of =
        |machine: &str| weft_ok(&[&QUICK[..], &["--workers", "2", "--machine", machine]].concat()).stdout;
    assert!(of(&file).contains("falling on desk: 1 x 3 cores"));
    assert!(of("2x3").contains("falling on 2x3: 2 x 3 cores"));
}

#[test]
fn machines_and_workers_that_cannot_be_are_refused() {
    let s = Scratch::new();
    let refuses = |more: &[&str], words: &[&str]| weft_refuses(&[&QUICK[..], more].concat(), 2, words);
    refuses(&["--machine", "cray"], &["cray", "opteron-8x2", "server-2x64"]);
    refuses(&["--machine", &s.file("bad.json", "{\"nodes\": 1}")], &["bad.json", "missing field"]);
    refuses(&["--machine", "none.json"], &["none.json", "No such file"]);
    refuses(&["--workers", "1,0"], &["at least one worker"]);
    refuses(&["--samples", "0"], &["samples"]);
    refuses(&["--workers", "1", "--csv", &s.path("no/such/dir.csv")], &["cannot write"]);
}
