//! Switches.

use crate::rig::node::{NodeKind, PortList, Safety};
use crate::rig::ports::Ports;
use crate::rig::value::PortType;

/// Passes on one of its branches, as a mesh of low or of high resolution.
///
/// Inputs: `index`, which is rounded, and `branch0`, `branch1` and so on. Output: `value`. What only other branches need is not
/// evaluated. An index without branch fails the evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    /// Number of branches.
    pub branches: u32,
    /// What they hold.
    pub of: PortType,
}

impl Switch {
    /// Input: which branch.
    pub const INDEX: usize = 0;

    /// The input of a branch.
    pub fn branch(k: usize) -> usize {
        1 + k
    }

    /// The branch that an index means, of so many: that of the nearest whole number, of halves the one farther from zero.
    pub fn chosen(index: f64, branches: usize) -> Option<usize> {
        let rounded = index.round();
        (rounded >= 0.0 && rounded < branches as f64).then_some(rounded as usize)
    }
}

impl Switch {
    fn no_branch(&self, index: f64) -> String {
        format!("there is no branch {index}; there are {}, counted from 0", self.branches)
    }
}

impl NodeKind for Switch {
    fn kind(&self) -> &'static str {
        "switch"
    }
    fn ports(&self) -> PortList {
        let mut list = PortList::new().input("index", PortType::Index);
        for k in 0..self.branches {
            list = list.required(format!("branch{k}"), self.of);
        }
        list.output("value", self.of)
    }
    fn evaluate(&self, p: &mut Ports<'_>) {
        let index = p.scalar(Self::INDEX);
        match Self::chosen(index, self.branches as usize) {
            Some(k) => {
                let value = p.input(Self::branch(k));
                p.set(0, value);
            }
            None => p.fail(self.no_branch(index)),
        }
    }
    fn safety(&self) -> Option<Safety> {
        Some(Safety::Reentrant)
    }
    fn cost_ns(&self) -> f64 {
        10.0 + self.of.len() as f64
    }
    fn is_switch(&self) -> bool {
        true
    }
    fn refuses(&self, input: usize, value: &[f64]) -> Option<String> {
        let index = *value.first().filter(|_| input == Self::INDEX)?;
        Self::chosen(index, self.branches as usize).is_none().then(|| self.no_branch(index))
    }
}
