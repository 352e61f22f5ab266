//! What is wrong with files: each is said with its place, node and field, and what was probably meant.

mod support;

use diagnostics::Severity::{Error, Warning};
use support::{findings, folder, said};
use weft_x3d::{LoadOptions, load_file};

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Full\n";

/// Statements, from line 3 on; what is said, with the place.
const CLASSIC: &[(diagnostics::Severity, &str, &str)] = &[
    // Routes.
    (
        Error,
        "DEF A Group {}\nROUTE A.children TO B.x",
        "a.x3dv:4:1: error: ROUTE: no node is called `B` here",
    ),
    (
        Error,
        "DEF Clock TimeSensor {}\nDEF A Group {}\nROUTE Clok.time TO A.x",
        "5:1: error: ROUTE: no node is called `Clok` here; did you mean `Clock`?",
    ),
    (
        Error,
        "DEF A TimeSensor {} DEF B PositionInterpolator {}\nROUTE A.fraction TO B.set_fraction",
        "4:1: error: A (TimeSensor): attribute `fraction`: ROUTE: a TimeSensor has no such field",
    ),
    (
        Error,
        "DEF A TimeSensor {} DEF B PositionInterpolator {}\nROUTE A.fraction_changed TO B.set_fractoin",
        "4:1: error: B (PositionInterpolator): attribute `set_fractoin`: ROUTE: a PositionInterpolator has no such field; \
         did you mean `set_fraction`?",
    ),
    (
        Error,
        "DEF A TimeSensor {} DEF B Transform {}\nROUTE A.fraction_changed TO B.translation",
        "4:1: error: B (Transform): attribute `translation`: ROUTE from `A (TimeSensor).fraction_changed`, an SFFloat, to \
         `translation`, an SFVec3f: both have to be of one type",
    ),
    (
        Error,
        "DEF A TimeSensor {} DEF B Transform {}\nROUTE B.translation TO B.bboxCenter",
        "4:1: error: B (Transform): attribute `bboxCenter`: ROUTE: an initializeOnly field receives no events here",
    ),
    (
        Error,
        "DEF B Transform {} DEF P PositionInterpolator {}\nROUTE P.set_fraction TO P.set_fraction",
        "4:1: error: P (PositionInterpolator): attribute `set_fraction`: ROUTE: an inputOnly field sends no events here",
    ),
    (
        Error,
        "DEF B Transform {}\nROUTE B.set_scale TO B.set_scale",
        "4:1: error: B (Transform): attribute `set_scale`",
    ),
    (
        Error,
        "StaticGroup { children Group { children DEF L PointLight {} } } DEF T PointLight {}\nROUTE T.color TO L.color",
        "4:1: error: L (PointLight): attribute `color`: ROUTE to a node in a StaticGroup",
    ),
    (
        Warning,
        "DEF A Transform {}\nROUTE A.scale TO A.translation\nROUTE A.scale TO A.set_translation",
        "5:1: warning: A (Transform): attribute `translation`: the same ROUTE once more; it counts once",
    ),
    (
        Warning,
        "ROUTE A.scale TO A.translation\nDEF A Transform {}",
        "3:1: warning: the route stands before the nodes",
    ),
    // Names.
    (
        Error,
        "Group { children USE A }\nDEF A Group {}",
        "3:18: error: USE of `A`, which no DEF before it names",
    ),
    (
        Error,
        "DEF Box1 Group {}\nGroup { children USE Box2 }",
        "4:18: error: USE of `Box2`, which no DEF before it names; did",
    ),
    (Warning, "DEF A Group {}\nDEF A Transform {}", "4:1: warning: a second node is called `A`"),
    (
        Error,
        "DEF A Group { children\nGroup { children USE A } }",
        "4:18: error: A (Group): a node cannot stand in itself",
    ),
    (
        Error,
        "PROTO P [ initializeOnly MFNode c [] ] { Group { children IS c } }\nDEF A Group { children P { c USE A } }",
        "4:1: error: A (Group): the node stands in itself, by way of Group",
    ),
    // Types, fields and values.
    (Error, "Trnsform {}", "3:1: error: `Trnsform` is no type of nodes; did you mean `Transform`?"),
    (
        Error,
        "Transform {\n  translaton 0 0 0 }",
        "4:3: error: Transform: attribute `translaton`: a Transform has no such field; did you mean `translation`?",
    ),
    (
        Error,
        "Transform { translation 0 0 }",
        "3:28: error: Transform: attribute `translation`: no SFVec3f: 1 of 3 numbers",
    ),
    (
        Error,
        "DEF T TimeSensor { loop 3 }",
        "3:25: error: T (TimeSensor): attribute `loop`: no SFBool: `3` is no truth value",
    ),
    (
        Error,
        "TimeSensor { time 3 }",
        "3:14: error: TimeSensor: attribute `time`: an outputOnly field, which takes no value",
    ),
    (Error, "Group { children 3 }", "3:18: error: Group: attribute `children`: no MFNode: `3` is no node"),
    (
        Error,
        "Transform { translation Group {} }",
        "3:25: error: Transform: attribute `translation`: a node in a field of type",
    ),
    (Error, "Shape { geometry [ Box {} }", "3:27: error: `}` stands where a node or `]` is due"),
    (Error, "ScalarInterpolator { key [ 0 NaN ] }", "attribute `key`: no MFFloat: `NaN` is no number"),
    (
        Warning,
        "PositionInterpolator { keyValue [ 1 2 3 4 ] key 0 }",
        "2 of 3 numbers are missing; the last element is left out",
    ),
    (
        Warning,
        "Shape { geometry Box {} geometry Cone {} }",
        "3:1: warning: Shape: attribute `geometry`: 2 nodes in a field",
    ),
    (Warning, "Box {}", "3:1: warning: Box: stands by itself, and is no child of a group"),
    (
        Warning,
        "ScalarInterpolator { key [ 0 1 0.5 ] keyValue [ 0 1 2 ] }",
        "attribute `key`: keys grow, and key 3 (0.5)",
    ),
    (
        Warning,
        "ScalarInterpolator { key [ 0 1 ] keyValue [ 0 1 2 ] }",
        "attribute `keyValue`: 3 values for 2 keys",
    ),
    (
        Warning,
        "OrientationInterpolator { key [ 0 ] keyValue [ 0 0 0 1 ] }",
        "a rotation by an angle about no axis",
    ),
    (
        Warning,
        "DEF T TimeSensor {} DEF P PositionInterpolator {} ROUTE T.fraction_changed TO P.set_fraction",
        "3:21: warning: P (PositionInterpolator): attribute `key`: events reach it, and it has no keys",
    ),
    (Warning, "TimeSensor { cycleInterval 0 }", "attribute `cycleInterval`: a cycle of 0 s"),
    (
        Warning,
        "ScalarDamper { order 7 }",
        "3:1: warning: ScalarDamper: attribute `order`: 7 filters; there are from 0 to 5, and 5 are taken",
    ),
    (
        Warning,
        "PositionDamper2D { tau -1 }",
        "attribute `tau`: a time constant of -1 s; it counts as 0: each destination is sent on at once",
    ),
    (
        Warning,
        "ScalarChaser { duration -1 }",
        "attribute `duration`: a duration of -1 s; it counts as 0: each destination is sent on at once",
    ),
    // Prototypes.
    (
        Warning,
        "PROTO P [ inputOutput SFVec3f a ] { Group {} }",
        "3:31: warning: P: attribute `a`: an inputOutput field has a value in the beginning, and none is given: the type's is taken",
    ),
    (
        Warning,
        "PROTO P [ initializeOnly MFString b initializeOnly SFBool a TRUE ] { Group {} }",
        "P: attribute `b`: an initializeOnly field has a value in the beginning, and none is given: an empty list is taken",
    ),
    (
        Error,
        "PROTO P [ initializeOnly SFVec3d v 1 1 1 ] { Group { bboxSize IS v } }\nP {}",
        "3:54: error: Group: attribute `bboxSize`: IS `v`: an SFVec3f cannot be an SFVec3d",
    ),
    (
        Error,
        "PROTO P [ inputOutput SFVec3f v 1 1 1 ] { Group { bboxSize IS v } }\nP {}",
        "3:51: error: Group: attribute `bboxSize`: IS `v`: an initializeOnly field cannot be an inputOutput one",
    ),
    (
        Error,
        "PROTO P [ inputOutput SFVec3f size 1 1 1 ] { Transform { scale IS siez } }",
        "3:58: error: Transform: IS `siez`, and the prototype P has no such field; did you mean `size`?",
    ),
    (
        Error,
        "Transform { scale IS size }",
        "3:13: error: Transform: attribute `size`: IS stands outside of a prototype",
    ),
    (
        Error,
        "PROTO P [ ] {\n  Group { children P {} } }\nP {}",
        "4:20: error: P: the prototype's body has an instance of itself",
    ),
    (
        Error,
        "PROTO P [ inputOnly SFBool a inputOnly SFTime a ] { Group {} }",
        "P: attribute `a`: there is a field of this name already",
    ),
    (
        Error,
        "PROTO P [ initializeOnly SFInt32 a 1.5 ] { Group {} }",
        "3:36: error: P: attribute `a`: no SFInt32: `1.5` is no",
    ),
    (
        Warning,
        "PROTO P [ inputOnly SFBool a inputOnly SFBool a ] { Group {} }",
        "P: attribute `a`: the same field is declared once more",
    ),
    (Warning, "PROTO P [ ] { }\nDEF A P {}", "3:1: warning: A (P): the prototype's body has no node"),
    (
        Warning,
        "PROTO P [ ] { Group {} }\nPROTO P [ ] { Group {} }",
        "4:1: warning: a second prototype is called `P`",
    ),
    (
        Error,
        "Group { inputOnly SFBool x }",
        "3:1: error: Group: declares fields, which only Script and shaders do",
    ),
    (
        Error,
        "Script { inputOnly SFBool url }",
        "3:27: error: Script: attribute `url`: there is a field of this name",
    ),
    (Warning, "P {}\nPROTO P [ ] { Group {} }", "3:1: warning: P: the instance stands before its prototype"),
    (
        Warning,
        "PROTO P [ initializeOnly SFVec3f f 1 1 1 ] {\n Transform { set_translation IS f } }\nP {}",
        "4:14: warning: Transform: attribute `translation`: `set_translation` is an input, and `f` of the prototype is \
         initializeOnly; read as `translation IS f`",
    ),
    (
        Warning,
        "PROTO Transform [ ] { Group {} }\nTransform {}",
        "3:1: warning: a prototype is called like the language's own type of nodes `Transform`; give it another name",
    ),
    (
        Warning,
        "PROTO DEF [ ] { Group {} }",
        "3:1: warning: a prototype is called like the language's own word `DEF`",
    ),
    // Nodes in fields that take others.
    (
        Warning,
        "Shape {\n geometry Appearance {} }",
        "4:11: warning: Appearance: stands in the field `geometry` of Shape, which takes nodes of the type X3DGeometryNode, and \
         Appearance is none; it belongs into a field `appearance`",
    ),
    (
        Warning,
        "PROTO A [ ] { Appearance {} }\nShape { geometry A {} }",
        "4:18: warning: A: stands in the field `geometry` of Shape",
    ),
    (
        Warning,
        "PROTO A [ inputOutput SFNode n NULL ] { Shape { geometry IS n } }\nA { n Transform {} }",
        "4:7: warning: Transform: stands in the field `geometry` of Shape",
    ),
    (
        Warning,
        "Group { children [ Group {}\n Material {} ] }",
        "4:2: warning: Material: stands in the field `children`",
    ),
    // Other files.
    (
        Warning,
        "Inline { url \"gone.x3d\" }",
        "3:1: warning: Inline: attribute `url`: nothing to show: `gone.x3d`: No such file",
    ),
    (Warning, "DEF I Inline {}\nIMPORT I.x AS y", "4:1: warning: I (Inline): IMPORT `x` waits"),
    (Error, "DEF I Group {}\nIMPORT I.x AS y", "4:1: error: I (Group): IMPORT from a node that is no Inline"),
    (Error, "IMPORT I.x AS y", "3:1: error: IMPORT: no node is called `I` here"),
    (Error, "EXPORT A", "3:1: error: EXPORT: no node is called `A` here"),
    (
        Error,
        "DEF I Inline {}\nIMPORT I.x AS y\nGroup { children USE y }",
        "5:18: error: USE of `y`, which is imported: routes lead to it, and USE names a node of this file\n",
    ),
    // Grammar.
    (
        Warning,
        "Transform { scale 1 1 1\n scale 2 2 2 }",
        "4:2: warning: `scale` is given a second time in this node",
    ),
    (
        Warning,
        "ScalarInterpolator { key\n 0 1 keyValue [ 5 6 ] }",
        "4:2: warning: ScalarInterpolator: attribute `key`: several values without brackets",
    ),
    (
        Warning,
        "PROTO P [\n exposedField SFFloat f 1 ] { Group {} }",
        "4:2: warning: `exposedField` is VRML97's word; X3D's is `inputOutput`",
    ),
    (
        Warning,
        "Script {\n eventIn SFTime t }",
        "4:2: warning: `eventIn` is VRML97's word; X3D's is `inputOnly`",
    ),
    (
        Warning,
        "META \"a\" \"b\"\nCOMPONENT Followers:1",
        "4:1: warning: COMPONENT stands after META; a file begins with PROFILE, COMPONENT, UNIT, META, in this order",
    ),
    (Warning, "Group {}\nMETA \"a\" \"b\"", "4:1: warning: META stands after the first node or route"),
    (Warning, "COMPONENT Tyme:1", "3:1: warning: `Tyme` is no component that is known here"),
    (Warning, "COMPONENT Time:9", "3:1: warning: component Time has no level 9"),
    (Error, "Group {", "4:1: error: the end of the file stands where a field or `}` is due"),
    (Error, "Group { children [", "4:1: error: the end of the file stands where a value or `]` is due"),
    (Error, "}", "3:1: error: `}` stands where a node or a statement is due"),
    (Error, "Text { string \"abc }", "3:15: error: a string without end stands where a value is due"),
    (Error, "ROUTE A TO B", "3:9: error: `TO` stands where `.` is due"),
    (
        Error,
        "PROTO P [ inputOnly SFBol x ] {}",
        "3:21: error: `SFBol` stands where a type of fields, as SFVec3f, is due",
    ),
    (Error, "PROTO P [ ] Group {}", "3:13: error: `Group` stands where `{` is due"),
    (Error, "Group { children DEF X }", "3:24: error: `}` stands where a type of nodes is due"),
    (Error, "COMPONENT 3", "error: "),
    (Warning, "UNIT lenght inch 0.0254", "3:1: warning: `lenght` is no category of units"),
    (Warning, "UNIT length inch -1", "3:1: warning: `-1` is no factor of a unit"),
    (
        Warning,
        "UNIT length inch 2\nUNIT length foot 3",
        "4:1: warning: the file has a unit of length already",
    ),
    (Error, "UNIT length inch", "error: "),
];

