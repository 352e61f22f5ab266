use proptest::prelude::*;

use super::{Catalogue, read, read_and_warn};
use crate::rig::{Backend, Evaluator, Settings};

const ARM: &str = r#"{
  "rig": "arm",
  "controls": [
    { "name": "bend", "type": "vec3", "range": [-3, 3], "default": [0, 0, 0.5] },
    { "name": "level" }
  ],
  "nodes": [
    { "name": "elbow", "kind": "joint", "component": "body",
      "inputs": { "parent": "shoulder.world", "rotate": "@bend", "translate": [0.3, 0, 0] } },
    { "name": "shoulder", "kind": "joint", "inputs": { "translate": [0, 1, 0], "scale": [1, [1], 1] } },
    { "name": "push", "kind": "expression", "text": "2*a + bend.z", "inputs": { "a": 0.25, "bend": "@bend" } },
    { "name": "which", "kind": "switch", "type": "matrix", "branches": 2, "safety": "type-unsafe",
      "inputs": { "index": "@level", "branch0": "shoulder.world", "branch1": "elbow.world" } },
    { "name": "hand", "kind": "skin", "points": 2, "bind": [[1,0,0,0, 0,1,0,0, 0,0,1,0]], "per_point": 1,
      "joints": [0, 0], "weights": [1, 2], "inputs": { "rest": [[1,0,0],[0,1,0]], "joint0": "which.value" } },
    { "name": "wave", "kind": "curve", "keys": [[0,0,1,1],[1,1,1,1]], "inputs": { "time": "push.value" } }
  ],
  "outputs": [ { "name": "hand", "from": "hand.points" }, { "name": "wave", "from": "wave.value" } ]
}"#;

fn mistakes(text: &str) -> Vec<String> {
    let wrong = read("arm.rig", text, &Catalogue::new()).err().unwrap_or_default();
    wrong.iter().map(ToString::to_string).collect()
}

