//! What ARCHITECTURE.md names must exist, and it must stay short enough to be read.

use std::path::Path;

use anyhow::{Context, Result};

use super::{Findings, Source};

/// Lines that it may have.
const CAP: usize = 300;

/// Checks the paths and types that stand between backquotes.
pub fn check(root: &Path, sources: &[Source], findings: &mut Findings) -> Result<()> {
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    let lines = text.lines().count();
    if lines > CAP {
        findings.error(format!("ARCHITECTURE.md has {lines} lines; the cap is {CAP}"));
    }
    for (number, line) in text.lines().enumerate() {
        for quoted in line.split('`').skip(1).step_by(2) {
            let exists = match kind(quoted) {
                Kind::Path => root.join(quoted.trim_end_matches('/')).exists(),
                Kind::Type => sources.iter().any(|s| names(&s.text, quoted)),
                Kind::Other => true,
            };
            if !exists {
                findings.error(format!("ARCHITECTURE.md:{}: there is no `{quoted}`", number + 1));
            }
        }
    }
    Ok(())
}

enum Kind {
    /// Names a file or folder of the repository.
    Path,
    /// Names a type, trait or component class.
    Type,
    /// A command, an expression, a placeholder.
    Other,
}

fn kind(quoted: &str) -> Kind {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if quoted.is_empty() || !quoted.chars().all(plain) || quoted.starts_with(['.', '/', '-']) {
        return Kind::Other;
    }
    let is_file = [".rs", ".md", ".toml", ".scn"].iter().any(|e| quoted.ends_with(e));
    if quoted.contains('/') || is_file {
        return Kind::Path;
    }
    let upper = quoted.starts_with(|c: char| c.is_ascii_uppercase());
    let mixed = quoted.chars().any(|c| c.is_ascii_lowercase());
    if upper && mixed && quoted.chars().all(|c| c.is_ascii_alphanumeric()) { Kind::Type } else { Kind::Other }
}

/// Whether a text holds the name as a whole word.
fn names(text: &str, name: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(i, _)| {
        !inside(text[..i].chars().next_back()) && !inside(text[i + name.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_types_and_the_rest() {
        assert!(matches!(kind("sim-core/src/lib.rs"), Kind::Path));
        assert!(matches!(kind("clippy.toml"), Kind::Path));
        assert!(matches!(kind("ForceField"), Kind::Type));
        assert!(matches!(kind("cargo xtask ci"), Kind::Other));
        assert!(matches!(kind("--threads"), Kind::Other));
        assert!(matches!(kind("owner"), Kind::Other));
    }

    #[test]
    fn whole_words_only() {
        assert!(names("pub struct Store {", "Store"));
        assert!(!names("pub struct Stored {", "Store"));
    }
}
