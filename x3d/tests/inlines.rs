//! Inlined files, imports, and what is loaded while a scene runs.

mod support;

use animation::event::ContextId;
use animation::event::field::Value;
use animation::event::scene::ContextKind;
use support::{dump, folder, node, said, value};
use weft_x3d::{LoadOptions, Loaded, load_file};

const BALL: &str = "#X3D V3.3 utf8\nPROFILE Full\nPROTO P [ ] { Sphere {} }\nDEF T Transform { children Shape { geometry P {} } }\n\
                    DEF Hidden Group {}\nEXPORT T AS Ball";
const MAIN: &str = "#X3D V3.3 utf8\nPROFILE Full\nPROTO Lamp [ inputOutput SFBool lit TRUE ] { PointLight { on IS lit } }\n\
                    DEF G Group { children DEF I Inline { url [ \"https://example.org/x.x3d\" \"sub/ball%20one.x3dv\" ] } }\n\
                    DEF Late Inline { load FALSE url \"sub/ball%20one.x3dv\" }\n\
                    IMPORT I.Ball AS B\nIMPORT Late.Ball AS L\n\
                    DEF M PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0 1 1 1 ] }\n\
                    ROUTE M.value_changed TO B.set_translation\nROUTE M.value_changed TO L.set_translation\n\
                    ROUTE L.scale TO B.scale";

fn load(name: &str) -> Loaded {
    let path = folder(name, &[("main.x3dv", MAIN)]);
    std::fs::create_dir_all(path.join("sub")).expect("a folder");
    std::fs::write(path.join("sub/ball one.x3dv"), BALL).expect("a file");
    load_file(path.join("main.x3dv"), &LoadOptions::default())
        .unwrap_or_else(|found| panic!("{}", said(&found)))
}

#[test]
fn an_inlined_file_is_a_context_whose_exports_can_be_imported() {
    let Loaded { scene, diagnostics, loader } = load("inlines");
    assert!(said(&diagnostics).contains("main.x3dv:7:1: warning: Late (Inline): IMPORT `Ball` waits"));
    assert_eq!(diagnostics.len(), 1);
    let inline = node(&scene, "I");
    let at = scene.contexts.iter().position(|c| c.kind == ContextKind::Inline(inline)).expect("a context");
    let context = &scene.contexts[at];
    assert_eq!(context.parent, Some(ContextId(0)));
    assert!(context.file.ends_with("ball one.x3dv"));
    let ball = node(&scene, "T");
    let exports: Vec<_> =
        loader.exports(ContextId(at as u32)).map(|(name, node)| (name.to_string(), node)).collect();
    assert_eq!(exports, [("Ball".to_owned(), ball)]);
    assert_eq!((&context.roots[0], scene.node(ball).context), (&ball, ContextId(at as u32)));
    assert_eq!(scene.contexts[0].imports, [("B".into(), ball)]);
    assert_eq!(scene.routes.len(), 1);
    assert_eq!(scene.routes[0].to.0, ball);
}

#[test]
fn what_is_not_exported_cannot_be_imported() {
    let text = MAIN.replace("IMPORT I.Ball", "IMPORT I.Hidden");
    let path = folder("exports", &[("main.x3dv", &text)]);
    std::fs::create_dir_all(path.join("sub")).expect("a folder");
    std::fs::write(path.join("sub/ball one.x3dv"), BALL).expect("a file");
    let found = load_file(path.join("main.x3dv"), &LoadOptions::default()).expect_err("it is hidden");
    assert!(said(&found).contains("ball one.x3dv` exports no `Hidden`"), "{}", said(&found));
    assert!(!said(&found).contains("no node is called `B`"), "{}", said(&found));
}

