//! Inlines that come, go and change while a graph runs.

use std::sync::Arc;

use animation::event::field::Value;
use animation::event::runtime::{EventOptions, Mode, Restart, Strategy};

use crate::play::Run;
use crate::support::folder;

impl Run {
    fn load(&mut self, load: bool) {
        self.send("I", "load", Value::SFBool(load));
    }
    fn url(&mut self, url: &str) {
        self.send("I", "url", Value::MFString([Arc::from(url)].into()));
    }
}

const A: &str = "#X3D V3.3 utf8\nPROFILE Full\nDEF T Transform { translation 1 0 0 }\n\
                 DEF C TimeSensor { loop TRUE cycleInterval 1 }\nEXPORT T AS Ball\nEXPORT C AS Clock\n";
const B: &str = "#X3D V3.3 utf8\nPROFILE Full\nDEF U Transform { translation 2 0 0 }\n\
                 DEF D TimeSensor { }\nEXPORT U AS Ball\nEXPORT D AS Clock\n";
/// A clock moves what the file shows, whose clock moves something here.
const MAIN: &str = "#X3D V3.3 utf8\nPROFILE Full\n\
    DEF G Group { children DEF I Inline { load FALSE url \"a.x3dv\" } }\n\
    IMPORT I.Ball AS Ball\nIMPORT I.Clock AS Theirs\n\
    DEF TS TimeSensor { loop TRUE cycleInterval 1 }\n\
    DEF P PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 0 10 0 ] }\n\
    DEF S ScalarInterpolator { key [ 0 1 ] keyValue [ 0 1 ] }\n\
    ROUTE TS.fraction_changed TO P.set_fraction\nROUTE P.value_changed TO Ball.set_translation\n\
    ROUTE Theirs.fraction_changed TO S.set_fraction\n";

fn files(name: &str, main: &str) -> std::path::PathBuf {
    let cycle = "#X3D V3.3 utf8\nPROFILE Full\nInline { url \"main.x3dv\" }\n";
    let wrong = "#X3D V3.3 utf8\nPROFILE Full\nTransform { translatoin 1 2 3 }\n";
    let all =
        [("main.x3dv", main), ("a.x3dv", A), ("b.x3dv", B), ("cycle.x3dv", cycle), ("wrong.x3dv", wrong)];
    folder(name, &all).join("main.x3dv")
}

const OWN: &str = "TS.fraction_changed>P.set_fraction";
const IN: &str = "P.value_changed>T.translation";
const OUT: &str = "C.fraction_changed>S.set_fraction";

#[test]
fn a_file_comes_with_the_routes_that_waited_and_goes_and_comes_again() {
    for mode in [Mode::Dataflow, Mode::Levels(Strategy::PoolDynamic)] {
        for restart in [Restart::Resume, Restart::Full] {
            let options = EventOptions { mode, restart, ..EventOptions::default() };
            let mut run = Run::of(&files("comes", MAIN), options);
            assert_eq!(run.frame(), [OWN]);
            assert_eq!(run.node("T"), None);
            run.load(true);
            assert_eq!(run.frame(), [OWN], "an event changes what the next frame has");
            let mut all = run.frame();
            all.sort_unstable();
            assert_eq!(all, [OUT, IN, OWN], "{mode:?} {restart:?}");
            assert_eq!(run.value("T", "translation"), Some(Value::SFVec3f([0.0, 2.0, 0.0])));
            let first = run.node("T");
            run.load(false);
            assert_eq!(run.frame().len(), 3);
            assert_eq!(run.frame(), [OWN]);
            assert_eq!(run.node("T"), None);
            run.load(true);
            run.frame();
            assert_eq!(run.frame().len(), 3);
            assert_ne!(run.node("T"), first, "it comes again as other nodes");
            assert_eq!(run.value("T", "translation"), Some(Value::SFVec3f([0.0, 6.0, 0.0])));
            assert_eq!(run.findings(), "");
        }
    }
}

