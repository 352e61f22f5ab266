//! A rig as it is built: nodes, bindings, controls and outputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bits::BitMatrix;
use super::error::RigError;
use super::node::{NodeKind, PortList, Safety};
use super::value::PortType;

/// Number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// Number of a kind of nodes, with its constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub u32);

/// Number of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlId(pub u32);

/// Number of an output of the rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OutputId(pub u32);

/// What an input gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Nothing: its default.
    Unbound,
    /// The output of a node.
    Output(NodeId, u32),
    /// A control.
    Control(ControlId),
    /// A value that stays.
    Value(Vec<f64>),
}

/// What a user of the rig moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub of: PortType,
    /// Between what each number is to be; not enforced by evaluation.
    pub range: Option<(f64, f64)>,
    /// What it is at first.
    pub default: Vec<f64>,
}

/// A kind with what was asked of it once.
pub(crate) struct Kind {
    pub(crate) code: Arc<dyn NodeKind>,
    pub(crate) ports: PortList,
    pub(crate) rules: BitMatrix,
}

/// A node.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) kind: KindId,
    /// What part of the character it belongs to.
    pub(crate) component: u16,
    pub(crate) sources: Vec<Source>,
    pub(crate) safety: Option<Safety>,
    /// Measured time [ns].
    pub(crate) cost_ns: Option<f64>,
}

/// A graph of nodes with controls and outputs.
pub struct Rig {
    /// Its name.
    pub name: String,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) components: Vec<String>,
    pub(crate) controls: Vec<Control>,
    pub(crate) outputs: Vec<(String, NodeId, u32)>,
    names: BTreeMap<String, NodeId>,
    component: u16,
    safety_of_kinds: BTreeMap<String, Safety>,
}

