//! What happens in the beginning, and twice in a frame, by the program itself.

use std::path::Path;

use super::{WAYS, complaints, folder, weft};

const HEAD: &str = "#X3D V3.3 utf8\nPROFILE Full\n";

/// The lines of an export of events, without frame and time, of those that have a word.
fn events(folder: &Path, options: &[&str], word: &str) -> Vec<String> {
    let run = [
        "run",
        "a.x3dv",
        "--steps",
        "5",
        "--dt",
        "0.1",
        "--quiet",
        "--overwrite",
        "--export-events",
        "e.jsonl",
    ];
    let output = weft(folder, &[&run[..], options].concat());
    assert!(output.status.success(), "{options:?}: {}", complaints(&output));
    let written = std::fs::read_to_string(folder.join("e.jsonl")).expect("events");
    let line = |line: &str| -> Option<String> {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let dropped = if line["dropped"] == true { " dropped" } else { "" };
        let ends = format!("{}>{}", line["from"].as_str()?, line["to"].as_str()?);
        Some(format!("{} {ends} {}{dropped}", line["frame"], line["value"]))
    };
    written.lines().filter_map(line).filter(|line| line.contains(word)).collect()
}

/// The same in all ways of running.
fn in_all_ways(text: &str, more: &[(&str, &str)], word: &str) -> Vec<String> {
    let text = format!("{HEAD}{text}");
    let folder = folder(&[&[("a.x3dv", &*text)], more].concat());
    let expected = events(folder.path(), &["--executor", "sequential"], word);
    for way in WAYS {
        let options: Vec<&str> = way.split(' ').collect();
        assert_eq!(events(folder.path(), &options, word), expected, "{way}");
    }
    expected
}

const INLINED: &str = "#X3D V3.3 utf8\nPROFILE Full\nDEF T TimeSensor { loop TRUE cycleInterval 1 }\n\
    DEF S Script { outputOnly SFTime c inputOnly SFFloat f url \"ecmascript: function initialize() { c = 4; } function f() {}\" }\n\
    ROUTE S.c TO T.set_cycleInterval\nROUTE T.fraction_changed TO S.f\n";

#[test]
fn a_clock_that_initialize_sets_runs_as_if_the_file_had_set_it() {
    let inline = [("inlined.x3dv", INLINED)];
    let at_once = in_all_ways("DEF I Inline { url \"inlined.x3dv\" }", &inline, "S.");
    assert_eq!(
        at_once[..3],
        [
            "0 I/S.c>I/T.set_cycleInterval 4.0",
            "0 I/T.fraction_changed>I/S.f 0.0",
            "1 I/T.fraction_changed>I/S.f 0.025"
        ]
    );
    // One that comes later, while others run.
    let later = "DEF C TimeSensor { loop TRUE } DEF I Inline { url \"inlined.x3dv\" load FALSE }\n\
        DEF L Script { inputOnly SFTime t outputOnly SFBool load url \"ecmascript: function t(v) { if (v > 0.15) load = true; }\" }\n\
        ROUTE C.time TO L.t\nROUTE L.load TO I.load\n";
    let later = in_all_ways(later, &inline, "S.");
    assert_eq!(later[0], "3 I/S.c>I/T.set_cycleInterval 4.0");
    assert!(later[1].starts_with("3 I/T.fraction_changed>I/S.f 0.07"), "{later:?}");
}

#[test]
fn what_a_field_sends_in_the_first_frame_is_not_lost() {
    let text = "DEF C TimeSensor { loop TRUE }\n\
        DEF A Script { inputOnly SFTime t inputOutput SFInt32 n 0 url \"ecmascript: function initialize() { n = 10; } function t() { n = n + 1; }\" }\n\
        DEF X Script { inputOnly SFInt32 n url \"ecmascript: function n() {}\" }\n\
        ROUTE C.time TO A.t\nROUTE A.n_changed TO X.n\n";
    let sent = in_all_ways(text, &[], "X.n");
    assert_eq!(sent[..3], ["0 A.n_changed>X.n 10", "0 A.n_changed>X.n 11", "1 A.n_changed>X.n 12"]);
}

