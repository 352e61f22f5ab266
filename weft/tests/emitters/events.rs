//! Event graphs as a user runs them: the program itself, on files of its own.

use std::path::Path;

use super::{WAYS, complaints, folder, ok, weft};

/// A clock, an interpolator and what it moves; a Script counts cycles.
const SCENE: &str = r#"#X3D V3.3 utf8
PROFILE Immersive
DEF CLOCK TimeSensor { cycleInterval 0.4 loop TRUE }
DEF WAY PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0, 4 0 0 ] }
DEF BALL Transform { children Shape { geometry Sphere { } } }
DEF COUNTER Script {
  inputOnly SFTime cycle
  outputOnly SFInt32 count
  initializeOnly SFInt32 n 0
  url "ecmascript: function cycle(value) { n = n + 1; count = n; }"
}
DEF SHOWN Switch { }
ROUTE CLOCK.fraction_changed TO WAY.set_fraction
ROUTE WAY.value_changed TO BALL.translation
ROUTE CLOCK.cycleTime TO COUNTER.cycle
ROUTE COUNTER.count TO SHOWN.whichChoice
"#;

fn events(folder: &Path, options: &[&str]) -> String {
    let run = ["run", "a.x3dv", "--steps", "7", "--dt", "0.1", "--quiet", "--export-events", "e.jsonl"];
    let output = weft(folder, &[&run[..], options].concat());
    assert!(output.status.success(), "{options:?}: {}", complaints(&output));
    std::fs::read_to_string(folder.join("e.jsonl")).expect("events")
}

#[test]
fn events_are_written_as_the_manual_says() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let written = events(folder.path(), &["--export-fields", "BALL.translation,SHOWN.whichChoice:f.jsonl"]);
    let lines: Vec<&str> = written.lines().collect();
    let of_frame = |frame: &str| lines.iter().filter(|l| l.contains(frame)).count();
    assert_eq!([of_frame("\"frame\":0,"), of_frame("\"frame\":1,"), of_frame("\"frame\":4,")], [4, 2, 4]);
    let fraction =
        r#"{"frame":1,"time":0.1,"from":"CLOCK.fraction_changed","to":"WAY.set_fraction","value":0.25}"#;
    let moved =
        r#"{"frame":1,"time":0.1,"from":"WAY.value_changed","to":"BALL.translation","value":[1.0,0.0,0.0]}"#;
    assert!(lines.contains(&fraction) && lines.contains(&moved), "{written}");
    let fields = std::fs::read_to_string(folder.path().join("f.jsonl")).expect("fields");
    assert_eq!(fields.lines().count(), 14);
    let last = r#"{"frame":6,"time":0.6000000000000001,"field":"SHOWN.whichChoice","value":2}"#;
    assert_eq!(fields.lines().last(), Some(last));
}

#[test]
fn all_ways_write_the_same_events() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let expected = events(folder.path(), &["--executor", "sequential"]);
    for way in WAYS {
        let options: Vec<&str> = way.split(' ').collect();
        assert_eq!(events(folder.path(), &options), expected, "{way}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let said = |arguments: &[&str]| {
        let output = weft(folder.path(), arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let run = ["run", "a.x3dv", "--steps", "1", "--quiet"];
    for (options, hint) in [
        (&["--export-fields", "BALL.translatio:f.jsonl"][..], "did you mean `translation`?"),
        (&["--export-fields", "BALK.translation:f.jsonl"], "did you mean `BALL`?"),
        (&["--strategy", "loop-static"], "--events levels"),
        (&["--export-state", "s.jsonl"], "--export-events"),
        (&["--pieces", "2"], "no bodies"),
    ] {
        let (code, text) = said(&[&run[..], options].concat());
        assert!(code == Some(2) && text.contains(hint), "{options:?}: {text}");
    }
    let (code, text) = said(&["run", "falling", "--steps", "1", "--export-events", "e.jsonl"]);
    assert!(code == Some(2) && text.contains("only event graphs"), "{text}");
    let wrong = SCENE.replace("BALL.translation", "BALL.translatoin");
    std::fs::write(folder.path().join("b.x3dv"), wrong).expect("a file");
    let (code, text) = said(&["check", "b.x3dv"]);
    assert!(code == Some(1) && text.contains("b.x3dv:14:") && text.contains("`translation`"), "{text}");
    let (code, text) = said(&["check", "a.x3dv"]);
    assert!(code == Some(0), "{text}");
}

#[test]
fn profiles_and_predictions_take_event_graphs() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let profile =
        weft(folder.path(), &["profile", "a.x3dv", "--steps", "40", "--threads", "2", "--json", "p.json"]);
    assert!(profile.status.success(), "{}", String::from_utf8_lossy(&profile.stderr));
    let text = std::fs::read_to_string(folder.path().join("p.json")).expect("a profile");
    assert!(text.contains("EventGraph"), "{text}");
    let predict = ["predict", "tumbling", "--set", "objects=50", "--set", "travelling=10"];
    let few = ["--steps", "5", "--samples", "2", "--workers", "1,2"];
    let predicted = weft(folder.path(), &[&predict[..], &few].concat());
    assert!(predicted.status.success(), "{}", String::from_utf8_lossy(&predicted.stderr));
}

#[test]
fn scripts_end_with_the_run() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let text = "#X3D V3.3 utf8\nPROFILE Full\nDEF C TimeSensor { loop TRUE }\n\
        DEF S Script { inputOnly SFTime at initializeOnly SFInt32 n 0 url \"ecmascript: function at() { n = n + 1; } \
        function shutdown() { print('bye after ' + n); }\" }\nROUTE C.time TO S.at\n";
    std::fs::write(folder.path().join("bye.x3dv"), text).expect("a file");
    for options in [&[][..], &["--events", "levels"]] {
        let output = weft(folder.path(), &[&["run", "bye.x3dv", "--steps", "4"][..], options].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("S (Script): bye after 4"), "{said}");
        assert_eq!(said.matches("bye after").count(), 1, "{said}");
    }
}

