//! What a node is: declared ports, static dirty rules, and a function of its inputs.

use std::ops::Range;
use std::sync::Arc;

use super::bits::BitMatrix;
use super::ports::Ports;
use super::value::PortType;

/// What of a kind of nodes may run at the same time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// Anything, the same instance in two frames too.
    Reentrant,
    /// Anything but the same instance in two frames.
    Threadsafe,
    /// No two nodes of this kind.
    TypeUnsafe,
    /// No two nodes of this group of kinds.
    GroupUnsafe(String),
    /// No other node at all.
    GloballyUnsafe,
}

impl Safety {
    /// Words of files that name no group.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("reentrant", Self::Reentrant),
        ("threadsafe", Self::Threadsafe),
        ("type-unsafe", Self::TypeUnsafe),
        ("globally-unsafe", Self::GloballyUnsafe),
    ];

    /// What a word means: one of [`Self::WORDS`], or else a group.
    pub fn of_word(word: &str) -> Self {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map_or_else(|| Self::GroupUnsafe(word.into()), |(_, safety)| safety.clone())
    }
}

impl std::fmt::Display for Safety {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reentrant => f.write_str("reentrant"),
            Self::Threadsafe => f.write_str("threadsafe"),
            Self::TypeUnsafe => f.write_str("type-unsafe"),
            Self::GroupUnsafe(group) => write!(f, "group-unsafe ({group})"),
            Self::GloballyUnsafe => f.write_str("globally unsafe"),
        }
    }
}

/// A declared input.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub of: PortType,
    /// What it is if nothing is bound to it; none: something must be bound.
    pub default: Option<Vec<f64>>,
}

/// A declared output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub of: PortType,
}

/// The ports of a node, and which outputs depend on which inputs.
#[derive(Clone, Debug)]
pub struct PortList {
    /// The inputs in order.
    pub inputs: Vec<Input>,
    /// The outputs in order.
    pub outputs: Vec<Output>,
    independent: Vec<(usize, usize)>,
}

impl PortList {
    /// No ports yet.
    pub fn new() -> Self {
        Self { inputs: Vec::new(), outputs: Vec::new(), independent: Vec::new() }
    }

    /// One more input, which has its type's neutral value if nothing is bound to it.
    pub fn input(self, name: impl Into<String>, of: PortType) -> Self {
        self.input_or(name, of, of.neutral())
    }

    /// One more input with a value for when nothing is bound to it.
    ///
    /// # Panics
    /// If the value is not of the type.
    pub fn input_or(mut self, name: impl Into<String>, of: PortType, default: Vec<f64>) -> Self {
        assert_eq!(default.len(), of.len(), "the default of an input has its type");
        self.inputs.push(Input { name: name.into(), of, default: Some(default) });
        self
    }

    /// One more input, to which something must be bound.
    pub fn required(mut self, name: impl Into<String>, of: PortType) -> Self {
        self.inputs.push(Input { name: name.into(), of, default: None });
        self
    }

    /// One more output.
    pub fn output(mut self, name: impl Into<String>, of: PortType) -> Self {
        self.outputs.push(Output { name: name.into(), of });
        self
    }

    /// Declares that an output does not depend on an input. Else it does.
    pub fn independent(mut self, output: usize, input: usize) -> Self {
        self.independent.push((output, input));
        self
    }

    /// The dirty rules: rows are outputs, columns inputs.
    ///
    /// # Panics
    /// If a port that was said to be independent is not there.
    pub fn rules(&self) -> BitMatrix {
        let mut rules = BitMatrix::full(self.outputs.len(), self.inputs.len());
        for &(output, input) in &self.independent {
            rules.set(output, input, false);
        }
        rules
    }
}

impl Default for PortList {
    fn default() -> Self {
        Self::new()
    }
}

/// A kind of nodes, with the constants of one node of it.
///
/// `evaluate` is a function of the inputs: it gets nothing else, and what it writes is all it leaves.
pub trait NodeKind: Send + Sync + 'static {
    /// The kind's name.
    fn kind(&self) -> &'static str;

    /// The ports. They stay as they are.
    fn ports(&self) -> PortList;

    /// Computes the outputs from the inputs.
    ///
    /// Outputs hold what they held before. One that [`Ports::wants`] does not ask for need not be written.
    fn evaluate(&self, ports: &mut Ports<'_>);

    /// What may run at the same time. Nothing, unless the author says otherwise.
    fn safety(&self) -> Option<Safety> {
        None
    }

    /// What an evaluation takes, roughly [ns], until it is measured.
    fn cost_ns(&self) -> f64 {
        50.0
    }

    /// Whether it passes on one of its inputs: the first input says which of the others.
    fn is_switch(&self) -> bool {
        false
    }

    /// Why a value that stays cannot be that of an input, if it cannot: what can be known before anything is evaluated.
    fn refuses(&self, input: usize, value: &[f64]) -> Option<String> {
        let _ = (input, value);
        None
    }

    /// The same for a range of the points of its first output: a node with the same inputs, whose first output has these points only.
    /// None if it cannot be divided.
    fn part(&self, points: Range<u32>) -> Option<Arc<dyn NodeKind>> {
        let _ = points;
        None
    }
}
