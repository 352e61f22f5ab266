//! Nodes that ran in vain: static rules said that they might matter, and nobody read what they computed.

use super::Evaluator;
use crate::rig::rig::NodeId;
use crate::rig::structure::From;

impl Evaluator {
    /// Nodes of the last evaluation, by frame, whose outputs were not asked for and not read by a node that was of use.
    ///
    /// None, unless reads are counted ([`Settings::count_reads`](super::Settings::count_reads)), or where nothing was evaluated.
    pub fn over_computed(&self) -> Option<Vec<(usize, NodeId)>> {
        let info = self.plans.last.and_then(|plan| self.plans.get(plan));
        let info = info.filter(|_| self.settings.count_reads)?;
        let s = &*self.structure;
        let mut found = Vec::new();
        for (frame, work) in info.work.iter().enumerate() {
            let mut useful = vec![false; s.n_nodes()];
            for attribute in &self.requested {
                useful[s.step_of_attribute[*attribute as usize] as usize] = true;
            }
            // Who reads comes behind who is read.
            for w in work.iter().rev() {
                let at = w.step as usize;
                if !useful[at] {
                    found.push((frame, s.node_of[at]));
                    continue;
                }
                let (step, block) = (&s.code.steps[at], s.block_of[at] as usize);
                let reads = self.store.read(self.states[frame].reads[block]);
                let read = reads[at - s.blocks[block].steps.start as usize];
                for port in (0..step.n_inputs).filter(|&p| p >= 64 || read >> p & 1 != 0) {
                    if let From::Attribute(source) = s.from[(step.first_input + port) as usize] {
                        useful[s.step_of_attribute[source as usize] as usize] = true;
                    }
                }
            }
        }
        found.reverse();
        Some(found)
    }
}
