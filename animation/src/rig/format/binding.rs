//! From what a file says of inputs to bindings.

use diagnostics::nearest;

use super::attributes::Attributes;
use super::reader::{Found, Reader};
use crate::located::{Json, Located};
use crate::rig::error::RigError;
use crate::rig::rig::{ControlId, NodeId};

/// How often the nearest name is searched: each time costs the number of names.
const MOST_SEARCHES: usize = 100;

impl<'t> Reader<'t> {
    pub(super) fn bind(&mut self, node: &Found<'t>) {
        let Some(inputs) = node.inputs else { return };
        let Some(mut a) = self.attributes(inputs, "the inputs of a node") else { return };
        a.about.clone_from(&node.about);
        let Json::Object(members) = &inputs.value else { return };
        for (name, key_at, value) in members {
            let outcome = match self.rig.find_input(node.id, name) {
                Ok(input) => self.bind_input(&a, node.id, input, name, value),
                Err(error) => {
                    // What is meant is bound but for the slip.
                    let names = self.rig.ports(node.id).inputs.iter().map(|input| input.name.as_str());
                    let meant = nearest(name, names).and_then(|name| self.rig.find_input(node.id, name).ok());
                    self.refused_inputs.extend(meant.map(|input| (node.id, input)));
                    Err((*key_at, error))
                }
            };
            if let Err((at, error)) = outcome
                && !self.is_known(&error)
            {
                a.mistake(at, name, error.to_string(), error.suggestion().map(str::to_owned));
            }
        }
        self.found.extend(a.reported());
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
                    self.find_control(control).and_then(|c| self.rig.bind_control(c, node, input))
                }
                None => self.find(text).and_then(|(from, port)| self.rig.bind(from, port, node, input)),
            },
            _ => {
                let mut numbers = Vec::new();
                if !a.collect(value, name, &mut numbers) {
                    self.refused_inputs.insert((node, input));
                    return Ok(());
                }
                let kind = &self.rig.kinds[self.rig.nodes[node.0 as usize].kind.0 as usize];
                if let Some(why) = kind.code.refuses(input, &numbers) {
                    a.mistake(value.at, name, why, None);
                }
                self.rig.set(node, input, &numbers)
            }
        };
        if bound.is_err() {
            self.refused_inputs.insert((node, input));
        }
        bound.map_err(|error| (value.at, error))
    }

    /// The node and output of `node.output`.
    pub(super) fn find(&self, text: &str) -> Result<(NodeId, usize), RigError> {
        if let Some((node, port)) = text.rsplit_once('.') {
            let node = self.find_node(node)?;
            return Ok((node, self.rig.find_port(node, port)?));
        }
        if let Some(node) = self.rig.names.get(text) {
            let outputs = self.rig.ports(*node).outputs.iter().map(|output| output.name.clone()).collect();
            return Err(RigError::NoOutput { node: text.into(), outputs });
        }
        if self.rig.controls().iter().any(|control| control.name == text) {
            return Err(unknown("node", text, Some(format!("did you mean `@{text}`?"))));
        }
        // It names no output, but which node is meant says more.
        self.find_node(text).map(|node| (node, 0))
    }

    fn find_node(&self, name: &str) -> Result<NodeId, RigError> {
        match self.rig.names.get(name) {
            Some(node) => Ok(*node),
            None if self.may_search() => self.rig.find(name),
            None => Err(unknown("node", name, None)),
        }
    }

    fn find_control(&self, name: &str) -> Result<ControlId, RigError> {
        match self.rig.control_names.get(name) {
            Some(control) => Ok(*control),
            None if self.may_search() => self.rig.find_control(name),
            None => Err(unknown("control", name, None)),
        }
    }

    fn may_search(&self) -> bool {
        self.searches.set(self.searches.get() + 1);
        self.searches.get() <= MOST_SEARCHES
    }
}

fn unknown(what: &'static str, name: &str, suggestion: Option<String>) -> RigError {
    RigError::Unknown { what, name: name.into(), of: None, suggestion }
}
