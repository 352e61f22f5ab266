//! Why a node does not run beside others, by name.

use std::fmt;

use super::Evaluator;
use crate::rig::node::Safety;
use crate::rig::rig::{NodeId, Source};
use crate::rig::structure::Guard;

/// A reason why a node does not run beside others.
#[derive(Clone, Debug, PartialEq)]
pub enum Serial {
    /// Threading of the graph is switched off.
    SwitchedOff,
    /// Nothing may run beside it.
    Alone {
        /// What it was declared as; none: nobody has said, and nothing is what is assumed.
        declared: Option<Safety>,
        /// How many other nodes of a full evaluation wait for it or are waited for.
        stops: usize,
    },
    /// These nodes must not run beside it.
    Shares {
        /// What it was declared as.
        safety: Safety,
        /// The names of some of the others.
        with: Vec<String>,
        /// How many others there are.
        n: usize,
    },
    /// It is one task with these nodes.
    Fused {
        /// The names of some of the others.
        with: Vec<String>,
        /// How many others there are.
        n: usize,
        /// What the task takes [ns].
        cost_ns: f64,
    },
    /// Nothing else is there to run at the same time: what comes before it and behind it are the whole rest.
    OnlyWay {
        /// The nodes that it waits for, from the last one up: one of each task.
        behind: Vec<String>,
    },
}

impl fmt::Display for Serial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String], n: usize| {
            let more = if n > names.len() { format!(" and {} more", n - names.len()) } else { String::new() };
            format!("`{}`{more}", names.join("`, `"))
        };
        match self {
            Self::SwitchedOff => f.write_str("threading of the graph is switched off"),
            Self::Alone { declared: Some(safety), stops } => {
                write!(f, "declared {safety}: it runs alone, beside {stops} nodes that could run meanwhile")
            }
            Self::Alone { declared: None, stops } => write!(
                f,
                "nobody has said what may run beside it, so nothing may; {stops} nodes could run meanwhile"
            ),
            Self::Shares { safety, with, n } => write!(f, "{safety}: never beside {}", list(with, *n)),
            Self::Fused { with, n, cost_ns } => {
                write!(f, "one task of {:.1} us with {}", cost_ns / 1e3, list(with, *n))
            }
            Self::OnlyWay { behind } => match &behind[..] {
                [] => f.write_str("all others wait for it"),
                names => write!(f, "nothing else can run then; it waits for `{}`", names.join("`, for `")),
            },
        }
    }
}

/// Names in one reason.
const NAMED: usize = 5;

impl Evaluator {
    /// Why a node does not run beside others in a full evaluation; empty if it does.
    pub fn why_serial(&self, node: NodeId) -> Vec<Serial> {
        let s = &*self.structure;
        let at = s.step_of[node.0 as usize];
        let b = s.block_of[at as usize];
        let block = &s.blocks[b as usize];
        let mut reasons = Vec::new();
        if !s.threading.graph && block.guard == Guard::Everything {
            return vec![Serial::SwitchedOff];
        }
        let same_level: usize =
            s.blocks.iter().filter(|o| o.level == block.level).map(|o| o.steps.len()).sum::<usize>()
                - block.steps.len();
        let (safety, is_said) = self.rig.safety(node);
        match block.guard {
            Guard::Everything => {
                reasons.push(Serial::Alone { declared: is_said.then_some(safety), stops: same_level })
            }
            Guard::Group(group) => {
                let others = s.blocks.iter().filter(|o| o.guard == Guard::Group(group));
                let steps: Vec<u32> = others.flat_map(|o| o.steps.clone()).filter(|k| *k != at).collect();
                let (with, n) = (self.names(steps.iter().copied()), steps.len());
                if n > 0 {
                    reasons.push(Serial::Shares { safety, with, n });
                }
            }
            Guard::None => {}
        }
        if block.steps.len() > 1 {
            let with = self.names(block.steps.clone().filter(|k| *k != at));
            reasons.push(Serial::Fused { with, n: block.steps.len() - 1, cost_ns: block.cost_ns });
        }
        if self.is_alone_there(b) {
            let mut behind = Vec::new();
            let mut now = b;
            while let Some(&before) =
                s.blocks[now as usize].before.iter().max_by_key(|k| s.blocks[**k as usize].level)
                && behind.len() < NAMED
            {
                behind.extend(self.names(s.blocks[before as usize].steps.clone().rev().take(1)));
                now = before;
            }
            reasons.push(Serial::OnlyWay { behind });
        }
        reasons
    }

