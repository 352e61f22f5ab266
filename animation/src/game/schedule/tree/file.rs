//! Trees in files: JSON with a flat list of nodes, each of which names its children.
//!
//! ```json
//! {
//!   "roots": ["loop"],
//!   "nodes": [
//!     {"name": "loop", "kind": "repeat", "children": ["frame"]},
//!     {"name": "frame", "kind": "sequence", "children": ["input", "world"]},
//!     {"name": "input", "kind": "task", "task": "read input"},
//!     {"name": "world", "kind": "parallel", "children": ["physics", "think"]},
//!     {"name": "physics", "kind": "task"},
//!     {"name": "think", "kind": "every", "seconds": 1, "children": ["decide"]},
//!     {"name": "decide", "kind": "task"}
//!   ]
//! }
//! ```
//!
//! | kind | children | more |
//! |---|---|---|
//! | `task` | none | `task`: the name of the task, else that of the node |
//! | `sequence`, `selector`, `parallel` | any | |
//! | `if` | the condition, what then, what else | |
//! | `invert` | one | |
//! | `repeat` | one | `times`: without it, without end |
//! | `wait` | none | `seconds` |
//! | `every` | one | `seconds` |
//! | `random` | any | `seed`: 0 by default |
//!
//! A flat list, so that trees may be deeper than readers of JSON go.

use std::collections::BTreeMap;
use std::time::Duration;

use diagnostics::{Diagnostic, Severity, did_you_mean};

use super::super::tasks::{TaskId, Tasks};
use super::behaviour::Behaviour;
use super::kinds::{Every, If, Invert, Parallel, Random, Repeat, Selector, Sequence, Wait};
use super::nodes::{BehaviourTree, NodeId};
use crate::located::{Json, Located, Text};

const KINDS: [&str; 10] =
    ["task", "sequence", "selector", "parallel", "if", "invert", "repeat", "wait", "every", "random"];
const KEYS: [&str; 7] = ["name", "kind", "children", "task", "times", "seconds", "seed"];

/// A node as the file has it.
#[derive(Default)]
struct Entry {
    at: usize,
    name: String,
    kind: String,
    task: Option<(usize, String)>,
    number: Option<f64>,
    children: Vec<(usize, String)>,
    /// The children by place in the file.
    places: Vec<usize>,
    is_child: bool,
}

/// Reads trees from a text and adds them; gives their roots in the order of the file. Tasks are found by name. `file` is how messages
/// call the text.
///
/// # Errors
/// All that is wrong, each with its line; then nothing is added.
pub fn read_tree(
    tree: &mut BehaviourTree,
    tasks: &Tasks,
    file: &str,
    text: &str,
) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
    let text = Text::new(file, text);
    let json = text.read().map_err(|wrong| vec![*wrong])?;
    let mut reader = Reader { text: &text, found: Vec::new() };
    let (mut entries, roots) = reader.file(&json);
    let roots = reader.link(&mut entries, &roots);
    let mut named: BTreeMap<&str, Vec<TaskId>> = BTreeMap::new();
    tasks.iter().for_each(|(id, info)| named.entry(info.name.as_str()).or_default().push(id));
    let order = reader.order(&entries, &roots, &named);
    if !reader.found.is_empty() {
        return Err(reader.found);
    }
    // Children come first, and each is checked: nothing fails from here on but what a behaviour says of its children.
    let mut ids: Vec<Option<NodeId>> = vec![None; entries.len()];
    for k in order {
        let entry = &entries[k];
        let children: Vec<_> = entry.places.iter().filter_map(|child| ids[*child]).collect();
        let id = match behaviour(entry) {
            Some(behaviour) => tree.boxed(behaviour, &children).map_err(|wrong| {
                vec![Diagnostic::new(Severity::Error, &text.location(entry.at), wrong.to_string())]
            })?,
            None => match named.get(task_name(entry)).map(Vec::as_slice) {
                Some([task]) => tree.task(*task),
                _ => continue,
            },
        };
        // The node was made a moment ago.
        let _ = tree.name(id, &entry.name);
        ids[k] = Some(id);
    }
    Ok(roots.into_iter().filter_map(|root| ids[root]).collect())
}

fn task_name(entry: &Entry) -> &str {
    entry.task.as_ref().map_or(&entry.name, |(_, name)| name)
}

/// What a node does; none for a task.
fn behaviour(entry: &Entry) -> Option<Box<dyn Behaviour>> {
    let number = entry.number;
    let length = Duration::try_from_secs_f64(number.unwrap_or_default()).unwrap_or(Duration::MAX);
    Some(match entry.kind.as_str() {
        "sequence" => Box::new(Sequence),
        "selector" => Box::new(Selector),
        "parallel" => Box::new(Parallel::default()),
        "if" => Box::new(If),
        "invert" => Box::new(Invert),
        "repeat" => Box::new(number.map_or(Repeat::forever(), |times| Repeat::times(times as u64))),
        "wait" => Box::new(Wait::new(length)),
        "every" => Box::new(Every::new(length)),
        "random" => Box::new(Random::new(number.unwrap_or_default() as u64)),
        _ => return None,
    })
}

