//! Expands `include` elements and prefabs: what is left are nodes and components.
//!
//! **Source:** as SOFA's XML loader. An attribute of an include replaces the attribute of that name in every component of the
//! included tree *that already has it written*; `Name__a` does so only in elements called `Name`; nodes are never touched.

use std::path::PathBuf;

use crate::diagnostics::{Diagnostic, Severity};
use crate::element::{Attribute, Element};
use crate::files::FileFinder;
use crate::parse::{DEEPEST, parse_file};

/// A scene may grow to this many elements by includes.
const MOST_ELEMENTS: usize = 5_000_000;

/// Expands all includes below `root`.
///
/// `is_class` says which names are components; any other element `X` for which a file `Objects/X.xml` is found is a prefab.
pub fn expand(
    root: &mut Element,
    files: &FileFinder,
    is_class: &dyn Fn(&str) -> bool,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let stack = std::fs::canonicalize(root.location.file.as_ref()).into_iter().collect();
    let mut includer = Includer { files, is_class, diagnostics, stack, n_elements: root.count() };
    includer.expand_children(root, 0);
}

struct Includer<'a> {
    files: &'a FileFinder,
    is_class: &'a dyn Fn(&str) -> bool,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Files being included, outermost first.
    stack: Vec<PathBuf>,
    n_elements: usize,
}

impl Includer<'_> {
    fn expand_children(&mut self, element: &mut Element, depth: usize) {
        let children = std::mem::take(&mut element.children);
        for mut child in children {
            match self.included_file(&child) {
                None => {
                    self.expand_children(&mut child, depth + 1);
                    element.children.push(child);
                }
                Some(Err(message)) => self.error(&child, message),
                Some(Ok(path)) => {
                    if let Some(tree) = self.include(&child, path, depth + 1) {
                        splice(element, tree);
                    }
                }
            }
        }
    }

    /// The file that an element stands for, if it is an include or a prefab.
    fn included_file(&self, element: &Element) -> Option<Result<PathBuf, String>> {
        let from = &element.location.file;
        if element.class == "include" {
            return Some(match element.get("href") {
                Some(href) => self.files.find(href, from),
                None => Err("`include` needs the attribute `href`: the file to include".to_owned()),
            });
        }
        let plain = element.class.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if element.is_node() || !plain || (self.is_class)(&element.class) {
            return None;
        }
        let prefab = format!("Objects/{}.xml", element.class);
        self.files.exists(&prefab, from).then(|| self.files.find(&prefab, from))
    }

    fn include(&mut self, element: &Element, path: PathBuf, depth: usize) -> Option<Element> {
        let canonical = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if let Some(first) = self.stack.iter().position(|p| *p == canonical) {
            let mut chain: Vec<String> =
                self.stack[first..].iter().map(|p| p.display().to_string()).collect();
            chain.push(canonical.display().to_string());
            self.error(element, format!("a cycle of includes: {}", chain.join(" -> ")));
            return None;
        }
        if depth > DEEPEST {
            self.error(element, format!("includes make nodes nest deeper than {DEEPEST} levels"));
            return None;
        }
        let mut tree = match parse_file(&path) {
            Ok(file) => {
                self.diagnostics.extend(file.warnings);
                file.root
            }
            Err(d) => {
                self.diagnostics.push(*d);
                return None;
            }
        };
        self.n_elements += tree.count();
        if self.n_elements > MOST_ELEMENTS {
            self.error(element, format!("includes make more than {MOST_ELEMENTS} elements"));
            return None;
        }
        self.stack.push(canonical);
        self.expand_children(&mut tree, depth);
        self.stack.pop();
        for a in &element.attributes {
            match a.name.as_str() {
                "href" => {}
                "name" => tree.set("name", a.value.clone(), a.location.clone()),
                _ => replace(&mut tree, a),
            }
        }
        Some(tree)
    }

    fn error(&mut self, element: &Element, message: String) {
        let d = Diagnostic::new(Severity::Error, &element.location, message);
        self.diagnostics.push(d.component(format!("<{}>", element.class)));
    }
}

/// Puts an included tree into the including node: as a child, or its content in place.
fn splice(into: &mut Element, tree: Element) {
    match tree.name() {
        Some("Group" | "_Group_") => into.children.extend(tree.children),
        Some("_Merge_") => merge(into, tree, false),
        _ => into.children.push(tree),
    }
}

