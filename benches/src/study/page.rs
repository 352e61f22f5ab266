//! The page of a study that is one text: what stands at its head, and where it goes.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::machine::Machine;
use super::{Arguments, Study};

/// What stands at the head: what the study is of, how to do it again, the machine.
pub fn heading(arguments: &Arguments, machine: &Machine) -> String {
    let name = arguments.study.name();
    let mut text = format!("# {}\n\n", title(arguments.study));
    if arguments.quick {
        text.push_str("Tried with `--quick`: these figures mean nothing.\n\n");
    }
    let _ = writeln!(
        text,
        "Made by `cargo run --release -p benches -- study {name}`.\n\n| machine | |\n|---|---|"
    );
    for (fact, value) in &machine.facts {
        let _ = writeln!(text, "| {fact} | {value} |");
    }
    text
}

fn title(study: Study) -> &'static str {
    match study {
        Study::Bars => "Bars",
        Study::Falling => "A heap",
        Study::Cloth => "Sheets",
        Study::Rig => "Rigs",
        Study::Events => "Event graphs",
        Study::Crowd => "Crowds of characters",
        Study::Game => "Games",
        Study::World => "One world",
    }
}

/// Writes the page and shows it.
///
/// # Errors
/// If there cannot be a file.
pub fn write(arguments: &Arguments, page: &str) -> Result<()> {
    let out = arguments.folder();
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let path = out.join("report.md");
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    print!("{page}");
    println!("written to {}", out.display());
    Ok(())
}
