//! Inputs that change another field: children that are added and removed, indices that are set.

use animation::event::field::Value;
use animation::event::runtime::{EventOptions, Mode, Restart, Strategy};

use crate::play::Run;
use crate::support::folder;

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Full\n";

fn all_ways() -> Vec<EventOptions> {
    let mut all = Vec::new();
    for mode in [Mode::Dataflow, Mode::Levels(Strategy::LoopGuided)] {
        for restart in [Restart::Resume, Restart::Full] {
            all.push(EventOptions { mode, restart, ..EventOptions::default() });
        }
    }
    all
}

fn run(name: &str, text: &str, options: EventOptions) -> Run {
    let file = folder(name, &[("main.x3dv", &format!("{HEADER}{text}"))]).join("main.x3dv");
    Run::of(&file, options)
}

fn names(run: &Run, def: &str) -> Vec<String> {
    let Some(Value::MFNode(nodes)) = run.value(def, "children") else { return Vec::new() };
    let scene = run.graph.scene();
    nodes.iter().flatten().map(|n| scene.node(*n).def.as_deref().unwrap_or("?").to_owned()).collect()
}

/// What a Script sends in its frames 1 and 2.
fn script(first: &str, second: &str, fields: &str) -> String {
    format!(
        "DEF C TimeSensor {{ loop TRUE }}\n\
         DEF S Script {{ directOutput TRUE inputOnly SFTime at initializeOnly SFInt32 n 0 {fields} url \"ecmascript: \
         function at() {{ n = n + 1; if (n == 2) {{ {first} }} if (n == 3) {{ {second} }} }}\" }}\n\
         ROUTE C.time TO S.at\n"
    )
}

#[test]
fn children_come_and_go_by_routes() {
    let fields = "initializeOnly MFNode some [ DEF A Shape { } DEF B Transform { } ] outputOnly MFNode more outputOnly MFNode less";
    let text = format!(
        "DEF G Transform {{ children [ DEF Z Shape {{ }} ] }}\nDEF W Group {{ }}\n{}\
         ROUTE S.more TO G.addChildren\nROUTE S.less TO G.removeChildren\nROUTE G.children_changed TO W.children\n",
        script("more = some;", "less = new MFNode(some[0]);", fields)
    );
    for options in all_ways() {
        let mut run = run("added-by-routes", &text, options);
        run.frame();
        assert_eq!(names(&run, "G"), ["Z"]);
        let log = run.frame();
        assert!(log.contains(&"G.children>W.children".to_owned()), "{log:?}");
        assert_eq!(names(&run, "G"), ["Z", "A", "B"]);
        assert_eq!(names(&run, "W"), ["Z", "A", "B"]);
        run.frame();
        assert_eq!(names(&run, "G"), ["Z", "B"]);
        assert_eq!(names(&run, "W"), ["Z", "B"]);
        assert_eq!(run.complaints(), Vec::<String>::new());
    }
}

#[test]
fn both_in_one_time_stamp_count_and_one_event_leaves() {
    let fields = "initializeOnly MFNode some [ DEF A Shape { } DEF B Shape { } ] outputOnly MFNode more outputOnly MFNode less";
    let text = format!(
        "DEF G Group {{ children [ DEF Z Shape {{ }} ] }}\nDEF W Group {{ }}\n{}\
         ROUTE S.more TO G.addChildren\nROUTE S.less TO G.removeChildren\nROUTE G.children TO W.children\n",
        script("more = some; less = new MFNode(some[1]);", "", fields)
    );
    for options in all_ways() {
        let mut run = run("both", &text, options);
        run.frame();
        let log = run.frame();
        assert_eq!(log.iter().filter(|l| *l == "G.children>W.children").count(), 1, "{log:?}");
        assert_eq!(names(&run, "G"), ["Z", "A"]);
        assert_eq!(names(&run, "W"), ["Z", "A"]);
    }
}

