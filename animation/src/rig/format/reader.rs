//! From a text to a rig.

use diagnostics::{Diagnostic, did_you_mean};

use super::attributes::Attributes;
use super::catalogue::Catalogue;
use crate::located::{Json, Located, Text};
use crate::rig::error::RigError;
use crate::rig::node::Safety;
use crate::rig::rig::{Control, NodeId, Rig};

/// Reads a rig; `file` is its name for messages.
///
/// # Errors
/// All that is wrong with it.
pub fn read(file: &str, text: &str, catalogue: &Catalogue) -> Result<Rig, Vec<Diagnostic>> {
    read_for(file, text, catalogue, false)
}

/// As [`read`], with nodes whose inputs need not be bound.
///
/// # Errors
/// All else that is wrong with it.
pub(crate) fn read_loose(file: &str, text: &str, catalogue: &Catalogue) -> Result<Rig, Vec<Diagnostic>> {
    read_for(file, text, catalogue, true)
}

fn read_for(file: &str, text: &str, catalogue: &Catalogue, is_loose: bool) -> Result<Rig, Vec<Diagnostic>> {
    let text = Text::new(file, text);
    let root = text.read().map_err(|e| vec![*e])?;
    let rig = Rig::new("");
    let mut reader = Reader { text: &text, catalogue, rig, wrong: Vec::new(), refused: Vec::new(), is_loose };
    reader.rig(&root);
    if reader.wrong.is_empty() { Ok(reader.rig) } else { Err(reader.wrong) }
}

struct Reader<'t> {
    text: &'t Text<'t>,
    catalogue: &'t Catalogue,
    rig: Rig,
    wrong: Vec<Diagnostic>,
    /// Names of nodes and controls that were refused: what is bound to them is no further mistake.
    refused: Vec<String>,
    /// Whether inputs need not be bound.
    is_loose: bool,
}

/// A node that was read, and its inputs, which are bound when all nodes are there.
struct Found<'t> {
    id: NodeId,
    at: usize,
    about: String,
    inputs: Option<&'t Located>,
}

impl<'t> Reader<'t> {
    fn rig(&mut self, root: &'t Located) {
        let all = match Attributes::new(self.text, root, "the rig") {
            Ok(all) => all,
            Err(wrong) => return self.wrong.push(*wrong),
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
        self.wrong.extend(all.finish());
        if self.wrong.is_empty() {
            self.check(&nodes);
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

    fn attributes(&mut self, of: &'t Located, what: &str) -> Option<Attributes<'t>> {
        Attributes::new(self.text, of, what).map_err(|wrong| self.wrong.push(*wrong)).ok()
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
        if !name.is_empty()
            && let Err(error) = self.rig.control(Control { name, of: port, range, default })
        {
            let is_twice = matches!(error, RigError::Twice { .. });
            a.wrong(if is_twice { "name" } else { "default" }, error.to_string());
            self.refused.extend(a.text("name").map(str::to_owned));
        }
        self.wrong.extend(a.finish());
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
                self.refused.push(name.into());
                self.wrong.extend(a.reported());
                return None;
            }
        };
        if let Some(component) = component {
            self.rig.component(component);
        }
        let mut found = None;
        if code.is_none() {
            self.refused.push(name.into());
        }
        if let Some(code) = code
            && !name.is_empty()
        {
            let kind = self.rig.shared_kind(code);
            match self.rig.add(name, kind) {
                Ok(id) => found = Some(Found { id, at: of.at, about: a.about.clone(), inputs }),
                Err(error) => a.wrong("name", error.to_string()),
            }
        }
        if let (Some(found), Some(safety)) = (&found, safety) {
            self.rig.set_safety(found.id, Some(safety_of(safety)));
        }
        self.wrong.extend(a.finish());
        found
    }

    fn bind(&mut self, node: &Found<'t>) {
        let Some(inputs) = node.inputs else { return };
        let Some(mut a) = self.attributes(inputs, "inputs") else { return };
        a.about.clone_from(&node.about);
        let Json::Object(members) = &inputs.value else { return };
        for (name, key_at, value) in members {
            let outcome = match self.rig.find_input(node.id, name) {
                Ok(input) => self.bind_input(&a, node.id, input, name, value),
                Err(error) => Err((*key_at, error)),
            };
            if let Err((at, error)) = outcome
                && !self.is_known(&error)
            {
                a.mistake(at, name, error.to_string(), error.suggestion().map(str::to_owned));
            }
        }
        self.wrong.extend(a.reported());
    }

    fn bind_input(
        &mut self,
        a: &Attributes<'t>,
        node: NodeId,
        input: usize,
        name: &str,
        value: &Located,
    ) -> Result<(), (usize, RigError)> {
        let bound = match &value.value {
            Json::Text(text) => match text.strip_prefix('@') {
                Some(control) => {
                    self.rig.find_control(control).and_then(|c| self.rig.bind_control(c, node, input))
                }
                None => self.find(text).and_then(|(from, port)| self.rig.bind(from, port, node, input)),
            },
            _ => {
                let mut numbers = Vec::new();
                a.collect(value, name, &mut numbers);
                self.rig.set(node, input, &numbers)
            }
        };
        bound.map_err(|error| (value.at, error))
    }

    /// The node and output of `node.output`.
    fn find(&self, text: &str) -> Result<(NodeId, usize), RigError> {
        let (node, port) = text.rsplit_once('.').unwrap_or((text, ""));
        let node = self.rig.find(node)?;
        Ok((node, self.rig.find_port(node, port)?))
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
        self.wrong.extend(a.finish());
    }

    /// Whether a mistake follows from another one that is reported.
    fn is_known(&self, error: &RigError) -> bool {
        matches!(error, RigError::Unknown { what: "node" | "control", name, .. } if self.refused.contains(name))
    }

    /// What only the whole rig shows: cycles, inputs that must be bound.
    fn check(&mut self, nodes: &[Found<'t>]) {
        for error in self.rig.check() {
            if self.is_loose && matches!(error, RigError::Unconnected { .. }) {
                continue;
            }
            let (name, input) = match &error {
                RigError::Cycle { names } => (names.first().map_or("", String::as_str), ""),
                RigError::Unconnected { to, .. } => to.rsplit_once('.').unwrap_or((to, "")),
                RigError::NoSwitch { node } => (node.as_str(), ""),
                _ => ("", ""),
            };
            let node = nodes.iter().find(|n| self.rig.name_of(n.id) == name);
            let location = self.text.location(node.map_or(0, |n| n.at));
            let finding = Diagnostic::new(diagnostics::Severity::Error, &location, error.to_string());
            let finding = finding.component(node.map_or("the rig", |n| &n.about));
            self.wrong.push(if input.is_empty() { finding } else { finding.attribute(input) });
        }
    }
}

fn safety_of(word: &str) -> Safety {
    match word {
        "reentrant" => Safety::Reentrant,
        "threadsafe" => Safety::Threadsafe,
        "type-unsafe" => Safety::TypeUnsafe,
        "globally-unsafe" => Safety::GloballyUnsafe,
        group => Safety::GroupUnsafe(group.into()),
    }
}