fn merge(into: &mut Element, from: Element, with_name: bool) {
    for a in from.attributes {
        if with_name || a.name != "name" {
            into.set(&a.name, a.value, a.location);
        }
    }
    for child in from.children {
        let same =
            |c: &&mut Element| c.class == child.class && c.name() == child.name() && c.name().is_some();
        match into.children.iter_mut().find(same) {
            Some(existing) => merge(existing, child, true),
            None => into.children.push(child),
        }
    }
}

/// Replaces an attribute in all components of the tree that have it written.
fn replace(tree: &mut Element, by: &Attribute) {
    let (only, name) = match by.name.split_once("__") {
        Some((only, name)) if !only.is_empty() && !name.is_empty() => (Some(only), name),
        _ => (None, by.name.as_str()),
    };
    replace_in(tree, only, name, by);
}

fn replace_in(element: &mut Element, only: Option<&str>, name: &str, by: &Attribute) {
    let named = only.is_none_or(|only| element.name() == Some(only));
    if !element.is_node() && named && element.attribute(name).is_some() {
        element.set(name, by.value.clone(), by.location.clone());
    }
    for child in &mut element.children {
        replace_in(child, only, name, by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Case {
        dir: tempfile::TempDir,
    }

    impl Case {
        fn new(files: &[(&str, &str)]) -> Self {
            let dir = tempfile::tempdir().expect("a directory");
            for (name, text) in files {
                let path = dir.path().join(name);
                std::fs::create_dir_all(path.parent().expect("has a parent")).expect("makes folders");
                std::fs::write(path, text).expect("writes");
            }
            Self { dir }
        }
        fn expand(&self) -> (Element, Vec<String>) {
            let mut root = parse_file(&self.dir.path().join("main.scn")).expect("parses").root;
            let mut found = Vec::new();
            expand(&mut root, &FileFinder::default(), &|c| c == "A" || c == "B", &mut found);
            (root, found.iter().map(ToString::to_string).collect())
        }
    }

    #[test]
    fn attributes_replace_only_what_is_written() {
        let case = Case::new(&[
            ("main.scn", "<Node><include href='sub/t.xml' name='T' dx='5' b__k='7' gravity='1'/></Node>"),
            (
                "sub/t.xml",
                "<Node name='x' gravity='0'><A dx='0' k='1'/><Node><A k='1'/><A name='b' k='2' dx='1'/></Node></Node>",
            ),
        ]);
        let (root, found) = case.expand();
        assert!(found.is_empty(), "{found:?}");
        let t = &root.children[0];
        assert_eq!((t.name(), t.get("gravity")), (Some("T"), Some("0")));
        assert_eq!((t.children[0].get("dx"), t.children[0].get("k")), (Some("5"), Some("1")));
        let inner = &t.children[1];
        assert_eq!((inner.children[0].get("dx"), inner.children[0].get("k")), (None, Some("1")));
        assert_eq!((inner.children[1].get("dx"), inner.children[1].get("k")), (Some("5"), Some("7")));
    }

    #[test]
    fn groups_merges_and_prefabs() {
        let case = Case::new(&[
            (
                "main.scn",
                "<Node><A/><Pre k='3'/><include href='m.xml'/><Node name='n'><A/></Node><include href='m.xml'/></Node>",
            ),
            ("Objects/Pre.xml", "<Node name='Group'><A k='1'/><B/></Node>"),
            ("m.xml", "<Node name='_Merge_' dt='0.5'><Node name='n'><B/></Node></Node>"),
        ]);
        let (root, found) = case.expand();
        assert!(found.is_empty(), "{found:?}");
        let classes: Vec<&str> = root.children.iter().map(|c| c.class.as_str()).collect();
        assert_eq!(classes, ["A", "A", "B", "Node", "Node"]);
        assert_eq!(root.children[1].get("k"), Some("3"));
        assert_eq!(root.get("dt"), Some("0.5"));
        assert_eq!((root.children[3].children.len(), root.children[4].children.len()), (2, 1));
    }

    #[test]
    fn cycles_and_missing_files_are_reported() {
        let case = Case::new(&[
            ("main.scn", "<Node>\n<include href='a.xml'/><include href='no.xml'/><include/></Node>"),
            ("a.xml", "<Node><include href='main.scn'/></Node>"),
        ]);
        let (_, found) = case.expand();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("a.xml:1:7: error: <include>: a cycle of includes"));
        assert!(found[1].contains("main.scn:2:") && found[1].contains("`no.xml` is not found"));
        assert!(found[2].contains("href"));
    }
}