#[test]
fn classic() {
    let mut wrong = Vec::new();
    for (severity, text, part) in CLASSIC {
        let (worst, said) = findings(&format!("{HEADER}{text}\n"), "a.x3dv");
        if worst != Some(*severity) || !said.contains(part) {
            wrong.push(format!("{text}\n   due:  {severity}: {part}\n   said: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a legal file says, of which nothing is said.
#[test]
fn legal() {
    let texts = [
        "#X3D V3.3 utf8\nPROFILE Full\nCOMPONENT H-Anim:1\nCOMPONENT Time:2\nMETA \"a\" \"b\"\n\
         PROTO P [ inputOnly SFVec3f f ] { Transform { set_translation IS f } }\nP {}\n\
         Shape { geometry IndexedFaceSet { coordIndex [ 0 1 2 ] coord Coordinate { point [ 0 0 0 1 0 0 0 1 0 ] } } }\n\
         Transform { translation 1 2 3 children [ Shape {} Viewpoint {} ] }\nScalarInterpolator { key 0 keyValue 1 }\n\
         PROTO Q [ inputOnly SFVec3f f inputOnly SFVec3f g ] { Transform { translation IS f translation IS g } }\nQ {}",
        "<!DOCTYPE X3D><X3D profile='Full'><Scene><Transform DEF='a.b'/><Transform USE='a.b' containerField='children'/></Scene></X3D>",
        "#VRML V2.0 utf8\nPROTO BooleanFilter [ exposedField SFFloat f 1 ] { Group {} }\nBooleanFilter {}\n\
         Script { eventIn SFTime t field SFFloat g 1 }",
    ];
    for text in texts {
        assert_eq!(findings(text, "a.x3dv").1, "", "{text}");
    }
}

#[test]
fn fields_that_an_externproto_does_not_declare() {
    let library = "PROTO M [ inputOutput SFVec3f pos 0 0 0 inputOnly SFFloat frac outputOnly SFVec3f moved ] {\n\
                   DEF T Transform { translation IS pos translation_changed IS moved } }";
    let main = "EXTERNPROTO M [ inputOnly SFFloat frac ] \"lib.x3dv#M\"\nDEF A M {\n pos 1 1 1 }\nDEF L Transform {}\n\
                ROUTE A.moved TO L.translation";
    let file = |text: &str| format!("{HEADER}{text}");
    let folder = folder("hidden", &[("lib.x3dv", &file(library)), ("main.x3dv", &file(main))]);
    let loaded = load_file(folder.join("main.x3dv"), &LoadOptions::default()).expect("it loads");
    let said = said(&loaded.diagnostics);
    for due in [
        "main.x3dv:5:2: warning: A (M): attribute `pos`: the EXTERNPROTO",
        "main.x3dv:7:1: warning: A (M): attribute `moved`",
    ] {
        assert!(said.contains(due), "{said}");
    }
    assert_eq!(said.lines().count(), 2, "{said}");
    let both =
        main.replace("[ inputOnly SFFloat frac ]", "[ inputOutput SFVec3f pos outputOnly SFVec3f moved ]");
    std::fs::write(folder.join("main.x3dv"), file(&both)).expect("a file");
    let loaded = load_file(folder.join("main.x3dv"), &LoadOptions::default()).expect("it loads");
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

#[test]
fn files_that_lead_in_circles() {
    let files = [
        ("self.x3dv", "#X3D V3.3 utf8\nPROFILE Full\nInline { url \"self.x3dv\" }"),
        ("a.x3dv", "#X3D V3.3 utf8\nPROFILE Full\nGroup { children Inline { url \"sub/../b.wrl\" } }"),
        ("b.wrl", "#VRML V2.0 utf8\nInline { url \"a.x3dv\" }"),
        ("p.wrl", "#VRML V2.0 utf8\nEXTERNPROTO P [ ] \"q.wrl#Q\"\nP {}"),
        ("q.wrl", "#VRML V2.0 utf8\nEXTERNPROTO Q [ ] \"p.wrl#P\"\nQ {}"),
        ("inlines.wrl", "#VRML V2.0 utf8\nPROTO I [ ] { Inline { url \"inlines.wrl\" } }\nI {}"),
        ("missing.wrl", "#VRML V2.0 utf8\nEXTERNPROTO P [ ] \"b.wrl#Nope\"\nP {}"),
    ];
    let folder = folder("circles", &files);
    std::fs::create_dir_all(folder.join("sub")).expect("a folder");
    let cases = [
        ("self.x3dv", "3:1: error: Inline: attribute `url`: the file shows itself, without end"),
        ("a.x3dv", "b.wrl:2:1: error: Inline: attribute `url`: the file shows itself, without end"),
        ("p.wrl", "error: P: the prototype's file leads back to itself"),
        ("inlines.wrl", "the file shows itself, without end"),
        ("missing.wrl", "missing.wrl:2:1: error: P: attribute `url`: `"),
    ];
    for (file, part) in cases {
        let found = match load_file(folder.join(file), &LoadOptions::default()) {
            Ok(loaded) if file == "missing.wrl" => loaded.diagnostics,
            Ok(_) => panic!("{file} loads"),
            Err(found) => found,
        };
        assert!(said(&found).contains(part), "{file}: {}", said(&found));
    }
    let found =
        load_file(folder.join("nowhere.x3d"), &LoadOptions::default()).expect_err("there is no such file");
    assert!(said(&found).contains("nowhere.x3d: error: "), "{}", said(&found));
    let found = load_file(&folder, &LoadOptions::default()).expect_err("a folder is no file");
    assert!(said(&found).contains("is no file"), "{}", said(&found));
}

#[test]
fn a_script_may_name_itself_and_what_it_stands_in() {
    let text = "DEF A Transform { children DEF S Script { initializeOnly SFNode self USE S initializeOnly SFNode up USE A } }";
    let (worst, said) = findings(&format!("{HEADER}{text}"), "a.x3dv");
    assert_eq!((worst, &*said), (None, ""));
}

#[test]
fn a_prototypes_mistake_is_said_once() {
    // Two prototypes of one name are said once, of the second.
    let twice = "PROTO P [ ] { Group {} }\nPROTO P [ ] { Transform {} }\nP {}";
    let (_, said) = findings(&format!("{HEADER}{twice}"), "a.x3dv");
    assert!(said.lines().count() == 1 && said.starts_with("a.x3dv:4:1: warning: a second"), "{said}");
    // A body whose node is left out has one all the same.
    let circle = "EXTERNPROTO A [ ] \"#B\"\nPROTO B [ ] { A {} }\nB {}";
    let (_, said) = findings(&format!("{HEADER}{circle}"), "a.x3dv");
    assert!(said.lines().count() == 1 && said.contains("an instance of itself"), "{said}");
    let text = "PROTO P [ ] { Group { childern [] } } P {} P {} P {}";
    let (_, said) = findings(&format!("{HEADER}{text}"), "a.x3dv");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn many_warnings_hide_no_error() {
    let routes = "ROUTE T.scale TO T.translation\n".repeat(5000);
    let text = format!("{HEADER}DEF T Transform {{}}\n{routes}Grup {{}}\n");
    let (worst, said) = findings(&text, "a.x3dv");
    assert!(worst == Some(Error) && said.contains("did you mean `Group`?"), "{}", said.len());
    let text = format!("{HEADER}DEF T Transform {{}}\n{routes}");
    let (worst, said) = findings(&text, "a.x3dv");
    assert!(worst == Some(Warning) && said.lines().count() == 1001, "{}", said.lines().count());
    let (worst, said) = findings(&format!("{HEADER}{}", "Grup {}\n".repeat(5000)), "a.x3dv");
    assert!(worst == Some(Error) && said.lines().count() == 1001, "{}", said.lines().count());
}
