//! X3D files whose Inlines come and go, what Scripts print, and frames that begin anew: the program itself, in all ways to run.

use std::path::Path;

use super::{WAYS, complaints, folder, weft};

/// A Script opens an Inline in the second cycle, gives it another file in the third, shuts it in the fourth and asks for what there is not in
/// the fifth; routes join what is shown.
const MAIN: &str = r#"#X3D V3.3 utf8
PROFILE Immersive
DEF CLOCK TimeSensor { cycleInterval 0.3 loop TRUE }
DEF WAY PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0, 4 0 0 ] }
DEF ROOM Inline { load FALSE url "a.x3dv" }
IMPORT ROOM.Ball AS Ball
IMPORT ROOM.Beat AS Beat
DEF DOOR Script {
  inputOnly SFTime cycle
  outputOnly SFBool load
  outputOnly MFString file
  initializeOnly SFInt32 n 0
  url "ecmascript: function cycle(value) {
    n = n + 1;
    print('cycle ' + n);
    if (n == 2) load = true;
    if (n == 3) file = new MFString('b.x3dv');
    if (n == 4) load = false;
    if (n == 5) { load = true; file = new MFString('gone.x3dv'); }
  }"
}
DEF HEARD ScalarInterpolator { key [ 0 1 ] keyValue [ 0 1 ] }
ROUTE CLOCK.fraction_changed TO WAY.set_fraction
ROUTE CLOCK.cycleTime TO DOOR.cycle
ROUTE DOOR.load TO ROOM.load
ROUTE DOOR.file TO ROOM.url
ROUTE WAY.value_changed TO Ball.translation
ROUTE Beat.fraction_changed TO HEARD.set_fraction
"#;

const SHOWN: &str = r#"#X3D V3.3 utf8
PROFILE Immersive
DEF BALL Transform { children Shape { geometry Sphere { } } }
DEF BEAT TimeSensor { loop TRUE cycleInterval 2 }
EXPORT BALL AS Ball
EXPORT BEAT AS Beat
"#;

/// Events, fields and messages of a run.
fn played(folder: &Path, options: &[&str]) -> (String, String, String) {
    let fields = "ROOM/BALL.translation,ROOM.load:f.jsonl";
    let run = ["run", "main.x3dv", "--steps", "18", "--dt", "0.1", "--quiet"];
    let files = ["--export-events", "e.jsonl", "--export-fields", fields];
    let output = weft(folder, &[&run[..], &files, options].concat());
    assert!(output.status.success(), "{options:?}: {}", complaints(&output));
    let read = |name| std::fs::read_to_string(folder.join(name)).expect("a file");
    (read("e.jsonl"), read("f.jsonl"), complaints(&output))
}

#[test]
fn what_inlines_show_is_the_same_in_all_ways() {
    let folder = folder(&[("main.x3dv", MAIN), ("a.x3dv", SHOWN), ("b.x3dv", SHOWN)]);
    let expected = played(folder.path(), &["--executor", "sequential"]);
    let (events, fields, messages) = &expected;
    let of_frame = |k: u32| -> Vec<&str> {
        let begin = format!("{{\"frame\":{k},");
        events.lines().filter(|l| l.starts_with(&begin)).collect()
    };
    let joined = |k| of_frame(k).iter().filter(|l| l.contains("ROOM/")).count();
    assert_eq!(
        (0..18).map(joined).collect::<Vec<_>>(),
        [0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0]
    );
    let moved =
        |k: u32| fields.lines().any(|l| l.starts_with(&format!("{{\"frame\":{k},")) && l.contains("BALL"));
    assert_eq!((0..18).filter(|k| moved(*k)).collect::<Vec<_>>(), [4, 5, 6, 7, 8, 9]);
    assert!(
        messages.contains("main.x3dv:8:") && messages.contains("note: DOOR (Script): cycle 5"),
        "{messages}"
    );
    assert!(
        messages.contains("main.x3dv:5:") && messages.contains("ROOM (Inline): attribute `url`"),
        "{messages}"
    );
    assert_eq!(messages.matches("nothing to show").count(), 1, "{messages}");
    for way in WAYS {
        let options: Vec<&str> = way.split(' ').collect();
        assert_eq!(played(folder.path(), &options), expected, "{way}");
    }
}

#[test]
fn scripts_that_print_without_end_are_cut_short() {
    let text = r#"#X3D V3.3 utf8
PROFILE Immersive
DEF CLOCK TimeSensor { loop TRUE }
DEF LOUD Script { inputOnly SFTime time
  url "ecmascript: function initialize() { Browser.println('begins'); } function time(t) { for (var k = 0; k < 30; k++) Browser.print(k); }" }
ROUTE CLOCK.time TO LOUD.time
"#;
    let folder = folder(&[("a.x3dv", text)]);
    let output = weft(folder.path(), &["run", "a.x3dv", "--steps", "20", "--quiet"]);
    let said = complaints(&output);
    assert!(
        output.status.success() && said.contains("a.x3dv:4:") && said.contains("LOUD (Script): begins"),
        "{said}"
    );
    assert_eq!(said.lines().filter(|l| l.contains("LOUD")).count(), 101, "{said}");
    assert!(said.contains("the rest is shown with -v"), "{said}");
}

#[test]
fn a_script_that_edits_runs_once_either_way() {
    let text = r#"#X3D V3.3 utf8
PROFILE Immersive
DEF CLOCK TimeSensor { loop TRUE cycleInterval 9 }
DEF COUNTER Script { inputOnly SFTime time outputOnly SFInt32 count
  url "ecmascript: var n = 0; function time(t) { n++; count = n; }" }
DEF T Transform { }
DEF SHOWN Switch { }
DEF MAKER Script { directOutput TRUE inputOnly SFTime time initializeOnly SFNode own USE T
  url "ecmascript: function time(t) { own.children = Browser.createVrmlFromString('Shape { }'); }" }
ROUTE CLOCK.time TO COUNTER.time
ROUTE COUNTER.count TO SHOWN.whichChoice
ROUTE CLOCK.cycleTime TO MAKER.time
"#;
    let folder = folder(&[("a.x3dv", text)]);
    let run = |how: &str| {
        let run =
            ["run", "a.x3dv", "--steps", "3", "--quiet", "--export-events", "e.jsonl", "--restart", how];
        let output = weft(folder.path(), &run);
        assert!(output.status.success(), "{}", complaints(&output));
        (complaints(&output), std::fs::read_to_string(folder.path().join("e.jsonl")).expect("events"))
    };
    let (said, log) = run("resume");
    assert_eq!(said, "");
    assert!(log.lines().last().is_some_and(|line| line.ends_with("\"value\":3}")), "{log}");
    assert_eq!(run("full"), (said, log));
}

#[test]
fn misspelt_graphs_of_the_gallery_are_suggested() {
    let folder = folder(&[]);
    for (name, meant) in
        [("tumblin", "tumbling"), ("flag", "flags"), ("paradde", "parade"), ("faling", "falling")]
    {
        for command in ["run", "check"] {
            let output = weft(folder.path(), &[command, name]);
            assert!(
                !output.status.success() && complaints(&output).contains(&format!("did you mean `{meant}`?")),
                "{}",
                complaints(&output)
            );
        }
    }
}