impl Rig {
    /// An empty rig.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kinds: Vec::new(),
            nodes: Vec::new(),
            components: vec![String::new()],
            controls: Vec::new(),
            outputs: Vec::new(),
            names: BTreeMap::new(),
            component: 0,
            safety_of_kinds: BTreeMap::new(),
        }
    }

    /// Nodes that are added from here on belong to this part of the character: body, face, wardrobe, hair and so on.
    pub fn component(&mut self, name: &str) {
        let known = self.components.iter().position(|known| known == name);
        self.component = known.unwrap_or_else(|| {
            self.components.push(name.into());
            self.components.len() - 1
        }) as u16;
    }

    /// A kind of nodes, for any number of nodes.
    pub fn kind(&mut self, kind: impl NodeKind) -> KindId {
        self.shared_kind(Arc::new(kind))
    }

    /// A kind of nodes that other rigs may have too.
    pub fn shared_kind(&mut self, code: Arc<dyn NodeKind>) -> KindId {
        let ports = code.ports();
        let rules = ports.rules();
        self.kinds.push(Kind { code, ports, rules });
        KindId(self.kinds.len() as u32 - 1)
    }

    /// A node.
    ///
    /// # Errors
    /// If there is a node of this name.
    pub fn add(&mut self, name: impl Into<String>, kind: KindId) -> Result<NodeId, RigError> {
        let (name, id) = (name.into(), NodeId(self.nodes.len() as u32));
        if self.names.contains_key(&name) {
            return Err(RigError::Twice { what: "node", name });
        }
        let sources = vec![Source::Unbound; self.kinds[kind.0 as usize].ports.inputs.len()];
        self.names.insert(name.clone(), id);
        let component = self.component;
        self.nodes.push(Node { name, kind, component, sources, safety: None, cost_ns: None });
        Ok(id)
    }

    /// A node of a kind of its own.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn node(&mut self, name: impl Into<String>, kind: impl NodeKind) -> Result<NodeId, RigError> {
        let kind = self.kind(kind);
        self.add(name, kind)
    }

    /// A control.
    ///
    /// # Errors
    /// If there is one of this name, its default is not of its type, or its range is none.
    pub fn control(&mut self, control: Control) -> Result<ControlId, RigError> {
        let Control { name, of, range, default } = &control;
        if self.controls.iter().any(|known| known.name == *name) {
            return Err(RigError::Twice { what: "control", name: name.clone() });
        }
        if default.len() != of.len() {
            let (to, wants, given) = (name.clone(), *of, default.len());
            return Err(RigError::Length { to, wants, given });
        }
        if let Some((low, high)) = *range {
            let is_range = low <= high;
            if !is_range || default.iter().any(|v| !(low..=high).contains(v)) {
                let message = if is_range {
                    format!("the default {default:?} is not between {low} and {high}")
                } else {
                    format!("no value is between {low} and {high}")
                };
                return Err(RigError::Range { control: name.clone(), message });
            }
        }
        self.controls.push(control);
        Ok(ControlId(self.controls.len() as u32 - 1))
    }

    /// A control of one number, unlimited, zero at first.
    ///
    /// # Errors
    /// If there is one of this name.
    pub fn scalar_control(&mut self, name: impl Into<String>) -> Result<ControlId, RigError> {
        let of = PortType::Scalar;
        self.control(Control { name: name.into(), of, range: None, default: of.neutral() })
    }

    /// Makes the output of a node one of the rig.
    ///
    /// # Errors
    /// If there is one of this name, or the node has no such output.
    pub fn output(
        &mut self,
        name: impl Into<String>,
        node: NodeId,
        port: usize,
    ) -> Result<OutputId, RigError> {
        let name = name.into();
        if self.outputs.iter().any(|(known, ..)| *known == name) {
            return Err(RigError::Twice { what: "output", name });
        }
        self.output_type(node, port)?;
        self.outputs.push((name, node, port as u32));
        Ok(OutputId(self.outputs.len() as u32 - 1))
    }

    /// Binds the output of a node to an input of another one.
    ///
    /// # Errors
    /// If a port is not there, types differ, or the input is bound.
    pub fn bind(&mut self, from: NodeId, output: usize, to: NodeId, input: usize) -> Result<(), RigError> {
        let of = self.output_type(from, output)?;
        self.put(to, input, of, Source::Output(from, output as u32))
    }

    /// Binds a control to an input.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub fn bind_control(&mut self, control: ControlId, to: NodeId, input: usize) -> Result<(), RigError> {
        let of = self.controls[control.0 as usize].of;
        self.put(to, input, of, Source::Control(control))
    }

    /// Gives an input a value that stays.
    ///
    /// # Errors
    /// If the port is not there, the value is not of its type, or the input is bound.
    pub fn set(&mut self, to: NodeId, input: usize, value: &[f64]) -> Result<(), RigError> {
        let wants = self.input_type(to, input)?;
        if wants.len() != value.len() {
            return Err(RigError::Length { to: self.input_name(to, input), wants, given: value.len() });
        }
        self.put(to, input, wants, Source::Value(value.to_vec()))
    }

    /// Takes the binding of an input away.
    ///
    /// # Errors
    /// If the port is not there.
    pub fn unbind(&mut self, to: NodeId, input: usize) -> Result<Source, RigError> {
        self.input_type(to, input)?;
        Ok(std::mem::replace(&mut self.nodes[to.0 as usize].sources[input], Source::Unbound))
    }

    fn put(&mut self, to: NodeId, input: usize, of: PortType, source: Source) -> Result<(), RigError> {
        let wants = self.input_type(to, input)?;
        // An index is a number; any number may say which branch.
        let is_number = |t| matches!(t, PortType::Scalar | PortType::Index);
        if of != wants && !(is_number(of) && is_number(wants)) {
            let (from, to) = (self.source_name(&source), self.input_name(to, input));
            return Err(RigError::Mismatch { from, of, to, wants });
        }
        let before = &self.nodes[to.0 as usize].sources[input];
        if *before != Source::Unbound {
            let (before, from) = (self.source_name(before), self.source_name(&source));
            return Err(RigError::BoundTwice { to: self.input_name(to, input), before, from });
        }
        self.nodes[to.0 as usize].sources[input] = source;
        Ok(())
    }

    /// Says what may run at the same time as a node, whatever its kind says; none: what its kind says.
    pub fn set_safety(&mut self, node: NodeId, safety: Option<Safety>) {
        self.nodes[node.0 as usize].safety = safety;
    }

    /// Says what may run at the same time as nodes of a kind, whatever it says itself; none: what it says.
    pub fn set_safety_of_kind(&mut self, kind: &str, safety: Option<Safety>) {
        match safety {
            Some(safety) => self.safety_of_kinds.insert(kind.into(), safety),
            None => self.safety_of_kinds.remove(kind),
        };
    }

    /// What may run at the same time as a node, and whether somebody has said so.
    pub fn safety(&self, node: NodeId) -> (Safety, bool) {
        let node = &self.nodes[node.0 as usize];
        let code = &self.kinds[node.kind.0 as usize].code;
        let said = node.safety.clone().or_else(|| self.safety_of_kinds.get(code.kind()).cloned());
        let said = said.or_else(|| code.safety());
        (said.clone().unwrap_or(Safety::GloballyUnsafe), said.is_some())
    }

    /// Notes the measured time of nodes [ns].
    pub fn set_costs(&mut self, costs: impl IntoIterator<Item = (NodeId, f64)>) {
        for (node, cost) in costs {
            self.nodes[node.0 as usize].cost_ns = Some(cost);
        }
    }

    /// Replaces the kind of a node by one with the same ports, such as a faster one.
    ///
    /// # Errors
    /// If an input or output that is bound would have another type.
    pub fn replace_kind(&mut self, node: NodeId, kind: KindId) -> Result<(), RigError> {
        let (new, old) = (&self.kinds[kind.0 as usize].ports, self.ports(node));
        let mut pairs = old.inputs.iter().map(|i| i.of).zip(new.inputs.iter().map(|i| i.of));
        let mut others = old.outputs.iter().map(|o| o.of).zip(new.outputs.iter().map(|o| o.of));
        let differs = pairs.find(|(a, b)| a != b).or_else(|| others.find(|(a, b)| a != b));
        if let Some((of, wants)) = differs {
            let name = self.nodes[node.0 as usize].name.clone();
            return Err(RigError::Mismatch { from: name.clone(), of, to: name, wants });
        }
        if (old.inputs.len(), old.outputs.len()) != (new.inputs.len(), new.outputs.len()) {
            return Err(RigError::NoSwitch { node: self.nodes[node.0 as usize].name.clone() });
        }
        let target = &mut self.nodes[node.0 as usize];
        (target.kind, target.cost_ns) = (kind, None);
        Ok(())
    }
}

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

    /// The node of a name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> Result<NodeId, RigError> {
        let known = || self.names.keys().map(String::as_str);
        self.names.get(name).copied().ok_or_else(|| unknown("node", name, None, known()))
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

    fn source_name(&self, source: &Source) -> String {
        match source {
            Source::Unbound => "nothing".into(),
            Source::Output(node, port) => self.output_name(*node, *port as usize),
            Source::Control(control) => self.controls[control.0 as usize].name.clone(),
            Source::Value(value) => format!("{value:?}"),
        }
    }

    fn input_type(&self, node: NodeId, input: usize) -> Result<PortType, RigError> {
        let found = self.ports(node).inputs.get(input).map(|i| i.of);
        let of = || Some(self.said(node));
        found.ok_or_else(|| unknown("input", &input.to_string(), of(), std::iter::empty()))
    }

    fn output_type(&self, node: NodeId, output: usize) -> Result<PortType, RigError> {
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
