//! The most expensive way through a rig.

use super::Evaluator;
use crate::rig::rig::NodeId;
use crate::rig::structure::From;

impl Evaluator {
    /// The nodes of the longest way through the rig, from the first on, and its length [ns], by what nodes take as measured or said.
    /// No number of workers evaluates the rig in less time.
    pub fn critical_path(&self) -> (Vec<NodeId>, f64) {
        let s = &*self.structure;
        let mut length: Vec<f64> = Vec::with_capacity(s.n_nodes());
        let mut before: Vec<Option<u32>> = Vec::with_capacity(s.n_nodes());
        for (at, step) in s.code.steps.iter().enumerate() {
            let mut longest: Option<u32> = None;
            for input in step.first_input..step.first_input + step.n_inputs {
                if let From::Attribute(a) = s.from[input as usize] {
                    let source = s.step_of_attribute[a as usize];
                    if longest.is_none_or(|l| length[source as usize] > length[l as usize]) {
                        longest = Some(source);
                    }
                }
            }
            let own = self.rig.cost_ns(s.node_of[at]);
            length.push(longest.map_or(0.0, |l| length[l as usize]) + own);
            before.push(longest);
        }
        let last = (0..length.len()).max_by(|a, b| length[*a].total_cmp(&length[*b]).then(b.cmp(a)));
        let mut path = Vec::new();
        let mut at = last.map(|k| k as u32);
        while let Some(k) = at {
            path.push(s.node_of[k as usize]);
            at = before[k as usize];
        }
        path.reverse();
        (path, last.map_or(0.0, |k| length[k]))
    }

    /// What a node takes [ns], as measured, or else as its kind says.
    pub fn cost_ns(&self, node: NodeId) -> f64 {
        self.rig.cost_ns(node)
    }
}