#[test]
fn an_inline_that_comes_later_gets_its_imports_and_routes() {
    let Loaded { mut scene, mut loader, .. } = load("late");
    let late = node(&scene, "Late");
    let before = dump(&scene);
    let found = loader.load_inline(&mut scene, late, &["gone.x3d".into()]).expect_err("there is none");
    assert!(said(&found).contains("nothing to show"), "{}", said(&found));
    assert_eq!(dump(&scene), before, "a failure leaves the scene as it was");
    let (nodes, routes) = (scene.nodes.len(), scene.routes.len());
    let (context, found) =
        loader.load_inline(&mut scene, late, &["sub/ball one.x3dv".into()]).expect("it loads");
    assert_eq!(said(&found), "");
    assert_eq!(scene.contexts[context.0 as usize].kind, ContextKind::Inline(late));
    assert!(scene.nodes.len() > nodes && scene.routes.len() == routes + 2);
    let ball = scene.contexts[context.0 as usize].roots[0];
    assert_eq!(scene.contexts[0].imports[1], ("L".into(), ball));
    assert_eq!(scene.routes[routes].to.0, ball);
    assert_eq!(scene.routes[routes + 1].from.0, ball);

    // It goes, and comes again as other nodes.
    loader.unload_inline(&mut scene, late);
    assert_eq!(scene.contexts[0].imports.len(), 1);
    let (context, _) =
        loader.load_inline(&mut scene, late, &["sub/ball one.x3dv".into()]).expect("it loads again");
    let again = scene.contexts[context.0 as usize].roots[0];
    assert_ne!(again, ball);
    assert_eq!(scene.contexts[0].imports[1], ("L".into(), again));
    assert_eq!(
        (scene.routes.len(), scene.routes[routes + 2].to.0, scene.routes[routes + 3].from.0),
        (routes + 4, again, again)
    );
}

#[test]
fn fragments_have_their_own_names_and_the_contexts_prototypes() {
    let Loaded { mut scene, mut loader, .. } = load("fragment");
    let (nodes, contexts) = (scene.nodes.len(), scene.contexts.len());
    let classic = "DEF G Lamp { lit FALSE } DEF C TimeSensor {} ROUTE C.isActive TO G.lit";
    let roots = loader.add_fragment(&mut scene, ContextId(0), classic).expect("it loads");
    assert_eq!(roots.len(), 2);
    assert_eq!((scene.nodes.len(), scene.contexts.len()), (nodes + 3, contexts + 1));
    assert_eq!(scene.node(roots[0]).context, ContextId(0));
    assert!(!scene.contexts[0].roots.contains(&roots[0]), "the caller says where it stands");
    let xml = "<Transform translation='1 2 3'><ProtoInstance name='Lamp'/></Transform>";
    let roots = loader.add_fragment(&mut scene, ContextId(0), xml).expect("it loads");
    assert_eq!(value(&scene, roots[0], "translation"), Value::SFVec3f([1., 2., 3.]));
    let whole = "<X3D profile='Full' version='4.0'><Scene><Group/><Group/></Scene></X3D>";
    assert_eq!(loader.add_fragment(&mut scene, ContextId(0), whole).expect("it loads").len(), 2);

    let before = dump(&scene);
    for bad in [
        "Group { children USE G }",
        "Group {",
        "<Group><Nope/></Group>",
        "<Group>",
        "DEF X Group {} ROUTE X.a TO X.b",
    ] {
        let found = loader.add_fragment(&mut scene, ContextId(0), bad).expect_err(bad);
        assert!(said(&found).contains("main.x3dv (text):1:"), "{}", said(&found));
        assert_eq!(dump(&scene), before, "{bad}: a failure leaves the scene as it was");
    }
    assert!(loader.add_fragment(&mut scene, ContextId(99), "Group {}").is_err());
    let roots =
        loader.add_fragment(&mut scene, ContextId(0), "Lamp {}").expect("it loads after failures, too");
    assert_eq!(&*scene.node(roots[0]).node_type.name, "Lamp");
}

#[test]
fn nodes_of_an_address() {
    let Loaded { mut scene, mut loader, .. } = load("address");
    let urls = ["https://example.org/a.x3d".into(), "sub/ball one.x3dv".into()];
    let roots = loader.add_from_url(&mut scene, ContextId(0), &urls).expect("it loads");
    assert_eq!(roots.len(), 2);
    let found = loader.add_from_url(&mut scene, ContextId(0), &urls[..1]).expect_err("it is elsewhere");
    assert!(said(&found).contains("is no file here"), "{}", said(&found));
}

#[test]
fn a_thousand_inlines_of_one_file() {
    let inlines = "Inline { url \"ball.x3dv\" }\n".repeat(1000);
    let path =
        folder("thousand", &[("ball.x3dv", BALL), ("main.wrl", &format!("#VRML V2.0 utf8\n{inlines}"))]);
    let loaded =
        load_file(path.join("main.wrl"), &LoadOptions::default()).unwrap_or_else(|d| panic!("{}", said(&d)));
    assert_eq!((loaded.scene.nodes.len(), loaded.scene.contexts.len()), (6000, 2001));
}

