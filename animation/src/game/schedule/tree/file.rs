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
//! | `container` | any | `tasks`: names of tasks that begin together with the children |
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

use diagnostics::{Diagnostic, Location, Severity};

use super::super::task::{Outcome, TaskInfo};
use super::super::tasks::{TaskId, Tasks};
use super::behaviour::Behaviour;
use super::entries::{Entry, Reader};
use super::kinds::{Every, If, Invert, Parallel, Random, Repeat, Selector, Sequence, Wait};
use super::nodes::{BehaviourTree, NodeId};
use crate::located::Text;

/// Reads trees from a text and adds them; gives their roots in the order of the file. Tasks are found by name. `file` is how messages
/// call the text.
///
/// ```
/// use weft_animation::game::schedule::tree::{BehaviourTree, read_tree};
/// use weft_animation::game::schedule::{Outcome, TaskInfo, Tasks};
///
/// let (mut tasks, mut tree) = (Tasks::new(), BehaviourTree::new());
/// tasks.add(TaskInfo::new("physics", Default::default()), |_| Outcome::Success);
/// let text = r#"{"roots": ["world"], "nodes": [
///     {"name": "world", "kind": "repeat", "children": ["physics"]},
///     {"name": "physics", "kind": "task"}]}"#;
/// let roots = read_tree(&mut tree, &tasks, "game.tree", text).expect("a tree");
/// tree.submit(roots[0], &tasks)?;
/// let wrong = read_tree(&mut tree, &tasks, "game.tree", &text.replace("repeat", "repaet"));
/// let said = "game.tree:2:31: error: unknown kind `repaet` of the node `world`; did you mean `repeat`?";
/// assert_eq!(wrong.map_err(|found| found[0].to_string()), Err(said.to_owned()));
/// # Ok::<(), weft_animation::game::schedule::tree::TreeError>(())
/// ```
///
/// # Errors
/// All that is wrong, each with its line; then nothing is added. The first twenty come with what may be meant.
pub fn read_tree(
    tree: &mut BehaviourTree,
    tasks: &Tasks,
    file: &str,
    text: &str,
) -> Result<Vec<NodeId>, Vec<Diagnostic>> {
    // Some editors begin a file with a mark of the order of bytes.
    let raw = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = Text::new(file, raw);
    let json = text.read().map_err(|wrong| vec![*wrong])?;
    let mut reader = Reader::new(raw, &text);
    let (mut entries, roots) = reader.file(&json);
    let roots = reader.link(&mut entries, &roots);
    let mut named: BTreeMap<&str, Vec<TaskId>> = BTreeMap::new();
    tasks.iter().for_each(|(id, info)| named.entry(info.name.as_str()).or_default().push(id));
    let order = reader.order(&entries, &roots);
    reader.check_tasks(&entries, &named);
    for entry in &entries {
        if let Some(behaviour) = behaviour(entry) {
            reader.check_number(entry, behaviour.takes());
        }
    }
    if !reader.found.is_empty() {
        return Err(reader.found);
    }
    // Children come first, and each is checked: nothing fails from here on but what a behaviour says of its children.
    let mut ids: Vec<Option<NodeId>> = vec![None; entries.len()];
    for k in order {
        let entry = &entries[k];
        let children: Vec<_> = entry.places.iter().filter_map(|child| ids[*child]).collect();
        let tasks: Vec<_> =
            entry.tasks.iter().filter_map(|(_, name)| named.get(name.as_str())?.first().copied()).collect();
        let made = match (behaviour(entry), &tasks[..]) {
            (None, [task, ..]) => Ok(tree.task(*task)),
            (None, []) => continue,
            (Some(_), tasks @ [_, ..]) => tree.container(tasks, &children),
            (Some(behaviour), []) => tree.boxed(behaviour, &children),
        };
        let id = made.map_err(|wrong| {
            vec![Diagnostic::new(Severity::Error, &text.location(entry.at), wrong.to_string())]
        })?;
        // The node was made a moment ago.
        let _ = tree.name(id, &entry.name);
        ids[k] = Some(id);
    }
    Ok(roots.into_iter().filter_map(|root| ids[root]).collect())
}

/// What a text of trees has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeOutline {
    /// Number of trees.
    pub roots: usize,
    /// Number of nodes of all.
    pub nodes: usize,
    /// The names of the tasks, each once, with their places in the text, in the order of names.
    pub tasks: Vec<(String, Location)>,
}

/// Checks a text as [`read_tree`] does, for a game that has tasks of all the names that there are.
///
/// # Errors
/// All that is wrong, each with its line.
pub fn check_tree(file: &str, text: &str) -> Result<TreeOutline, Vec<Diagnostic>> {
    let raw = text.strip_prefix('\u{feff}').unwrap_or(text);
    let located = Text::new(file, raw);
    let json = located.read().map_err(|wrong| vec![*wrong])?;
    let (entries, _) = Reader::new(raw, &located).file(&json);
    let (mut tasks, mut names) = (Tasks::new(), BTreeMap::new());
    for (at, name) in entries.iter().flat_map(|entry| &entry.tasks) {
        if !names.contains_key(name) {
            tasks.add(TaskInfo::new(name.as_str(), Duration::ZERO), |_| Outcome::Success);
            names.insert(name.clone(), located.location(*at));
        }
    }
    let roots = read_tree(&mut BehaviourTree::new(), &tasks, file, text)?.len();
    Ok(TreeOutline { roots, nodes: entries.len(), tasks: names.into_iter().collect() })
}

/// What a node does; none for a task.
fn behaviour(entry: &Entry) -> Option<Box<dyn Behaviour>> {
    let length = Duration::try_from_secs_f64(entry.length.unwrap_or_default()).unwrap_or(Duration::MAX);
    Some(match entry.kind.as_str() {
        "sequence" => Box::new(Sequence),
        "selector" => Box::new(Selector),
        "parallel" | "container" => Box::new(Parallel::default()),
        "if" => Box::new(If),
        "invert" => Box::new(Invert),
        "repeat" => Box::new(entry.whole.map_or(Repeat::forever(), Repeat::times)),
        "wait" => Box::new(Wait::new(length)),
        "every" => Box::new(Every::new(length)),
        "random" => Box::new(Random::new(entry.whole.unwrap_or_default())),
        _ => return None,
    })
}
