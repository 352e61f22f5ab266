//! What a rig has: found by name, or asked for by number.

use super::error::RigError;
use super::node::PortList;
use super::rig::{Control, ControlId, NodeId, OutputId, Rig, Source};
use super::source_place::SourcePlace;
use super::value::PortType;

/// Questions.
impl Rig {
    /// Number of nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of bindings between nodes.
    pub fn n_bindings(&self) -> usize {
        let is_binding = |s: &&Source| matches!(s, Source::Output(..));
        self.nodes.iter().map(|n| n.sources.iter().filter(is_binding).count()).sum()
    }

    /// The controls, by number.
    pub fn controls(&self) -> &[Control] {
        &self.controls
    }

    /// The names of the outputs, by number.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(|(name, ..)| name.as_str())
    }

    /// The node and port of an output.
    pub fn output_port(&self, output: OutputId) -> (NodeId, usize) {
        let (_, node, port) = self.outputs[output.0 as usize];
        (node, port as usize)
    }

    /// The triangles between the points of an output; none where nobody has said any.
    pub fn triangles(&self, output: OutputId) -> &[[u32; 3]] {
        self.triangles.get(&output.0).map_or(&[], Vec::as_slice)
    }

    /// The node of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> Result<NodeId, RigError> {
        let known = || self.names.keys().map(String::as_str);
        self.names.get(name).copied().ok_or_else(|| unknown("node", name, None, known()))
    }

    /// Where a node stands in the file that it was read from; none where a program has made it.
    pub fn place_of(&self, node: NodeId) -> Option<SourcePlace> {
        self.places.get(node.0)
    }

    /// The control of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_control(&self, name: &str) -> Result<ControlId, RigError> {
        let at = self.controls.iter().position(|c| c.name == name);
        let known = || self.controls.iter().map(|c| c.name.as_str());
        at.map(|k| ControlId(k as u32)).ok_or_else(|| unknown("control", name, None, known()))
    }

    /// The output of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_output(&self, name: &str) -> Result<OutputId, RigError> {
        let at = self.outputs().position(|known| known == name);
        at.map(|k| OutputId(k as u32)).ok_or_else(|| unknown("output", name, None, self.outputs()))
    }

    /// The input of a node by its name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_input(&self, node: NodeId, name: &str) -> Result<usize, RigError> {
        let inputs = &self.ports(node).inputs;
        let known = || inputs.iter().map(|i| i.name.as_str());
        let of = || Some(self.said(node));
        inputs.iter().position(|i| i.name == name).ok_or_else(|| unknown("input", name, of(), known()))
    }

    /// The output of a node by its name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_port(&self, node: NodeId, name: &str) -> Result<usize, RigError> {
        let outputs = &self.ports(node).outputs;
        let known = || outputs.iter().map(|o| o.name.as_str());
        let of = || Some(self.said(node));
        outputs.iter().position(|o| o.name == name).ok_or_else(|| unknown("output", name, of(), known()))
    }

    /// The ports of a node.
    pub fn ports(&self, node: NodeId) -> &PortList {
        &self.kinds[self.nodes[node.0 as usize].kind.0 as usize].ports
    }

    /// A node's name.
    pub fn name_of(&self, node: NodeId) -> &str {
        &self.nodes[node.0 as usize].name
    }

    /// A node's kind.
    pub fn kind_of(&self, node: NodeId) -> &'static str {
        self.kinds[self.nodes[node.0 as usize].kind.0 as usize].code.kind()
    }

    /// Whether a node may be of a kind of this name.
    pub fn has_kind(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| kind.code.kind() == name)
    }

    /// What part of the character a node belongs to.
    pub fn component_of(&self, node: NodeId) -> &str {
        &self.components[self.nodes[node.0 as usize].component as usize]
    }

    /// What an input gets.
    pub fn source(&self, node: NodeId, input: usize) -> &Source {
        &self.nodes[node.0 as usize].sources[input]
    }

    /// A node with its kind, for messages.
    fn said(&self, node: NodeId) -> String {
        format!("`{}` ({})", self.name_of(node), self.kind_of(node))
    }

    pub(crate) fn input_name(&self, node: NodeId, input: usize) -> String {
        format!("{}.{}", self.name_of(node), self.ports(node).inputs[input].name)
    }

    pub(crate) fn output_name(&self, node: NodeId, output: usize) -> String {
        format!("{}.{}", self.name_of(node), self.ports(node).outputs[output].name)
    }

    pub(super) fn source_name(&self, source: &Source) -> String {
        match source {
            Source::Unbound => "nothing".into(),
            Source::Output(node, port) => self.output_name(*node, *port as usize),
            Source::Control(control) => self.controls[control.0 as usize].name.clone(),
            Source::Value(value) => format!("{value:?}"),
        }
    }

    pub(super) fn input_type(&self, node: NodeId, input: usize) -> Result<PortType, RigError> {
        let found = self.ports(node).inputs.get(input).map(|i| i.of);
        let of = || Some(self.said(node));
        found.ok_or_else(|| unknown("input", &input.to_string(), of(), std::iter::empty()))
    }

    pub(super) fn output_type(&self, node: NodeId, output: usize) -> Result<PortType, RigError> {
        let found = self.ports(node).outputs.get(output).map(|o| o.of);
        let of = || Some(self.said(node));
        found.ok_or_else(|| unknown("output", &output.to_string(), of(), std::iter::empty()))
    }
}

fn unknown<'a>(
    what: &'static str,
    name: &str,
    of: Option<String>,
    known: impl Iterator<Item = &'a str>,
) -> RigError {
    let suggestion = diagnostics::did_you_mean(name, known);
    RigError::Unknown { what, name: name.into(), of, suggestion }
}
