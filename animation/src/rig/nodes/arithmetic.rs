//! Sums, products and the like, of numbers or number by number of arrays.

use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// What is done with `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// a + b.
    Add,
    /// a - b.
    Subtract,
    /// a b.
    Multiply,
    /// a / b.
    Divide,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// a to the power of b.
    Power,
}

impl Operation {
    /// All, with their words in files.
    pub const ALL: [(&'static str, Self); 7] = [
        ("add", Self::Add),
        ("subtract", Self::Subtract),
        ("multiply", Self::Multiply),
        ("divide", Self::Divide),
        ("min", Self::Min),
        ("max", Self::Max),
        ("power", Self::Power),
    ];

    /// Of two numbers.
    #[inline(always)]
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Power => a.powf(b),
        }
    }
}

/// Inputs `a` and `b`, output `value`, all of one type. `b` of a sum or a difference is zero if nothing is bound to it; of what else there is,
/// something must be bound to both.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// What is done.
    pub operation: Operation,
    /// With what.
    pub of: PortType,
}

impl NodeKind for Arithmetic {
    fn kind(&self) -> &'static str {
        Operation::ALL.iter().find(|(_, o)| *o == self.operation).map_or("add", |(word, _)| word)
    }
    fn ports(&self) -> PortList {
        let list = PortList::new().required("a", self.of);
        let list = match self.operation {
            Operation::Add | Operation::Subtract => list.input_or("b", self.of, vec![0.0; self.of.len()]),
            _ => list.required("b", self.of),
        };
        list.output("value", self.of)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let (a, b) = (p.input(0), p.input(1));
        for ((out, a), b) in p.output(0).iter_mut().zip(a).zip(b) {
            *out = self.operation.of(*a, *b);
        }
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        10.0 + self.of.len() as f64
    }
}
