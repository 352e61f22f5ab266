//! Random trees beside a plain reference, which walks them by recursion once a cycle.

use proptest::prelude::*;

use super::super::super::Outcome;
use super::super::{Ended, If, Invert, NodeId, Parallel, Repeat, Selector, Sequence};
use super::Bench;

/// A tree as plain data.
#[derive(Clone, Debug)]
enum Plan {
    Leaf(Vec<Outcome>),
    Sequence(Vec<Plan>),
    Selector(Vec<Plan>),
    Parallel(Vec<Plan>),
    If(Box<[Plan; 3]>),
    Invert(Box<Plan>),
    Repeat(u64, Box<Plan>),
}

fn plans() -> impl Strategy<Value = Plan> {
    let outcome = prop_oneof![Just(Outcome::Success), Just(Outcome::Failure), Just(Outcome::Progress)];
    let leaf = prop::collection::vec(outcome, 1..5).prop_map(Plan::Leaf);
    leaf.prop_recursive(5, 40, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            list().prop_map(Plan::Sequence),
            list().prop_map(Plan::Selector),
            list().prop_map(Plan::Parallel),
            [inner.clone(), inner.clone(), inner.clone()].prop_map(|three| Plan::If(Box::new(three))),
            inner.clone().prop_map(|one| Plan::Invert(Box::new(one))),
            (0..4_u64, inner.clone()).prop_map(|(times, one)| Plan::Repeat(times, Box::new(one))),
        ]
    })
}

/// Builds the tree; leaves are called by their number.
fn build(bench: &mut Bench, plan: &Plan, n: &mut usize) -> NodeId {
    let mut all = |bench: &mut Bench, list: &[Plan]| -> Vec<NodeId> {
        list.iter().map(|one| build(bench, one, n)).collect()
    };
    match plan {
        Plan::Leaf(outcomes) => {
            *n += 1;
            bench.leaf(&n.to_string(), outcomes)
        }
        Plan::Sequence(list) => {
            let children = all(bench, list);
            bench.tree.node(Sequence, &children).unwrap()
        }
        Plan::Selector(list) => {
            let children = all(bench, list);
            bench.tree.node(Selector, &children).unwrap()
        }
        Plan::Parallel(list) => {
            let children = all(bench, list);
            bench.tree.node(Parallel::default(), &children).unwrap()
        }
        Plan::If(three) => {
            let children = all(bench, &three[..]);
            bench.tree.node(If, &children).unwrap()
        }
        Plan::Invert(one) => {
            let child = build(bench, one, n);
            bench.tree.node(Invert, &[child]).unwrap()
        }
        Plan::Repeat(times, one) => {
            let child = build(bench, one, n);
            bench.tree.node(Repeat::times(*times), &[child]).unwrap()
        }
    }
}

/// The reference: a node with its children, and where it is.
struct Node {
    kind: Kind,
    children: Vec<Node>,
    begun: u64,
    deferred: bool,
    /// The child that runs, or how often it has been repeated.
    at: u64,
    /// By child of a parallel: how it ended.
    ended: Vec<Option<Ended>>,
}

enum Kind {
    Leaf { name: usize, outcomes: Vec<Outcome>, ran: usize },
    Sequence,
    Selector,
    Parallel,
    If,
    Invert,
    Repeat(u64),
}

impl Node {
    fn new(plan: &Plan, n: &mut usize) -> Self {
        let mut all = |list: &[Plan]| -> Vec<Self> { list.iter().map(|one| Self::new(one, n)).collect() };
        let (kind, children) = match plan {
            Plan::Leaf(outcomes) => {
                *n += 1;
                (Kind::Leaf { name: *n, outcomes: outcomes.clone(), ran: 0 }, Vec::new())
            }
            Plan::Sequence(list) => (Kind::Sequence, all(list)),
            Plan::Selector(list) => (Kind::Selector, all(list)),
            Plan::Parallel(list) => (Kind::Parallel, all(list)),
            Plan::If(three) => (Kind::If, all(&three[..])),
            Plan::Invert(one) => (Kind::Invert, all(std::slice::from_ref(one))),
            Plan::Repeat(times, one) => (Kind::Repeat(*times), all(std::slice::from_ref(one))),
        };
        Self { kind, children, begun: 0, deferred: false, at: 0, ended: Vec::new() }
    }

