//! The rules of the house that a machine can check.

mod architecture;
mod circles;
mod components;
mod layers;
mod sizes;
mod strays;
mod uses;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// What is wrong, and what is only worth knowing.
#[derive(Default)]
pub struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    /// Fails the check.
    pub fn error(&mut self, message: impl Into<String>) {
        self.errors.push(message.into());
    }
    /// Is printed, and fails nothing.
    pub fn warning(&mut self, message: impl Into<String>) {
        self.warnings.push(message.into());
    }
}

/// Checks everything.
///
/// # Errors
/// Where a rule is broken, after printing all that are.
pub fn run(root: &Path) -> Result<()> {
    let mut findings = Findings::default();
    let sources = sources(root)?;
    strays::check(root, &mut findings)?;
    layers::check(root, &mut findings)?;
    circles::check(&sources, &mut findings);
    sizes::check(root, &sources, &mut findings)?;
    components::check(root, &sources, &mut findings)?;
    architecture::check(root, &sources, &mut findings)?;
    for w in &findings.warnings {
        println!("tidy: warning: {w}");
    }
    for e in &findings.errors {
        println!("tidy: error: {e}");
    }
    if !findings.errors.is_empty() {
        bail!("tidy: {} errors", findings.errors.len());
    }
    Ok(())
}

/// A Rust file of the repository.
pub struct Source {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// All Rust files of the repository, sorted by path; build folders and hidden ones left out.
fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path: PathBuf = entry?.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") {
                let relative = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                found.push(Source { path: relative, text: std::fs::read_to_string(&path)? });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