#[test]
fn one_viewpoint_is_bound_whatever_is_sent_in_a_frame() {
    let text = "DEF C TimeSensor { loop TRUE }\n\
        DEF V0 Viewpoint {} DEF VA Viewpoint {} DEF VB Viewpoint {}\n\
        DEF S Script { inputOnly SFTime t outputOnly SFBool a outputOnly SFBool b initializeOnly SFInt32 k 0\n\
        url \"ecmascript: function initialize() { a = true; } function t() { k = k + 1; if (k == 2) { b = true; a = false; } if (k == 3) b = false; }\" }\n\
        DEF X Script { inputOnly SFBool v url \"ecmascript: function v() {}\" }\n\
        ROUTE C.time TO S.t\nROUTE S.a TO VA.set_bind\nROUTE S.b TO VB.set_bind\n\
        ROUTE V0.isBound TO X.v\nROUTE VA.isBound TO X.v\nROUTE VB.isBound TO X.v\n";
    let sent = in_all_ways(text, &[], "isBound");
    let mut bound = [false; 3];
    for line in &sent {
        let k = ["V0.", "VA.", "VB."].iter().position(|v| line.contains(v)).expect("a viewpoint");
        bound[k] = line.ends_with("true");
    }
    assert_eq!(bound, [true, false, false], "{sent:?}");
    assert!(sent.contains(&"0 V0.isBound>X.v false".to_owned()), "{sent:?}");
}

#[test]
fn what_was_delivered_is_written_beside_what_was_dropped() {
    let text = "DEF C TimeSensor { loop TRUE }\n\
        DEF S Script { inputOnly SFTime t outputOnly SFBool a outputOnly SFBool b url \"ecmascript: function t() { a = true; b = true; }\" }\n\
        DEF N IntegerSequencer { key [0 .2 .4] keyValue [10 20 30] }\n\
        DEF M Script { inputOnly SFInt32 c outputOnly SFBool back url \"ecmascript: function c() { back = false; }\" }\n\
        ROUTE C.time TO S.t\nROUTE S.a TO N.next\nROUTE S.b TO N.next\n\
        ROUTE N.value_changed TO M.c\nROUTE M.back TO N.next\n";
    let sent = in_all_ways(text, &[], "0 N.value_changed>M.c");
    assert_eq!(sent, ["0 N.value_changed>M.c 10", "0 N.value_changed>M.c 20 dropped"]);
}

#[test]
fn a_file_beside_bodies_begins_in_the_same_way() {
    let graph = format!(
        "{HEAD}DEF T TimeSensor {{ loop TRUE cycleInterval 1 }} DEF J Transform {{}}\n\
        DEF I PositionInterpolator {{ key [0 1] keyValue [0 0 0, 8 0 0] }}\n\
        DEF S Script {{ outputOnly SFTime c url \"ecmascript: function initialize() {{ c = 4; }}\" }}\n\
        ROUTE S.c TO T.cycleInterval\nROUTE T.fraction_changed TO I.set_fraction\nROUTE I.value_changed TO J.translation\n"
    );
    let scene = "<Node name='root' dt='0.1' gravity='0 0 0'><X3DFile name='walk' filename='a.x3dv'/>\
        <Node name='puppet'><X3DJoints name='joints' joints='J'/>\
        <MechanicalObject name='dofs' template='Vec3' position='@joints.position'/></Node></Node>";
    let folder = folder(&[("a.x3dv", &graph), ("s.scn", scene)]);
    for way in ["--threads 1", "--threads 2"] {
        let run = ["run", "s.scn", "--steps", "5", "--overwrite", "--export-state", "s.jsonl"];
        let options: Vec<&str> = way.split(' ').collect();
        let output = weft(folder.path(), &[&run[..], &options].concat());
        assert!(output.status.success(), "{}", complaints(&output));
        let written = std::fs::read_to_string(folder.path().join("s.jsonl")).expect("states");
        let last = written.lines().last().expect("a state");
        assert!(last.contains("[[1.0,0.0,0.0]]") || last.contains("[1.0,0.0,0.0]"), "{way}: {last}");
    }
}
