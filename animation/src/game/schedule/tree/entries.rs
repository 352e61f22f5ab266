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
    /// Seconds.
    pub length: Option<f64>,
    /// How often, or a seed: what a float of 64 bits cannot hold.
    pub whole: Option<u64>,
    pub children: Vec<(usize, String)>,
    /// The children by place in the file.
    pub places: Vec<usize>,
    /// The place of its parent.
    pub parent: Option<usize>,
}

/// Whether a key is among members.
fn is_there(members: &[(String, usize, Located)], key: &str) -> bool {
    members.iter().any(|(other, ..)| other == key)
}

/// A number that is whole and not negative: as it is written, or as a float holds it exactly.
fn whole(number: f64, written: &str) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let exact = (0.0..=EXACT).contains(&number) && number.fract() == 0.0;
    written.parse().ok().or_else(|| exact.then_some(number as u64))
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

/// So many errors come with what may be meant: for each, all names are looked at.
const MOST_SUGGESTIONS: usize = 20;
/// The longest time \[s\]: thirty million years.
const LONGEST: f64 = 1e15;

/// Reads a file, and keeps what is wrong with it.
pub(super) struct Reader<'t> {
    text: &'t Text<'t>,
    raw: &'t str,
    pub found: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// Of a text, as it is and with its lines.
    pub fn new(raw: &'t str, text: &'t Text<'t>) -> Self {
        Self { text, raw, found: Vec::new() }
    }

    /// The number at a place as it is written, which a float of 64 bits may not hold.
    fn written(&self, at: usize) -> &'t str {
        let rest = self.raw.get(at..).unwrap_or_default();
        let ends = |c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c));
        &rest[..rest.find(ends).unwrap_or(rest.len())]
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
        let suggests = self.found.len() < MOST_SUGGESTIONS;
        self.found.push(wrong.suggestion(if suggests { did_you_mean(name, of) } else { None }));
    }

    /// The nodes, and the names of the roots.
    pub fn file(&mut self, json: &Located) -> (Vec<Entry>, Vec<(usize, String)>) {
        let (mut entries, mut roots) = (Vec::new(), Vec::new());
        let Json::Object(members) = &json.value else {
            self.wrong(json.at, format!("a tree file is an object, and this is {}", json.value.word()));
            return (entries, roots);
        };
        for (k, (key, at, value)) in members.iter().enumerate() {
            if ["roots", "nodes"].contains(&key.as_str()) && is_there(&members[..k], key) {
                self.wrong(*at, format!("`{key}` is there twice in a tree file"));
                continue;
            }
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
            if is_there(&members[..k], key) {
                self.wrong(*at, format!("`{key}` is there twice in a node"));
            }
            match (key.as_str(), &value.value) {
                ("name", Json::Text(text)) => entry.name.clone_from(text),
                ("kind", Json::Text(text)) => (entry.at, entry.kind) = (value.at, text.clone()),
                ("task", Json::Text(text)) => task = Some((value.at, text.clone())),
                ("tasks", _) => tasks = Some((*at, self.names(value, "tasks"))),
                ("children", _) => entry.children = self.names(value, "children"),
                ("times" | "seconds" | "seed", Json::Number(number)) => {
                    numbers.push((key, *at, *number, self.written(value.at)));
                }
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
        if kind.is_empty() {
            self.wrong(json.at, format!("the node `{name}` has no `kind`"));
            return Some(entry);
        }
        if !KINDS.contains(&kind.as_str()) {
            self.wrong_name(entry.at, format!("unknown kind `{kind}` of the node `{name}`"), &kind, KINDS);
            return Some(entry);
        }
        let takes = number_of(&kind);
        for (key, at, number, written) in numbers {
            match takes {
                Some((own, _)) if own != key => {
                    self.wrong(at, format!("`{kind}` takes `{own}`, not `{key}` (node `{name}`)"))
                }
                None => self.wrong(at, format!("`{kind}` takes no `{key}` (node `{name}`)")),
                _ if key == "seconds" && (0.0..=LONGEST).contains(&number) => entry.length = Some(number),
                _ => match whole(number, written).filter(|_| key != "seconds") {
                    Some(whole) => entry.whole = Some(whole),
                    None => {
                        let short: String = written.chars().take(30).collect();
                        let dots = if short.len() < written.len() { "..." } else { "" };
                        let most = match key.as_str() {
                            "seconds" => format!("{LONGEST:e}"),
                            _ => format!("{}, and is whole", u64::MAX),
                        };
                        let message = format!(
                            "`{key}` of the node `{name}` cannot be {short}{dots}: it is 0 to {most}"
                        );
                        self.wrong(at, message);
                    }
                },
            }
        }
        match takes {
            Some((own, true)) if !is_there(members, own) => {
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
