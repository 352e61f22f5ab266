//! Nodes for measurements: one that does nothing, and one that does as much as is asked for.

use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// A node without mathematics: its output is its first input. Inputs: `in0`, `in1` and so on. Output: `out`.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Number of inputs.
    pub inputs: u32,
}

impl NodeKind for Pass {
    fn kind(&self) -> &'static str {
        "pass"
    }
    fn ports(&self) -> PortList {
        let mut list = PortList::new();
        for k in 0..self.inputs {
            list = list.input(format!("in{k}"), PortType::Scalar);
        }
        list.output("out", PortType::Scalar)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let value = if self.inputs == 0 { 0.0 } else { p.scalar(0) };
        p.set_scalar(0, value);
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        15.0
    }
}

/// A node that stands for an expensive one: so many rounds of arithmetic on the sum of its inputs.
///
/// Inputs: `in0`, `in1` and so on. Output: `out`.
#[derive(Clone, Debug)]
pub struct Work {
    /// Number of inputs.
    pub inputs: u32,
    /// Rounds, of some nanoseconds each.
    pub rounds: u32,
    /// What may run at the same time.
    pub safety: Safety,
}

impl NodeKind for Work {
    fn kind(&self) -> &'static str {
        "work"
    }
    fn ports(&self) -> PortList {
        let mut list = PortList::new();
        for k in 0..self.inputs {
            list = list.input(format!("in{k}"), PortType::Scalar);
        }
        list.output("out", PortType::Scalar)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let sum = (0..self.inputs as usize).fold(0.0, |sum, k| sum + p.scalar(k));
        // Each round waits for the one before it, so that the time is a known multiple of the rounds.
        let value = (0..self.rounds).fold(sum, |x, _| 0.5 * x + 1.0 / (1.0 + x * x));
        p.set_scalar(0, value);
    }
    fn safety(&self) -> Option<Safety> {
        Some(self.safety.clone())
    }
    fn cost_ns(&self) -> f64 {
        15.0 + 8.0 * f64::from(self.rounds)
    }
}
