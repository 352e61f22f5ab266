//! Whole files, read and run.

use animation::event::NodeId;
use animation::event::field::Value::{self, MFString, SFBool, SFColor, SFInt32, SFTime, SFVec3f};
use animation::event::host::{Hit, HostEvent, Pointer};
use animation::event::nodes;
use animation::event::runtime::{EventGraph, EventOptions};
use animation::event::scene::EventScene;
use engine::data::Store;

use crate::script::AllNodes;
use crate::script::fragments::Fragments;
use crate::{LoadOptions, Loader, load_text};

#[path = "../../../tests/support/one_by_one.rs"]
mod one_by_one;
use one_by_one::OneByOne;

pub(super) struct Run {
    pub(super) graph: EventGraph,
    store: Store,
    player: OneByOne,
}

impl Run {
    pub(super) fn of(scene: EventScene) -> Self {
        let options = EventOptions { log: true, ..EventOptions::default() };
        let mut graph = EventGraph::new(scene, Box::new(AllNodes::default()), options);
        graph.set_loader(Box::new(Fragments::new(Loader::new(&LoadOptions::default()))));
        Self { graph, store: Store::new(), player: OneByOne::default() }
    }
    fn text(text: &str) -> Self {
        Self::of(load_text(text, "scene.x3dv", &LoadOptions::default()).expect("a good file").scene)
    }
    pub(super) fn frame(&mut self, time: f64) -> usize {
        let log = self.graph.frame(&mut self.store, &mut self.player, time).expect("a frame");
        log.deliveries.len()
    }
    pub(super) fn node(&self, def: &str) -> NodeId {
        let nodes = &self.graph.scene().nodes;
        let at = nodes.iter().position(|n| n.def.as_deref() == Some(def)).expect("a node");
        NodeId(at as u32)
    }
    fn value(&self, def: &str, field: &str) -> Value {
        let node = self.node(def);
        let field = self.graph.scene().node(node).node_type.field(field).expect("a field");
        self.graph.value(&self.store, node, field).expect("a value")
    }
    pub(super) fn touch(&mut self, node: NodeId, pressed: bool) {
        let hit = Hit { point: [0.0; 3], normal: [0.0, 0.0, 1.0], tex_coord: [0.0; 2] };
        let (origin, direction) = ([0.0, 0.0, 9.0], [0.0, 0.0, -1.0]);
        self.graph.tell(node, HostEvent::Pointer(Pointer { origin, direction, hit: Some(hit), pressed }));
    }
    pub(super) fn complaints(&mut self) -> Vec<String> {
        self.graph.take_complaints().into_iter().map(|c| c.message).collect()
    }
}

#[test]
fn every_type_with_a_behaviour_has_the_fields_for_it() {
    for name in nodes::types().chain(nodes::binding::TYPES.iter().copied()) {
        let scene = load_text(&format!("#X3D V4.0 utf8\n{name} {{ }}"), "t.x3dv", &LoadOptions::default());
        let scene = scene.unwrap_or_else(|e| panic!("{name}: {e:?}")).scene;
        let mut all = AllNodes::default();
        use animation::event::behaviour::Behaviours;
        assert!(all.behaviour_of(&scene, NodeId(0)).is_some(), "{name}");
        let old = load_text(&format!("#VRML V2.0 utf8\n{name} {{ }}"), "t.wrl", &LoadOptions::default());
        if let Ok(old) = old {
            assert!(all.behaviour_of(&old.scene, NodeId(0)).is_some(), "{name} in VRML97");
        }
    }
}

#[test]
fn a_script_listens_to_a_clock() {
    let mut run = Run::text(
        "#X3D V3.3 utf8
        PROFILE Immersive
        DEF TS TimeSensor { loop TRUE cycleInterval 2 }
        DEF S Script {
            inputOnly SFFloat fraction
            outputOnly SFColor color
            initializeOnly SFInt32 count 0
            url \"ecmascript:
                function initialize() { color = new SFColor(0, 1, 0); }
                function fraction(v) { count = count + 1; if (v > 0.5) color = new SFColor(v, 0, 1); }\"
        }
        DEF MAT Material { }
        ROUTE TS.fraction_changed TO S.fraction
        ROUTE S.color TO MAT.diffuseColor",
    );
    run.frame(0.0);
    assert_eq!(run.value("MAT", "diffuseColor"), SFColor([0.0, 1.0, 0.0]));
    run.frame(0.5);
    run.frame(1.5);
    assert_eq!(run.value("MAT", "diffuseColor"), SFColor([0.75, 0.0, 1.0]));
    assert_eq!(run.value("S", "count"), SFInt32(3));
    assert_eq!(run.complaints(), Vec::<String>::new());
}

