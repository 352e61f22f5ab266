//! `weft check` of a behaviour tree.

use std::path::Path;

use animation::game::schedule::tree::{TreeOutline, check_tree};
use animation::skeleton::walk::task_names;
use scenes::diagnostics::{Diagnostic, Severity, did_you_mean};

use crate::program::command::scene::count;
use crate::program::failure::Failure;
use crate::program::say::{complain, say};

/// Checks a file of behaviour trees, and says what it has.
///
/// # Errors
/// What is wrong with it.
pub fn check_tree_file(name: &str) -> Result<(), Failure> {
    let text = std::fs::read_to_string(name).map_err(|e| Failure::input(Path::new(name), e))?;
    let outline = match check_tree(name, &text) {
        Ok(outline) => outline,
        Err(found) => {
            found.iter().for_each(|d| complain(&d.to_string()));
            say(&format!("{name}: would not run ({})", count(&found)));
            return Err(Failure::Said(1, String::new()));
        }
    };
    let warnings = unknown_to_walkers(&outline);
    warnings.iter().for_each(|d| complain(&d.to_string()));
    let TreeOutline { roots, nodes, tasks } = &outline;
    let tasks: Vec<&str> = tasks.iter().map(|(name, _)| name.as_str()).collect();
    let (trees, nodes) = (several(*roots, "tree"), several(*nodes, "node"));
    say(&format!(
        "{name}: would run ({}): {trees} of {nodes}, for a game that has the tasks {}",
        count(&warnings),
        tasks.join(", ")
    ));
    Ok(())
}

/// A tree with some tasks of characters that walk is meant for these, who know no others.
fn unknown_to_walkers(outline: &TreeOutline) -> Vec<Diagnostic> {
    let is_known = |name: &str| task_names().any(|known| known == name);
    if !outline.tasks.iter().any(|(name, _)| is_known(name)) {
        return Vec::new();
    }
    let unknown = outline.tasks.iter().filter(|(name, _)| !is_known(name));
    let warning = |(name, at): &(String, _)| {
        let text = format!("characters that walk (CharacterFile) have no task `{name}`");
        Diagnostic::new(Severity::Warning, at, text).suggestion(did_you_mean(name, task_names()))
    };
    unknown.map(warning).collect()
}

fn several(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