#[test]
fn inlines_that_multiply_are_stopped() {
    let files: Vec<(String, String)> = (0..40)
        .map(|k| {
            (
                format!("f{k}.wrl"),
                format!(
                    "#VRML V2.0 utf8\nInline {{ url \"f{0}.wrl\" }} Inline {{ url \"f{0}.wrl\" }}",
                    k + 1
                ),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(f, t)| (&**f, &**t)).collect();
    let path = folder("bomb", &files);
    let options = LoadOptions { max_nodes: 10_000, ..LoadOptions::default() };
    let found = load_file(path.join("f0.wrl"), &options).expect_err("it multiplies");
    assert!(said(&found).contains("more than 10000 nodes"), "{}", said(&found));
    let options = LoadOptions { max_contexts: 100, ..LoadOptions::default() };
    let found = load_file(path.join("f0.wrl"), &options).expect_err("it multiplies");
    assert!(
        said(&found).contains("more than 100 instances of prototypes and inlined files"),
        "{}",
        said(&found)
    );
}

#[test]
fn an_inline_of_another_format_shows_nothing() {
    let path = folder(
        "formats",
        &[("main.wrl", "#VRML V2.0 utf8\nInline { url \"a.glb\" }"), ("a.glb", "glTF\u{1}")],
    );
    let loaded =
        load_file(path.join("main.wrl"), &LoadOptions::default()).unwrap_or_else(|d| panic!("{}", said(&d)));
    assert!(said(&loaded.diagnostics).contains("is no X3D file"), "{}", said(&loaded.diagnostics));
}

#[test]
fn imports_and_exports_in_xml() {
    let inlined = "<X3D profile='Full' version='3.3'><Scene><Transform DEF='T'/><EXPORT localDEF='T' AS='Out'/></Scene></X3D>";
    let main = "<X3D profile='Full' version='3.3'><Scene><Inline DEF='I' url='\"in.x3d\"'/>\
                <IMPORT inlineDEF='I' importedDEF='Out' AS='T'/><PositionInterpolator DEF='P'/>\
                <ROUTE fromNode='P' fromField='value_changed' toNode='T' toField='translation'/></Scene></X3D>";
    let path = folder("xml", &[("in.x3d", inlined), ("main.x3d", main)]);
    let loaded =
        load_file(path.join("main.x3d"), &LoadOptions::default()).unwrap_or_else(|d| panic!("{}", said(&d)));
    assert_eq!(said(&loaded.diagnostics), "");
    assert_eq!(loaded.scene.routes[0].to.0, node(&loaded.scene, "T"));
}

#[test]
fn addresses_are_relative_to_the_file_that_they_stand_in() {
    let path = folder(
        "relative",
        &[("main.wrl", "#VRML V2.0 utf8\nInline { url \"in/a.wrl\" } EXTERNPROTO P [] \"in/lib.wrl\" P {}")],
    );
    std::fs::create_dir_all(path.join("in/deep")).expect("a folder");
    let files = [
        ("in/a.wrl", "#VRML V2.0 utf8\nInline { url \"deep/b.wrl\" }"),
        ("in/deep/b.wrl", "#VRML V2.0 utf8\nInline { url \"../c.wrl\" }"),
        ("in/c.wrl", "#VRML V2.0 utf8\nDEF C Group {}"),
        ("in/lib.wrl", "#VRML V2.0 utf8\nPROTO P [] { Inline { url \"d.wrl\" } }"),
        ("in/d.wrl", "#VRML V2.0 utf8\nDEF D Group {}"),
    ];
    for (file, text) in files {
        std::fs::write(path.join(file), text).expect("a file");
    }
    let loaded =
        load_file(path.join("main.wrl"), &LoadOptions::default()).unwrap_or_else(|d| panic!("{}", said(&d)));
    assert_eq!(said(&loaded.diagnostics), "");
    node(&loaded.scene, "C");
    let d = node(&loaded.scene, "D");
    assert!(loaded.scene.node(d).location.file.ends_with("d.wrl"));
}