#[test]
fn a_touch_starts_a_clock() {
    let mut run = Run::text(
        "#X3D V3.3 utf8
        PROFILE Immersive
        DEF TOUCH TouchSensor { }
        DEF TS TimeSensor { cycleInterval 2 }
        DEF PI PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 4 0 0 ] }
        DEF T Transform { }
        ROUTE TOUCH.touchTime TO TS.startTime
        ROUTE TS.fraction_changed TO PI.set_fraction
        ROUTE PI.value_changed TO T.translation",
    );
    let touch = run.node("TOUCH");
    run.frame(0.0);
    run.touch(touch, true);
    run.frame(0.5);
    run.touch(touch, false);
    run.frame(1.0);
    assert_eq!(run.value("TS", "isActive"), SFBool(true));
    assert_eq!(run.value("TS", "startTime"), SFTime(1.0));
    run.frame(1.5);
    assert_eq!(run.value("T", "translation"), SFVec3f([1.0, 0.0, 0.0]));
    run.frame(9.0);
    assert_eq!(run.value("T", "translation"), SFVec3f([4.0, 0.0, 0.0]));
    assert_eq!(run.value("TS", "isActive"), SFBool(false));
}

#[test]
fn a_script_changes_the_graph() {
    let mut run = Run::text(
        "#VRML V2.0 utf8
        DEF TS TimeSensor { loop TRUE }
        DEF TG Transform { }
        DEF PI PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 4 0 0 ] }
        DEF S Script {
            directOutput TRUE
            field SFNode sensor USE TS
            field SFNode interp USE PI
            field SFNode trans USE TG
            eventIn SFTime cycle
            eventOut MFString what
            url \"javascript:
                var on = 0;
                function cycle() {
                    on++;
                    if (on == 2) {
                        Browser.addRoute(sensor, 'fraction_changed', interp, 'set_fraction');
                        Browser.addRoute(interp, 'value_changed', trans, 'set_translation');
                        trans.scale = new SFVec3f(2, 2, 2);
                        var made = Browser.createVrmlFromString('DEF X Transform { translation 1 2 3 } Group { }');
                        trans.children = made;
                        what = new MFString(made[0].translation.toString(), String(made.length));
                    }
                }\"
        }
        ROUTE TS.cycleTime TO S.cycle",
    );
    run.frame(0.0);
    run.frame(0.5);
    assert_eq!(run.value("TG", "translation"), SFVec3f([0.0; 3]));
    run.frame(1.25);
    run.frame(1.5);
    assert_eq!(run.complaints(), Vec::<String>::new());
    assert_eq!(run.value("S", "what"), MFString(["1 2 3".into(), "2".into()].into()));
    assert_eq!(run.value("TG", "scale"), SFVec3f([2.0; 3]));
    assert_eq!(run.value("TG", "translation"), SFVec3f([2.0, 0.0, 0.0]));
    assert_eq!(run.value("X", "translation"), SFVec3f([1.0, 2.0, 3.0]));
}

#[test]
fn viewpoints_are_bound_one_at_a_time() {
    let mut run = Run::text(
        "#X3D V3.3 utf8
        PROFILE Immersive
        DEF A Viewpoint { }
        DEF B Viewpoint { }
        DEF TS TimeSensor { cycleInterval 1 startTime 1 }
        ROUTE TS.isActive TO B.set_bind",
    );
    let bound = |run: &Run| (run.value("A", "isBound"), run.value("B", "isBound"));
    run.frame(0.0);
    assert_eq!(bound(&run), (SFBool(true), SFBool(false)), "the first of the file");
    run.frame(1.5);
    assert_eq!(run.complaints(), Vec::<String>::new());
    assert_eq!(bound(&run), (SFBool(false), SFBool(true)));
    assert_eq!(run.value("B", "bindTime"), SFTime(1.5));
    assert_eq!(run.value("A", "bindTime"), SFTime(1.5), "it is no longer bound from then on");
    run.frame(3.0);
    assert_eq!(bound(&run), (SFBool(true), SFBool(false)), "the one before comes back");
    assert_eq!(run.value("A", "bindTime"), SFTime(3.0));
    assert_eq!(run.value("B", "bindTime"), SFTime(3.0));
    assert_eq!(run.complaints(), Vec::<String>::new());
}

