//! Scripts that change the graph while events travel in it, and Scripts of older files.

use animation::event::field::Value;
use animation::event::runtime::{EventOptions, Mode, Restart, Strategy};

use crate::play::Run;
use crate::support::folder;

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Full\n";

fn run(name: &str, text: &str, options: EventOptions) -> Run {
    let file = folder(name, &[("main.x3dv", &format!("{HEADER}{text}"))]).join("main.x3dv");
    Run::of(&file, options)
}

/// What a Script says at the second cycle, when P has sent what T has not yet received.
fn at_work(statement: &str) -> String {
    format!(
        "DEF C TimeSensor {{ loop TRUE cycleInterval 0.2 }}\n\
         DEF P PositionInterpolator {{ key [ 0 1 ] keyValue [ 1 0 0 2 0 0 ] }}\nDEF T Transform {{ }}\nDEF E Transform {{ }}\n\
         DEF S Script {{ directOutput TRUE inputOnly SFTime at initializeOnly SFInt32 n 0 initializeOnly SFNode p USE P \
         initializeOnly SFNode t USE T url \"ecmascript: function at(v) {{ n = n + 1; if (n == 2) {{ {statement} }} }}\" }}\n\
         ROUTE C.fraction_changed TO P.set_fraction\nROUTE P.value_changed TO T.translation\n\
         ROUTE T.translation TO E.translation\nROUTE C.cycleTime TO S.at\n"
    )
}

#[test]
fn what_is_under_way_goes_with_its_route_and_with_its_node() {
    let route = "Browser.deleteRoute(p, 'value_changed', t, 'translation');";
    for statement in [route, "t.dispose();", "p.dispose();"] {
        for mode in [Mode::Dataflow, Mode::Levels(Strategy::LoopGuided)] {
            for restart in [Restart::Resume, Restart::Full] {
                let options = EventOptions { mode, restart, ..EventOptions::default() };
                let mut run = run("under-way", &at_work(statement), options);
                run.frame();
                let before = run.frame();
                assert!(before.contains(&"P.value_changed>T.translation".to_owned()), "{before:?}");
                for _ in 0..3 {
                    let after = run.frame();
                    let of_it = |l: &&String| l.contains("T.translation");
                    assert_eq!(
                        after.iter().filter(of_it).count(),
                        0,
                        "{statement} {mode:?} {restart:?}: {after:?}"
                    );
                }
                assert_eq!(
                    run.value("E", "translation"),
                    Some(Value::SFVec3f([1.5, 0.0, 0.0])),
                    "{statement}"
                );
                let said = run.complaints();
                assert!(said.iter().all(|s| s.contains("begins anew")), "{said:?}");
            }
        }
    }
}

#[test]
fn scripts_of_older_files_have_fields_of_later_names() {
    let text = "DEF C TimeSensor { loop TRUE }\nDEF M Material { }\n\
                DEF S Script { inputOnly SFTime description outputOnly SFBool load initializeOnly SFInt32 autoRefresh 3 \
                url \"ecmascript: function description(t) { load = autoRefresh == 3; }\" }\n\
                DEF F BooleanFilter { }\nDEF I Inline { load FALSE }\n\
                ROUTE C.time TO S.description\nROUTE S.load TO F.set_boolean\nROUTE S.load TO I.load\n";
    let mut run = run("older", text, EventOptions::default());
    let log = run.frame();
    assert!(log.contains(&"S.load>F.set_boolean".to_owned()), "{log:?}");
    assert_eq!(run.value("I", "load"), Some(Value::SFBool(true)));
    assert_eq!(run.complaints(), Vec::<String>::new());
}

#[test]
fn bodies_of_prototypes_send_to_each_other_through_the_file_around_them() {
    let text = "PROTO A [ inputOnly SFFloat in outputOnly SFVec3f out ] { PositionInterpolator { key [ 0 1 ] \
                keyValue [ 0 0 0 4 0 0 ] set_fraction IS in value_changed IS out } }\n\
                PROTO B [ inputOnly SFVec3f in outputOnly SFVec3f out ] { Script { inputOnly SFVec3f at IS in \
                outputOnly SFVec3f twice IS out url \"ecmascript: function at(v) { twice = v.multiply(2); }\" } }\n\
                DEF C TimeSensor { loop TRUE }\nDEF PA A { }\nDEF PB B { }\nDEF T Transform { }\n\
                ROUTE C.fraction_changed TO PA.in\nROUTE PA.out TO PB.in\nROUTE PB.out TO T.translation\n";
    for mode in [Mode::Dataflow, Mode::Levels(Strategy::PoolStatic)] {
        let mut run = run("bodies", text, EventOptions { mode, ..EventOptions::default() });
        run.frame();
        let log = run.frame();
        assert_eq!(log.len(), 3, "{log:?}");
        let Some(Value::SFVec3f(at)) = run.value("T", "translation") else { panic!("no place") };
        assert!((at[0] - 0.8).abs() < 1e-6, "{at:?}");
    }
}

#[test]
fn a_script_makes_instances_of_the_file_s_prototypes() {
    let text = "PROTO Lamp [ inputOutput SFFloat power 0.5 ] { PointLight { intensity IS power } }\nDEF G Group { }\n\
                DEF S Script { directOutput TRUE initializeOnly SFNode g USE G outputOnly SFFloat power url \"ecmascript: \
                function initialize() { var lamp = Browser.currentScene.createProto('Lamp'); lamp.power = 0.25; \
                g.children = new MFNode(lamp); power = lamp.power; try { Browser.currentScene.createProto('Lapm'); } \
                catch (e) { print(e.message); } }\" }\n";
    let mut run = run("makes", text, EventOptions::default());
    run.frame();
    run.frame();
    assert_eq!(run.complaints(), Vec::<String>::new());
    assert_eq!(run.value("S", "power"), Some(Value::SFFloat(0.25)));
    let scene = run.graph.scene();
    assert!(scene.nodes.iter().any(|n| &*n.node_type.name == "PointLight"));
    let prints = run.graph.take_prints();
    assert!(prints.len() == 1 && prints[0].text.contains("Lapm"), "{prints:?}");
}
