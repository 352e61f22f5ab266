//! From a text to a rig.

use std::cell::Cell;
use std::collections::BTreeSet;

use diagnostics::{Diagnostic, Severity, did_you_mean};

use super::attributes::Attributes;
use super::catalogue::Catalogue;
use crate::located::{Json, Located, Text, Walked};
use crate::rig::error::RigError;
use crate::rig::node::Safety;
use crate::rig::rig::{Control, NodeId, Rig};
use crate::rig::source_place::SourcePlaces;

/// The control that follows the time of frames, if it is a number.
const TIME: &str = "time";

/// Reads a rig; `file` is its name for messages.
///
/// # Errors
/// All that is wrong with it, in the order of lines.
pub fn read(file: &str, text: &str, catalogue: &Catalogue) -> Result<Rig, Vec<Diagnostic>> {
    read_and_warn(file, text, catalogue).map(|(rig, _)| rig)
}

/// As [`read`], with what is strange though it is no error: what nothing reads, words that look like slips.
///
/// # Errors
/// As [`read`].
pub fn read_and_warn(
    file: &str,
    text: &str,
    catalogue: &Catalogue,
) -> Result<(Rig, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_for(file, text, catalogue, false)
}

/// As [`read`], with nodes whose inputs need not be bound.
///
/// # Errors
/// All else that is wrong with it.
pub(crate) fn read_loose(file: &str, text: &str, catalogue: &Catalogue) -> Result<Rig, Vec<Diagnostic>> {
    read_for(file, text, catalogue, true).map(|(rig, _)| rig)
}

fn read_for(
    file: &str,
    text: &str,
    catalogue: &Catalogue,
    is_loose: bool,
) -> Result<(Rig, Vec<Diagnostic>), Vec<Diagnostic>> {
    let text = Text::new(file, text.strip_prefix('\u{feff}').unwrap_or(text));
    let root = text.read().map_err(|e| vec![*e])?;
    let mut reader = Reader {
        text: &text,
        catalogue,
        rig: Rig::new(""),
        walked: Walked::default(),
        found: Vec::new(),
        controls: Vec::new(),
        refused: BTreeSet::new(),
        refused_inputs: BTreeSet::new(),
        searches: Cell::new(0),
        is_loose,
    };
    reader.rig.places = SourcePlaces::of(file.into());
    reader.rig(&root);
    let Reader { rig, mut found, .. } = reader;
    found.sort_by_key(|d| (d.location.line, d.location.column));
    let (wrong, warned): (Vec<_>, Vec<_>) = found.into_iter().partition(|d| d.severity == Severity::Error);
    if wrong.is_empty() { Ok((rig, warned)) } else { Err(wrong) }
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t Text<'t>,
    catalogue: &'t Catalogue,
    pub(super) rig: Rig,
    /// How far places of nodes were counted.
    walked: Walked,
    pub(super) found: Vec<Diagnostic>,
    /// Where each control is.
    pub(super) controls: Vec<usize>,
    /// Names of nodes and controls that were refused: what is bound to them is no further mistake.
    refused: BTreeSet<String>,
    /// Inputs whose binding was refused: that nothing is bound to them is no further mistake.
    pub(super) refused_inputs: BTreeSet<(NodeId, usize)>,
    /// How often the nearest name was searched.
    pub(super) searches: Cell<usize>,
    /// Whether inputs need not be bound.
    is_loose: bool,
}

/// A node that was read, and its inputs, which are bound when all nodes are there.
pub(super) struct Found<'t> {
    pub(super) id: NodeId,
    pub(super) at: usize,
    pub(super) about: String,
    pub(super) inputs: Option<&'t Located>,
}

impl<'t> Reader<'t> {
    fn rig(&mut self, root: &'t Located) {
        let all = match Attributes::new(self.text, root, "the rig") {
            Ok(all) => all,
            Err(wrong) => return self.found.push(*wrong),
        };
        self.rig.name = all.text("rig").unwrap_or("").to_owned();
        for control in self.list(&all, "controls") {
            self.control(control);
        }
        let nodes: Vec<Found<'t>> =
            self.list(&all, "nodes").iter().filter_map(|node| self.node(node)).collect();
        for node in &nodes {
            self.bind(node);
        }
        for output in self.list(&all, "outputs") {
            self.output(output);
        }
        self.found.extend(all.finish());
        self.check(&nodes);
        if !self.is_loose && self.found.iter().all(|d| d.severity != Severity::Error) {
            self.warn_of_unread(root.at, &nodes);
        }
    }

