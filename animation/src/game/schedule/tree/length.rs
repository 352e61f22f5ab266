//! How long chains of tasks are in a tree: what has more to follow should begin first.

use std::time::Duration;

use super::behaviour::Order;
use super::node::{Node, What};

/// For each node of a tree, the longest chain that begins with it and goes on to the end of the tree.
pub(super) struct Lengths {
    chains: Vec<(u32, Duration)>,
}

impl Lengths {
    /// Those of a tree, whose nodes are given parents first.
    pub fn of(below: &[u32], nodes: &[Node]) -> Self {
        // By slot: the length of a node by itself, then what follows its end.
        let most = below.iter().max().map_or(0, |slot| *slot as usize + 1);
        let mut own = vec![Duration::ZERO; most];
        for slot in below.iter().rev() {
            let node = &nodes[*slot as usize];
            let of = |child: &u32| own[*child as usize];
            let children = &node.links.children;
            let longest = |list: &[u32]| list.iter().map(of).max().unwrap_or_default();
            own[*slot as usize] = match order(node) {
                None => node.place.cost,
                Some(Order::InTurn) => children.iter().map(of).sum(),
                Some(Order::Together | Order::One) => longest(children),
                Some(Order::FirstThenOne) => {
                    children.first().map(of).unwrap_or_default() + longest(children.get(1..).unwrap_or(&[]))
                }
            };
        }
        let mut after = vec![Duration::ZERO; most];
        for slot in below {
            let (node, then) = (&nodes[*slot as usize], after[*slot as usize]);
            let children = &node.links.children;
            match order(node) {
                None => {}
                Some(Order::InTurn) => {
                    let mut rest = then;
                    for child in children.iter().rev() {
                        after[*child as usize] = rest;
                        rest += own[*child as usize];
                    }
                }
                Some(Order::Together | Order::One) => {
                    children.iter().for_each(|child| after[*child as usize] = then);
                }
                Some(Order::FirstThenOne) => {
                    let others = children.get(1..).unwrap_or(&[]);
                    let longest = others.iter().map(|child| own[*child as usize]).max().unwrap_or_default();
                    others.iter().for_each(|child| after[*child as usize] = then);
                    children.first().iter().for_each(|child| after[**child as usize] = then + longest);
                }
            }
        }
        Self {
            chains: below.iter().map(|slot| (*slot, own[*slot as usize] + after[*slot as usize])).collect(),
        }
    }

    /// Writes them into the nodes.
    pub fn store(self, nodes: &mut [Node]) {
        for (slot, path) in self.chains {
            nodes[slot as usize].place.path = path;
        }
    }
}

/// How the children of a node follow each other; none for a task.
fn order(node: &Node) -> Option<Order> {
    match &node.what {
        What::Behaviour(behaviour) => Some(behaviour.order()),
        What::Task(_) | What::Nothing => None,
    }
}
