//! Frames that begin anew, since a Script changes the graph in the middle of them.

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
fn binding_stacks_go_back_with_the_frame() {
    let text = "DEF V Viewpoint { }\nDEF W Viewpoint { }\nDEF B BooleanFilter { }\nDEF T BooleanTrigger { }\n\
                DEF C TimeSensor { loop TRUE cycleInterval 0.1 }\nDEF N IntegerTrigger { integerKey 5 }\n\
                ROUTE B.inputTrue TO W.set_bind\nROUTE W.bindTime TO MAKER.at\nROUTE W.isBound TO N.set_boolean\n";
    for restart in BOTH {
        let mut run = run("stacks", text, restart);
        run.frame();
        run.send("B", "set_boolean", Value::SFBool(true));
        let log = run.frame();
        // W is bound, the Script hears of it and changes the graph; in the frame that begins anew, W is bound again.
        assert!(log.contains(&"W.isBound>N.set_boolean".to_owned()), "{restart:?}: {log:?}");
        let is = |run: &Run, def| run.value(def, "isBound");
        assert_eq!((is(&run, "V"), is(&run, "W")), (Some(Value::SFBool(false)), Some(Value::SFBool(true))));
        let said = run.complaints();
        let of_script: &[&str] = if restart == Restart::Full { &["begins anew"] } else { &[] };
        assert_eq!(said.len(), of_script.len(), "{said:?}");
        assert!(said.iter().zip(of_script).all(|(s, part)| s.contains(part)), "{said:?}");
        // And the one before comes back.
        run.send("W", "set_bind", Value::SFBool(false));
        run.frame();
        assert_eq!((is(&run, "V"), is(&run, "W")), (Some(Value::SFBool(true)), Some(Value::SFBool(false))));
    }
}

#[test]
fn what_nodes_say_as_they_begin_outlasts_a_first_frame_that_begins_anew() {
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
