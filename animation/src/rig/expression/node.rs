//! The node of an expression.

use super::code::Code;
use super::parser::ParseError;
use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// A node that computes an expression: an input for each of its names, and the output `value`.
#[derive(Clone)]
pub struct Expression {
    code: Code,
}

impl Expression {
    /// The node of an expression.
    ///
    /// # Errors
    /// If it is none.
    pub fn new(text: &str) -> Result<Self, ParseError> {
        Ok(Self { code: Code::parse(text)? })
    }
}

impl NodeKind for Expression {
    fn kind(&self) -> &'static str {
        "expression"
    }
    fn ports(&self) -> PortList {
        let mut list = PortList::new();
        for (name, is_vector) in self.code.variables() {
            list = list.required(name, if is_vector { PortType::Vec3 } else { PortType::Scalar });
        }
        list.output("value", PortType::Scalar)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let value = self.code.evaluate(|k, component| p.input(k)[component]);
        p.set_scalar(0, value);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        10.0 + 4.0 * self.code.n_steps() as f64
    }
}
