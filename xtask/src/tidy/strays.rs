//! What lies at the root: nothing that a program wrote there.

use std::path::Path;

use anyhow::Result;

use super::Findings;

/// Refuses files at the root that are no settings and no documents: scenes that write files were run there.
pub fn check(root: &Path, findings: &mut Findings) -> Result<()> {
    for entry in std::fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && !belongs(&name) {
            findings.error(format!("{name} lies at the root: a scene that was run there wrote it"));
        }
    }
    Ok(())
}

fn belongs(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    name.starts_with('.') || name.starts_with("LICENSE") || ["md", "toml", "lock"].contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::belongs;

    #[test]
    fn meshes_do_not_belong_at_the_root() {
        assert!(["README.md", "Cargo.lock", ".gitignore", "LICENSE-MIT"].into_iter().all(belongs));
        assert!(!["outFile.stl", "tongue0.vtu", "tongue0.vtu.~1~", "log"].into_iter().any(belongs));
    }
}
