//! How fast a file of a million nodes is read.

use std::fmt::Write;
use std::time::Instant;

use anyhow::Result;

use super::{Setting, graphs, middle};

/// Humanoids of scene 3 that make a million nodes, at 143 each.
const HUMANOIDS: usize = 7_000;
/// Times that a text is read.
const ROUNDS: usize = 3;

/// Reads scene 3, flat and as instances of prototypes, as large as it takes to have a million nodes.
///
/// # Errors
/// The text does not load.
pub fn page(text: &mut String, setting: &Setting<'_>) -> Result<()> {
    text.push_str(
        "\n## Loading\n\nScene 3 with as many humanoids as make a million nodes, as ClassicVRML in memory: what it takes to read it, check it and resolve its routes. One thread.\n\n| form | MB of text | nodes | routes | s | nodes a second |\n|---|---|---|---|---|---|\n",
    );
    let humanoids = HUMANOIDS.min(7 * setting.humanoids);
    for form in ["flat", "protos"] {
        let source = graphs::parade(humanoids, form)?;
        let (mut times, mut size) = (Vec::new(), (0, 0));
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let scene = graphs::scene_of(&source)?;
            times.push(begin.elapsed().as_secs_f64());
            size = (scene.nodes.len(), scene.routes.len());
        }
        let seconds = middle(times);
        let _ = writeln!(
            text,
            "| {form} | {:.0} | {} | {} | {seconds:.2} | {:.0} |",
            source.len() as f64 * 1e-6,
            size.0,
            size.1,
            size.0 as f64 / seconds
        );
    }
    Ok(())
}