#[test]
fn a_rig_is_read_and_evaluated() {
    let rig = read("arm.rig", ARM, &Catalogue::new()).unwrap();
    assert_eq!((rig.n_nodes(), rig.n_bindings(), rig.name.as_str()), (6, 5, "arm"));
    assert_eq!(rig.component_of(rig.find("hand").unwrap()), "body");
    let mut e = Evaluator::new(rig, Backend::sequential(), Settings::default()).unwrap();
    let [level, bend] = ["level", "bend"].map(|n| e.rig().find_control(n).unwrap());
    let [hand, wave] = ["hand", "wave"].map(|n| e.rig().find_output(n).unwrap());
    e.evaluate().unwrap();
    assert_eq!(e.value(hand), [1.0, 1.0, 0.0, 0.0, 2.0, 0.0]);
    assert_eq!(e.value(wave), [1.0]);
    e.set(level, &[1.0]).unwrap();
    e.set(bend, &[0.0, 0.0, std::f64::consts::FRAC_PI_2]).unwrap();
    e.evaluate().unwrap();
    let expected = [0.3, 2.0, 0.0, -0.7, 1.0, 0.0];
    assert!(e.value(hand).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{:?}", e.value(hand));
}

#[test]
fn mistakes_are_named_with_line_node_attribute_and_what_was_meant() {
    let with = |from: &str, to: &str| {
        assert!(ARM.contains(from), "{from}");
        mistakes(&ARM.replacen(from, to, 1))
    };
    let mut off = Vec::new();
    let mut one = |from: &str, to: &str, said: &str| {
        let all = with(from, to);
        if all != [said] {
            off.push(format!("{all:#?}\nis not\n{said}"));
        }
    };
    one(
        "shoulder.world\", \"rotate",
        "sholder.world\", \"rotate",
        "arm.rig:9:29: error: elbow (joint): attribute `parent`: there is no node `sholder`; did you mean `shoulder`?",
    );
    one(
        "\"rotate\"",
        "\"rotat\"",
        "arm.rig:9:47: error: elbow (joint): attribute `rotat`: there is no input `rotat` of `elbow` (joint); did you mean \
         `rotate`?",
    );
    one(
        "\"@bend\", \"tr",
        "\"push.value\", \"tr",
        "arm.rig:9:57: error: elbow (joint): attribute `rotate`: `push.value` is scalar, `elbow.rotate` takes vec3",
    );
    one(
        "[0, 0, 0.5]",
        "[0, 0, 5]",
        "arm.rig:4:57: error: control `bend`: attribute `default`: control `bend`: the default [0.0, 0.0, 5.0] is not between -3 and 3",
    );
    one(
        "2*a + bend.z",
        "2*a + bend.z +",
        "arm.rig:11:45: error: push (expression): attribute `text`: column 15: the expression ends where a value is expected",
    );
    one(
        "\"joint0\": \"which.value\"",
        "\"joint\": \"which.value\"",
        "arm.rig:15:83: error: hand (skin): attribute `joint`: there is no input `joint` of `hand` (skin); did you mean `joint0`?",
    );
    one(
        ", \"joint0\": \"which.value\"",
        "",
        "arm.rig:14:5: error: hand (skin): attribute `joint0`: `hand.joint0` takes matrix, and nothing is bound to it",
    );
    one("[1, 2]", "[1, 0]", "arm.rig:15:25: error: hand (skin): attribute `weights`: point 1 has no weight");
    one(
        "\"level\" }",
        "\"bend\" }, { \"name\": \"level\" }",
        "arm.rig:5:7: error: control `bend`: attribute `name`: there is already a control `bend`",
    );
    one(
        "\"kind\": \"curve\"",
        "\"kind\": \"curv\"",
        "arm.rig:16:31: error: wave (curv): attribute `kind`: there is no kind `curv`; did you mean `curve`?",
    );
    one(
        "\"time\": \"push.value\"",
        "\"time\": \"push.valu\"",
        "arm.rig:16:91: error: wave (curve): attribute `time`: there is no output `valu` of `push` (expression); did you mean `value`?",
    );
    one(
        "\"scale\"",
        "\"parent\": \"elbow.world\", \"scale\"",
        "arm.rig:8:5: error: elbow (joint): a cycle: elbow -> shoulder -> elbow",
    );
    assert!(off.is_empty(), "{}", off.join("\n"));
    let misspelt = with("\"keys\"", "\"kees\"");
    assert_eq!(
        misspelt,
        [
            "arm.rig:16:5: error: wave (curve): attribute `keys`: there is no key",
            "arm.rig:16:40: error: wave (curve): attribute `kees`: nothing reads it; did you mean `keys`?",
        ]
    );
    let twice = with("\"rig\": \"arm\",", "\"rig\": \"arm\", \"rig\": \"leg\",");
    assert_eq!(twice, ["arm.rig:2:17: error: the rig: attribute `rig`: it is there twice"]);
    assert_eq!(mistakes("{\n  \"rig\": }"), ["arm.rig:2:10: error: expected value"]);
    assert_eq!(mistakes("[]"), ["arm.rig:1:1: error: the rig is an object, not a list"]);
    assert!(mistakes("{}").is_empty());
    assert!(mistakes(&"[".repeat(100_000))[0].contains("recursion limit"));
    assert!(
        with("\"points\": 2", "\"points\": 4e9")[0]
            .contains("it is a count from 0 to 1000000, not 4000000000")
    );
}

fn said(text: &str) -> Vec<String> {
    match read_and_warn("a.rig", text, &Catalogue::new()) {
        Ok((_, warnings)) => warnings.iter().map(ToString::to_string).collect(),
        Err(wrong) => wrong.iter().map(ToString::to_string).collect(),
    }
}

/// A rig of nodes, a line each, of which `v` is read.
fn rig(nodes: &[&str]) -> String {
    let nodes = nodes.join(",\n");
    format!(
        "{{ \"controls\": [ {{ \"name\": \"x\" }} ], \"nodes\": [\n{{ \"name\": \"v\", \"kind\": \"vector\", \"inputs\": {{ \"x\": \"@x\" }} \
         }},\n{nodes} ],\n\"outputs\": [ {{ \"name\": \"o\", \"from\": \"v.value\" }} ] }}"
    )
}

#[test]
fn what_nothing_reads_is_warned_of() {
    let dead = r#"{ "controls": [ { "name": "x" },
{ "name": "nobody" } ], "nodes": [
{ "name": "a", "kind": "vector", "inputs": { "x": "@x" } },
{ "name": "b", "kind": "vector", "safety": "reentrent", "inputs": { "x": "@x" } },
{ "name": "tip", "kind": "joint" } ], "outputs": [ { "name": "o", "from": "a.value" } ] }"#;
    assert_eq!(
        said(dead),
        [
            "a.rig:2:1: warning: control `nobody`: nothing follows it",
            "a.rig:4:1: warning: b (vector): nothing reads it",
            "a.rig:4:34: warning: b (vector): attribute `safety`: `reentrent` is a group of nodes, of which one at a time runs; did \
             you mean `reentrant`?",
        ]
    );
    assert_eq!(said("{ }"), ["a.rig:1:1: warning: the rig: it has no nodes"]);
    let alone = said(r#"{ "nodes": [ { "name": "v", "kind": "vector" } ] }"#);
    assert_eq!(alone, ["a.rig:1:1: warning: the rig: it has no outputs, so that nothing is evaluated"]);
    let time = rig(&[r#"{ "name": "t", "kind": "joint", "inputs": { "translate": "v.value" } }"#])
        .replace("\"x\" }", "\"time\", \"default\": 5 }")
        .replace("@x", "@time");
    assert!(said(&time)[0].contains("`time` follows the frames"), "{:?}", said(&time));
}

#[test]
fn what_a_file_shows_to_be_wrong_is_known_before_anything_is_evaluated() {
    for (node, message) in [
        (
            r#"{ "name": "s", "kind": "switch", "inputs": { "index": 5, "branch0": 1, "branch1": 2 } }"#,
            "a.rig:3:55: error: s (switch): attribute `index`: there is no branch 5; there are 2, counted from 0",
        ),
        (r#"{ "name": "s", "kind": "switch", "branches": 0 }"#, "it is a count from 1 to 4096, not 0"),
        (r#"{ "name": "s", "kind": "animation-curve", "keys": 0 }"#, "it is a count from 1 to 100000, not 0"),
        (r#"{ "name": "s", "kind": "curve", "keys": [] }"#, "attribute `keys`: there is no key"),
        (r#"{ "name": "s", "kind": "chain-ik", "turns": 5000 }"#, "it is a count from 0 to 1000, not 5000"),
        (r#"{ "name": "s", "kind": "chain-ik", "tolerance": -1 }"#, "share of the chain's length, not -1"),
        (
            r#"{ "name": "s", "kind": "two-bone-ik", "inputs": { "target": [1,0,0], "upper": -1 } }"#,
            "attribute `upper`: `upper` is -1, and no length is below zero",
        ),
        (
            r#"{ "name": "s", "kind": "skin", "points": 1, "per_point": 0, "bind": [], "joints": [], "weights": [] }"#,
            "attribute `per_point`: it is a count from 1 to 256, not 0",
        ),
        (
            r#"{ "name": "s", "kind": "skin", "points": 1, "per_point": 1, "bind": [], "joints": [0], "weights": [1] }"#,
            "attribute `joints`: point 0 follows joint 0 of 0",
        ),
        (
            r#"{ "name": "s", "kind": "expression", "text": "a", "inputs": { "a": "v" } }"#,
            "attribute `a`: `v` is a node; which of its outputs is meant? There is `v.value`",
        ),
        (
            r#"{ "name": "s", "kind": "expression", "text": "a", "inputs": { "a": "x" } }"#,
            "attribute `a`: there is no node `x`; did you mean `@x`?",
        ),
        (
            r#"{ "name": "s", "kind": "vector", "inputs": { "x": [null] } }"#,
            "attribute `x`: a number is expected, not null",
        ),
    ] {
        let found = said(&rig(&[node]));
        assert!(found.len() == 1 && found[0].contains(message), "{found:#?}\nis not\n{message}");
    }
}

#[test]
fn all_mistakes_come_at_once_and_in_order() {
    let text = rig(&[
        r#"{ "name": "a", "kind": "vectr" }"#,
        r#"{ "name": "c", "kind": "add", "inputs": { "a": "c.value" } }"#,
        r#"{ "name": "d", "kind": "local", "inputs": { "world": "a.value" } }"#,
        r#"{ "name": "e", "kind": "local", "inputs": { "word": "c.value" } }"#,
    ]);
    let lines: Vec<String> = said(&text).iter().map(|d| d.chars().skip(6).take(2).collect()).collect();
    assert_eq!(lines, ["3:", "4:", "6:"], "{:#?}", said(&text));
}

#[test]
fn a_byte_order_mark_is_no_mistake_and_many_slips_cost_no_time() {
    assert_eq!(said(&format!("\u{feff}{}", rig(&[r#"{ "name": "t", "kind": "joint" }"#]))), [""; 0]);
    let slips: Vec<String> = (0..3000)
        .map(|k| {
            format!(r#"{{ "name": "node{k}", "kind": "vector", "inputs": {{ "x": "nodes{k}.value" }} }}"#)
        })
        .collect();
    let found = said(&rig(&slips.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(found.len(), 3000);
    assert!(found[0].contains("did you mean") && !found[2999].contains("did you mean"), "{}", found[2999]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]
    #[test]
    fn mutated_texts_are_read_or_refused(
        cuts in prop::collection::vec((0..ARM.len(), 0..40_usize, 0..ARM.len(), 0..40_usize), 1..4),
    ) {
        let mut text = ARM.to_owned();
        for (at, len, from, of) in cuts {
            let whole = |k: usize, text: &str| (0..=k.min(text.len())).rev().find(|k| text.is_char_boundary(*k)).unwrap_or(0);
            let (begin, end) = (whole(at, &text), whole(at + len, &text));
            let piece = ARM[whole(from, ARM)..whole(from + of, ARM)].to_owned();
            text.replace_range(begin..end, &piece);
        }
        match read("arm.rig", &text, &Catalogue::new()) {
            Ok(rig) => {
                if let Ok(mut e) = Evaluator::new(rig, Backend::sequential(), Settings::default()) {
                    // It may fail, by a name.
                    if let Err(failure) = e.evaluate() {
                        prop_assert!(!failure.message.contains("panicked"), "{}", failure);
                    }
                }
            }
            Err(wrong) => prop_assert!(wrong.iter().all(|w| w.location.line > 0 && &*w.location.file == "arm.rig")),
        }
    }
}
