//! Prototypes: instances, `IS`, those of other files.

mod support;

use animation::event::field::Value;
use animation::event::scene::ContextKind;
use diagnostics::Severity;
use support::{findings, folder, node, said, scene, value};
use weft_x3d::{LoadOptions, load_file, load_text};

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Full\n";

#[test]
fn an_instance_has_a_context_of_its_own() {
    let text = "PROTO P [ inputOutput SFFloat r 1 initializeOnly SFNode g Box {} ] \
                { DEF S Shape { geometry IS g } DEF K PointLight { radius IS r } }\n\
                DEF A P { } DEF B Group { children DEF C P { r 7 g Cone {} } }";
    let loaded = scene(&format!("{HEADER}{text}"), "p.x3dv");
    let scene = &loaded.scene;
    let (a, b, c) = (node(scene, "A"), node(scene, "B"), node(scene, "C"));
    assert_eq!(scene.node(a).context.0, 0);
    assert_eq!(scene.contexts[0].roots, [a, b]);
    assert_eq!(value(scene, b, "children"), Value::MFNode([Some(c)].into()));
    let of = |n| scene.contexts.iter().find(|x| x.kind == ContextKind::Prototype(n)).expect("a body");
    for (instance, radius, geometry) in [(a, 1., "Box"), (c, 7., "Cone")] {
        let body = of(instance);
        assert_eq!(body.parent.map(|p| p.0), Some(0));
        let [shape, sphere] = body.roots[..] else { panic!("two roots") };
        assert_eq!(value(scene, sphere, "radius"), Value::SFFloat(radius));
        let Value::SFNode(Some(inside)) = value(scene, shape, "geometry") else { panic!("a geometry") };
        assert_eq!(&*scene.node(inside).node_type.name, geometry);
    }
    assert_eq!(scene.aliases.len(), 4);
    assert!(scene.node(a).node_type.is_prototype);
    assert!(scene.aliases.iter().all(|x| scene.node(x.outer.0).node_type.is_prototype));
}

#[test]
fn fields_go_through_nested_prototypes_and_scripts() {
    let text = "PROTO In [ inputOutput SFFloat x 1 inputOnly SFTime go ] \
                { PointLight { radius IS x } DEF S Script { inputOnly SFTime go IS go inputOutput SFFloat y IS x url \"\" } }\n\
                PROTO Out [ initializeOnly SFFloat unused 3 inputOutput SFFloat z 2 inputOnly SFTime start ] \
                { DEF I In { x IS z go IS start } }\n\
                DEF O Out { z 9 } DEF T TimeSensor { } ROUTE T.cycleTime TO O.start ROUTE O.z_changed TO O.set_z";
    let scene = scene(&format!("{HEADER}{text}"), "p.x3dv").scene;
    let sphere = scene.nodes.iter().position(|n| &*n.node_type.name == "PointLight").expect("a light");
    let radius = value(&scene, animation::event::NodeId(sphere as u32), "radius");
    assert_eq!(radius, Value::SFFloat(9.));
    assert_eq!(value(&scene, node(&scene, "S"), "y"), Value::SFFloat(9.));
    assert_eq!((scene.aliases.len(), scene.contexts.len(), scene.routes.len()), (5, 3, 2));
}

#[test]
fn names_of_a_body_are_its_own() {
    let (severity, text) = findings(
        &format!("{HEADER}PROTO P [ ] {{ DEF X Group {{}} }}\nP {{}} Group {{ children USE X }}"),
        "p.x3dv",
    );
    assert!(severity == Some(Severity::Error) && text.contains("p.x3dv:4:23: error: USE of `X`"), "{text}");
    let (severity, text) = findings(
        &format!("{HEADER}PROTO P [ ] {{ PROTO Q [ ] {{ Group {{}} }} Q {{}} }}\nP {{}} P {{}} Q {{}}"),
        "p.x3dv",
    );
    assert!(severity == Some(Severity::Error) && text.contains("`Q` is no type of nodes"), "{text}");
}

#[test]
fn a_prototype_that_nobody_uses_is_looked_through() {
    let (severity, text) = findings(&format!("{HEADER}PROTO P [ ] {{ Sphere {{ radiuss 2 }} }}"), "p.x3dv");
    assert!(severity == Some(Severity::Error) && text.contains("did you mean `radius`?"), "{text}");
    let loaded = scene(
        &format!("{HEADER}PROTO P [ ] {{ DEF A Group {{}} ROUTE A.children TO A.set_children }}"),
        "p.x3dv",
    );
    assert_eq!((loaded.scene.nodes.len(), loaded.scene.routes.len(), loaded.scene.contexts.len()), (0, 0, 1));
}