#[test]
fn a_recorded_motion_moves_its_humanoid() {
    let mut run = Run::text(
        "#X3D V4.0 utf8
        PROFILE Full
        DEF H HAnimHumanoid {
            skeleton DEF J HAnimJoint { name \"humanoid_root\" children DEF K HAnimJoint { name \"l_hip\" } }
            motions DEF M HAnimMotion {
                joints \"humanoid_root, l_hip\"
                channels \"6 Xposition Yposition Zposition Zrotation Xrotation Yrotation, 3 Zrotation Xrotation Yrotation\"
                frameDuration 0.5
                values [ 0 0 0 0 0 0 0 0 0  1 0 0 0 0 0 0 90 0  2 0 0 0 0 0 0 0 0 ]
            }
        }",
    );
    run.frame(0.0);
    assert_eq!(run.value("M", "frameCount"), SFInt32(3));
    run.frame(0.6);
    assert_eq!(run.value("J", "translation"), SFVec3f([1.0, 0.0, 0.0]));
    let Value::SFRotation(r) = run.value("K", "rotation") else { panic!() };
    assert!((r[0] - 1.0).abs() < 1e-6 && (r[3] - std::f32::consts::FRAC_PI_2).abs() < 1e-6, "{r:?}");
    assert_eq!(run.value("M", "frameIndex"), SFInt32(1));
    run.frame(7.0);
    assert_eq!(run.value("J", "translation"), SFVec3f([2.0, 0.0, 0.0]), "the last frame stays");
    assert_eq!(run.complaints(), Vec::<String>::new());
}

#[test]
fn pieces_are_read_in_any_encoding() {
    use animation::event::graph_access::FragmentLoader;
    let mut fragments = Fragments::new(Loader::new(&LoadOptions::default()));
    for text in [
        "Group { children Shape { } }",
        "#VRML V2.0 utf8\nGroup { children Shape { } }",
        "<Group><Shape/></Group>",
        "<X3D profile='Full' version='3.3'><Scene><Group><Shape/></Group></Scene></X3D>",
        "PROTO P [ ] { Group { children Shape { } } } P { }",
    ] {
        let scene = fragments.fragment_of_text(text, "scene.x3d").unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(scene.contexts[0].roots.len(), 1, "{text}");
        assert!(scene.nodes.len() >= 2, "{text}");
    }
    for text in ["Group {", "Nothing { }", "<Group>"] {
        assert!(fragments.fragment_of_text(text, "scene.x3d").is_err(), "{text}");
    }
    assert!(fragments.node("Transform", "").is_ok() && fragments.node("Transform { } Group", "").is_err());
    assert!(fragments.fragment_of_urls(&["http://nowhere/a.x3d".into()], "").is_err());
}

/// Files of one's own: plays a few seconds of each, with touches, and prints what they say.
#[test]
#[ignore = "needs files: X3D_FILES is a folder"]
fn files_of_a_folder_run() {
    let Ok(folder) = std::env::var("X3D_FILES") else { return };
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|f| f.path()).collect();
    files.sort();
    for file in files {
        let loaded = match crate::load_file(&file, &LoadOptions::default()) {
            Ok(loaded) => loaded,
            Err(found) => {
                println!("{}: not loaded: {}", file.display(), found[0]);
                continue;
            }
        };
        let mut run = Run::of(loaded.scene);
        let touched: Vec<NodeId> = (0..run.graph.scene().nodes.len() as u32)
            .map(NodeId)
            .filter(|n| &*run.graph.scene().node(*n).node_type.name == "TouchSensor")
            .collect();
        let mut events = 0;
        for k in 0..200 {
            for node in &touched {
                run.touch(*node, k % 20 >= 10);
            }
            events += run.frame(0.05 * f64::from(k));
        }
        println!("{}: {events} events, {:?}", file.display(), run.complaints());
    }
}
