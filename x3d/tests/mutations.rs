//! Files that are no files: whatever stands in them, they load and play, or say what is wrong.
//!
//! `MUTATIONS=100000 cargo test -p weft-x3d --release --test mutations -- --nocapture` tries as many.

use std::path::{Path, PathBuf};

use animation::event::runtime::{EventGraph, EventOptions};
use diagnostics::Severity;
use engine::data::Store;
use proptest::prelude::*;
use weft_x3d::script::fragments::Fragments;
use weft_x3d::script::limits::Limits;
use weft_x3d::script::source::LocalFiles;
use weft_x3d::script::{AllNodes, Scripts};
use weft_x3d::{LoadOptions, Loaded, load_file, load_text};

#[path = "support/one_by_one.rs"]
mod one_by_one;
use one_by_one::OneByOne;

/// Small limits: a mutated prototype may multiply.
fn options() -> LoadOptions {
    LoadOptions {
        max_nodes: 20_000,
        max_values: 400_000,
        max_file_bytes: 1 << 22,
        loads_inlines: false,
        ..LoadOptions::default()
    }
}

/// Scenes of all encodings.
const SEEDS: &[(&str, &str)] = &[
    (
        "seed.x3dv",
        "#X3D V3.3 utf8\nPROFILE Full\nCOMPONENT HAnim:1\nPROTO P [ inputOutput SFVec3f p 0 1 2 initializeOnly MFNode c [ Group { } ] \
         inputOnly SFBool b ] { DEF T Transform { translation IS p children IS c } DEF S Script { inputOnly SFBool b IS b url \
         \"ecmascript: function b(v) { }\" } }\nDEF A P { p 1 2 3 } DEF B Transform { children [ USE A Shape { geometry Text { \
         string [ \"a\" \"b\\\"\" ] } appearance Appearance { texture PixelTexture { image 2 1 3 0xFF 0x10 } } } ] }\n\
         DEF C TimeSensor { loop TRUE } DEF D PositionInterpolator { key [ 0, 0.5 1e0 ] keyValue [ 0 0 0, 1 1 1 2 2 2 ] }\n\
         ROUTE C.fraction_changed TO D.set_fraction\nROUTE D.value_changed TO B.set_translation\nROUTE C.isActive TO A.b\n\
         EXTERNPROTO E [ inputOnly SFTime t ] [ \"e.wrl#E\" ]\nDEF I Inline { load FALSE } IMPORT I.x AS y EXPORT A AS z",
    ),
    (
        "seed.x3d",
        "<?xml version='1.0'?><!DOCTYPE X3D><X3D profile='Full' version='4.0'><head><component name='HAnim' level='1'/></head><Scene>\
         <ProtoDeclare name='P'><ProtoInterface><field name='p' accessType='inputOutput' type='SFVec3f' value='0 1 2'/>\
         <field name='c' accessType='initializeOnly' type='MFNode'><Group/></field></ProtoInterface><ProtoBody><Transform DEF='T'>\
         <IS><connect nodeField='translation' protoField='p'/><connect nodeField='children' protoField='c'/></IS></Transform>\
         </ProtoBody></ProtoDeclare><ProtoInstance DEF='A' name='P'><fieldValue name='p' value='1 2 3'/><fieldValue name='c'><Group/>\
         </fieldValue></ProtoInstance><Transform DEF='B'><Shape><Text string='\"a\" \"b\\\"\"'/></Shape></Transform>\
         <Script DEF='S'><field name='x' accessType='inputOnly' type='SFFloat'/><![CDATA[ecmascript: a < b]]></Script>\
         <TimeSensor DEF='C' loop='true'/><ROUTE fromNode='C' fromField='fraction_changed' toNode='S' toField='x'/>\
         <ExternProtoDeclare name='E' url='\"e.x3d#E\"'><field name='t' accessType='inputOnly' type='SFTime'/></ExternProtoDeclare>\
         <Inline DEF='I' load='false' url='\"a.x3d\"'/><IMPORT inlineDEF='I' importedDEF='x' AS='y'/><EXPORT localDEF='A'/>\
         </Scene></X3D>",
    ),
    (
        "seed.wrl",
        "#VRML V2.0 utf8\nPROTO Q [ field SFFloat r 2 eventIn SFTime go ] { DEF X Sphere { radius IS r } }\nDEF L LOD { level [ Q { r 3 } \
         Group { children [ ] } ] range [ 3 ] }\nDEF W Switch { whichChoice -1 choice USE L }\nROUTE L.addChildren TO W.choice",
    ),
];

/// Words that mean something to one of the readers.
const WORDS: &[&str] = &[
    "DEF ",
    "USE ",
    "PROTO ",
    "EXTERNPROTO ",
    "ROUTE ",
    " TO ",
    " IS ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "#",
    "\n",
    ".",
    "TRUE",
    "NULL",
    "-",
    "1e99",
    "0x",
    "NaN",
    "inputOnly ",
    "SFNode ",
    "MFNode ",
    "Group { }",
    "Script { }",
    "Inline { url \"seed.wrl\" }",
    "IMPORT ",
    "EXPORT ",
    "<",
    ">",
    "/>",
    "</Group>",
    "<Group>",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#0;",
    "='",
    "'",
    "<!--",
    "-->",
    "<Script>",
    "<field ",
    "<IS>",
    "USE='A'",
    "é",
    "\u{0}",
    "PROFILE ",
    "COMPONENT ",
    "P { }",
    "A",
    "containerField='c'",
];