    fn list(&mut self, all: &Attributes<'t>, name: &'static str) -> &'t [Located] {
        match all.get(name).map(|list| (list.at, &list.value)) {
            None => &[],
            Some((_, Json::Array(elements))) => elements,
            Some((at, other)) => {
                all.mistake(at, name, format!("it is a list, not {}", other.word()), None);
                &[]
            }
        }
    }

    pub(super) fn attributes(&mut self, of: &'t Located, what: &str) -> Option<Attributes<'t>> {
        Attributes::new(self.text, of, what).map_err(|wrong| self.found.push(*wrong)).ok()
    }

    fn control(&mut self, of: &'t Located) {
        let Some(mut a) = self.attributes(of, "a control") else { return };
        let name = a.needed_text("name").unwrap_or("").to_owned();
        a.about = format!("control `{name}`");
        let port = a.port_type();
        let range = match a.numbers("range")[..] {
            [] => None,
            [low, high] => Some((low, high)),
            _ => {
                a.wrong("range", "it is a lowest and a highest number");
                None
            }
        };
        let given = a.numbers("default");
        let default = if given.is_empty() { port.neutral() } else { given };
        if name == TIME && port.len() == 1 {
            for attribute in ["default", "range"].into_iter().filter(|attribute| a.has(attribute)) {
                a.warn(attribute, "`time` follows the frames, from 0 on, unless somebody sets it", None);
            }
        }
        if !name.is_empty() {
            match self.rig.control(Control { name: name.clone(), of: port, range, default }) {
                Ok(_) => self.controls.push(of.at),
                Err(error) => {
                    let is_twice = matches!(error, RigError::Twice { .. });
                    a.wrong(if is_twice { "name" } else { "default" }, error.to_string());
                    self.refused.insert(name);
                }
            }
        }
        self.found.extend(a.finish());
    }

    fn node(&mut self, of: &'t Located) -> Option<Found<'t>> {
        let mut a = self.attributes(of, "a node")?;
        let (name, kind) = (a.needed_text("name").unwrap_or(""), a.needed_text("kind").unwrap_or(""));
        a.about = format!("{name} ({kind})");
        let (component, safety, inputs) = (a.text("component"), a.text("safety"), a.get("inputs"));
        let code = match self.catalogue.constructor(kind) {
            Some(make) => make(&a),
            None => {
                if !kind.is_empty() {
                    let suggestion = did_you_mean(kind, self.catalogue.kinds());
                    let at = a.get("kind").map_or(of.at, |v| v.at);
                    a.mistake(at, "kind", format!("there is no kind `{kind}`"), suggestion);
                }
                // What such a node reads is not known.
                self.refused.insert(name.into());
                self.found.extend(a.reported());
                return None;
            }
        };
        if let Some(component) = component {
            self.rig.component(component);
        }
        let mut found = None;
        if code.is_none() {
            self.refused.insert(name.into());
        }
        if let Some(code) = code
            && !name.is_empty()
        {
            let kind = self.rig.shared_kind(code);
            match self.rig.add(name, kind) {
                Ok(id) => {
                    let (line, column) = self.walked.to(self.text, of.at);
                    self.rig.places.set(id.0, line, column);
                    found = Some(Found { id, at: of.at, about: a.about.clone(), inputs });
                }
                Err(error) => a.wrong("name", error.to_string()),
            }
        }
        if let (Some(found), Some(safety)) = (&found, safety) {
            self.rig.set_safety(found.id, Some(Safety::of_word(safety)));
            let words = Safety::WORDS.iter().map(|(word, _)| *word);
            if Safety::WORDS.iter().all(|(word, _)| *word != safety)
                && let Some(meant) = did_you_mean(safety, words)
            {
                a.warn(
                    "safety",
                    format!("`{safety}` is a group of nodes, of which one at a time runs"),
                    Some(meant),
                );
            }
        }
        self.found.extend(a.finish());
        found
    }

    fn output(&mut self, of: &'t Located) {
        let Some(mut a) = self.attributes(of, "an output") else { return };
        let (name, from) = (a.needed_text("name").unwrap_or(""), a.needed_text("from").unwrap_or(""));
        a.about = format!("output `{name}`");
        let corners = a.counts("triangles");
        if corners.len() % 3 != 0 {
            a.wrong("triangles", format!("{} numbers are no triangles of three", corners.len()));
        }
        if !name.is_empty() && !from.is_empty() {
            match self.find(from).and_then(|(node, port)| self.rig.output(name, node, port)) {
                Ok(output) if !corners.is_empty() => {
                    let triangles = corners.as_chunks().0.to_vec();
                    if let Err(error) = self.rig.set_triangles(output, triangles) {
                        a.wrong("triangles", error.to_string());
                    }
                }
                Err(error) if !self.is_known(&error) => {
                    let at = a.get("from").map_or(of.at, |v| v.at);
                    a.mistake(at, "from", error.to_string(), error.suggestion().map(str::to_owned));
                }
                Ok(_) | Err(_) => {}
            }
        }
        self.found.extend(a.finish());
    }

    /// Whether a mistake follows from another one that is reported.
    pub(super) fn is_known(&self, error: &RigError) -> bool {
        matches!(error, RigError::Unknown { what: "node" | "control", name, .. } if self.refused.contains(name))
    }

    /// What only the whole rig shows: cycles, inputs that must be bound.
    fn check(&mut self, nodes: &[Found<'t>]) {
        for error in self.rig.check() {
            let (name, input) = match &error {
                RigError::Cycle { names } => (names.first().map_or("", String::as_str), ""),
                RigError::Unconnected { to, .. } => to.rsplit_once('.').unwrap_or((to, "")),
                RigError::NoSwitch { node } => (node.as_str(), ""),
                _ => ("", ""),
            };
            // Nodes have numbers in the order in which they were found.
            let node = self.rig.names.get(name).and_then(|id| nodes.get(id.0 as usize));
            if matches!(error, RigError::Unconnected { .. })
                && (self.is_loose || self.is_refused(node, input))
            {
                continue;
            }
            let location = self.text.location(node.map_or(0, |n| n.at));
            let finding = Diagnostic::new(Severity::Error, &location, error.to_string());
            let finding = finding.component(node.map_or("the rig", |n| &n.about));
            self.found.push(if input.is_empty() { finding } else { finding.attribute(input) });
        }
    }

    /// Whether an input is not bound because its binding was refused.
    fn is_refused(&self, node: Option<&Found<'t>>, input: &str) -> bool {
        node.is_some_and(|node| {
            let input = self.rig.find_input(node.id, input);
            input.is_ok_and(|input| self.refused_inputs.contains(&(node.id, input)))
        })
    }
}
