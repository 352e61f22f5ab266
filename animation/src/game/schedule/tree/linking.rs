//! Who is whose child in a file, and whether that is a tree.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::super::tasks::TaskId;
use super::entries::{Entry, Reader};

impl Reader<'_> {
    /// Finds the children by name; gives the roots.
    pub fn link(&mut self, entries: &mut [Entry], roots: &[(usize, String)]) -> Vec<usize> {
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
                match entries[*child].parent.replace(k) {
                    None => {}
                    Some(other) if other == k => {
                        self.wrong(
                            at,
                            format!("the node `{name}` is twice a child of the node `{}`", entries[k].name),
                        );
                        continue;
                    }
                    Some(other) => {
                        entries[*child].parent = Some(other);
                        let (one, two) = (&entries[other].name, &entries[k].name);
                        self.wrong(
                            at,
                            format!("the node `{name}` is the child of two nodes, `{one}` and `{two}`"),
                        );
                        continue;
                    }
                }
                entries[k].places.push(*child);
            }
        }
        let (mut list, mut is_root) = (Vec::new(), vec![false; entries.len()]);
        for (at, name) in roots {
            match places.get(name) {
                None => self.wrong_name(*at, format!("there is no node `{name}` for a root"), name, known()),
                Some(k) if entries[*k].parent.is_some() => {
                    self.wrong(*at, format!("the node `{name}` is a root and a child"));
                }
                Some(k) if std::mem::replace(&mut is_root[*k], true) => {
                    self.wrong(*at, format!("the node `{name}` is a root twice"));
                }
                Some(k) => list.push(*k),
            }
        }
        list
    }

    /// The nodes, children first.
    pub fn order(&mut self, entries: &[Entry], roots: &[usize]) -> Vec<usize> {
        let mut is_root = vec![false; entries.len()];
        roots.iter().for_each(|k| is_root[*k] = true);
        for (k, entry) in entries.iter().enumerate() {
            if entry.parent.is_none() && !is_root[k] && self.found.is_empty() {
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
            let circle =
                reached.iter().position(|reached| !reached).and_then(|k| first_of_circle(entries, k));
            if let Some(entry) = circle.map(|k| &entries[k]) {
                self.wrong(entry.at, format!("the node `{}` is below itself", entry.name));
            }
        }
        order.reverse();
        order
    }

    /// Each name of a task is that of one task.
    pub fn check_tasks(&mut self, entries: &[Entry], tasks: &BTreeMap<&str, Vec<TaskId>>) {
        for entry in entries {
            for (at, name) in &entry.tasks {
                match tasks.get(name.as_str()).map_or(0, Vec::len) {
                    0 => {
                        let message = format!("there is no task `{name}` (node `{}`)", entry.name);
                        self.wrong_name(*at, message, name, tasks.keys().copied());
                    }
                    1 => {}
                    n => self.wrong(*at, format!("there are {n} tasks `{name}` (node `{}`)", entry.name)),
                }
            }
            if entry.kind == "task" && !entry.places.is_empty() {
                self.wrong(entry.at, format!("the node `{}` is a task and has children", entry.name));
            }
        }
    }

    /// A node has as many children as its behaviour takes.
    pub fn check_number(&mut self, entry: &Entry, takes: RangeInclusive<usize>) {
        let n = entry.places.len();
        if !self.found.is_empty() || takes.contains(&n) {
            return;
        }
        let expected = match takes.into_inner() {
            (1, 1) => "1 child".to_owned(),
            (least, most) if least == most => format!("{least} children"),
            (least, most) => format!("{least} to {most} children"),
        };
        let (name, kind) = (&entry.name, &entry.kind);
        self.wrong(entry.at, format!("`{kind}` takes {expected}; the node `{name}` has {n}"));
    }
}

/// Of the circle that a node is on or below, the node that comes first in the file.
fn first_of_circle(entries: &[Entry], from: usize) -> Option<usize> {
    let above = |k: &usize| entries[*k].parent;
    // After so many steps up it is on the circle.
    let on_it = std::iter::successors(Some(from), above).nth(entries.len())?;
    let others = std::iter::successors(above(&on_it), above).take_while(|k| *k != on_it);
    others.chain([on_it]).min()
}