/// The number that a kind takes, and whether it must have it.
fn number_of(kind: &str) -> Option<(&'static str, bool)> {
    match kind {
        "repeat" => Some(("times", false)),
        "wait" | "every" => Some(("seconds", true)),
        "random" => Some(("seed", false)),
        _ => None,
    }
}

struct Reader<'t> {
    text: &'t Text<'t>,
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn wrong(&mut self, at: usize, message: String) {
        self.found.push(Diagnostic::new(Severity::Error, &self.text.location(at), message));
    }

    fn wrong_name<'n>(
        &mut self,
        at: usize,
        message: String,
        name: &str,
        of: impl IntoIterator<Item = &'n str>,
    ) {
        let wrong = Diagnostic::new(Severity::Error, &self.text.location(at), message);
        self.found.push(wrong.suggestion(did_you_mean(name, of)));
    }

    /// The nodes, and the names of the roots.
    fn file(&mut self, json: &Located) -> (Vec<Entry>, Vec<(usize, String)>) {
        let (mut entries, mut roots) = (Vec::new(), Vec::new());
        let Json::Object(members) = &json.value else {
            self.wrong(json.at, format!("a tree file is an object, and this is {}", json.value.word()));
            return (entries, roots);
        };
        for (key, at, value) in members {
            match (key.as_str(), &value.value) {
                ("roots", _) => roots = self.names(value, "roots"),
                ("nodes", Json::Array(list)) => {
                    entries.extend(list.iter().filter_map(|node| self.node(node)))
                }
                ("nodes", other) => {
                    self.wrong(value.at, format!("`nodes` is a list, and this is {}", other.word()))
                }
                _ => self.wrong_name(
                    *at,
                    format!("unknown key `{key}` of a tree file"),
                    key,
                    ["roots", "nodes"],
                ),
            }
        }
        if roots.is_empty() && self.found.is_empty() {
            self.wrong(json.at, "the file names no root: `\"roots\": [NAME, ...]`".to_owned());
        }
        (entries, roots)
    }

    fn names(&mut self, json: &Located, what: &str) -> Vec<(usize, String)> {
        let Json::Array(list) = &json.value else {
            self.wrong(json.at, format!("`{what}` is a list of names, and this is {}", json.value.word()));
            return Vec::new();
        };
        let mut names = Vec::new();
        for name in list {
            match &name.value {
                Json::Text(text) => names.push((name.at, text.clone())),
                other => self.wrong(name.at, format!("`{what}` has names, and this is {}", other.word())),
            }
        }
        names
    }

    fn node(&mut self, json: &Located) -> Option<Entry> {
        let Json::Object(members) = &json.value else {
            self.wrong(json.at, format!("a node is an object, and this is {}", json.value.word()));
            return None;
        };
        let mut entry = Entry { at: json.at, ..Entry::default() };
        let mut numbers = Vec::new();
        for (k, (key, at, value)) in members.iter().enumerate() {
            if members[..k].iter().any(|(other, ..)| other == key) {
                self.wrong(*at, format!("`{key}` is there twice in a node"));
            }
            match (key.as_str(), &value.value) {
                ("name", Json::Text(text)) => entry.name.clone_from(text),
                ("kind", Json::Text(text)) => (entry.at, entry.kind) = (value.at, text.clone()),
                ("task", Json::Text(text)) => entry.task = Some((value.at, text.clone())),
                ("children", _) => entry.children = self.names(value, "children"),
                ("times" | "seconds" | "seed", Json::Number(number)) => numbers.push((key, *at, *number)),
                (known, other) if KEYS.contains(&known) => {
                    self.wrong(value.at, format!("`{key}` of a node cannot be {}", other.word()));
                }
                _ => self.wrong_name(*at, format!("unknown key `{key}` of a node"), key, KEYS),
            }
        }
        let (name, kind) = (entry.name.clone(), entry.kind.clone());
        if name.is_empty() {
            self.wrong(json.at, "a node has no `name`".to_owned());
            return None;
        }
        if !KINDS.contains(&kind.as_str()) {
            self.wrong_name(entry.at, format!("unknown kind `{kind}` of the node `{name}`"), &kind, KINDS);
            return Some(entry);
        }
        let takes = number_of(&kind);
        for (key, at, number) in numbers {
            match takes {
                Some((own, _)) if own != key => {
                    self.wrong(at, format!("`{kind}` takes `{own}`, not `{key}` (node `{name}`)"))
                }
                None => self.wrong(at, format!("`{kind}` takes no `{key}` (node `{name}`)")),
                _ if number < 0.0 || (key != "seconds" && number.fract() != 0.0) || number > 1e15 => {
                    self.wrong(at, format!("`{key}` of the node `{name}` cannot be {number}"));
                }
                _ => entry.number = Some(number),
            }
        }
        match takes {
            Some((own, true)) if entry.number.is_none() => {
                self.wrong(entry.at, format!("the node `{}` lacks `{own}`", entry.name));
            }
            _ => {}
        }
        if let Some((at, _)) = entry.task.as_ref().filter(|_| entry.kind != "task") {
            self.wrong(*at, format!("`{}` takes no `task` (node `{}`)", entry.kind, entry.name));
        }
        Some(entry)
    }

    /// Finds the children by name; gives the roots.
    fn link(&mut self, entries: &mut [Entry], roots: &[(usize, String)]) -> Vec<usize> {
        let mut places = BTreeMap::new();
        for (k, entry) in entries.iter().enumerate() {
            if places.insert(entry.name.clone(), k).is_some() {
                self.wrong(entry.at, format!("there are two nodes `{}`", entry.name));
            }
        }
        let known: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
        let known = || known.iter().map(String::as_str);
        for k in 0..entries.len() {
            for (at, name) in std::mem::take(&mut entries[k].children) {
                let Some(child) = places.get(&name) else {
                    let of = format!("the node `{}` has no node `{name}` for a child", entries[k].name);
                    self.wrong_name(at, of, &name, known());
                    continue;
                };
                if std::mem::replace(&mut entries[*child].is_child, true) {
                    self.wrong(at, format!("the node `{name}` is the child of two nodes"));
                    continue;
                }
                entries[k].places.push(*child);
            }
        }
        let mut list = Vec::new();
        for (at, name) in roots {
            match places.get(name) {
                None => self.wrong_name(*at, format!("there is no node `{name}` for a root"), name, known()),
                Some(k) if entries[*k].is_child => {
                    self.wrong(*at, format!("the node `{name}` is a root and a child"));
                }
                Some(k) if list.contains(k) => self.wrong(*at, format!("the node `{name}` is a root twice")),
                Some(k) => list.push(*k),
            }
        }
        list
    }

    /// The nodes, children first.
    fn order(
        &mut self,
        entries: &[Entry],
        roots: &[usize],
        tasks: &BTreeMap<&str, Vec<TaskId>>,
    ) -> Vec<usize> {
        let mut is_root = vec![false; entries.len()];
        roots.iter().for_each(|k| is_root[*k] = true);
        for (k, entry) in entries.iter().enumerate() {
            if !entry.is_child && !is_root[k] && self.found.is_empty() {
                self.wrong(entry.at, format!("the node `{}` is below no root", entry.name));
            }
        }
        let mut order = roots.to_vec();
        let mut at = 0;
        while let Some(k) = order.get(at) {
            order.extend(&entries[*k].places);
            at += 1;
        }
        // A node has one parent, so what no root reaches goes round in a circle, or is below one.
        if self.found.is_empty() && order.len() < entries.len() {
            let mut reached = vec![false; entries.len()];
            order.iter().for_each(|k| reached[*k] = true);
            if let Some(entry) = entries.iter().enumerate().find(|(k, _)| !reached[*k]).map(|(_, e)| e) {
                self.wrong(entry.at, format!("the node `{}` is below itself", entry.name));
            }
        }
        for entry in entries.iter().filter(|entry| entry.kind == "task") {
            let name = task_name(entry);
            let at = entry.task.as_ref().map_or(entry.at, |(at, _)| *at);
            match tasks.get(name).map_or(0, Vec::len) {
                0 => {
                    let message = format!("there is no task `{name}` (node `{}`)", entry.name);
                    self.wrong_name(at, message, name, tasks.keys().copied());
                }
                1 => {}
                n => self.wrong(at, format!("there are {n} tasks `{name}` (node `{}`)", entry.name)),
            }
            if !entry.places.is_empty() {
                self.wrong(entry.at, format!("the node `{}` is a task and has children", entry.name));
            }
        }
        for entry in entries {
            if let Some(behaviour) = behaviour(entry) {
                let (takes, n) = (behaviour.takes(), entry.places.len());
                if self.found.is_empty() && !takes.contains(&n) {
                    let (least, most) = takes.into_inner();
                    let expected = match (least, most) {
                        (1, 1) => "1 child".to_owned(),
                        (least, most) if least == most => format!("{least} children"),
                        _ => format!("{least} to {most} children"),
                    };
                    let (name, kind) = (&entry.name, &entry.kind);
                    self.wrong(entry.at, format!("`{kind}` takes {expected}; the node `{name}` has {n}"));
                }
            }
        }
        order.reverse();
        order
    }
}
