//! Large scenes: deep ones without a deep stack, and how long a million routes take.

use std::fmt::Write;

use weft_x3d::{LoadOptions, load_text};

fn load(text: &str, file: &str) -> weft_x3d::Loaded {
    load_text(text, file, &LoadOptions::default()).unwrap_or_else(|found| panic!("{:?}", found.first()))
}

/// How long this thread has run \[s\], which other programs do not lengthen; 0 where the system does not say.
fn seconds_on_core() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).map_or(0., |ns| ns * 1e-9)
}

const DEPTH: usize = 100_000;

#[test]
fn a_chain_of_a_hundred_thousand_nodes_in_classic() {
    let mut text = String::from("#X3D V3.3 utf8\nPROFILE Full\n");
    text.push_str(&"Group { children [ ".repeat(DEPTH));
    text.push_str(&"] }".repeat(DEPTH));
    let scene = load(&text, "deep.x3dv").scene;
    assert_eq!((scene.nodes.len(), scene.contexts[0].roots.len()), (DEPTH, 1));
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_in_xml() {
    let mut text = String::from("<X3D profile='Full' version='4.0'><Scene>");
    text.push_str(&"<Group>".repeat(DEPTH));
    text.push_str(&"</Group>".repeat(DEPTH));
    text.push_str("</Scene></X3D>");
    let scene = load(&text, "deep.x3d").scene;
    assert_eq!((scene.nodes.len(), scene.contexts[0].roots.len()), (DEPTH, 1));
}

#[test]
fn a_chain_of_ten_thousand_prototypes() {
    let mut text = String::from("#X3D V3.3 utf8\nPROFILE Full\nPROTO P0 [ ] { Group {} }\n");
    let depth = 10_000;
    for k in 1..depth {
        writeln!(text, "PROTO P{k} [ ] {{ P{} {{}} }}", k - 1).expect("a string takes all");
    }
    writeln!(text, "P{} {{}}", depth - 1).expect("a string takes all");
    let scene = load(&text, "deep.x3dv").scene;
    assert_eq!((scene.nodes.len(), scene.contexts.len()), (depth + 1, depth + 1));
}

#[test]
fn prototypes_that_nobody_uses_cost_what_they_are() {
    let mut chain = String::from("#X3D V3.3 utf8\nPROFILE Full\nPROTO P0 [ ] { Group {} }\n");
    for k in 1..20_000 {
        writeln!(chain, "PROTO P{k} [ ] {{ P{0} {{}} P{0} {{}} }}", k - 1).expect("a string takes all");
    }
    assert_eq!(load(&chain, "library.x3dv").scene.nodes.len(), 0);
    let depth = 5_000;
    let nested = [
        "#X3D V3.3 utf8\nPROFILE Full\n",
        &"PROTO P [ ] { ".repeat(depth),
        "Group {} ",
        &"} P {} ".repeat(depth),
    ]
    .concat();
    assert!(load(&nested, "nested.x3dv").scene.nodes.len() > depth);
}

#[test]
fn a_node_with_too_many_fields_is_refused() {
    let mut text = String::from("#X3D V3.3 utf8\nPROFILE Full\nScript {\n");
    for k in 0..20_000 {
        writeln!(text, "inputOnly SFBool b{k}").expect("a string takes all");
    }
    let found = load_text(&(text + "}"), "a.x3dv", &LoadOptions::default()).expect_err("too many");
    assert!(found[0].to_string().contains("more than 10000 fields"), "{}", found[0]);
}

/// `SIZE=1000000 cargo test -p weft-x3d --release --test large -- --nocapture` measures.
#[test]
fn many_nodes_and_routes() {
    let size: usize = std::env::var("SIZE").ok().and_then(|s| s.parse().ok()).unwrap_or(20_000);
    let mut classic = String::from("#X3D V3.3 utf8\nPROFILE Full\n");
    let mut xml = String::from("<X3D profile='Full' version='4.0'>\n<Scene>\n");
    for k in 0..size {
        writeln!(classic, "DEF S{k} ScalarInterpolator {{ key [ 0 1 ] keyValue [ 0 1 ] }}")
            .expect("a string takes all");
        writeln!(xml, "<ScalarInterpolator DEF='S{k}' key='0 1' keyValue='0 1'/>")
            .expect("a string takes all");
    }
    for k in 0..size {
        let to = (k + 1) % size;
        writeln!(classic, "ROUTE S{k}.value_changed TO S{to}.set_fraction").expect("a string takes all");
        writeln!(
            xml,
            "<ROUTE fromNode='S{k}' fromField='value_changed' toNode='S{to}' toField='set_fraction'/>"
        )
        .expect("a string takes all");
    }
    xml.push_str("</Scene></X3D>");
    for (text, file) in [(&classic, "many.x3dv"), (&xml, "many.x3d")] {
        let start = seconds_on_core();
        let loaded = load(text, file);
        let seconds = seconds_on_core() - start;
        println!("{file}: {size} nodes and {size} routes, {} MB, in {seconds:.2} s", text.len() / 1_000_000);
        assert_eq!((loaded.scene.nodes.len(), loaded.scene.routes.len()), (size, size));
        assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics.first());
    }
    let transforms = (0..size).map(|k| format!("Transform {{ translation {k} 0 0 }}\n"));
    let text: String = std::iter::once("#VRML V2.0 utf8\n".to_owned()).chain(transforms).collect();
    let start = seconds_on_core();
    let loaded = load(&text, "many.wrl");
    let seconds = seconds_on_core() - start;
    println!("{size} Transforms in {seconds:.2} s");
    assert_eq!(loaded.scene.nodes.len(), size);
}
