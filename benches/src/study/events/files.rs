//! Files that the user has: real inputs, such as HAnim figures.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Setting, figure, report};

/// Runs the X3D files of a folder, if one is given.
///
/// # Errors
/// The folder cannot be read.
pub fn page(text: &mut String, setting: &Setting<'_>, folder: Option<&Path>) -> Result<()> {
    text.push_str("\n## Files\n\n");
    let Some(folder) = folder else {
        text.push_str(
            "Left out: `--assets DIR` names a folder of X3D files (HAnim figures, for example) to run.\n",
        );
        return Ok(());
    };
    let mut files = Vec::new();
    gather(folder, &mut files).with_context(|| format!("cannot read {}", folder.display()))?;
    text.push_str(
        "| file | nodes | routes | levels | tasks | deliveries in the last frame | one worker, ms | two, ms |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut refused = Vec::new();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let run = |workers| report(setting.program, setting.out, &path.to_string_lossy(), &[], workers);
        let (Ok(one), Ok(two)) = (run(1), run(2)) else {
            refused.push(name);
            continue;
        };
        let _ = write!(text, "| {name} |");
        for of in ["/nodes", "/routes", "/levels", "/tasks", "/events"] {
            let _ = write!(text, " {} |", figure(&one, of)?);
        }
        let _ = writeln!(
            text,
            " {:.4} | {:.4} |",
            figure(&one, "/step_ms/median")?,
            figure(&two, "/step_ms/median")?
        );
    }
    if !refused.is_empty() {
        let _ = writeln!(text, "\n`weft check` says what is wrong with: {}.", refused.join(", "));
    }
    Ok(())
}

/// X3D files of a folder and those in it, by name.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            gather(&path, files)?;
        } else if x3d::is_x3d(&path) {
            files.push(path);
        }
    }
    Ok(())
}
