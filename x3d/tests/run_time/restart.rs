//! Frames in the middle of which a Script changes the graph.

use animation::event::field::Value;
use animation::event::runtime::{EventOptions, Restart};

use crate::play::Run;
use crate::support::folder;

/// A Script that gives a Group a child in each cycle.
const MAKER: &str = "DEF OWN Group { }\nDEF MAKER Script { directOutput TRUE inputOnly SFTime at initializeOnly SFNode own USE OWN \
    url \"ecmascript: function at(t) { own.children = Browser.createVrmlFromString('Shape { }'); }\" }\n";

fn run(name: &str, text: &str, restart: Restart) -> Run {
    let text = format!("#X3D V3.3 utf8\nPROFILE Full\n{MAKER}{text}");
    let file = folder(name, &[("main.x3dv", &text)]).join("main.x3dv");
    Run::of(&file, EventOptions { restart, ..EventOptions::default() })
}

const BOTH: [Restart; 2] = [Restart::Resume, Restart::Full];

#[test]
fn nodes_are_bound_once_however_the_graph_is_made_anew() {
    let text = "DEF V Viewpoint { }\nDEF W Viewpoint { }\nDEF B BooleanFilter { }\nDEF T BooleanTrigger { }\n\
                DEF C TimeSensor { loop TRUE cycleInterval 0.1 }\nDEF N IntegerTrigger { integerKey 5 }\n\
                ROUTE B.inputTrue TO W.set_bind\nROUTE W.bindTime TO MAKER.at\nROUTE W.isBound TO N.set_boolean\n";
    for restart in BOTH {
        let mut run = run("stacks", text, restart);
        run.frame();
        run.send("B", "set_boolean", Value::SFBool(true));
        let log = run.frame();
        // W is bound, the Script hears of it and changes the graph.
        assert!(log.contains(&"W.isBound>N.set_boolean".to_owned()), "{restart:?}: {log:?}");
        let is = |run: &Run, def| run.value(def, "isBound");
        assert_eq!((is(&run, "V"), is(&run, "W")), (Some(Value::SFBool(false)), Some(Value::SFBool(true))));
        assert_eq!(run.complaints(), Vec::<String>::new());
        // And the one before comes back.
        run.send("W", "set_bind", Value::SFBool(false));
        run.frame();
        assert_eq!((is(&run, "V"), is(&run, "W")), (Some(Value::SFBool(true)), Some(Value::SFBool(false))));
    }
}

#[test]
fn what_nodes_say_as_they_begin_outlasts_a_first_frame_that_changes() {
    let text = "DEF S Script { outputOnly SFColor color url \"ecmascript: function initialize() { color = new SFColor(0, 1, 0); }\" }\n\
                DEF M Material { }\nDEF C TimeSensor { loop TRUE cycleInterval 9 }\n\
                ROUTE S.color TO M.diffuseColor\nROUTE C.cycleTime TO MAKER.at\n";
    for restart in BOTH {
        let mut run = run("begin", text, restart);
        let log = run.frame();
        assert_eq!(log.iter().filter(|l| **l == "S.color>M.diffuseColor").count(), 1, "{restart:?}: {log:?}");
        assert_eq!(run.value("M", "diffuseColor"), Some(Value::SFColor([0.0, 1.0, 0.0])));
    }
}

#[test]
fn a_script_that_edits_gives_the_same_values_and_log_either_way() {
    // COUNT has a number in mind, which does not go back; EDIT joins and parts CLOCK and LATE, and makes a node that takes the time.
    let text = "DEF CLOCK TimeSensor { loop TRUE cycleInterval 0.4 }\n\
        DEF COUNT Script { inputOnly SFTime time outputOnly SFFloat out url \"ecmascript: var n = 0; function time(t) { n++; out = n; }\" }\n\
        DEF SUM Script { inputOnly SFFloat a outputOnly SFFloat out url \"ecmascript: var s = 0; function a(v) { s = 2 * s + v; out = s; }\" }\n\
        DEF LATE ScalarInterpolator { key [ 0 1 ] keyValue [ 0 10 ] }\nDEF GROUP Group { }\n\
        DEF EDIT Script { directOutput TRUE inputOnly SFFloat count outputOnly SFFloat done initializeOnly SFNode clock USE CLOCK \
        initializeOnly SFNode late USE LATE initializeOnly SFNode sum USE SUM initializeOnly SFNode group USE GROUP url \"ecmascript: \
        function count(n) { \
          if (n % 3 == 1) { Browser.addRoute(clock, 'fraction_changed', late, 'set_fraction'); Browser.addRoute(late, 'value_changed', sum, 'a'); } \
          if (n % 3 == 2) Browser.deleteRoute(clock, 'fraction_changed', late, 'set_fraction'); \
          if (n % 3 == 0) { Browser.deleteRoute(late, 'value_changed', sum, 'a'); group.children = Browser.createVrmlFromString('Transform { }'); } \
          done = n; }\" }\n\
        ROUTE CLOCK.time TO COUNT.time\nROUTE COUNT.out TO EDIT.count\nROUTE COUNT.out TO SUM.a\nROUTE EDIT.done TO SUM.a\n";
    let played = BOTH.map(|restart| {
        let mut run = run("edits", text, restart);
        let mut all = Vec::new();
        for _ in 0..9 {
            let log = run.frame();
            all.push((
                log,
                run.value("SUM", "out"),
                run.value("COUNT", "out"),
                run.value("LATE", "value_changed"),
            ));
        }
        assert_eq!(run.value("COUNT", "out"), Some(Value::SFFloat(9.0)), "{restart:?}");
        (all, run.complaints())
    });
    assert_eq!(played[0], played[1]);
    let logs = || played[0].0.iter().flat_map(|frame| &frame.0);
    assert!(logs().any(|l| l == "LATE.value_changed>SUM.a"), "{:?}", played[0].0);
    // In its first frame the new route carries nothing: what the clock sent came before it.
    assert!(!played[0].0[0].0.contains(&"CLOCK.fraction_changed>LATE.set_fraction".to_owned()));
}

#[test]
fn a_host_binds_where_no_route_does() {
    let text = "DEF V Viewpoint { }\nDEF W Viewpoint { }\n\
                DEF SET Script { directOutput TRUE inputOnly SFTime at initializeOnly SFNode w USE W \
                url \"ecmascript: function at(t) { w.set_bind = true; }\" }\n\
                DEF C TimeSensor { loop TRUE cycleInterval 9 startTime 0.1 }\nROUTE C.cycleTime TO SET.at\n";
    let mut run = run("host", text, Restart::Resume);
    run.frame();
    run.frame();
    assert_eq!(run.complaints(), Vec::<String>::new());
    assert_eq!(run.value("V", "isBound"), Some(Value::SFBool(false)));
    assert_eq!(run.value("W", "isBound"), Some(Value::SFBool(true)));
}
