//! What a file says wrongly costs what it is about, and the rest of the scene is there.

mod support;

use animation::event::field::Value;
use diagnostics::Severity;
use support::{folder, node, said, scene, value};
use weft_x3d::{LoadOptions, load_file};

#[test]
fn a_node_of_an_unknown_type_goes_with_its_names_and_routes() {
    let text = "#X3D V4.0 utf8\nPROFILE Full\nDEF A TimeSensor { loop TRUE }\n\
                DEF B Blinker { speed 3 children [ DEF C Transform { } ] ROUTE A.fraction_changed TO C.x }\n\
                DEF P PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 1 1 1 ] }\nDEF T Transform { children USE C }\n\
                ROUTE A.fraction_changed TO B.go\nROUTE A.fraction_changed TO P.set_fraction\nROUTE P.value_changed TO C.translation\n\
                ROUTE P.value_changed TO T.translation\n";
    let loaded = scene(text, "a.x3dv");
    assert_eq!((loaded.scene.nodes.len(), loaded.scene.routes.len()), (3, 2));
    let said = said(&loaded.diagnostics);
    let due = [
        "a.x3dv:4:1: error: `Blinker` is no type of nodes",
        "6:28: warning: USE of `C`, which is left out",
        "7:1: warning: the route is left out, as its node `B` is",
        "9:1: warning: the route is left out, as its node `C` is",
    ];
    assert!(due.iter().all(|d| said.contains(d)), "{said}");
    assert_eq!(loaded.diagnostics.iter().filter(|d| d.severity == Severity::Error).count(), 1, "{said}");
    let xml = "<X3D profile='Full' version='4.0'><Scene><Blinker DEF='B'><Transform DEF='C'/></Blinker><Group DEF='G'/>\
               <ROUTE fromNode='C' fromField='translation' toNode='C' toField='scale'/></Scene></X3D>";
    let loaded = scene(xml, "a.x3d");
    assert_eq!((loaded.scene.nodes.len(), loaded.scene.routes.len(), loaded.diagnostics.len()), (1, 0, 2));
}

#[test]
fn a_field_that_there_is_not_and_a_value_that_is_none_cost_themselves() {
    let text = "<X3D profile='Full' version='4.0'><Scene><Transform DEF='T' translation='1 2 3' colour='1 0 0' scale='1 x 1'>\
                <Shape containerField='kids'/></Transform><Group/><Banana/></Scene></X3D>";
    let loaded = scene(text, "a.x3d");
    let t = node(&loaded.scene, "T");
    assert_eq!(value(&loaded.scene, t, "translation"), Value::SFVec3f([1.0, 2.0, 3.0]));
    assert_eq!(value(&loaded.scene, t, "scale"), Value::SFVec3f([1.0; 3]));
    assert_eq!(loaded.diagnostics.len(), 4, "{}", said(&loaded.diagnostics));
}

#[test]
fn a_file_that_cannot_be_read_shows_nothing() {
    let files = [
        (
            "a.x3dv",
            "#X3D V4.0 utf8\nPROFILE Full\nDEF I Inline { url \"b.x3dv\" } DEF G Group {}\nEXTERNPROTO P [ ] \"b.x3dv#P\"\nP { }",
        ),
        ("b.x3dv", "#X3D V4.0 utf8\nPROFILE Full\nGroup { children"),
    ];
    let loaded = load_file(folder("unreadable", &files).join("a.x3dv"), &LoadOptions::default())
        .unwrap_or_else(|found| panic!("{}", said(&found)));
    let said = said(&loaded.diagnostics);
    assert!(said.contains("b.x3dv:3:17: error:") && said.contains("its instances do nothing"), "{said}");
}

#[test]
fn words_that_a_field_does_not_know_are_named() {
    let text = "#X3D V4.0 utf8\nPROFILE Full\nFog { fogType \"FOO\" }\nVolumePickSensor { sortOrder \"closest\" }\nFog { fogType \"EXPONENTIAL\" }";
    let loaded = scene(text, "a.x3dv");
    let said = said(&loaded.diagnostics);
    assert!(
        said.contains("3:1: warning: Fog: attribute `fogType`: `FOO` is none of LINEAR, EXPONENTIAL"),
        "{said}"
    );
    assert!(
        said.contains("4:1: warning: VolumePickSensor: attribute `sortOrder`: `closest` is none of")
            && said.lines().count() == 2
    );
}

#[test]
fn a_layer_says_of_each_child_whether_it_is_seen() {
    use weft_x3d::shape::Shapes;
    let shape = "Shape { geometry PointSet { coord Coordinate { point [ 0 0 0, 1 0 0 ] } } }";
    for (visible, due) in
        [("", [true; 3]), ("[ FALSE TRUE ]", [false, true, true]), ("FALSE", [false; 3]), ("[ ]", [true; 3])]
    {
        let visible = if visible.is_empty() { String::new() } else { format!("visible {visible}") };
        let text = format!(
            "#X3D V3.3 utf8\nPROFILE Full\nCADLayer {{ {visible} children [ {shape} {shape} {shape} ] }}"
        );
        let loaded = scene(&text, "a.x3dv");
        assert_eq!(said(&loaded.diagnostics), "");
        let mut seen = Vec::new();
        Shapes::of(&loaded.scene, &loaded.scene)
            .points(&loaded.scene, &loaded.scene, |_, p| seen.push(p[0] != p[1]));
        assert_eq!(seen, due, "{visible}");
    }
}

#[test]
fn metadata_stands_where_it_belongs_without_a_container_field() {
    let text = "<X3D profile='Full' version='4.0'><Scene><Group DEF='G'><MetadataSet DEF='M' name='m'><MetadataString name='a' value='\"x\"'/>\
                <MetadataFloat containerField='value' name='b' value='1 2'/></MetadataSet></Group>\
                <Transform DEF='T'><MetadataString DEF='N' name='c' value='\"y\"'/></Transform></Scene></X3D>";
    let loaded = scene(text, "a.x3d");
    assert_eq!(said(&loaded.diagnostics), "");
    let of = |def: &str, field: &str| value(&loaded.scene, node(&loaded.scene, def), field);
    assert_eq!(of("G", "metadata"), Value::SFNode(Some(node(&loaded.scene, "M"))));
    assert_eq!(of("T", "metadata"), Value::SFNode(Some(node(&loaded.scene, "N"))));
    assert!(matches!(of("M", "value"), Value::MFNode(nodes) if nodes.len() == 2));
}