/// One step of a generator with a short state (xorshift).
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as usize
}

/// A text with a few changes.
fn mutate(text: &str, state: &mut u64) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + next(state) % 6 {
        let place = next(state) % (chars.len() + 1);
        let end = (place + next(state) % 40).min(chars.len());
        match next(state) % 6 {
            0 => drop(chars.drain(place..end)),
            1 => {
                let piece: Vec<char> = chars[place..end].to_vec();
                let to = next(state) % (chars.len() + 1);
                chars.splice(to..to, piece);
            }
            2 => drop(chars.splice(place..place, WORDS[next(state) % WORDS.len()].chars())),
            3 => drop(chars.splice(place..end, WORDS[next(state) % WORDS.len()].chars())),
            4 if place < chars.len() => chars[place] = char::from((next(state) % 128) as u8),
            5 => chars.truncate(place),
            _ => {}
        }
        if chars.is_empty() {
            break;
        }
    }
    chars.into_iter().collect()
}

/// Plays some frames: no node fails, whatever it says.
fn play(loaded: Loaded) {
    const FRAMES: u32 = 3;
    let scripts = Scripts::new(Limits { steps: 500_000, ..Limits::default() }, LocalFiles);
    let nodes = AllNodes { scripts, ..AllNodes::default() };
    let mut graph =
        EventGraph::new(loaded.scene, Box::new(nodes), EventOptions { log: true, ..EventOptions::default() });
    graph.set_loader(Box::new(Fragments::new(loaded.loader)));
    let (mut store, mut player) = (Store::new(), OneByOne::default());
    for frame in 0..FRAMES {
        let time = 1.0 + 0.3 * f64::from(frame);
        graph.frame(&mut store, &mut player, time).expect("no node fails");
    }
    graph.end(&mut store);
}

/// Loads a text; what comes of it must hang together.
fn try_text(text: &str, file: &str) -> bool {
    match load_text(text, file, &options()) {
        Ok(loaded) => {
            let scene = &loaded.scene;
            for node in &scene.nodes {
                assert_eq!(node.values.len(), node.node_type.fields.len());
                assert!((node.context.0 as usize) < scene.contexts.len());
                for (value, field) in node.values.iter().zip(&node.node_type.fields) {
                    assert_eq!(value.field_type(), field.field_type);
                }
            }
            for route in &scene.routes {
                assert_eq!(scene.field(route.from).field_type, scene.field(route.to).field_type);
            }
            play(loaded);
            true
        }
        Err(found) => {
            assert!(!found.is_empty());
            false
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_texts_never_panic(seed in 0..SEEDS.len(), state in 1..u64::MAX) {
        let (file, text) = SEEDS[seed];
        try_text(&mutate(text, &mut { state }), file);
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,200}", header in 0..4_usize) {
        let header = ["", "#X3D V3.3 utf8\nPROFILE Full\n", "#VRML V2.0 utf8\n", "<X3D profile='Full'><Scene>"][header];
        try_text(&format!("{header}{text}"), "any.x3dv");
    }
}

#[test]
fn the_seeds_load() {
    for (file, text) in SEEDS {
        if let Err(found) = load_text(text, file, &options()) {
            assert_eq!(*file, "seed.wrl", "{found:?}");
            let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
            assert!(errors.len() == 1 && errors[0].to_string().contains("sends no events"), "{found:?}");
        }
    }
}

/// As many mutated files as the environment asks for, of the seeds and of the files that are at hand.
#[test]
fn many_mutated_files() {
    let count: usize = std::env::var("MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let mut texts: Vec<(String, String)> =
        SEEDS.iter().map(|(f, t)| ((*f).to_owned(), (*t).to_owned())).collect();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/animation-assets/x3d")];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path)
                && text.len() < 20_000
            {
                texts.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutated.x3d");
    let mut state = 0x9E37_79B9_7F4A_7C15;
    let (mut loaded, mut slowest) = (0, (0., 0));
    for k in 0..count {
        let (name, text) = &texts[next(&mut state) % texts.len()];
        let text = mutate(text, &mut state);
        let start = std::time::SystemTime::now();
        if k % 100 == 0 {
            // Files are read as bytes: some have broken characters.
            let mut bytes = text.into_bytes();
            let place = next(&mut state) % (bytes.len() + 1);
            bytes.insert(place, next(&mut state) as u8);
            std::fs::write(&file, bytes).expect("a file");
            loaded += usize::from(load_file(&file, &options()).map(play).is_ok());
        } else {
            loaded += usize::from(try_text(&text, name));
        }
        let took = start.elapsed().map_or(0., |t| t.as_secs_f64());
        if took > slowest.0 {
            slowest = (took, k);
        }
    }
    println!(
        "{count} mutated files of {} texts: {loaded} load and play; the slowest, number {}, took {:.3} s",
        texts.len(),
        slowest.1,
        slowest.0
    );
    assert!(slowest.0 < 20., "file {} took {} s", slowest.1, slowest.0);
}
