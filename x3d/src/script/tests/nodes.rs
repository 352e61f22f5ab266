use animation::event::NodeId;
use animation::event::field::Access::{InitializeOnly, InputOnly, InputOutput, OutputOnly};
use animation::event::field::Value::{self, MFNode, SFBool, SFColor, SFFloat, SFNode, SFTime, SFVec3f};

use super::bench::Bench;

const GO: (&str, animation::event::field::Access, Value) = ("go", InputOnly, SFBool(false));

/// A Material, an Appearance with it, and a Script that has both.
fn scene(direct: bool, text: &str) -> (Bench, NodeId) {
    let mut b = Bench::new();
    let material = b.add(
        "Material",
        "mat",
        &[("diffuseColor", InputOutput, SFColor([1.0, 0.0, 0.0])), ("fixed", InitializeOnly, SFFloat(2.0))],
    );
    let look = b.add("Appearance", "app", &[("material", InputOutput, SFNode(Some(material)))]);
    let script = b.add_script(
        "S",
        text,
        direct,
        &[
            GO,
            ("material", InitializeOnly, SFNode(Some(material))),
            ("kids", InitializeOnly, MFNode([Some(material), Some(look), None].into())),
            ("made", OutputOnly, MFNode([].into())),
        ],
    );
    b.start();
    (b, script)
}
fn go(text: &str) -> (Bench, Vec<String>, Vec<String>) {
    let (mut b, script) = scene(true, &format!("function go() {{ {text} }}"));
    b.frame(1.0, &[(script, "go", SFBool(true))]);
    let (printed, complaints) = b.words();
    (b, printed, complaints)
}

