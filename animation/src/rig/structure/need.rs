//! What an edit makes dirty, and what of it is needed for what is asked.

use super::{From, NO_SWITCH, Structure};
use crate::rig::bits::BitSet;

/// A node to be run, by its step, and which of its outputs are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    pub(crate) step: u32,
    /// By bit; the last one stands for all further outputs.
    pub(crate) wanted: u32,
}

/// What is to be run, and what is dirty afterwards.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needed {
    /// In the order of evaluation.
    pub(crate) work: Vec<Work>,
    /// Attributes that are still dirty afterwards.
    pub(crate) dirty: BitSet,
}

/// Which branch each switch takes; [`u32::MAX`] where it is not known yet.
pub(crate) type Branches = [u32];

impl Structure {
    /// Whether a dirty input makes its node dirty: a branch that a switch does not take does not.
    pub(crate) fn counts(&self, input: u32, branches: &Branches) -> bool {
        let at = self.step_of_input[input as usize];
        let switch = self.switch_of[at as usize];
        if switch == NO_SWITCH {
            return true;
        }
        let port = input - self.code.steps[at as usize].first_input;
        let taken = branches[switch as usize];
        port == 0 || taken == u32::MAX || port == 1 + taken
    }

    /// Marks what depends on edited controls, on top of what is dirty.
    pub(crate) fn mark(&self, edited: &BitSet, branches: &Branches, dirty: &mut BitSet) {
        let mut inputs: Vec<u32> =
            edited.iter().flat_map(|c| self.control_readers.row(c as u32).iter().copied()).collect();
        while let Some(input) = inputs.pop() {
            if !self.counts(input, branches) {
                continue;
            }
            let step = &self.code.steps[self.step_of_input[input as usize] as usize];
            let (rules, port) = (&self.rules[step.kind as usize], (input - step.first_input) as usize);
            for output in 0..step.n_attributes {
                let attribute = step.first_attribute + output;
                if rules.get(output as usize, port) && dirty.insert(attribute as usize) {
                    inputs.extend_from_slice(self.readers.row(attribute));
                }
            }
        }
    }

    /// The nodes that must run for some attributes, given what is dirty.
    pub(crate) fn need(&self, wanted: &[u32], branches: &Branches, mut dirty: BitSet) -> Needed {
        let mut work: Vec<Work> = Vec::new();
        let mut open: Vec<u32> = wanted.to_vec();
        while let Some(attribute) = open.pop() {
            if !dirty.contains(attribute as usize) {
                continue;
            }
            // It will be clean; so it is not met again.
            dirty.remove(attribute as usize);
            let at = self.step_of_attribute[attribute as usize];
            let step = &self.code.steps[at as usize];
            let output = attribute - step.first_attribute;
            work.push(Work { step: at, wanted: 1 << output.min(31) });
            let rules = &self.rules[step.kind as usize];
            for port in 0..step.n_inputs {
                let input = step.first_input + port;
                if !rules.get(output as usize, port as usize) || !self.counts(input, branches) {
                    continue;
                }
                if let From::Attribute(source) = self.from[input as usize]
                    && dirty.contains(source as usize)
                {
                    open.push(source);
                }
            }
        }
        work.sort_unstable_by_key(|w| w.step);
        work.dedup_by(|next, kept| {
            let is_same = next.step == kept.step;
            kept.wanted |= if is_same { next.wanted } else { 0 };
            is_same
        });
        Needed { work, dirty }
    }

    /// The attribute of a switch's index, if it is not a control or a constant.
    pub(crate) fn index_attribute(&self, switch: usize) -> Option<u32> {
        let step = &self.code.steps[self.switches[switch] as usize];
        match self.from[step.first_input as usize] {
            From::Attribute(attribute) => Some(attribute),
            From::Fixed(_) => None,
        }
    }
}
