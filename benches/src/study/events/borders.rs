//! The same nodes in one file, in prototypes, in inlined files, and in prototypes within prototypes: real X3D through the loader.

use std::fmt::Write;

use animation::event::field::Value;
use animation::event::runtime::EventOptions;
use animation::event::{FieldId, NodeId};
use anyhow::{Context, Result, bail};
use weft::events::gallery;
use x3d::LoadOptions;

use super::{Setting, Variant, graphs, measure, ratio};

const FORMS: [&str; 4] = ["flat", "protos", "inlines", "nested"];
/// How much longer a frame may take than that of the flat file.
const ALLOWED: f64 = 1.05;

/// Runs and compares them.
///
/// # Errors
/// A run fails, or a joint stands elsewhere.
pub fn page(text: &mut String, setting: &Setting<'_>) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let path = |form: &str| folder.path().join(format!("{form}.x3dv"));
    for form in FORMS {
        if form != "inlines" {
            std::fs::write(path(form), graphs::parade(setting.humanoids, form)?)?;
        }
    }
    for (name, text) in gallery::inlined_parade(setting.humanoids) {
        std::fs::write(folder.path().join(name), text)?;
    }
    let mut expected = None;
    let mut n_values = 0;
    for form in FORMS {
        let loaded = x3d::load_file(path(form), &LoadOptions::default());
        let scene = loaded.map_err(|found| graphs::refused(&found))?.scene;
        let values = joints(scene)?;
        n_values = values.len();
        match &expected {
            None => expected = Some(values),
            Some(flat) if *flat != values => bail!("{form}: joints stand elsewhere than in the flat file"),
            Some(_) => {}
        }
    }
    let mut variants = Vec::new();
    for workers in [1, 2] {
        for form in FORMS {
            let path = path(form);
            variants.push(Variant::new(form, &path.to_string_lossy(), &[], workers));
        }
    }
    measure(setting, &mut variants)?;
    let _ = writeln!(
        text,
        "\n## Borders\n\nScene 3 flat, as {0} instances of prototypes, as {0} inlined files, and as instances within instances, read from files. After five frames all {n_values} values of \
         joints are the same, bit by bit.\n\n| form | workers | ms | times flat | within 5 % |\n|---|---|---|---|---|",
        setting.humanoids
    );
    for (k, variant) in variants.iter().enumerate() {
        let flat = &variants[k / FORMS.len() * FORMS.len()];
        let ratio = ratio(variant, flat);
        let is_within = if ratio <= ALLOWED { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {ratio:.3} | {is_within} |",
            variant.name,
            variant.workers,
            variant.median()
        );
    }
    Ok(())
}

/// What moves, after five frames: bits of rotations and translations in the order of the file.
fn joints(scene: animation::event::scene::EventScene) -> Result<Vec<String>> {
    let mut simulation = graphs::simulation(scene, EventOptions::default(), &graphs::workers(1));
    for _ in 0..5 {
        simulation.step()?;
    }
    let scene = simulation.graph().scene();
    let mut values = Vec::new();
    for (k, node) in scene.nodes.iter().enumerate() {
        let field = match &*node.node_type.name {
            "HAnimJoint" => "rotation",
            "HAnimHumanoid" => "translation",
            _ => continue,
        };
        let Some(FieldId(f)) = node.node_type.field(field) else { continue };
        values.extend(simulation.value(NodeId(k as u32), FieldId(f)).map(bits));
    }
    Ok(values)
}

fn bits(value: Value) -> String {
    match value {
        Value::SFRotation(v) => format!("{:?}", v.map(f32::to_bits)),
        Value::SFVec3f(v) => format!("{:?}", v.map(f32::to_bits)),
        other => other.to_string(),
    }
}
