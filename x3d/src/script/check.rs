//! What is wrong with Scripts before they run.

use animation::event::field::Value;
use animation::event::scene::{EventScene, Node};
use diagnostics::{Diagnostic, Severity};

use super::quickjs;
use super::source::{self, LocalFiles};

/// Says which Scripts of a scene have no program that can be had, and which programs are not of the language. Nothing of them is run.
pub fn check(scene: &EventScene) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for node in scene.nodes.iter().filter(|n| &*n.node_type.name == "Script" && !n.node_type.is_prototype) {
        let Some(Value::MFString(urls)) = value(node, "url") else { continue };
        let base = scene.contexts.get(node.context.0 as usize).map_or("", |c| &*c.file);
        let (text, troubles) = source::find(urls, base, &mut LocalFiles);
        let mut say = |message: String| {
            let name = node.def.as_deref().map_or_else(String::new, |def| format!("{def} "));
            let d = Diagnostic::new(Severity::Warning, &node.location, message);
            found.push(d.component(format!("{name}(Script)")));
        };
        troubles.into_iter().for_each(|trouble| say(format!("url: {trouble}")));
        if let Some(fault) = text.and_then(|text| quickjs::syntax_fault(&text)) {
            say(fault.to_string());
        }
    }
    found
}

fn value<'n>(node: &'n Node, field: &str) -> Option<&'n Value> {
    node.node_type.field(field).and_then(|f| node.values.get(f.0 as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LoadOptions, load_text};

    #[test]
    fn programs_are_read_and_not_run() {
        let text = "#X3D V3.3 utf8\nPROFILE Immersive\n\
            DEF A Script { url \"ecmascript: function a() {\n return 1; }\n while (true) { } \" }\n\
            DEF B Script { url \"ecmascript: var x = 1;\n function a() { return 1 +; }\" }\n\
            DEF C Script { url \"C.class\" }\nDEF D Script { }\n\
            DEF E Script { url \"ecmascript: ({ a() { return 1; } })\" }\n";
        let scene = load_text(text, "a.x3dv", &LoadOptions::default()).expect("it loads").scene;
        let found: Vec<String> = check(&scene).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("a.x3dv:6:1: warning: B (Script): line 2 of its text: "), "{found:?}");
        assert!(found[1].contains("C (Script): url: `C.class` is a program in Java"), "{found:?}");
    }
}