    /// Begins in a cycle; none if it has not ended by its end.
    fn begin(&mut self, cycle: u64, ran: &mut Vec<usize>) -> Option<Ended> {
        self.deferred = self.begun == cycle;
        if self.deferred {
            return None;
        }
        (self.begun, self.at, self.ended) = (cycle, 0, vec![None; self.children.len()]);
        match self.kind {
            Kind::Leaf { .. } => return self.run(cycle, ran),
            Kind::Sequence if self.children.is_empty() => return Some(Ended::Success),
            Kind::Selector if self.children.is_empty() => return Some(Ended::Failure),
            Kind::Repeat(0) => return Some(Ended::Success),
            Kind::Parallel => {
                for (child, ended) in self.children.iter_mut().zip(&mut self.ended) {
                    *ended = child.begin(cycle, ran);
                }
                return self.together();
            }
            _ => {}
        }
        let ended = self.children[0].begin(cycle, ran);
        self.follow(ended, cycle, ran)
    }

    /// Goes on in a later cycle.
    fn go_on(&mut self, cycle: u64, ran: &mut Vec<usize>) -> Option<Ended> {
        if self.deferred {
            return self.begin(cycle, ran);
        }
        match self.kind {
            Kind::Leaf { .. } => self.run(cycle, ran),
            Kind::Parallel => {
                for (child, ended) in self.children.iter_mut().zip(&mut self.ended) {
                    if ended.is_none() {
                        *ended = child.go_on(cycle, ran);
                    }
                }
                self.together()
            }
            _ => {
                let at = if matches!(self.kind, Kind::Repeat(_)) { 0 } else { self.at as usize };
                let ended = self.children[at].go_on(cycle, ran);
                self.follow(ended, cycle, ran)
            }
        }
    }

    fn run(&mut self, cycle: u64, log: &mut Vec<usize>) -> Option<Ended> {
        self.begun = cycle;
        let Kind::Leaf { name, outcomes, ran } = &mut self.kind else { return None };
        log.push(*name);
        *ran += 1;
        match outcomes[(*ran - 1).min(outcomes.len() - 1)] {
            Outcome::Success => Some(Ended::Success),
            Outcome::Failure => Some(Ended::Failure),
            Outcome::Progress => None,
        }
    }

    fn together(&self) -> Option<Ended> {
        if self.ended.iter().any(Option::is_none) {
            return None;
        }
        let failed = self.ended.contains(&Some(Ended::Failure));
        Some(if failed { Ended::Failure } else { Ended::Success })
    }

    /// What follows the end of the child that ran.
    fn follow(&mut self, mut ended: Option<Ended>, cycle: u64, ran: &mut Vec<usize>) -> Option<Ended> {
        loop {
            let how = ended?;
            let n = self.children.len() as u64;
            let next = match (&self.kind, how) {
                (Kind::Sequence, Ended::Success) | (Kind::Selector, Ended::Failure) if self.at + 1 < n => {
                    self.at += 1;
                    self.at as usize
                }
                (Kind::Sequence | Kind::Selector, _) => return Some(how),
                (Kind::Invert, Ended::Success) => return Some(Ended::Failure),
                (Kind::Invert, Ended::Failure) => return Some(Ended::Success),
                (Kind::If, _) if self.at > 0 => return Some(how),
                (Kind::If, how) => {
                    self.at = if how == Ended::Success { 1 } else { 2 };
                    self.at as usize
                }
                (Kind::Repeat(times), _) => {
                    self.at += 1;
                    if self.at == *times {
                        return Some(how);
                    }
                    0
                }
                (Kind::Parallel | Kind::Leaf { .. }, _) => return Some(how),
            };
            ended = self.children[next].begin(cycle, ran);
        }
    }
}

proptest! {
    #[test]
    fn a_tree_does_what_the_reference_does(plan in plans()) {
        let mut bench = Bench::default();
        let root = build(&mut bench, &plan, &mut 0);
        let mut reference = Node::new(&plan, &mut 0);
        let mut ended = None;
        for cycle in 1..40 {
            let ran = if cycle == 1 { bench.cycle_with(root) } else { bench.cycle() };
            let mut ran: Vec<usize> = ran.split_whitespace().map(|n| n.parse().unwrap()).collect();
            ran.sort_unstable();
            let mut expected = Vec::new();
            if cycle == 1 {
                ended = reference.begin(cycle, &mut expected);
            } else if ended.is_none() {
                ended = reference.go_on(cycle, &mut expected);
            }
            expected.sort_unstable();
            prop_assert_eq!(ran, expected, "cycle {}", cycle);
            prop_assert_eq!(bench.tree.ended(root), ended);
        }
    }
}
