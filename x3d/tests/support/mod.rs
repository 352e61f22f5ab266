//! What several tests share.
#![allow(dead_code)] // each test binary takes its own part

use std::fmt::Write;
use std::path::PathBuf;

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::scene::EventScene;
use diagnostics::{Diagnostic, Severity};
use weft_x3d::{LoadOptions, Loaded, load_text};

/// A scene that loads.
pub fn scene(text: &str, file: &str) -> Loaded {
    load_text(text, file, &LoadOptions::default()).unwrap_or_else(|found| panic!("{file}: {}", said(&found)))
}

/// Findings, a line each.
pub fn said(found: &[Diagnostic]) -> String {
    found.iter().map(|d| format!("{d}\n")).collect()
}

/// What is said about a text, with the worst severity.
pub fn findings(text: &str, file: &str) -> (Option<Severity>, String) {
    let found = match load_text(text, file, &LoadOptions::default()) {
        Ok(loaded) => loaded.diagnostics,
        Err(found) => {
            assert!(found.iter().any(|d| d.severity == Severity::Error), "an error without one");
            found
        }
    };
    (found.iter().map(|d| d.severity).max(), said(&found))
}

/// All of a scene but places in files.
pub fn dump(scene: &EventScene) -> String {
    let mut text = String::new();
    for (k, node) in scene.nodes.iter().enumerate() {
        write!(text, "{k} {} {:?} in {}:", node.node_type.name, node.def, node.context.0)
            .expect("a string takes all");
        for (field, value) in node.node_type.fields.iter().zip(&node.values) {
            if *value != field.default {
                write!(text, " {} {value:?}", field.name).expect("a string takes all");
            }
        }
        text.push('\n');
    }
    for r in &scene.routes {
        let name = |end| &scene.field(end).name;
        writeln!(text, "{}.{} -> {}.{}", r.from.0.0, name(r.from), r.to.0.0, name(r.to))
            .expect("a string takes all");
    }
    for a in &scene.aliases {
        let name = |end| &scene.field(end).name;
        writeln!(text, "{}.{} is {}.{}", a.inner.0.0, name(a.inner), a.outer.0.0, name(a.outer))
            .expect("all");
    }
    for c in &scene.contexts {
        writeln!(text, "{:?} in {:?}: {:?} {:?}", c.kind, c.parent, c.roots, c.imports)
            .expect("a string takes all");
    }
    text
}

/// The node of a name.
pub fn node(scene: &EventScene, def: &str) -> NodeId {
    let found = scene.nodes.iter().position(|n| n.def.as_deref() == Some(def));
    NodeId(found.unwrap_or_else(|| panic!("no node {def}")) as u32)
}

/// A field's value.
pub fn value(scene: &EventScene, node: NodeId, field: &str) -> Value {
    let node = scene.node(node);
    let field = node.node_type.field(field).unwrap_or_else(|| panic!("no field {field}"));
    node.values[field.0 as usize].clone()
}

/// A folder of files for one test.
pub fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("x3d-{name}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("a file");
    }
    folder
}
