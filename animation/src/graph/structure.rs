//! What one version of a graph means: who comes before whom, and what runs in circles.

use std::collections::VecDeque;

use super::components;
use super::edits::{Graph, NodeKey};
use super::rows::Rows;
use super::told;

/// Neighbours, components and levels of one version of a graph.
///
/// Components are numbered by level, within a level by their smallest node. So the order of components has producers before
/// consumers, and does not depend on the order of edges.
#[derive(Clone, Debug)]
pub struct Structure {
    version: u64,
    successors: Rows,
    predecessors: Rows,
    /// By node; [`u32::MAX`] where there is none.
    component_of: Vec<u32>,
    members: Rows,
    levels: Vec<u32>,
    is_cycle: Vec<bool>,
    after: Rows,
    before: Rows,
}

impl Structure {
    /// Of a graph as it is now.
    ///
    /// # Cost
    /// Linear in nodes and edges, but for sorting each node's neighbours.
    pub fn of(graph: &Graph) -> Self {
        let pairs = graph.edges().map(|(_, e)| (e.from.node.0, e.to.node.0));
        Self::of_pairs(graph, pairs)
    }

    /// Of a graph with further edges that carry nothing but order.
    pub fn with_order(graph: &Graph, order: &[(NodeKey, NodeKey)]) -> Self {
        let pairs = graph.edges().map(|(_, e)| (e.from.node.0, e.to.node.0));
        Self::of_pairs(graph, pairs.chain(order.iter().map(|(a, b)| (a.0, b.0))))
    }

    fn of_pairs(graph: &Graph, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let n = graph.n_keys();
        let successors = Rows::of_pairs(n, pairs.clone()).sorted_without_doubles();
        let predecessors = Rows::of_pairs(n, pairs.map(|(a, b)| (b, a))).sorted_without_doubles();
        let mut found = Vec::new();
        let n_components = components::of(&successors, |k| graph.has(NodeKey(k)), &mut found) as usize;
        // Components come last first.
        let (mut levels, mut smallest) = (vec![0_u32; n_components], vec![u32::MAX; n_components]);
        let nodes = || graph.nodes().map(|n| (found[n.0 as usize], n.0));
        let members = Rows::of_pairs(n_components, nodes());
        for c in (0..n_components as u32).rev() {
            for &member in members.row(c) {
                smallest[c as usize] = smallest[c as usize].min(member);
                for &to in successors.row(member) {
                    let to = found[to as usize] as usize;
                    if to != c as usize {
                        levels[to] = levels[to].max(levels[c as usize] + 1);
                    }
                }
            }
        }
        let mut order: Vec<u32> = (0..n_components as u32).collect();
        order.sort_unstable_by_key(|&c| (levels[c as usize], smallest[c as usize]));
        let mut number = vec![0; n_components];
        for (k, &c) in order.iter().enumerate() {
            number[c as usize] = k as u32;
        }
        let component_of: Vec<u32> =
            found.iter().map(|&c| number.get(c as usize).copied().unwrap_or(u32::MAX)).collect();
        let mut sorted = Rows::default();
        let mut is_cycle = Vec::with_capacity(n_components);
        for &c in &order {
            let of_it = members.row(c);
            is_cycle.push(of_it.len() > 1 || successors.row(of_it[0]).contains(&of_it[0]));
            sorted.push(of_it.iter().copied());
        }
        let levels = order.iter().map(|&c| levels[c as usize]).collect();
        let between = (0..n as u32).flat_map(|a| {
            let (component_of, row) = (&component_of, successors.row(a));
            row.iter().map(move |&b| (component_of[a as usize], component_of[b as usize]))
        });
        let between = between.filter(|(a, b)| a != b);
        let after = Rows::of_pairs(n_components, between.clone()).sorted_without_doubles();
        let before = Rows::of_pairs(n_components, between.map(|(a, b)| (b, a))).sorted_without_doubles();
        Self {
            version: graph.version(),
            successors,
            predecessors,
            component_of,
            members: sorted,
            levels,
            is_cycle,
            after,
            before,
        }
    }

    /// The version of the graph that this is of.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The nodes that a node's edges lead to, ascending.
    pub fn successors(&self, node: NodeKey) -> &[u32] {
        self.successors.row(node.0)
    }

    /// The nodes whose edges lead to a node, ascending.
    pub fn predecessors(&self, node: NodeKey) -> &[u32] {
        self.predecessors.row(node.0)
    }

    /// Number of strongly connected components.
    pub fn n_components(&self) -> usize {
        self.levels.len()
    }

    /// The component of a node.
    ///
    /// # Panics
    /// If the node is not there.
    pub fn component(&self, node: NodeKey) -> u32 {
        let component = self.component_of[node.0 as usize];
        assert!(component != u32::MAX, "node {} has been removed", node.0);
        component
    }

    /// The nodes of a component, ascending.
    pub fn members(&self, component: u32) -> &[u32] {
        self.members.row(component)
    }

    /// The components that a component leads to, ascending.
    pub fn after(&self, component: u32) -> &[u32] {
        self.after.row(component)
    }

    /// The components that lead to a component, ascending.
    pub fn before(&self, component: u32) -> &[u32] {
        self.before.row(component)
    }

    /// How many components the longest way to a component passes.
    pub fn level(&self, component: u32) -> u32 {
        self.levels[component as usize]
    }

    /// One more than the greatest level; zero for a graph without nodes.
    pub fn n_levels(&self) -> u32 {
        self.levels.last().map_or(0, |level| level + 1)
    }

    /// Whether data run in circles in a component: it has several nodes, or one that leads to itself.
    pub fn is_cycle(&self, component: u32) -> bool {
        self.is_cycle[component as usize]
    }

    /// The components in which data run in circles.
    pub fn cycles(&self) -> impl Iterator<Item = u32> {
        (0..self.n_components() as u32).filter(|&c| self.is_cycle(c))
    }

    /// A shortest way from a cycle's smallest node back to it, without its repetition at the end.
    pub fn cycle(&self, component: u32) -> Vec<NodeKey> {
        let root = self.members(component)[0];
        let place = |node: u32| self.members(component).binary_search(&node).ok();
        let mut from = vec![u32::MAX; self.members(component).len()];
        let mut queue = VecDeque::from([root]);
        while let Some(node) = queue.pop_front() {
            for &to in self.successors.row(node) {
                if to == root {
                    let mut way = vec![NodeKey(node)];
                    while let Some(last) = way.last().filter(|last| last.0 != root) {
                        let before = from[place(last.0).expect("a node of the component")];
                        way.push(NodeKey(before));
                    }
                    way.reverse();
                    return way;
                }
                if let Some(k) = place(to).filter(|&k| from[k] == u32::MAX) {
                    from[k] = node;
                    queue.push_back(to);
                }
            }
        }
        Vec::new()
    }

    /// A cycle by names: `A -> B -> A`. Of a long one the first are named, and how many more there are.
    pub fn describe_cycle(&self, component: u32, mut name: impl FnMut(NodeKey) -> String) -> String {
        let way = self.cycle(component);
        told::cycle(way.len(), |k| name(way[k]))
    }
}
