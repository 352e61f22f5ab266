//! Validation: does evaluating what is dirty give what evaluating everything gives?

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Evaluator;
use super::flat::Flat;
use crate::rig::bits::BitSet;
use crate::rig::rig::NodeId;
use crate::rig::source_place::{SourcePlace, before};

/// A node whose dirty rules do not tell the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lie {
    /// The node.
    pub node: NodeId,
    /// Where it stands in the file that it was read from; none where a program has made it.
    pub place: Option<SourcePlace>,
    /// Its output, with the node's name.
    pub output: String,
    /// The inputs that this output depends on though the rules say that it does not. If there is none, it depends on something that
    /// is no input at all.
    pub inputs: Vec<String>,
}

impl fmt::Display for Lie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&before(self.place.as_ref()))?;
        match &self.inputs[..] {
            [] => write!(f, "`{}` depends on something that is none of its inputs", self.output),
            names => {
                write!(f, "`{}` depends on `{}`, and its rules deny it", self.output, names.join("`, `"))
            }
        }
    }
}

fn differs(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a.to_bits() != b.to_bits())
}

impl Evaluator {
    /// Runs every node of a frame anew, compares with the values that are there and count as up to date, and names the nodes that
    /// are to blame: those whose inputs agree and whose outputs do not.
    ///
    /// # Cost
    /// A full evaluation on one thread.
    pub fn validate(&self, frame: usize) -> Vec<Lie> {
        let (s, state) = (&*self.structure, &self.states[frame]);
        let mut dirty = self.dirts.get(state.dirt).clone();
        s.mark(&state.edited, &state.branches, &mut dirty);
        let mut flat = Flat::new(s, self.store.read(state.fixed));
        let mut off = BitSet::new(s.n_attributes());
        let mut lies = Vec::new();
        for at in 0..s.n_nodes() as u32 {
            // What cannot be evaluated is dirty, or nobody needs it.
            let ran = catch_unwind(AssertUnwindSafe(|| flat.evaluate(at)));
            let step = &s.code.steps[at as usize];
            let inputs = step.first_input..step.first_input + step.n_inputs;
            let is_off = |input: u32| match s.from[input as usize] {
                crate::rig::structure::From::Attribute(a) => off.contains(a as usize),
                crate::rig::structure::From::Fixed(_) => false,
            };
            let agrees = !inputs.clone().any(is_off);
            for attribute in step.first_attribute..step.first_attribute + step.n_attributes {
                let is_clean = !dirty.contains(attribute as usize);
                if !matches!(ran, Ok(Ok(_))) || !is_clean {
                    off.insert(attribute as usize);
                    continue;
                }
                let (kept, anew) = (self.attribute(frame, attribute), &flat.values[flat.range(attribute)]);
                if differs(kept, anew) {
                    off.insert(attribute as usize);
                    let counts_anyway = s.switch_of[at as usize] != crate::rig::structure::NO_SWITCH;
                    if agrees || !counts_anyway && self.is_denied(at, attribute, &off) {
                        lies.push(self.lie(&flat, at, attribute));
                    }
                }
            }
        }
        lies
    }

    /// Whether all inputs that disagree are ones of which the rules say that the output does not depend on them.
    fn is_denied(&self, at: u32, attribute: u32, off: &BitSet) -> bool {
        let s = &*self.structure;
        let step = &s.code.steps[at as usize];
        let (rules, output) = (&s.rules[step.kind as usize], (attribute - step.first_attribute) as usize);
        (0..step.n_inputs).all(|port| match s.from[(step.first_input + port) as usize] {
            crate::rig::structure::From::Attribute(a) if off.contains(a as usize) => {
                !rules.get(output, port as usize)
            }
            _ => true,
        })
    }

    /// Finds by trying which inputs an output depends on against its rules.
    fn lie(&self, flat: &Flat<'_>, at: u32, attribute: u32) -> Lie {
        let s = &*self.structure;
        let (step, node) = (&s.code.steps[at as usize], s.node_of[at as usize]);
        let (rules, output) = (&s.rules[step.kind as usize], (attribute - step.first_attribute) as usize);
        let (offset, len) = s.code.outputs[attribute as usize];
        let of_output = offset as usize..(offset + len) as usize;
        let mut inputs = Vec::new();
        for port in (0..step.n_inputs).filter(|&p| !rules.get(output, p as usize)) {
            let input = step.first_input + port;
            let now = flat.input(input).to_vec();
            let before = flat.evaluate_with(at, input, &now)[of_output.clone()].to_vec();
            let tried = [|x: f64| x + 1.0, |x: f64| 0.5 - 2.0 * x, |_: f64| 0.0];
            let changes = |change: &fn(f64) -> f64| {
                let other: Vec<f64> = now.iter().map(|x| change(*x)).collect();
                differs(&before, &flat.evaluate_with(at, input, &other)[of_output.clone()])
            };
            if tried.map(|f| f as fn(f64) -> f64).iter().any(changes) {
                inputs.push(self.rig.input_name(node, port as usize));
            }
        }
        Lie { node, place: self.rig.place_of(node), output: self.rig.output_name(node, output), inputs }
    }

    /// Measures what each node takes, on one thread, with a clock of the caller's [ns]; the smallest of several rounds counts. Lays
    /// the rig out anew by it.
    ///
    /// # Errors
    /// If something is wrong with the rig.
    pub fn measure(
        &mut self,
        rounds: usize,
        clock: &mut dyn FnMut() -> u64,
    ) -> Result<(), Vec<crate::rig::RigError>> {
        let s = self.structure.clone();
        let mut flat = Flat::new(&s, self.store.read(self.states[0].fixed));
        let mut costs = vec![u64::MAX; s.n_nodes()];
        // Looking at the clock takes time too.
        let of_clock = (0..64).map(|_| {
            let begin = clock();
            clock().saturating_sub(begin)
        });
        let of_clock = of_clock.min().unwrap_or(0);
        for _ in 0..rounds.max(1) {
            for at in 0..s.n_nodes() as u32 {
                let begin = clock();
                let _ = catch_unwind(AssertUnwindSafe(|| flat.evaluate(at)));
                let took = clock().saturating_sub(begin).saturating_sub(of_clock);
                costs[at as usize] = costs[at as usize].min(took);
            }
        }
        // Below what the clock tells apart, nodes are taken to cost something.
        const LEAST_NS: f64 = 10.0;
        let costs = s.node_of.iter().zip(&costs).map(|(node, ns)| (*node, (*ns as f64).max(LEAST_NS)));
        self.rig.set_costs(costs);
        self.rebuild(super::Rebuild::Costs)
    }
}
