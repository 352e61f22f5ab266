//! One scene in each encoding is one graph.

mod support;

use std::io::Write;

use animation::event::field::Value;
use diagnostics::Severity;
use support::{dump, findings, folder, node, said, scene, value};
use weft_x3d::{LoadOptions, is_x3d, load_file};

const CLASSIC: &str = r#"#X3D V3.3 utf8
PROFILE Immersive
COMPONENT HAnim : 1
META "title" "both"
PROTO Mover [
  initializeOnly SFTime period 2
  inputOutput SFVec3f position 0 0 0
  outputOnly SFBool isActive
  initializeOnly MFNode shapes [ Shape { geometry Box { } } ]
] {
  DEF T Transform { translation IS position children IS shapes }
  DEF C TimeSensor { cycleInterval IS period isActive IS isActive loop TRUE }
  DEF I PositionInterpolator { key [ 0, 1 ] keyValue [ 0 0 0, 1 2 3 ] }
  ROUTE C.fraction_changed TO I.set_fraction
  ROUTE I.value_changed TO T.set_translation
}
DEF A Transform {
  rotation 0 1 0 1.5 # a comment
  children [
    DEF S Shape {
      appearance Appearance { material DEF M Material { diffuseColor 1 0 0 } }
      geometry Text { string [ "a \"b\"" "c" ] }
    }
    Group { children USE S }
    DEF P Mover { period 5 }
    Mover { shapes Shape { geometry Sphere { radius 3 } } }
  ]
}
DEF X Script {
  inputOnly SFBool go
  outputOnly SFColor color
  initializeOnly SFNode self USE X
  inputOutput MFInt32 list [ 1 -2 0xFF ]
  directOutput TRUE
  url "ecmascript: function go(v) { color = new SFColor(1, 0, 0); }"
}
ROUTE P.isActive TO X.go
ROUTE X.color TO M.set_diffuseColor
"#;

const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE X3D PUBLIC "ISO//Web3D//DTD X3D 3.3//EN" "https://www.web3d.org/specifications/x3d-3.3.dtd">
<X3D profile='Immersive' version='3.3'>
<head><component name='HAnim' level='1'/><meta name='title' content='both'/></head>
<Scene>
<ProtoDeclare name='Mover'>
  <ProtoInterface>
    <field name='period' accessType='initializeOnly' type='SFTime' value='2'/>
    <field name='position' accessType='inputOutput' type='SFVec3f' value='0 0 0'/>
    <field name='isActive' accessType='outputOnly' type='SFBool'/>
    <field name='shapes' accessType='initializeOnly' type='MFNode'><Shape><Box/></Shape></field>
  </ProtoInterface>
  <ProtoBody>
    <Transform DEF='T'>
      <IS><connect nodeField='translation' protoField='position'/><connect nodeField='children' protoField='shapes'/></IS>
    </Transform>
    <TimeSensor DEF='C' loop='true'>
      <IS><connect nodeField='cycleInterval' protoField='period'/><connect nodeField='isActive' protoField='isActive'/></IS>
    </TimeSensor>
    <PositionInterpolator DEF='I' key='0 1' keyValue='0 0 0, 1 2 3'/>
    <ROUTE fromNode='C' fromField='fraction_changed' toNode='I' toField='set_fraction'/>
    <ROUTE fromNode='I' fromField='value_changed' toNode='T' toField='set_translation'/>
  </ProtoBody>
</ProtoDeclare>
<Transform DEF='A' rotation='0 1 0 1.5'><!-- a comment -->
  <Shape DEF='S'>
    <Appearance><Material DEF='M' diffuseColor='1 0 0'/></Appearance>
    <Text string='"a \"b\"" "c"'/>
  </Shape>
  <Group><Shape USE='S'/></Group>
  <ProtoInstance DEF='P' name='Mover'><fieldValue name='period' value='5'/></ProtoInstance>
  <ProtoInstance name='Mover'><fieldValue name='shapes'><Shape><Sphere radius='3'/></Shape></fieldValue></ProtoInstance>
