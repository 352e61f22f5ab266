//! Nodes as files have them, one by one.

use diagnostics::{Diagnostic, Severity, did_you_mean};

use crate::located::{Json, Located, Text};

const KINDS: [&str; 11] = [
    "task",
    "container",
    "sequence",
    "selector",
    "parallel",
    "if",
    "invert",
    "repeat",
    "wait",
    "every",
    "random",
];
const KEYS: [&str; 8] = ["name", "kind", "children", "task", "tasks", "times", "seconds", "seed"];

/// A node as the file has it.
#[derive(Default)]
pub(super) struct Entry {
    pub at: usize,
    pub name: String,
    pub kind: String,
    /// The names of its tasks, each with its place in the file: one of a `task`, any number of a `container`.
    pub tasks: Vec<(usize, String)>,
    pub number: Option<f64>,
    pub children: Vec<(usize, String)>,
    /// The children by place in the file.
    pub places: Vec<usize>,
    pub is_child: bool,
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

/// Reads a file, and keeps what is wrong with it.
pub(super) struct Reader<'t> {
    text: &'t Text<'t>,
    pub found: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// Of a text.
    pub fn new(text: &'t Text<'t>) -> Self {
        Self { text, found: Vec::new() }
    }

    /// Something is wrong at a place.
    pub fn wrong(&mut self, at: usize, message: String) {
        self.found.push(Diagnostic::new(Severity::Error, &self.text.location(at), message));
    }

    /// A name is wrong at a place; one of others may be meant.
    pub fn wrong_name<'n>(
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
    pub fn file(&mut self, json: &Located) -> (Vec<Entry>, Vec<(usize, String)>) {
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
        let (mut numbers, mut task, mut tasks) = (Vec::new(), None, None);
        for (k, (key, at, value)) in members.iter().enumerate() {
            if members[..k].iter().any(|(other, ..)| other == key) {
                self.wrong(*at, format!("`{key}` is there twice in a node"));
            }
            match (key.as_str(), &value.value) {
                ("name", Json::Text(text)) => entry.name.clone_from(text),
                ("kind", Json::Text(text)) => (entry.at, entry.kind) = (value.at, text.clone()),
                ("task", Json::Text(text)) => task = Some((value.at, text.clone())),
                ("tasks", _) => tasks = Some((*at, self.names(value, "tasks"))),
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
        for (key, at, of) in [
            ("task", task.as_ref().map(|(at, _)| *at), "task"),
            ("tasks", tasks.as_ref().map(|(at, _)| *at), "container"),
        ] {
            if let Some(at) = at.filter(|_| kind != of) {
                self.wrong(at, format!("`{kind}` takes no `{key}` (node `{name}`)"));
            }
        }
        match kind.as_str() {
            "task" => entry.tasks.push(task.unwrap_or((entry.at, name))),
            "container" => entry.tasks = tasks.map(|(_, names)| names).unwrap_or_default(),
            _ => {}
        }
        Some(entry)
    }
}