#[test]
fn children_come_and_go_by_a_scripts_hand() {
    let fields =
        "initializeOnly SFNode g USE G initializeOnly MFNode some [ DEF A Shape { } DEF B Shape { } ]";
    let add = "g.addChildren = some; g.addChildren = new MFNode(some[0]);";
    let text = format!(
        "DEF G Group {{ children [ DEF Z Shape {{ }} ] }}\n{}",
        script(add, "g.removeChildren = new MFNode(some[0]);", fields)
    );
    let routed = format!("DEF W Group {{ }}\n{text}ROUTE G.children TO W.children\n");
    for text in [text, routed] {
        for options in all_ways() {
            let mut run = run("added-by-hand", &text, options);
            run.frame();
            run.frame();
            assert_eq!(names(&run, "G"), ["Z", "A", "B"]);
            run.frame();
            assert_eq!(names(&run, "G"), ["Z", "B"]);
        }
    }
}

#[test]
fn a_route_that_comes_later_wakes_the_group() {
    let fields = "initializeOnly SFNode g USE G initializeOnly SFNode me USE M";
    let text = format!(
        "DEF G Group {{ children [ DEF Z Shape {{ }} ] }}\n\
         DEF M Script {{ inputOnly SFFloat f initializeOnly MFNode mine [ DEF A Shape {{ }} ] outputOnly MFNode more url \
         \"ecmascript: function f() {{ more = mine; }}\" }}\n{}ROUTE C.fraction_changed TO M.f\n",
        script("Browser.addRoute(me, 'more', g, 'addChildren');", "", fields)
    );
    for options in all_ways() {
        let mut run = run("woken", &text, options);
        run.frame();
        run.frame();
        run.frame();
        assert_eq!(names(&run, "G"), ["Z", "A"], "{:?}", options.mode);
    }
}

#[test]
fn a_prototype_passes_on_what_is_added() {
    let fields = "initializeOnly MFNode some [ DEF A Shape { } ] outputOnly MFNode more";
    let text = format!(
        "PROTO P [ inputOnly MFNode add ] {{ DEF G Transform {{ addChildren IS add }} }}\nDEF I P {{ }}\n{}\
         ROUTE S.more TO I.add\n",
        script("more = some;", "", fields)
    );
    for options in all_ways() {
        let mut run = run("by-prototype", &text, options);
        run.frame();
        run.frame();
        assert_eq!(names(&run, "G"), ["A"]);
    }
}

#[test]
fn indices_heights_and_spines_are_set() {
    let fields = "initializeOnly SFNode line USE L outputOnly MFInt32 index outputOnly MFVec3f spine";
    let text = format!(
        "Shape {{ geometry DEF F IndexedFaceSet {{ coordIndex [ 0 1 2 -1 ] }} }}\n\
         Shape {{ geometry DEF E Extrusion {{ }} }}\nShape {{ geometry DEF L IndexedLineSet {{ coordIndex [ 0 1 -1 ] }} }}\n{}\
         ROUTE S.index TO F.set_coordIndex\nROUTE S.spine TO E.set_spine\n",
        script(
            "index = new MFInt32(0, 1, 3, -1); spine = new MFVec3f(new SFVec3f(0, 2, 0)); line.set_coordIndex = new MFInt32(4, 5);",
            "",
            fields
        )
    );
    for options in all_ways() {
        let mut run = run("indices", &text, options);
        run.frame();
        run.frame();
        assert_eq!(run.value("F", "coordIndex"), Some(Value::MFInt32([0, 1, 3, -1].into())));
        assert_eq!(run.value("E", "spine"), Some(Value::MFVec3f([[0.0, 2.0, 0.0]].into())));
        assert_eq!(run.value("L", "coordIndex"), Some(Value::MFInt32([4, 5].into())));
    }
}

#[test]
fn a_group_with_a_behaviour_of_its_own_has_children_too() {
    let fields = "initializeOnly MFNode some [ DEF A Shape { } ] outputOnly MFNode more";
    let text = format!(
        "DEF G Collision {{ }}\nDEF H LOD {{ }}\n{}ROUTE S.more TO G.addChildren\nROUTE S.more TO H.addChildren\n",
        script("more = some;", "", fields)
    );
    for options in all_ways() {
        let mut run = run("with-behaviour", &text, options);
        run.frame();
        run.frame();
        assert_eq!((names(&run, "G"), names(&run, "H")), (vec!["A".to_owned()], vec!["A".to_owned()]));
    }
}
