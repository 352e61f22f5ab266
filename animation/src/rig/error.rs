//! What may be wrong with a rig.

use super::value::PortType;
use crate::graph::told;

/// What is wrong with a rig, or with what is asked of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigError {
    /// Two nodes, controls or outputs of one name.
    #[error("there is already a {what} `{name}`")]
    Twice {
        /// A node, control or output.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A name that is not there.
    #[error("there is no {what} `{name}`{}", of.as_ref().map_or(String::new(), |of| format!(" of {of}")))]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name.
        name: String,
        /// Where it was looked for.
        of: Option<String>,
        /// What may be meant, as a sentence.
        suggestion: Option<String>,
    },
    /// A node where one of its outputs is meant.
    #[error("`{node}` is a node; which of its outputs is meant? There {}", told_outputs(node, outputs))]
    NoOutput {
        /// The node.
        node: String,
        /// The names of its outputs.
        outputs: Vec<String>,
    },
    /// A binding between attributes of two types.
    #[error("`{from}` is {of}, `{to}` takes {wants}")]
    Mismatch {
        /// The attribute that is read.
        from: String,
        /// Its type.
        of: PortType,
        /// The input.
        to: String,
        /// Its type.
        wants: PortType,
    },
    /// A value that is not of an attribute's type.
    #[error("`{to}` is {wants}, which is {} numbers, not {given}", wants.len())]
    Length {
        /// The attribute.
        to: String,
        /// Its type.
        wants: PortType,
        /// The numbers that were given.
        given: usize,
    },
    /// A second binding of one input.
    #[error("`{to}` is bound to `{before}` already, and cannot be bound to `{from}` too")]
    BoundTwice {
        /// The input.
        to: String,
        /// What it is bound to.
        before: String,
        /// What it was to be bound to.
        from: String,
    },
    /// An input that must be bound.
    #[error("`{to}` takes {wants}, and nothing is bound to it")]
    Unconnected {
        /// The input.
        to: String,
        /// Its type.
        wants: PortType,
    },
    /// Nodes that wait for each other.
    #[error("a cycle: {}", told::cycle(names.len().saturating_sub(1), |k| names[k].clone()))]
    Cycle {
        /// Their names, the first one again at the end.
        names: Vec<String>,
    },
    /// A control whose default lies outside of its range, or whose range is none.
    #[error("control `{control}`: {message}")]
    Range {
        /// The control.
        control: String,
        /// What is wrong.
        message: String,
    },
    /// Triangles that are none between the points of an output.
    #[error("the mesh of `{output}`: {message}")]
    Mesh {
        /// The output.
        output: String,
        /// What is wrong.
        message: String,
    },
    /// A kind that counts as a switch and has no index.
    #[error("`{node}` is a switch without an index and branches of one type")]
    NoSwitch {
        /// The node.
        node: String,
    },
    /// More numbers than can be counted.
    #[error("the rig holds more numbers than 32 bits count")]
    TooLarge,
}

impl RigError {
    /// What may be meant, as a sentence, if a name is not known.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::Unknown { suggestion, .. } => suggestion.as_deref(),
            _ => None,
        }
    }
}

/// The outputs of a node as they may be bound.
fn told_outputs(node: &str, outputs: &[String]) -> String {
    const TOLD: usize = 8;
    let all: Vec<String> = outputs.iter().take(TOLD).map(|output| format!("`{node}.{output}`")).collect();
    let verb = if outputs.len() == 1 { "is" } else { "are" };
    let more = if outputs.len() > TOLD { " and more" } else { "" };
    format!("{verb} {}{more}", all.join(", "))
}
