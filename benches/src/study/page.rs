//! The page of a study that is one text: what stands at its head, and where it goes.

use anyhow::{Context, Result};

use super::Arguments;
use super::machine::Machine;

/// What stands at the head: what the study is of, how to do it again, the machine.
pub fn heading(title: &str, arguments: &Arguments, machine: &Machine) -> String {
    let quick = if arguments.quick { "Tried with `--quick`: these figures mean nothing.\n\n" } else { "" };
    let command = format!("cargo run --release -p benches -- study {}", arguments.study.name());
    format!("# {title}\n\n{quick}Made by `{command}`.\n\n{}", machine.table())
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
