//! The files of a crate use each other without circles.
//!
//! A folder's root (`mod.rs`) and the files below it are one in this respect: the root hands on what these hold.

use std::collections::{BTreeMap, BTreeSet};

use super::uses::{Named, code, named, test_modules};
use super::{Findings, Source};

/// The path of a module below its crate's root.
type Module = Vec<String>;

/// Modules that are one in this respect: component traits name what their implementers are given (a constructor the scene,
/// a solver the visitor), the scene keeps what implements them, and visitors walk the scene. In the engine, the store, what binds a
/// task to it, and what lists and kept work add to both.
const ONE: &[(&str, &[&str])] = &[("sim-core", &["component", "scene", "visitor"]), ("engine", &["data"])];

/// Checks every crate of the workspace.
pub fn check(sources: &[Source], findings: &mut Findings) {
    let mut crates: BTreeMap<&str, BTreeMap<Module, &str>> = BTreeMap::new();
    for source in sources {
        let Some((name, path)) = source.path.split_once("/src/") else { continue };
        if path.starts_with("bin/") {
            continue;
        }
        crates.entry(name).or_default().insert(module(path), &source.text);
    }
    for (name, files) in &crates {
        let uses = uses(name, files);
        if let Some(circle) = circle(&uses) {
            let words: Vec<String> = circle.iter().map(|m| m.join("/")).collect();
            findings.error(format!("files of {name} use each other in a circle: {}", words.join(" -> ")));
        }
    }
}

/// The module of a file.
fn module(path: &str) -> Module {
    let mut words: Module = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if words.last().is_some_and(|w| ["mod", "lib", "main"].contains(&w.as_str())) {
        words.pop();
    }
    words
}

/// What each file uses of the others.
fn uses(crate_name: &str, files: &BTreeMap<Module, &str>) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut tests = Vec::new();
    for (module, text) in files {
        tests.extend(test_modules(text).into_iter().map(|t| [module.as_slice(), &[t.to_owned()]].concat()));
    }
    let is_test = |m: &Module| tests.iter().any(|t| m.starts_with(t));
    let names: BTreeMap<Module, Vec<Named>> =
        files.iter().filter(|(m, _)| !is_test(m)).map(|(m, text)| (m.clone(), named(&code(text)))).collect();
    let one = |a: &Module, b: &Module| {
        let within = |m: &Module, one: &[&str]| m.first().is_some_and(|w| one.contains(&w.as_str()));
        a.starts_with(b)
            || b.starts_with(a)
            || ONE.iter().any(|(name, one)| *name == crate_name && within(a, one) && within(b, one))
    };
    let used = |from: &Module, paths: &Vec<Named>| -> BTreeSet<Module> {
        let to = paths.iter().filter_map(|n| find(from, &n.words, &names, 0));
        to.filter(|to| !one(from, to)).collect()
    };
    names.iter().map(|(from, paths)| (from.clone(), used(from, paths))).collect()
}

/// The file that a path leads to from another one; none where it leads out of the crate.
fn find(
    from: &Module,
    words: &[String],
    names: &BTreeMap<Module, Vec<Named>>,
    depth: usize,
) -> Option<Module> {
    let mut at = from.clone();
    let mut words = words;
    match words.first()?.as_str() {
        "crate" => (at, words) = (Module::new(), &words[1..]),
        "self" => words = &words[1..],
        "super" => {
            while words.first().is_some_and(|w| w == "super") {
                at.pop();
                words = &words[1..];
            }
        }
        first => {
            let below = [at.as_slice(), &[first.to_owned()]].concat();
            names.get(&below)?;
        }
    }
    while let Some(word) = words.first() {
        let below = [at.as_slice(), std::slice::from_ref(word)].concat();
        if !names.contains_key(&below) {
            break;
        }
        (at, words) = (below, &words[1..]);
    }
    // What a root hands on lies where it has it from.
    if let Some(word) = words.first().filter(|_| depth < 6) {
        let handed = |n: &&Named| n.is_reexport && n.words.last() == Some(word) && n.words.len() > 1;
        let onward = names.get(&at)?.iter().find(handed);
        if let Some(found) = onward.and_then(|n| find(&at, &n.words, names, depth + 1)) {
            return Some(found);
        }
    }
    Some(at)
}

/// Some circle, its first file repeated at the end.
fn circle(uses: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    fn walk<'a>(
        at: &'a Module,
        uses: &'a BTreeMap<Module, BTreeSet<Module>>,
        path: &mut Vec<&'a Module>,
        done: &mut BTreeSet<&'a Module>,
    ) -> Option<Vec<Module>> {
        if let Some(i) = path.iter().position(|p| *p == at) {
            return Some(path[i..].iter().copied().chain([at]).cloned().collect());
        }
        if done.contains(at) {
            return None;
        }
        path.push(at);
        for next in uses.get(at).into_iter().flatten() {
            if let Some(found) = walk(next, uses, path, done) {
                return Some(found);
            }
        }
        path.pop();
        done.insert(at);
        None
    }
    let mut done = BTreeSet::new();
    uses.keys().find_map(|m| walk(m, uses, &mut Vec::new(), &mut done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_named() {
        let files = |c: &'static str| -> BTreeMap<Module, &'static str> {
            let files = [
                ("lib.rs", "mod a;\nmod b;\nmod f;"),
                ("a.rs", "use super::b::B;\nuse crate::f::C;"),
                (
                    "b.rs",
                    "use std::fmt;\nfn g() { crate::f::c::h() }\n#[cfg(test)]\nmod tests {\n    use super::super::a;\n}",
                ),
                ("f/mod.rs", "mod c;\npub use c::C;"),
                ("f/c.rs", c),
            ];
            files.into_iter().map(|(path, text)| (module(path), text)).collect()
        };
        assert_eq!(circle(&uses("", &files("use super::D;"))), None);
        let found = circle(&uses("", &files("use crate::a;"))).unwrap_or_default();
        assert_eq!(found.iter().map(|m| m.join("/")).collect::<Vec<_>>(), ["a", "b", "f/c", "a"]);
    }
}
