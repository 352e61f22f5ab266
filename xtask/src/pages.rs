//! `cargo xtask pages`: a page for each family of components in `docs/components/`, made from what the program says of them and
//! from the comments in their sources.

mod comments;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::commands::{build_weft, weft};
use comments::comment;

const FOLDER: &str = "docs/components";
/// Where components are.
const SOURCES: &[&str] = &["components/src", "solvers/src", "scenes/src", "sim-core/src"];

/// Writes all pages.
///
/// # Errors
/// The program cannot be built or run; a page cannot be written.
pub fn write(root: &Path) -> Result<()> {
    build_weft(root)?;
    for (path, text) in pages(root)? {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(root))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Whether the pages are what the program would write.
///
/// # Errors
/// A page that is missing, old, or of a family that is no more.
pub fn check(root: &Path) -> Result<()> {
    let pages = pages(root)?;
    for (path, text) in &pages {
        if std::fs::read_to_string(root.join(path)).ok().as_ref() != Some(text) {
            bail!("{} is not what the components say of themselves: run `cargo xtask pages`", path.display());
        }
    }
    for entry in std::fs::read_dir(root.join(FOLDER))? {
        let path = Path::new(FOLDER).join(entry?.file_name());
        if !pages.contains_key(&path) {
            bail!("{} is of no family of components: remove it", path.display());
        }
    }
    Ok(())
}

/// The pages by path.
fn pages(root: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let families: Value = serde_json::from_str(&weft(root, &["list", "--components", "--json"])?)?;
    let sources = Sources::read(root)?;
    let mut pages = BTreeMap::new();
    let mut index = "# Components\n\nA page for each family, written by `cargo xtask pages`; `weft list --components` shows the same in a terminal.\n\n".to_owned();
    for family in list(&families) {
        let title = text(&family["title"]);
        let components = list(&family["components"]);
        if components.is_empty() {
            continue;
        }
        let name = format!("{}.md", title.to_lowercase().replace(' ', "_"));
        let _ = writeln!(index, "- [{title}]({name}): {}", components.len());
        let mut page = format!("# {title}\n\nWritten by `cargo xtask pages`.\n");
        components.iter().for_each(|c| component(&mut page, c, &sources));
        pages.insert(Path::new(FOLDER).join(name), page);
    }
    pages.insert(Path::new(FOLDER).join("README.md"), index);
    Ok(pages)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn joined(value: &Value, form: impl Fn(&str) -> String) -> String {
    list(value).iter().map(|v| form(text(v))).collect::<Vec<_>>().join(", ")
}

fn component(page: &mut String, c: &Value, sources: &Sources) {
    let class = text(&c["class"]);
    let code = |name: &str| format!("`{name}`");
    let _ = write!(page, "\n## {class}\n\n{}\n", text(&c["summary"]));
    if let Some((path, comment)) = sources.of(class) {
        let comment = comments::without_paragraph(&comment, text(&c["summary"]));
        if !comment.is_empty() {
            let _ = write!(page, "\n{comment}\n");
        }
        let _ = write!(page, "\nCode: [`{path}`](../../{path}).\n");
    }
    for (label, key) in [("Templates", "templates"), ("Older names", "old_names")] {
        if !list(&c[key]).is_empty() {
            let _ = write!(page, "\n{label}: {}.\n", joined(&c[key], code));
        }
    }
    let attributes = list(&c["attributes"]);
    if !attributes.is_empty() {
        page.push_str("\n| Attribute | Value | Default | Unit | Meaning |\n|---|---|---|---|---|\n");
    }
    for a in attributes {
        let names: Vec<String> =
            std::iter::once(&a["name"]).chain(list(&a["aliases"])).map(|n| code(text(n))).collect();
        let default = text(&a["default"]);
        let default = if default.is_empty() { String::new() } else { code(default) };
        let cells = [text(&a["form"]), &default, text(&a["unit"]), text(&a["summary"])];
        let cells: Vec<String> = cells.iter().map(|c| c.replace('|', "\\|")).collect();
        let _ = writeln!(page, "| {} | {} |", names.join(", "), cells.join(" | "));
    }
    let unsupported = list(&c["unsupported"]);
    if !unsupported.is_empty() {
        page.push_str("\nLeft out, and warned of:\n\n");
    }
    for a in unsupported {
        let _ = writeln!(page, "- {}: SOFA {}", code(text(&a["name"])), text(&a["summary"]));
    }
    if !list(&c["without_effect"]).is_empty() {
        let _ = write!(page, "\nWithout effect: {}.\n", joined(&c["without_effect"], code));
    }
    if !list(&c["gallery"]).is_empty() {
        let _ = write!(page, "\nIn the gallery: {}.\n", joined(&c["gallery"], code));
    }
}

/// What the sources of components say in their comments.
struct Sources(Vec<(String, String)>);

impl Sources {
    fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        let mut open: Vec<PathBuf> = SOURCES.iter().map(|s| root.join(s)).collect();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
                    files.push((name, std::fs::read_to_string(&path)?));
                }
            }
        }
        // The crates that describe components come before those that know them by name.
        files.sort_by_key(|(name, _)| (SOURCES.iter().position(|s| name.starts_with(s)), name.clone()));
        Ok(Self(files))
    }

    /// The file that describes a class, with what its comments say of what it computes.
    fn of(&self, class: &str) -> Option<(&str, String)> {
        let quoted = format!("\"{class}\"");
        let describes = |text: &str| {
            let text = text.split("#[cfg(test)]").next().unwrap_or(text);
            text.contains(&quoted) && text.contains("ComponentDescription")
        };
        let named = format!("/{}.rs", snake(class));
        let by_name = self.0.iter().find(|(path, text)| path.ends_with(&named) && describes(text));
        let (path, text) = by_name.or_else(|| self.0.iter().find(|(_, text)| describes(text)))?;
        Some((path, comment(text, class)))
    }
}

/// `PlaneForceField` as a file is named: `plane_force_field`.
fn snake(class: &str) -> String {
    let letters: Vec<char> = class.chars().collect();
    let mut out = String::new();
    for (k, c) in letters.iter().enumerate() {
        let after_small = k > 0 && !letters[k - 1].is_uppercase();
        let before_small = k > 0 && letters.get(k + 1).is_some_and(|n| n.is_lowercase());
        if c.is_uppercase() && (after_small || before_small) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_named_as_files_are() {
        assert_eq!(snake("PlaneForceField"), "plane_force_field");
        assert_eq!(snake("CGLinearSolver"), "cg_linear_solver");
        assert_eq!(snake("TetrahedronFEMForceField"), "tetrahedron_fem_force_field");
    }
}
