//! Commands that several parts run: cargo's, and the program's.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A cargo command in the repository's root. What it compiles is not compiled again: notes for doing so in parts would
/// only take time and disk.
pub fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments).env("CARGO_INCREMENTAL", "0");
    command
}

/// Runs a command to its end.
///
/// # Errors
/// It cannot be started, or fails.
pub fn finish(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(())
}

/// Runs `weft` as it was built last, and returns what it printed.
///
/// # Errors
/// It is not there, or fails.
pub fn weft(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(root.join("target/debug/weft"))
        .current_dir(root)
        .args(arguments)
        .output()
        .context("target/debug/weft")?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("weft {}: {}\n{errors}", arguments.join(" "), output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Builds the program without its window.
///
/// # Errors
/// It does not compile.
pub fn build_weft(root: &Path) -> Result<()> {
    finish(cargo(root, &["build", "--package", "weft", "--no-default-features", "--locked"]))
}
