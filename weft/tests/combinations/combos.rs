//! The reference against SOFA's own states of combined scenes, where these are at hand.

use std::path::Path;

use scenes::load::{LoadOptions, load_file};
use serde_json::Value;

use crate::reference::Reference;

/// Where SOFA's states lie, beside the repository.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/combos");

fn numbers(rows: &Value) -> Vec<f64> {
    let row = |r: &Value| r.as_array().into_iter().flatten().filter_map(Value::as_f64).collect::<Vec<_>>();
    rows.as_array().into_iter().flatten().flat_map(row).collect()
}

/// The greatest difference of the reference's states from SOFA's, relative to 1 + their size, with step and object.
fn compare(scene: &Path, expected: &str) -> Result<(f64, String), String> {
    // COMBOS_DATA=folder:folder: where the meshes of such scenes are.
    let data_paths = std::env::var_os("COMBOS_DATA");
    let data_paths = data_paths.iter().flat_map(std::env::split_paths).collect();
    let options = LoadOptions { data_paths, ..LoadOptions::default() };
    let loaded = load_file(scene, &options).map_err(|e| e.to_string())?;
    let mut reference = Reference::new(loaded.scene)?;
    let mut worst = (0.0, String::new());
    let mut step = 0;
    for line in expected.lines() {
        let line: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        while step < line["step"].as_u64().unwrap_or(0) {
            reference.step()?;
            step += 1;
        }
        let object = line["object"].as_str().unwrap_or_default();
        let state = reference.find(object).ok_or(format!("no state {object}"))?;
        let state = &reference.states[state];
        for (found, wanted) in [(&state.x, &line["position"]), (&state.v, &line["velocity"])] {
            let wanted = numbers(wanted);
            if wanted.len() != found.len() {
                return Err(format!("{object} has {} numbers, SOFA's {}", found.len(), wanted.len()));
            }
            for (a, b) in found.iter().zip(&wanted) {
                let apart = (a - b).abs() / (1.0 + b.abs());
                if apart > worst.0 {
                    worst = (apart, format!("step {step}, {object}: {a} for {b}"));
                }
            }
        }
    }
    Ok(worst)
}

#[test]
fn the_reference_moves_as_sofa_does() {
    // COMBOS=folder: other scenes, with states that anybody has computed.
    let path = std::env::var("COMBOS").unwrap_or_else(|_| FOLDER.to_owned());
    let Ok(folder) = std::fs::read_dir(&path) else {
        println!("skipped: SOFA's states are not at hand ({path})");
        return;
    };
    let mut scenes: Vec<_> =
        folder.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "scn")).collect();
    scenes.sort();
    let mut wrong = Vec::new();
    for scene in scenes {
        let expected =
            std::fs::read_to_string(scene.with_extension("expected.jsonl")).expect("SOFA's states");
        let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match compare(&scene, &expected) {
            Ok((apart, place)) => {
                println!("{name}: {apart:e} {place}");
                if apart > 1e-8 {
                    wrong.push(name);
                }
            }
            Err(e) => {
                println!("{name}: {e}");
                wrong.push(name);
            }
        }
    }
    assert!(wrong.is_empty(), "the reference differs from SOFA in {wrong:?}");
}
