//! What is wrong with whole files, and with XML: each is said with its place, node and field, and what was probably meant.

mod support;

use diagnostics::Severity::{Error, Warning};
use support::findings;

/// Whole files.
const FILES: &[(diagnostics::Severity, &str, &str, &str)] = &[
    (Error, "a.x3d", "", "a.x3d: error: the file is empty"),
    (Error, "a.x3dv", " \n\t", "the file is empty"),
    (Error, "a.wrl", "#VRML V1.0 ascii\n", "VRML 1.0 is another language"),
    (Error, "a.x3d", "{ \"X3D\": {} }", "JSON encoding is not read"),
    (Warning, "a.wrl", "Group {}", "no header; read as if the file began with `#VRML V2.0 utf8`"),
    (Warning, "a.x3dv", "#X3F V3.0 utf8\nPROFILE Full\nGroup {}", "no header"),
    (Warning, "a.x3dv", "#X3D V3.0 utf8\nGroup {}", "no PROFILE statement"),
    (
        Warning,
        "a.x3dv",
        "#X3D V3.0 utf8\nPROFILE Imersive\nGroup {}",
        "`Imersive` is no profile; read as if it were Full; did you",
    ),
    (
        Warning,
        "a.x3dv",
        "#X3D V3.0 utf8\nPROFILE Interchange\nScript {}",
        "3:1: warning: Script: belongs to component Scripting",
    ),
    (Error, "a.x3d", "<X3D profile='Full'><Scene><Group></Scene></X3D>", "error: not XML"),
    (Error, "a.x3d", "<X3D profile='Full'/>", "has no `Scene` element"),
    (Error, "a.x3d", "<html/>", "the outermost element is `html`"),
    (
        Error,
        "a.x3d",
        "<X3D profile='Full'><Group/><Scene/></X3D>",
        "1:21: error: `Group` stands outside of `Scene`",
    ),
    (Warning, "a.x3d", "<X3D><Scene/></X3D>", "names no profile"),
    (Warning, "a.x3d", "<X3D profile='Full'><Scene/></X3D>", "1:1: warning: `X3D` names no version"),
    (
        Warning,
        "a.x3d",
        "<X3D profile='Full' version='9.9'><Scene/></X3D>",
        "1:1: warning: `9.9` is no version of X3D that is known here; read as if it were 4.0",
    ),
    (Warning, "a.x3dv", "#X3D V9.9 utf8\nPROFILE Full\nGroup {}", "`9.9` is no version of X3D"),
    (
        Warning,
        "a.x3d",
        "<X3D profile='Full' version='4.0'><Scene/><Scene/></X3D>",
        "1:43: warning: a second `Scene`, and a file has one",
    ),
    (Warning, "a.x3d", "<Scene/>", "1:1: warning: the outermost element is `Scene`"),
    (
        Warning,
        "a.x3d",
        "<X3D profile='Full' version='4.0'><head><component name='Tyme' level='1'/></head><Scene/></X3D>",
        "1:41: warning: `Tyme` is no component that is known here; what it brings is not there; did you mean `Time`?",
    ),
    (
        Warning,
        "a.x3d",
        "<X3D profile='Full' version='4.0'><head><component name='Time' level='9'/></head><Scene/></X3D>",
        "1:41: warning: component Time has no level 9",
    ),
    (
        Warning,
        "a.wrl",
        "#VRML V2.0 utf8\nPROTO A [ inputOutput SFFloat x 1 ] { Group {} }",
        "2:11: warning: `inputOutput` is X3D's word; VRML97's is `exposedField`",
    ),
    (
        Warning,
        "a.wrl",
        "#VRML V2.0 utf8\nBooleanFilter {}",
        "2:1: warning: BooleanFilter: VRML97 has no such type of nodes; it is X3D's; begin the file with",
    ),
];

