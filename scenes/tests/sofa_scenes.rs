//! All scenes of SOFA's regression suite are parsed and their links resolved; skipped where the suite is absent.

use std::path::{Path, PathBuf};

use weft_scenes::diagnostics::Severity;
use weft_scenes::load::{LoadOptions, load_file};

/// What may be wrong with a scene: a class that SOFA has and we do not, or had and has no more; a system that is a part of a matrix.
fn is_expected(message: &str) -> bool {
    let expected = ["Weft not yet", "SOFA no longer has", "a solver's matrix here is always the whole one"];
    expected.iter().any(|words| message.contains(words))
}

#[test]
fn only_missing_components_keep_sofa_scenes_from_loading() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/sofa-regression");
    let Ok(list) = std::fs::read_to_string(suite.join("LIST")) else {
        println!("skipped: SOFA's regression suite is not here");
        return;
    };
    let options = LoadOptions {
        data_paths: vec![suite.join("share"), suite.join("examples")],
        ..LoadOptions::default()
    };
    let scenes: Vec<PathBuf> = list
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_whitespace().next())
        .map(|s| suite.join("examples").join(s))
        .collect();
    assert_eq!(scenes.len(), 60);
    let mut wrong = Vec::new();
    let mut loaded = 0;
    for scene in scenes {
        let findings = match load_file(&scene, &options) {
            Ok(s) => {
                loaded += 1;
                s.diagnostics
            }
            Err(e) => e.diagnostics,
        };
        for d in findings.into_iter().filter(|d| d.severity == Severity::Error) {
            assert!(d.location.line > 0, "no place: {d}");
            if !is_expected(&d.message) {
                wrong.push(d.to_string());
            }
        }
    }
    println!("{loaded} of 60 load");
    assert!(wrong.is_empty(), "{} unexpected:\n{}", wrong.len(), wrong.join("\n"));
}
