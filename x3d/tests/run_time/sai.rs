//! What Scripts may ask of scenes and browsers, by the standard's names.

use animation::event::field::Value;
use animation::event::runtime::EventOptions;

use crate::play::Run;
use crate::support::folder;

#[test]
fn names_of_the_standard() {
    let asks = [
        ("Browser.getProfile('Full').name", "Full"),
        ("Browser.supportedProfiles.length > 3", "true"),
        ("Browser.getComponent('Core', 2).level", "2"),
        ("Browser.createScene().rootNodes.length", "0"),
        ("Browser.currentScene.routes[0].sourceNode.getNodeName()", "A"),
        ("Browser.currentScene.routes[0].sourceField", "scale"),
        ("Browser.currentScene.routes[0].destinationNode.getNodeName()", "B"),
        ("Browser.currentScene.routes[0].destinationField", "scale"),
        (
            "(Browser.currentScene.updateNamedNode('Q', A), Browser.currentScene.getNamedNode('Q').getNodeName())",
            "A",
        ),
        ("(Browser.currentScene.setMetaData('k', 'v'), Browser.currentScene.getMetaData('k'))", "v"),
        ("Browser.currentScene.getMetaData('title')", "A \"b\""),
        ("(Browser.currentScene.setMetaData('title', 'w'), Browser.currentScene.getMetaData('title'))", "w"),
        ("Browser.currentScene.getMetaData('none') === ''", "true"),
        (
            "(Browser.currentScene.updateExportedNode('E', B), Browser.currentScene.getExportedNode('E').getNodeName())",
            "B",
        ),
        ("A.getNodeType().indexOf(X3DConstants.X3DGroupingNode) >= 0", "true"),
        ("A.getNodeType().indexOf(X3DConstants.Transform) >= 0", "true"),
        ("A.getFieldDefinitions()[0].accessType === X3DConstants.inputOutput", "true"),
        ("(A.setNodeUserData('u', 7), A.getNodeUserData('u'))", "7"),
        ("Browser.currentScene.encoding", "VRML"),
        ("Browser.createScene().encoding", "Scripted"),
        ("Browser.currentScene.specificationVersion", "3.3"),
        ("Browser.currentScene.protos.map(p => p.name).join()", "P,Q"),
        ("Browser.currentScene.protos[0].newInstance().getNodeTypeName()", "P"),
        ("Browser.currentScene.externprotos.map(p => p.name + p.isExternProto).join()", "Etrue"),
        (
            "(u => u.length + u[0].category + u[0].name + u[0].conversionFactor)(Browser.currentScene.units)",
            "1lengthinch0.5",
        ),
    ];
    let js: String = asks.iter().map(|(ask, _)| format!("all.push(String({ask}));\n")).collect();
    let text = format!(
        "#X3D V3.3 utf8\nPROFILE Full\nUNIT length inch 0.5\nMETA \"title\" \"A \\\"b\\\"\"\n\
         PROTO P [ ] {{ Group {{ }} }} PROTO Q [ ] {{ Group {{ }} }} EXTERNPROTO E [ ] \"gone.x3dv\"\nDEF A Transform {{ }} DEF B Transform {{ }} ROUTE A.scale TO B.scale\n\
         DEF S Script {{ directOutput TRUE initializeOnly SFNode A USE A initializeOnly SFNode B USE B outputOnly MFString out\n\
         url \"ecmascript: function initialize() {{ var all = [];\n{js} out = all; }}\" }}"
    );
    let mut run = Run::of(&folder("sai", &[("a.x3dv", &text)]).join("a.x3dv"), EventOptions::default());
    run.frame();
    assert_eq!(run.complaints(), Vec::<String>::new());
    let Some(Value::MFString(out)) = run.value("S", "out") else { panic!("no answer") };
    let due: Vec<&str> = asks.iter().map(|(_, due)| *due).collect();
    assert_eq!(out.iter().map(|s| &**s).collect::<Vec<_>>(), due);
}