#[test]
fn fields_of_nodes_are_read_and_set() {
    let (b, printed, complaints) =
        go("print(material.diffuseColor.r, kids[1].material.diffuseColor, kids[2]);
        material.diffuseColor = new SFColor(0, 0, 1);
        kids[1].material.diffuseColor.g = 0.5;
        print(material.diffuseColor);");
    assert_eq!((printed, complaints), (vec!["1 1 0 0 null".into(), "0 0.5 1".into()], vec![]));
    assert_eq!(b.value(NodeId(0), "diffuseColor"), SFColor([0.0, 0.5, 1.0]));
}

#[test]
fn nodes_know_their_type_and_name() {
    let (_, printed, complaints) = go("print(material.getNodeName(), material.getNodeTypeName(), material == kids[0],
        material === kids[1].material, material.getFieldDefinitions()[0].name, String(material), material instanceof SFNode);");
    assert_eq!(
        (printed, complaints),
        (vec!["mat Material true true diffuseColor DEF mat Material { } true".into()], vec![])
    );
}

#[test]
fn what_may_not_be_set_is_refused_by_name() {
    for (text, why) in [
        ("material.color = 1", "line 1 of its text: a Material has no field color"),
        ("print(material.color)", "line 1 of its text: a Material has no field color"),
        (
            "material.diffuseColor = 'red'",
            "line 1 of its text: an SFColor is needed, and it is the string \"red\"",
        ),
        ("material.fixed = 3", "line 1 of its text: the field is initializeOnly"),
        (
            "Browser.replaceWorld(kids)",
            "line 1 of its text: replaceWorld is refused: there is no browser here",
        ),
        ("Browser.currentScene.getNamedNode('nobody')", "line 1 of its text: no node is named nobody"),
        (
            "Browser.addRoute(material, 'nothing', kids[1], 'material')",
            "line 1 of its text: a Material has no field nothing",
        ),
        ("Browser.createX3DFromString('%%')", "line 1 of its text: `%%` is no type"),
    ] {
        assert_eq!(go(text).2, [why], "{text}");
    }
}

#[test]
fn without_direct_output_setting_a_node_is_done_and_said_once() {
    let text = "function go() { material.diffuseColor = new SFColor(0, 0, 1); material.diffuseColor.g = 1; }";
    let (mut b, script) = scene(false, text);
    b.frame(1.0, &[(script, "go", SFBool(true))]);
    b.frame(2.0, &[(script, "go", SFBool(true))]);
    assert_eq!(b.value(NodeId(0), "diffuseColor"), SFColor([0.0, 1.0, 1.0]));
    let said = "setting diffuseColor of a Material though directOutput is FALSE: done all the same";
    assert_eq!(b.words().1, [said]);
}

#[test]
fn routes_come_and_go() {
    let mut b = Bench::new();
    let fields = [("set_triggerTime", InputOnly, SFTime(0.0)), ("triggerTrue", OutputOnly, SFBool(false))];
    let trigger = b.add("BooleanTrigger", "T", &fields);
    let text = "var on = false;
        function go() {
            if (on) Browser.deleteRoute(from, 'triggerTrue', me, 'come');
            else Browser.addRoute(from, 'triggerTrue', me, 'come');
            on = !on;
            print(Browser.currentScene.routes.length);
        }
        function come(v) { print('came ' + v); }";
    let script = NodeId(1);
    let own = [
        GO,
        ("come", InputOnly, SFBool(false)),
        ("from", InitializeOnly, SFNode(Some(trigger))),
        ("me", InitializeOnly, SFNode(Some(script))),
    ];
    assert_eq!(b.add_script("S", text, true, &own), script);
    b.start();
    for time in [1.0, 2.0, 3.0, 4.0] {
        if time != 2.0 {
            b.frame(time, &[(script, "go", SFBool(true))]);
        }
        b.frame(time + 0.5, &[(trigger, "set_triggerTime", SFTime(time))]);
    }
    assert_eq!(
        b.words(),
        (["1", "came true", "came true", "0", "1", "came true"].map(String::from).to_vec(), vec![])
    );
}

#[test]
fn nodes_are_made_of_texts_and_files() {
    let (b, printed, complaints) = go("
        made = Browser.createVrmlFromString('Transform {} Group {}');
        print(made.length, made[1].getNodeTypeName());
        made[0].translation = new SFVec3f(1, 2, 3);
        const scene = Browser.createX3DFromString('Switch {}');
        print(scene.rootNodes[0].getNodeTypeName());
        Browser.currentScene.addRootNode(scene.rootNodes[0]);
        print(Browser.createX3DFromURL(new MFString('Shape.x3d')).rootNodes.length, new SFNode('Anchor {}').getNodeTypeName());
        print(Browser.currentScene.createNode('Fog').getNodeTypeName(), Browser.currentScene.rootNodes.length);
        print(Browser.currentScene.getNamedNode('mat') === material, Browser.getWorldURL(), Browser.getName(), Browser.currentTime);");
    assert_eq!(complaints, Vec::<String>::new());
    assert_eq!(printed, ["2 Group", "Switch", "1 Anchor", "Fog 4", "true scene.x3d Weft 1"]);
    assert_eq!(b.value(NodeId(3), "translation"), SFVec3f([1.0, 2.0, 3.0]));
    assert_eq!(b.value(NodeId(2), "made"), MFNode([Some(NodeId(3)), Some(NodeId(4))].into()));
}

#[test]
fn a_node_that_is_gone_is_said_to_be() {
    let (_, printed, complaints) = go("material.dispose(); print(material.isReal()); material.diffuseColor;");
    assert_eq!(printed, ["false"]);
    assert_eq!(complaints, ["line 1 of its text: the node does not exist any more"]);
}

#[test]
fn names_of_older_versions_name_the_fields_of_today() {
    let mut b = Bench::new();
    let switch = b.add("Switch", "sw", &[("children", InputOutput, MFNode([].into()))]);
    let script = b.add_script(
        "S",
        "function go() { print(sw.choice.length); sw.choice = new MFNode(sw, sw); print(sw.children.length, sw.choice_changed.length); }",
        true,
        &[GO, ("sw", InitializeOnly, SFNode(Some(switch)))],
    );
    b.start();
    b.frame(1.0, &[(script, "go", SFBool(true))]);
    assert_eq!(b.words(), (vec!["0".to_owned(), "2 2".to_owned()], vec![]));
}

#[test]
fn a_field_that_receives_and_sends_is_called_as_in_routes_too() {
    let mut b = Bench::new();
    let script = b.add_script(
        "S",
        "function go() { print(x_changed); x_changed = 3; print(x); x = 4; print(x_changed, y_changed); }",
        true,
        &[
            GO,
            ("x", InputOutput, SFFloat(2.0)),
            ("y", InputOutput, SFFloat(0.0)),
            ("y_changed", OutputOnly, SFFloat(9.0)),
        ],
    );
    b.start();
    b.frame(1.0, &[(script, "go", SFBool(true))]);
    assert_eq!(b.words(), (vec!["2".to_owned(), "3".to_owned(), "4 9".to_owned()], vec![]));
    assert_eq!(b.value(script, "x"), SFFloat(4.0));
}