#[test]
fn files() {
    let mut wrong = Vec::new();
    for (severity, file, text, part) in FILES {
        let (worst, said) = findings(text, file);
        if worst != Some(*severity) || !said.contains(part) {
            wrong.push(format!("{text}\n   due:  {severity}: {part}\n   said: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What stands in `Scene`, from line 2 on.
const XML: &[(diagnostics::Severity, &str, &str)] = &[
    (Error, "<Trnsform/>", "a.x3d:2:1: error: `Trnsform` is no type of nodes; did you mean `Transform`?"),
    (
        Error,
        "<Group>\n <Shape geom='x'/></Group>",
        "3:15: error: Shape: attribute `geom`: a Shape has no such field",
    ),
    (
        Error,
        "<Transform translation='0 0'/>",
        "2:28: error: Transform: attribute `translation`: no SFVec3f: 1 of 3 numbers",
    ),
    (
        Error,
        "<Transform translation='0&#32;x 0'/>",
        "2:25: error: Transform: attribute `translation`: no SFVec3f: `x` is no number",
    ),
    (
        Error,
        "<TimeSensor loop='yes'/>",
        "2:19: error: TimeSensor: attribute `loop`: no SFBool: `yes` is no truth value",
    ),
    (Warning, "<TimeSensor loop='TRUE'/>", "`TRUE` is written `true` in this encoding"),
    (
        Warning,
        "<Inline url='a.x3d' load='false'/>",
        "strings of a list stand in quotes of their own: `\"a.x3d\"`",
    ),
    (Error, "<Shape><Box containerField='geom'/></Shape>", "attribute `geom`: a Shape has no such field"),
    (
        Error,
        "<Group><Material/></Group>",
        "2:8: error: Group: attribute `material`: a Group has no such field",
    ),
    (
        Error,
        "<ROUTE fromNode='A' fromField='x' toNode='B'/>",
        "2:1: error: `ROUTE` needs the attribute `toField`",
    ),
    (
        Error,
        "<ROUTE fromNode='A' fromField='x' toNode='B' toField='x'/>",
        "ROUTE: no node is called `A` here",
    ),
    (Error, "<ProtoInstance name='P'/>", "2:1: error: `P` is no prototype"),
    (
        Error,
        "<ProtoDeclare name='P'><ProtoBody><Group/></ProtoBody></ProtoDeclare><P/>",
        "`P` is no type of nodes; a prototype's instance is written `<ProtoInstance name='P'>`",
    ),
    (
        Warning,
        "<ProtoDeclare name='P'><ProtoInterface><field name='a' accessType='inputOnly' type='SFBool'/></ProtoInterface>\
         <ProtoBody><Group/></ProtoBody></ProtoDeclare><ProtoInstance name='P'><fieldValue name='a' value='true'/></ProtoInstance>",
        "P: attribute `a`: an inputOnly field, which takes no value in a file; the value is left out",
    ),
    (
        Error,
        "<Script><field name='a' accessType='inputOnly' type='SFFlot'/></Script>",
        "`SFFlot` is no type of fields; did you mean `SFFloat`?",
    ),
    (
        Error,
        "<Script><field name='a' accessType='input' type='SFFloat'/></Script>",
        "accessType `input` of a field",
    ),
    (Error, "<ExternProtoDeclare name='P'/>", "an ExternProtoDeclare needs a `url`"),
    (Warning, "<Group>hello</Group>", "2:8: warning: Group: text in a node that holds no program"),
    (
        Warning,
        "<Group DEF='A'/><Transform USE='A'/>",
        "2:17: warning: A (Group): a Transform here, and the node is a Group",
    ),
    (Error, "<Group USE='B'/>", "2:1: error: USE of `B`"),
    (
        Warning,
        "<Transform DEF='A'/><Transform USE='A' translation='1 2 3'/>",
        "2:40: warning: `translation` of a node with USE",
    ),
    (
        Warning,
        "<Transform DEF='A'/><Transform USE='A'><Shape/></Transform>",
        "2:40: warning: `Shape` in a node with USE",
    ),
    (Warning, "<Group DEF='A b'/>", "2:1: warning: DEF `A b` is no name: there is a space in it"),
    (Warning, "<Group DEF='1a'/>", "2:1: warning: DEF `1a` is no name: it begins like a number"),
    (Warning, "<Group DEF=''/>", "2:1: warning: DEF `` is no name: it is empty"),
    (Warning, "<Group DEF='a#'/>", "2:1: warning: DEF `a#` is no name"),
    (
        Warning,
        "<Script><field name='a' accessType='exposedField' type='SFFloat'/></Script>",
        "2:9: warning: `exposedField` is VRML97's word; X3D's is `inputOutput`",
    ),
    (
        Warning,
        "<ProtoInstance name='P'/><ProtoDeclare name='P'><ProtoBody><Group/></ProtoBody></ProtoDeclare>",
        "2:1: warning: P: the instance stands before its prototype",
    ),
];

#[test]
fn xml() {
    let mut wrong = Vec::new();
    for (severity, text, part) in XML {
        let text = format!("<X3D profile='Full' version='4.0'><Scene>\n{text}\n</Scene></X3D>\n");
        let (worst, said) = findings(&text, "a.x3d");
        if worst != Some(*severity) || !said.contains(part) {
            wrong.push(format!("{text}\n   due:  {severity}: {part}\n   said: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