</Transform>
<Script DEF='X' directOutput='true'>
  <field name='go' accessType='inputOnly' type='SFBool'/>
  <field name='color' accessType='outputOnly' type='SFColor'/>
  <field name='self' accessType='initializeOnly' type='SFNode'><Script USE='X'/></field>
  <field name='list' accessType='inputOutput' type='MFInt32' value='1 -2 0xFF'/>
  <![CDATA[ecmascript: function go(v) { color = new SFColor(1, 0, 0); }]]>
</Script>
<ROUTE fromNode='P' fromField='isActive' toNode='X' toField='go'/>
<ROUTE fromNode='X' fromField='color' toNode='M' toField='set_diffuseColor'/>
</Scene></X3D>
"#;

/// VRML97 has other words for access, and no statements about profiles.
fn vrml97() -> String {
    let words = [
        ("#X3D V3.3 utf8", "#VRML V2.0 utf8"),
        ("PROFILE Immersive\nCOMPONENT HAnim : 1\nMETA \"title\" \"both\"\n", ""),
        ("initializeOnly", "field"),
        ("inputOutput", "exposedField"),
        ("inputOnly", "eventIn"),
        ("outputOnly", "eventOut"),
    ];
    words.iter().fold(CLASSIC.to_owned(), |text, (old, new)| text.replace(old, new))
}

#[test]
fn all_three_encodings_give_one_graph() {
    let (classic, xml, vrml) = (scene(CLASSIC, "a.x3dv"), scene(XML, "a.x3d"), scene(&vrml97(), "a.wrl"));
    assert_eq!(said(&classic.diagnostics) + &said(&xml.diagnostics) + &said(&vrml.diagnostics), "");
    assert_eq!(dump(&classic.scene), dump(&xml.scene));
    assert_eq!(dump(&classic.scene), dump(&vrml.scene));
    assert_eq!(classic.scene.routes.len(), 6);
}

#[test]
fn places_are_lines_and_columns() {
    let scene = scene(CLASSIC, "a.x3dv").scene;
    let at = &scene.node(support::node(&scene, "M")).location;
    assert_eq!((&*at.file, at.line, at.column), ("a.x3dv", 21, 40));
    let route = &scene.routes[scene.routes.len() - 1].location;
    assert_eq!((route.line, route.column), (38, 1));
}

