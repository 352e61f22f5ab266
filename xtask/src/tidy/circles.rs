//! The modules of a crate use each other without circles.

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, Source};

/// The modules directly below each crate's root, and what they use of each other.
type Uses = BTreeMap<String, BTreeSet<String>>;

/// Modules that are one in this respect: component traits name what their implementers are given (a constructor the scene,
/// a solver the visitor), the scene keeps what implements them, and visitors walk the scene.
const ONE: &[(&str, &[&str])] = &[("sim-core", &["component", "scene", "visitor"])];

/// Checks every crate of the workspace.
pub fn check(sources: &[Source], findings: &mut Findings) {
    let mut crates: BTreeMap<&str, Uses> = BTreeMap::new();
    for source in sources {
        let Some((name, path)) = source.path.split_once("/src/") else { continue };
        if path == "lib.rs" || path == "main.rs" || path.starts_with("bin/") {
            continue;
        }
        let module = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
        let uses = crates.entry(name).or_default().entry(module.to_owned()).or_default();
        uses.extend(used(&source.text).into_iter().filter(|m| m != module && !one(name, module, m)));
    }
    for (name, uses) in &crates {
        if let Some(circle) = circle(uses) {
            findings
                .error(format!("the modules of {name} use each other in a circle: {}", circle.join(" -> ")));
        }
    }
}

fn one(crate_name: &str, a: &str, b: &str) -> bool {
    ONE.iter().any(|(name, modules)| *name == crate_name && modules.contains(&a) && modules.contains(&b))
}

/// The modules that a file names after `crate::`, in code that is not a test's.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let mut found = BTreeSet::new();
    for line in code.lines().filter(|l| !l.trim_start().starts_with("//")) {
        for rest in line.split("crate::").skip(1) {
            let words = rest.strip_prefix('{').map_or(rest, |list| list.trim_end_matches("};"));
            let several = rest.starts_with('{');
            for word in words.split(',').take(if several { usize::MAX } else { 1 }) {
                let name: String =
                    word.trim().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                if name.starts_with(|c: char| c.is_ascii_lowercase()) {
                    found.insert(name);
                }
            }
        }
    }
    found
}

/// Some circle, its first module repeated at the end.
fn circle(uses: &Uses) -> Option<Vec<String>> {
    fn walk(
        at: &str,
        uses: &Uses,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(i) = path.iter().position(|p| p == at) {
            return Some(path[i..].iter().cloned().chain([at.to_owned()]).collect());
        }
        if done.contains(at) {
            return None;
        }
        path.push(at.to_owned());
        for next in uses.get(at).into_iter().flatten() {
            if let Some(found) = walk(next, uses, path, done) {
                return Some(found);
            }
        }
        path.pop();
        done.insert(at.to_owned());
        None
    }
    let mut done = BTreeSet::new();
    uses.keys().find_map(|m| walk(m, uses, &mut Vec::new(), &mut done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_found_and_circles_named() {
        let text = "use crate::{data, math::Vec3};\n// crate::scene\nfn f() { crate::graph::g() }\n#[cfg(test)]\nmod tests { use crate::exec; }";
        assert_eq!(used(text).into_iter().collect::<Vec<_>>(), ["data", "graph", "math"]);
        let mut uses = Uses::new();
        uses.entry("a".into()).or_default().insert("b".into());
        uses.entry("b".into()).or_default().insert("c".into());
        assert_eq!(circle(&uses), None);
        uses.entry("c".into()).or_default().insert("a".into());
        assert_eq!(circle(&uses), Some(["a", "b", "c", "a"].map(str::to_owned).to_vec()));
    }
}
