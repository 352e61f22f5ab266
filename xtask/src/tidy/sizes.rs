//! Files stay small enough to be read whole.

use std::path::Path;

use anyhow::Result;

use super::{Findings, Source};

/// Lines that a file may have, its tests included.
const CAP: usize = 800;

/// Files that may be longer: `"path" = "reason"`, one a line.
const EXEMPTIONS: &str = "xtask/tidy.toml";

/// Checks the length of every Rust file.
pub fn check(root: &Path, sources: &[Source], findings: &mut Findings) -> Result<()> {
    let exemptions = std::fs::read_to_string(root.join(EXEMPTIONS)).unwrap_or_default();
    let exempt = |path: &str| exemptions.lines().any(|l| l.starts_with(&format!("\"{path}\" = \"")));
    for source in sources {
        let lines = source.text.lines().count();
        if lines > CAP && !exempt(&source.path) {
            findings.error(format!("{} has {lines} lines; the cap is {CAP}", source.path));
        }
    }
    Ok(())
}
