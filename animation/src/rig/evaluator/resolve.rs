//! Which way switches stand: their indices are evaluated first, so that what only other branches need is not run.

use super::key::{FrameKey, What};
use super::{Evaluator, Failure};
use crate::rig::bits::BitSet;
use crate::rig::nodes::Switch;
use crate::rig::structure::{From, NO_SWITCH, Needed};

/// An index that means no branch: the switch itself says so when it runs.
const NO_BRANCH: u32 = u32::MAX - 1;

impl Evaluator {
    /// Finds which way the switches stand that count for what is requested in a frame. Returns how many nodes had to run for it.
    pub(super) fn resolve(&mut self, frame: usize) -> Result<usize, Box<Failure>> {
        if self.structure.switches.is_empty() {
            return Ok(0);
        }
        let s = self.structure.clone();
        for switch in 0..s.switches.len() {
            if s.index_attribute(switch).is_none() {
                self.look(frame, switch);
            }
        }
        if (0..s.switches.len()).all(|k| s.index_attribute(k).is_none()) {
            return Ok(0);
        }
        self.key.fill(What::Stale(frame as u32), self.request, self.version, &self.states);
        let plan = self.plan()?;
        if let Some(info) = self.plans.get(plan) {
            for switch in &info.switches {
                self.states[frame].branches[*switch as usize] = u32::MAX;
            }
        }
        let mut nodes = 0;
        loop {
            self.key.fill(What::Resolve(frame as u32), self.request, self.version, &self.states);
            let plan = self.plan()?;
            nodes += self.run(plan)?.nodes;
            let n = self.plans.get(plan).map_or(0, |info| info.switches.len());
            if n == 0 {
                return Ok(nodes);
            }
            for k in 0..n {
                let switch = self.plans.get(plan).and_then(|info| info.switches.get(k).copied());
                if let Some(switch) = switch {
                    self.look(frame, switch as usize);
                }
            }
        }
    }

    /// Looks which way a switch stands.
    fn look(&mut self, frame: usize, switch: usize) {
        let s = &self.structure;
        let index = self.states[frame].index(s, &self.store, switch);
        let branches = s.code.steps[s.switches[switch] as usize].n_inputs as usize - 1;
        let chosen = Switch::chosen(index, branches).map_or(NO_BRANCH, |k| k as u32);
        self.states[frame].branches[switch] = chosen;
    }

    /// The switches whose index is dirty.
    pub(super) fn stale(&self, key: &FrameKey) -> Vec<u32> {
        let s = &*self.structure;
        let mut branches = key.branches.clone();
        let indexed = |k: &usize| s.index_attribute(*k);
        (0..s.switches.len()).filter(|k| indexed(k).is_some()).for_each(|k| branches[k] = u32::MAX);
        let mut dirty = self.dirts.get(key.dirt).clone();
        s.mark(&key.edited, &branches, &mut dirty);
        let is_stale = |k: &usize| indexed(k).is_some_and(|a| dirty.contains(a as usize));
        (0..s.switches.len()).filter(is_stale).map(|k| k as u32).collect()
    }

    /// What must run to find which way switches stand whose indices hang on no other switch of that sort, and these switches; none
    /// if all that count are known.
    pub(super) fn unresolved(&self, key: &FrameKey) -> (Needed, Vec<u32>) {
        let s = &*self.structure;
        let mut dirty = self.dirts.get(key.dirt).clone();
        s.mark(&key.edited, &key.branches, &mut dirty);
        let is_unknown = |switch: u32| switch != NO_SWITCH && key.branches[switch as usize] == u32::MAX;
        // From what is requested upwards, to switches that are not known.
        let mut met = BitSet::new(s.n_attributes());
        let mut open = self.requested.clone();
        let mut found = BitSet::new(s.switches.len());
        while let Some(attribute) = open.pop() {
            if !dirty.contains(attribute as usize) || !met.insert(attribute as usize) {
                continue;
            }
            let at = s.step_of_attribute[attribute as usize];
            let (step, switch) = (&s.code.steps[at as usize], s.switch_of[at as usize]);
            let ports = if is_unknown(switch) {
                found.insert(switch as usize);
                0..1
            } else {
                0..step.n_inputs
            };
            let output = (attribute - step.first_attribute) as usize;
            for port in ports {
                let counts = s.rules[step.kind as usize].get(output, port as usize)
                    && (switch == NO_SWITCH
                        || is_unknown(switch)
                        || port == 0
                        || port == 1 + key.branches[switch as usize]);
                if let (true, From::Attribute(source)) = (counts, s.from[(step.first_input + port) as usize])
                {
                    open.push(source);
                }
            }
        }
        let indices: Vec<(u32, u32)> =
            found.iter().filter_map(|k| s.index_attribute(k).map(|index| (k as u32, index))).collect();
        let all: Vec<u32> = indices.iter().map(|(_, index)| *index).collect();
        let behind = self.behind_unknown(&all, &key.branches, &dirty);
        let ready = || indices.iter().filter(|(_, index)| !behind.contains(*index as usize));
        let wanted: Vec<u32> = ready().map(|(_, index)| *index).collect();
        // What the indices of known switches needed has been evaluated.
        let dirty = self.without_known(&key.branches, dirty);
        (s.need(&wanted, &key.branches, dirty), ready().map(|(switch, _)| *switch).collect())
    }

    /// Of what must run for some attributes: the attributes that hang on switches of which it is not known which way they stand.
    fn behind_unknown(&self, wanted: &[u32], branches: &[u32], dirty: &BitSet) -> BitSet {
        let s = &*self.structure;
        let mut behind = BitSet::new(s.n_attributes());
        // In the order of evaluation, so that sources are known.
        for work in s.need(wanted, branches, dirty.clone()).work {
            let (step, switch) = (&s.code.steps[work.step as usize], s.switch_of[work.step as usize]);
            let is_unknown = switch != NO_SWITCH && branches[switch as usize] == u32::MAX;
            let rules = &s.rules[step.kind as usize];
            for output in 0..step.n_attributes {
                let hangs = |port: u32| {
                    let input = step.first_input + port;
                    rules.get(output as usize, port as usize)
                        && s.counts(input, branches)
                        && matches!(s.from[input as usize], From::Attribute(a) if behind.contains(a as usize))
                };
                if is_unknown || (0..step.n_inputs).any(hangs) {
                    behind.insert((step.first_attribute + output) as usize);
                }
            }
        }
        behind
    }

    /// What is dirty but for what indices of switches need whose way is known: they have been evaluated.
    fn without_known(&self, branches: &[u32], dirty: BitSet) -> BitSet {
        let s = &*self.structure;
        let known = (0..s.switches.len()).filter(|k| branches[*k] != u32::MAX);
        let indices: Vec<u32> = known.filter_map(|k| s.index_attribute(k)).collect();
        if indices.is_empty() { dirty } else { s.need(&indices, branches, dirty).dirty }
    }

    /// What must run in a frame for some attributes, once it is known which way switches stand.
    pub(super) fn needed_in(&self, key: &FrameKey, wanted: &[u32]) -> Needed {
        let s = &*self.structure;
        let mut dirty = self.dirts.get(key.dirt).clone();
        s.mark(&key.edited, &key.branches, &mut dirty);
        let dirty = self.without_known(&key.branches, dirty);
        s.need(wanted, &key.branches, dirty)
    }
}