#[test]
fn prototypes_of_other_files() {
    let library = "#VRML V2.0 utf8\nPROTO First [ ] { Group {} }\n\
                   PROTO Ball [ exposedField SFFloat r 4 ] { PointLight { radius IS r } }";
    let relay = "#X3D V3.3 utf8\nPROFILE Full\nEXTERNPROTO Kugel [ inputOutput SFFloat r ] [ \"gone.wrl#Ball\" \"library.wrl#Ball\" ]";
    let main = "<X3D profile='Full' version='4.0'><Scene>\n\
                <ExternProtoDeclare name='Kugel' url='\"relay.x3dv#Kugel\"'>\
                <field name='r' accessType='inputOutput' type='SFFloat'/></ExternProtoDeclare>\n\
                <ExternProtoDeclare name='Some' url='\"library.wrl\"'/>\n\
                <ProtoInstance DEF='K' name='Kugel'><fieldValue name='r' value='6'/></ProtoInstance>\n\
                <ProtoInstance name='Some'/></Scene></X3D>";
    let folder = folder("extern", &[("library.wrl", library), ("relay.x3dv", relay), ("main.x3d", main)]);
    let loaded = load_file(folder.join("main.x3d"), &LoadOptions::default())
        .unwrap_or_else(|d| panic!("{}", said(&d)));
    let scene = &loaded.scene;
    assert_eq!(said(&loaded.diagnostics), "");
    assert_eq!(&*scene.node(node(scene, "K")).node_type.name, "Kugel");
    let sphere = scene.nodes.iter().position(|n| &*n.node_type.name == "PointLight").expect("a light");
    assert_eq!(value(scene, animation::event::NodeId(sphere as u32), "radius"), Value::SFFloat(6.));
    assert!(scene.contexts[1].file.ends_with("library.wrl"), "{}", scene.contexts[1].file);
    assert!(scene.nodes.iter().any(|n| &*n.node_type.name == "Some"));
}

#[test]
fn a_prototype_that_is_not_there_does_nothing() {
    let text = "EXTERNPROTO Gone [ inputOnly SFBool go outputOnly SFBool went ] \"nowhere.wrl#Gone\"\n\
                DEF G Gone { } DEF F BooleanFilter { } ROUTE F.inputTrue TO G.go ROUTE G.went TO F.set_boolean";
    let loaded = scene(&format!("{HEADER}{text}"), "p.x3dv");
    assert!(
        said(&loaded.diagnostics)
            .contains("warning: Gone: attribute `url`: the prototype's file is not to be had")
    );
    assert_eq!((loaded.scene.nodes.len(), loaded.scene.contexts.len(), loaded.scene.routes.len()), (2, 1, 2));
}

#[test]
fn bombs_are_stopped() {
    let mut text = String::from("PROTO B0 [ ] { Group {} }\n");
    for k in 1..64 {
        text.push_str(&format!("PROTO B{k} [ ] {{ B{0} {{}} B{0} {{}} }}\n", k - 1));
    }
    let options = LoadOptions { max_nodes: 10_000, ..LoadOptions::default() };
    let found =
        load_text(&format!("{HEADER}{text}B63 {{}}"), "bomb.x3dv", &options).expect_err("too many nodes");
    assert!(said(&found).contains("more than 10000 nodes"), "{}", said(&found));
    // So are small ones, before they are many nodes.
    let found = load_text(&format!("{HEADER}{text}B63 {{}}"), "bomb.x3dv", &LoadOptions::default());
    let found = said(&found.expect_err("too many instances"));
    assert!(found.contains("more than 250000 instances of prototypes and inlined files"), "{found}");
}

#[test]
fn what_scripts_of_vrml97_call_their_fields() {
    let text = "#VRML V2.0 utf8\nDEF S Script { field SFString load \"x\" eventIn SFTime description url \"javascript:\" }";
    let loaded = scene(text, "s.wrl");
    assert_eq!(said(&loaded.diagnostics), "");
    assert_eq!(value(&loaded.scene, node(&loaded.scene, "S"), "load"), Value::SFString("x".into()));
}

#[test]
fn a_prototype_elsewhere_may_be_used_for_less_than_it_can() {
    let library = "#VRML V2.0 utf8\nPROTO P [ exposedField SFFloat r 4 eventIn SFBool b ] { PointLight { radius IS r on IS b } }";
    let less = "#VRML V2.0 utf8\nEXTERNPROTO P [ field SFFloat r ] \"library.wrl\"\nP { r 2 }";
    let other = "#VRML V2.0 utf8\nEXTERNPROTO P [ exposedField SFBool b ] \"library.wrl\"\nP { }";
    let folder = folder("less", &[("library.wrl", library), ("less.wrl", less), ("other.wrl", other)]);
    let loaded = load_file(folder.join("less.wrl"), &LoadOptions::default())
        .unwrap_or_else(|d| panic!("{}", said(&d)));
    assert!(
        said(&loaded.diagnostics).contains("declared initializeOnly SFFloat here"),
        "{}",
        said(&loaded.diagnostics)
    );
    let found = load_file(folder.join("other.wrl"), &LoadOptions::default()).expect_err("another access");
    assert!(
        said(&found).contains("declared inputOutput SFBool here, and inputOnly SFBool"),
        "{}",
        said(&found)
    );
}