#[test]
fn a_check_names_programs_that_are_none_and_what_does_nothing_here() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let text = "#X3D V3.3 utf8\nPROFILE Full\nDEF S Script { url \"ecmascript: function a() { return 1 +; }\" }\n\
        Shape { geometry DEF T Text { string \"far\" } }\n\
        DEF B ParticleSystem { }\n";
    std::fs::write(folder.path().join("still.x3dv"), text).expect("a file");
    let output = weft(folder.path(), &["check", "still.x3dv"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    for part in [
        "still.x3dv:3:1: warning: S (Script): line 1 of its text: ",
        "still.x3dv:4:18: note: Text: it is not drawn here",
        "note: ParticleSystem: no particles fly",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_strategy_has_its_executor() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let head = |options: &str| {
        let run = ["run", "a.x3dv", "--steps", "2", "--threads", "2"];
        let options: Vec<&str> = options.split(' ').filter(|word| !word.is_empty()).collect();
        let text = ok(folder.path(), &[&run[..], &options].concat());
        text.lines().next().unwrap_or_default().to_owned()
    };
    for (options, executor) in [
        ("", "replay"),
        ("--events levels", "replay"),
        ("--events levels --strategy pool-static", "replay"),
        ("--events levels --strategy pool-dynamic", "stealing"),
        ("--events levels --strategy loop-static", "fork-join"),
        ("--events levels --strategy loop-dynamic", "fork-join"),
        ("--events levels --strategy loop-guided", "fork-join"),
        ("--events levels --strategy loop-guided --executor replay", "replay"),
    ] {
        assert!(
            head(options).contains(&format!(", {executor} with 2 workers")),
            "{options}: {}",
            head(options)
        );
    }
}

#[test]
fn amdahls_bound_stands_beside_the_speedup() {
    let folder = folder(&[("a.x3dv", SCENE)]);
    let run = ["run", "a.x3dv", "--steps", "5", "--threads", "2", "--compare", "--report", "r.json"];
    let levels = ok(folder.path(), &[&run[..], &["--events", "levels"]].concat());
    assert!(levels.contains("Amdahl's bound") && levels.contains("% of the time brings events"), "{levels}");
    let report = std::fs::read_to_string(folder.path().join("r.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let bound = report["compare"]["amdahl"]["bound"].as_f64().expect("a bound");
    assert!(1.0 < bound && bound < 2.0, "{report}");
    let dataflow = ok(folder.path(), &run);
    assert!(dataflow.contains("2.00 with 2 workers: no step brings events"), "{dataflow}");
    let profile = ["profile", "a.x3dv", "--steps", "5", "--threads", "2", "--json", "p.json"];
    assert!(ok(folder.path(), &profile).contains("Amdahl's bound"));
    let profile = std::fs::read_to_string(folder.path().join("p.json")).expect("a profile");
    assert!(profile.contains("\"amdahl\""));
}