    /// Whether every other task comes before a task or behind it.
    fn is_alone_there(&self, block: u32) -> bool {
        let blocks = &self.structure.blocks;
        let mut related = vec![false; blocks.len()];
        related[block as usize] = true;
        let mut up = vec![block];
        while let Some(b) = up.pop() {
            for &before in &blocks[b as usize].before {
                if !std::mem::replace(&mut related[before as usize], true) {
                    up.push(before);
                }
            }
        }
        // Tasks come in an order in which who waits comes behind.
        let mut behind = vec![false; blocks.len()];
        behind[block as usize] = true;
        for b in block as usize + 1..blocks.len() {
            behind[b] = blocks[b].before.iter().any(|k| behind[*k as usize]);
        }
        blocks.len() > 1 && related.iter().zip(&behind).all(|(a, b)| *a || *b)
    }

    fn names(&self, steps: impl Iterator<Item = u32>) -> Vec<String> {
        let name = |k: u32| self.rig.name_of(self.structure.node_of[k as usize]).to_owned();
        steps.take(NAMED).map(name).collect()
    }

    /// A line for each kind of nodes of which nobody has said what may run beside them: what that costs.
    pub fn warnings(&self) -> Vec<String> {
        let mut of_kind: std::collections::BTreeMap<&str, (usize, f64)> = Default::default();
        let all: f64 = self.structure.blocks.iter().map(|b| b.cost_ns).sum();
        for node in (0..self.rig.n_nodes() as u32).map(NodeId) {
            if self.rig.safety(node) == (Safety::GloballyUnsafe, false) {
                let of = of_kind.entry(self.rig.kind_of(node)).or_default();
                *of = (of.0 + 1, of.1 + self.rig.cost_ns(node));
            }
        }
        let line = |(kind, (n, ns)): (&str, (usize, f64))| {
            format!(
                "{n} nodes of kind `{kind}` run alone, since nobody has said what may run beside them: {:.1} us of {:.1} us are \
                 without parallelism; declare them reentrant if they are",
                ns / 1e3,
                all / 1e3
            )
        };
        of_kind.into_iter().map(line).collect()
    }

    /// What a task of a recording is called: its part of the character, its last node, and how many nodes it has. The number is that
    /// of the task's component tag.
    pub fn task_name(&self, tag: u32) -> String {
        let Some(block) = self.structure.blocks.get(tag as usize) else { return String::new() };
        let last = self.names(block.steps.clone().rev().take(1)).pop().unwrap_or_default();
        let component = &self.rig.components[block.component as usize];
        let colon = if component.is_empty() { "" } else { ": " };
        match block.steps.len() {
            1 => format!("{component}{colon}{last}"),
            n => format!("{component}{colon}{last} and {} more", n - 1),
        }
    }

    /// The part of the character that a task of a recording is of, as [`Self::task_name`]; empty if nobody has said.
    pub fn task_component(&self, tag: u32) -> &str {
        let block = self.structure.blocks.get(tag as usize);
        block.map_or("", |block| &self.rig.components[block.component as usize])
    }

    /// The nodes that read an output of a node, by name.
    pub fn readers(&self, node: NodeId) -> Vec<&str> {
        let reads = |n: &&crate::rig::rig::Node| {
            n.sources.iter().any(|source| matches!(source, Source::Output(from, _) if *from == node))
        };
        self.rig.nodes.iter().filter(reads).map(|n| n.name.as_str()).collect()
    }
}
