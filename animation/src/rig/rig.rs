//! A rig as it is built: nodes, bindings, controls and outputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bits::BitMatrix;
use super::error::RigError;
use super::node::{NodeKind, PortList, Safety};
use super::source_place::SourcePlaces;
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
#[derive(Clone)]
pub(crate) struct Kind {
    pub(crate) code: Arc<dyn NodeKind>,
    pub(crate) ports: PortList,
    pub(crate) rules: BitMatrix,
}

/// A node.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) kind: KindId,
    /// What part of the character it belongs to.
    pub(crate) component: u16,
    pub(crate) sources: Vec<Source>,
    pub(crate) safety: Option<Safety>,
    /// Measured time [ns].
    pub(crate) cost_ns: Option<f64>,
    /// The node that merges it with others, if it is a part.
    pub(crate) part_of: Option<NodeId>,
    /// Whether it is not to be divided.
    pub(crate) is_whole: bool,
}

/// A graph of nodes with controls and outputs.
#[derive(Clone)]
pub struct Rig {
    /// Its name.
    pub name: String,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) components: Vec<String>,
    pub(crate) controls: Vec<Control>,
    pub(crate) outputs: Vec<(String, NodeId, u32)>,
    /// By number of an output of points: the triangles between them.
    pub(super) triangles: BTreeMap<u32, Vec<[u32; 3]>>,
    pub(super) names: BTreeMap<String, NodeId>,
    /// Numbers of controls and of outputs, by name.
    pub(super) control_names: BTreeMap<String, ControlId>,
    output_names: BTreeMap<String, OutputId>,
    component: u16,
    pub(super) safety_of_kinds: BTreeMap<String, Safety>,
    pub(super) places: SourcePlaces,
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
            triangles: BTreeMap::new(),
            names: BTreeMap::new(),
            control_names: BTreeMap::new(),
            output_names: BTreeMap::new(),
            component: 0,
            safety_of_kinds: BTreeMap::new(),
            places: SourcePlaces::default(),
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
        let (safety, cost_ns, part_of, is_whole) = (None, None, None, false);
        self.nodes.push(Node { name, kind, component, sources, safety, cost_ns, part_of, is_whole });
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
        if self.control_names.contains_key(name) {
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
        let id = ControlId(self.controls.len() as u32);
        self.control_names.insert(control.name.clone(), id);
        self.controls.push(control);
        Ok(id)
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
        if self.output_names.contains_key(&name) {
            return Err(RigError::Twice { what: "output", name });
        }
        self.output_type(node, port)?;
        let id = OutputId(self.outputs.len() as u32);
        self.output_names.insert(name.clone(), id);
        self.outputs.push((name, node, port as u32));
        Ok(id)
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
}