#[test]
fn gzipped_files_and_lying_extensions() {
    let folder = folder("encodings", &[("lies.wrl", XML), ("lies.x3d", CLASSIC)]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(XML.as_bytes()).expect("packs");
    let packed = packed.finish().expect("packs");
    for name in ["a.x3dz", "b.x3d.gz", "c.wrz", "d.x3d"] {
        std::fs::write(folder.join(name), &packed).expect("a file");
    }
    let expected = dump(&scene(XML, "a.x3d").scene);
    for name in ["lies.wrl", "lies.x3d", "a.x3dz", "b.x3d.gz", "c.wrz", "d.x3d"] {
        let loaded =
            load_file(folder.join(name), &LoadOptions::default()).unwrap_or_else(|d| panic!("{}", said(&d)));
        assert_eq!(dump(&loaded.scene), expected, "{name}");
        assert!(is_x3d(name));
    }
    std::fs::write(folder.join("cut.x3dz"), &packed[..packed.len() / 2]).expect("a file");
    let found = load_file(folder.join("cut.x3dz"), &LoadOptions::default()).expect_err("it is cut");
    assert!(said(&found).contains("cannot be unpacked"), "{}", said(&found));
    let small = LoadOptions { max_file_bytes: 2000, ..LoadOptions::default() };
    let found = load_file(folder.join("a.x3dz"), &small).expect_err("it is too long");
    assert!(said(&found).contains("longer than 2000 bytes"), "{}", said(&found));
    assert!(!is_x3d("x3d") && !is_x3d("a.scn") && !is_x3d("a.x3d.bak"));
}

#[test]
fn names_of_vrml97_are_known() {
    let text = "#VRML V2.0 utf8\nDEF S Switch { whichChoice 0 choice [ Group {} LOD { range 5 level Group {} } ] }\n\
                Collision { collide FALSE }";
    let loaded = scene(text, "a.wrl");
    assert_eq!(said(&loaded.diagnostics), "");
    assert_eq!(loaded.scene.nodes.len(), 5);
    let text = "#VRML V2.0 utf8\nDEF A Collision {} DEF B Collision {} DEF S Switch {} DEF G Group {}\n\
                ROUTE A.collide_changed TO B.set_collide\nROUTE S.choice_changed TO G.set_children\nROUTE G.children TO S.choice";
    let loaded = scene(text, "a.wrl");
    assert_eq!(said(&loaded.diagnostics), "");
    let of_route = |k: usize| {
        let route = &loaded.scene.routes[k];
        let side = |end, k: usize| loaded.scene.field(end).side_name(k == 0, route.sides[k]);
        (side(route.from, 0), side(route.to, 1))
    };
    assert_eq!(of_route(0), ("enabled_changed".to_owned(), "set_enabled".to_owned()));
    assert_eq!(of_route(1), ("children_changed".to_owned(), "set_children".to_owned()));
    assert_eq!(of_route(2), ("children".to_owned(), "children".to_owned()));
    let (severity, found) = findings(
        "#VRML V2.0 utf8\nDEF A Collision {} DEF B Collision {} ROUTE A.set_collide TO B.collide",
        "a.wrl",
    );
    assert_eq!(severity, Some(Severity::Error), "{found}");
    let (severity, _) = findings("#VRML V2.0 utf8\nDEF A Group {} DEF A Group {}", "a.wrl");
    assert_eq!(severity, None, "VRML97 lets a name mean the last node that has it");
}

#[test]
fn nodes_without_a_container_field_go_where_they_can_be_meant_for() {
    let scene_of = |inside: &str| format!("<X3D profile='Full' version='4.0'><Scene>{inside}</Scene></X3D>");
    let text = scene_of(
        "<Sound DEF='S'><MovieTexture DEF='M'/></Sound><CADFace DEF='F'><Shape DEF='H'/></CADFace>
         <SpatialSound><ChannelMerger DEF='C'><AudioClip DEF='A'/></ChannelMerger></SpatialSound>",
    );
    let (severity, said) = findings(&text, "a.x3d");
    assert_eq!(severity, Some(Severity::Warning), "{said}");
    assert!(said.contains("a Sound has no field `texture`, which this stands in without a containerField; it goes into `source`"), "{said}");
    let loaded = scene(&text, "a.x3d").scene;
    let holds = |parent: &str, field: &str| value(&loaded, node(&loaded, parent), field);
    assert_eq!(holds("S", "source"), Value::SFNode(Some(node(&loaded, "M"))));
    assert_eq!(holds("F", "shape"), Value::SFNode(Some(node(&loaded, "H"))));
    assert_eq!(holds("C", "children"), Value::MFNode([Some(node(&loaded, "A"))].into()));
    // Where it may be one of several, or none, it is a mistake; and so is a wrong containerField.
    for inside in [
        "<Material><ImageTexture/></Material>",
        "<Group><Material containerField='children2'/></Group>",
        "<Box><Box/></Box>",
    ] {
        assert_eq!(findings(&scene_of(inside), "a.x3d").0, Some(Severity::Error), "{inside}");
    }
}

#[test]
fn scenes_are_known_by_their_names() {
    for name in ["a.x3d", "b.X3DV", "c.wrl", "d.wrl.gz", "e.x3dv.gz", "f.x3d.GZ", "g.x3dvz", "h.wrz"] {
        assert!(weft_x3d::is_x3d(name), "{name}");
    }
    for name in ["a.gz", "x3d", "a.scn", "a.x3d.zip", "x3dv.gz"] {
        assert!(!weft_x3d::is_x3d(name), "{name}");
    }
}