#[test]
fn another_address_takes_the_place_of_the_one_before() {
    let mut run = Run::of(&files("address", &MAIN.replace("load FALSE ", "")), EventOptions::default());
    assert_eq!(run.frame().len(), 3);
    run.url("b.x3dv");
    run.frame();
    // The other file's clock stands still.
    assert_eq!(run.frame(), [OWN, "P.value_changed>U.translation"]);
    assert_eq!((run.node("T"), run.value("U", "translation")), (None, Some(Value::SFVec3f([0.0, 2.0, 0.0]))));
    let version = run.graph.version();
    run.url("b.x3dv");
    run.frame();
    run.frame();
    assert_eq!(run.graph.version(), version, "the same address changes nothing");
    run.send("I", "url", Value::MFString([].into()));
    run.frame();
    assert_eq!((run.frame(), run.node("U")), (vec![OWN.to_owned()], None));
}

#[test]
fn what_cannot_be_shown_is_said_once_and_the_run_goes_on() {
    for (url, said) in [
        ("gone.x3dv", "nothing to show"),
        ("cycle.x3dv", "the file shows itself, without end"),
        ("wrong.x3dv", "`translation`"),
    ] {
        let mut run = Run::of(&files("wrong", MAIN), EventOptions::default());
        run.frame();
        run.url(url);
        run.load(true);
        run.frame();
        assert_eq!(run.frame(), [OWN]);
        let found = run.findings();
        let place = match url {
            "gone.x3dv" => "main.x3dv:3:",
            "cycle.x3dv" => "cycle.x3dv:3:",
            _ => "wrong.x3dv:3:",
        };
        assert!(found.contains(said) && found.contains(place), "{url}: {found}");
        assert!(url == "wrong.x3dv" || found.contains("attribute `url`"), "{found}");
        assert_eq!(run.frame(), [OWN]);
        run.load(false);
        run.frame();
        run.load(true);
        run.frame();
        run.frame();
        assert_eq!(run.findings(), "", "the same is not said again");
        run.url("a.x3dv");
        run.frame();
        assert_eq!(run.frame().len(), 3, "a good file comes after a bad one");
    }
}

#[test]
fn routes_scripts_and_prototypes_switch_an_inline() {
    let switch =
        "DEF B BooleanTrigger { }\nROUTE TS.cycleTime TO B.set_triggerTime\nROUTE B.triggerTrue TO I.load\n";
    let script = "DEF J Script { directOutput TRUE initializeOnly SFNode inline USE I inputOnly SFTime at \
                  url \"ecmascript: function at(t) { inline.load = true; }\" }\nROUTE TS.cycleTime TO J.at\n";
    let proto = MAIN.replace(
        "DEF G Group",
        "PROTO Door [ inputOutput SFBool open FALSE inputOutput MFString file [ ] ] \
         { Inline { load IS open url IS file } }\nDEF DOOR Door { file \"a.x3dv\" }\nDEF G Group",
    );
    for main in [format!("{MAIN}{switch}"), format!("{MAIN}{script}")] {
        let mut run = Run::of(&files("switch", &main), EventOptions::default());
        run.frame();
        let all = run.frame();
        assert!(all.contains(&IN.to_owned()) && all.contains(&OUT.to_owned()), "{all:?}");
        assert_eq!(run.graph.take_complaints(), []);
    }
    let routed = "DEF B BooleanTrigger { }\nROUTE TS.cycleTime TO B.set_triggerTime\nROUTE B.triggerTrue TO DOOR.open\n";
    for (main, sends) in [(proto.clone(), true), (format!("{proto}{routed}"), false)] {
        let mut run = Run::of(&files("proto", &main), EventOptions::default());
        if sends {
            run.send("DOOR", "open", Value::SFBool(true));
        }
        run.frame();
        assert_eq!(run.node("T"), None);
        run.frame();
        assert!(run.node("T").is_some());
    }
}

