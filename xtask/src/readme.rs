//! What the README promises, to be run as it stands there.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// The test command: the line in a code block of the README that begins with `cargo test`.
///
/// # Errors
/// Where there is none, or more than one.
pub fn test_command(root: &Path) -> Result<String> {
    let readme = std::fs::read_to_string(root.join("README.md")).context("README.md")?;
    let found: Vec<&str> = code_lines(&readme).filter(|l| l.starts_with("cargo test")).collect();
    match found.as_slice() {
        [command] => Ok((*command).to_owned()),
        _ => bail!("README.md must hold exactly one line that begins with `cargo test`, not {}", found.len()),
    }
}

/// The lines of all code blocks (indented by four, or fenced), trimmed, without trailing remarks.
fn code_lines(markdown: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    markdown.lines().filter_map(move |line| {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            return None;
        }
        (fenced || line.starts_with("    ")).then(|| line.split("  #").next().unwrap_or(line).trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_fenced_or_indented() {
        let text = "cargo a\n\n    cargo b   # remark\n\n```sh\ncargo c\n```\n`cargo d`\n";
        let lines: Vec<&str> = code_lines(text).collect();
        assert_eq!(lines, ["cargo b", "cargo c"]);
    }
}