#[test]
fn a_file_within_a_file_goes_with_it() {
    let outer = "#X3D V3.3 utf8\nPROFILE Full\nDEF N Inline { url \"a.x3dv\" }\nIMPORT N.Ball AS Inner\n\
                 DEF Q PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 1 1 1 ] }\n\
                 ROUTE Q.value_changed TO Inner.translation\nDEF O Transform { }\nEXPORT O AS Ball\nEXPORT Q AS Way\n";
    let main = MAIN.replace("IMPORT I.Clock AS Theirs", "IMPORT I.Way AS Theirs");
    let main = main.replace("a.x3dv", "outer.x3dv");
    let main = main.replace(
        "ROUTE Theirs.fraction_changed TO S.set_fraction",
        "ROUTE TS.fraction_changed TO Theirs.set_fraction",
    );
    let file = files("nested", &main);
    std::fs::write(file.with_file_name("outer.x3dv"), outer).expect("a file");
    let mut run = Run::of(&file, EventOptions::default());
    for _ in 0..3 {
        run.load(true);
        run.frame();
        let all = run.frame();
        assert!(all.contains(&"Q.value_changed>T.translation".to_owned()), "{all:?}");
        run.load(false);
        run.frame();
        assert_eq!((run.frame(), run.node("T"), run.node("N")), (vec![OWN.to_owned()], None, None));
    }
    assert_eq!(run.findings(), "");
}

#[test]
fn load_sensors_hear_of_it() {
    let main = format!("{MAIN}DEF L LoadSensor {{ watchList USE I }}\n");
    let mut run = Run::of(&files("sensor", &main), EventOptions::default());
    run.frame();
    assert_eq!(run.value("L", "isLoaded"), Some(Value::SFBool(false)));
    run.load(true);
    run.frame();
    run.frame();
    assert_eq!(run.value("L", "isLoaded"), Some(Value::SFBool(true)));
    assert_eq!(run.value("L", "loadTime"), Some(Value::SFTime(0.2)));
    run.url("gone.x3dv");
    run.frame();
    run.frame();
    assert_eq!(run.value("L", "isLoaded"), Some(Value::SFBool(false)));
}

#[test]
fn a_viewpoint_that_goes_gives_way_to_the_one_before() {
    let seen = "#X3D V3.3 utf8\nPROFILE Full\nDEF V Viewpoint { }\nEXPORT V AS View\n";
    let main = "#X3D V3.3 utf8\nPROFILE Full\nDEF HOME Viewpoint { }\nDEF I Inline { load FALSE url \"seen.x3dv\" }\n\
                IMPORT I.View AS View\nDEF B BooleanFilter { }\nROUTE B.inputTrue TO View.set_bind\n";
    let file = files("viewpoint", main);
    std::fs::write(file.with_file_name("seen.x3dv"), seen).expect("a file");
    let mut run = Run::of(&file, EventOptions::default());
    run.frame();
    run.load(true);
    run.frame();
    run.frame();
    run.send("B", "set_boolean", Value::SFBool(true));
    run.frame();
    let bound = |run: &Run, def| run.value(def, "isBound");
    assert_eq!(
        (bound(&run, "HOME"), bound(&run, "V")),
        (Some(Value::SFBool(false)), Some(Value::SFBool(true)))
    );
    run.load(false);
    run.frame();
    run.frame();
    assert_eq!(bound(&run, "HOME"), Some(Value::SFBool(true)));
    assert_eq!(run.graph.take_complaints(), []);
}

#[test]
fn a_load_sensor_is_not_active_once_a_file_has_come_again_or_has_failed() {
    let sensor = "DEF LS LoadSensor { watchList [ USE I DEF J Inline { url \"a.x3dv\" } ] }\n";
    let main = format!("{}{sensor}", MAIN.replace("load FALSE ", ""));
    let mut run = Run::of(&files("sensor_again", &main), EventOptions::default());
    let of = |run: &Run| {
        ["isActive", "isLoaded", "progress"].map(|field| run.value("LS", field).expect("a field"))
    };
    let said = |active, loaded| [Value::SFBool(active), Value::SFBool(loaded), Value::SFFloat(1.0)];
    run.frame();
    assert_eq!(of(&run), said(false, true));
    for (url, loaded) in [("b.x3dv", true), ("gone.x3dv", false), ("a.x3dv", true)] {
        run.url(url);
        // The other file, which is there, comes anew in the same frame.
        run.send("J", "url", Value::MFString([Arc::from(if loaded { "b.x3dv" } else { "a.x3dv" })].into()));
        run.frame();
        run.frame();
        assert_eq!(of(&run), said(false, loaded), "{url}");
    }
    // What goes is not on its way.
    run.load(false);
    run.frame();
    run.frame();
    assert_eq!(of(&run), said(false, true));
}
