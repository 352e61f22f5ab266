//! A graph that is edited: nodes and edges with numbers that are never given again.

/// Number of a node; it stays the node's, and is never given to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeKey(pub u32);

/// Number of an edge; it stays the edge's, and is never given to another one. Greater numbers came later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeKey(pub u32);

/// A port: where data leave or enter a node. What the numbers mean is the emitter's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Port {
    /// Whose it is.
    pub node: NodeKey,
    /// Which of the node's.
    pub port: u32,
}

/// An edge: data go from one port to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// Where from.
    pub from: Port,
    /// Where to.
    pub to: Port,
}

/// Nodes and edges, and how often they were edited.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    is_there: Vec<bool>,
    edges: Vec<Option<Edge>>,
    n_nodes: usize,
    version: u64,
}

impl Graph {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node.
    pub fn add_node(&mut self) -> NodeKey {
        self.version += 1;
        self.n_nodes += 1;
        self.is_there.push(true);
        NodeKey(self.is_there.len() as u32 - 1)
    }

    /// Removes a node with its edges; whether it was there.
    ///
    /// # Cost
    /// Looks at all edges.
    pub fn remove_node(&mut self, node: NodeKey) -> bool {
        let Some(is_there) = self.is_there.get_mut(node.0 as usize).filter(|is_there| **is_there) else {
            return false;
        };
        *is_there = false;
        self.n_nodes -= 1;
        self.version += 1;
        for edge in &mut self.edges {
            *edge = edge.filter(|e| e.from.node != node && e.to.node != node);
        }
        true
    }

    /// Adds an edge; none if one of its nodes is not there.
    pub fn connect(&mut self, from: Port, to: Port) -> Option<EdgeKey> {
        if !self.has(from.node) || !self.has(to.node) {
            return None;
        }
        self.version += 1;
        self.edges.push(Some(Edge { from, to }));
        Some(EdgeKey(self.edges.len() as u32 - 1))
    }

    /// Removes an edge, and says where it was.
    pub fn disconnect(&mut self, edge: EdgeKey) -> Option<Edge> {
        let removed = self.edges.get_mut(edge.0 as usize)?.take();
        self.version += u64::from(removed.is_some());
        removed
    }

    /// How many edits there were. What was made of the graph holds as long as this stays.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether a node is there.
    pub fn has(&self, node: NodeKey) -> bool {
        self.is_there.get(node.0 as usize).is_some_and(|is_there| *is_there)
    }

    /// One more than the greatest number of a node.
    pub fn n_keys(&self) -> usize {
        self.is_there.len()
    }

    /// How many nodes are there.
    pub fn len(&self) -> usize {
        self.n_nodes
    }

    /// Whether no node is there.
    pub fn is_empty(&self) -> bool {
        self.n_nodes == 0
    }

    /// The nodes that are there, ascending.
    pub fn nodes(&self) -> impl Iterator<Item = NodeKey> + Clone {
        let there = self.is_there.iter().enumerate().filter(|(_, is_there)| **is_there);
        there.map(|(k, _)| NodeKey(k as u32))
    }

    /// An edge, if it is there.
    pub fn edge(&self, edge: EdgeKey) -> Option<Edge> {
        self.edges.get(edge.0 as usize).copied().flatten()
    }

    /// The edges that are there, in the order in which they came.
    pub fn edges(&self) -> impl Iterator<Item = (EdgeKey, Edge)> + Clone {
        self.edges.iter().enumerate().filter_map(|(k, edge)| Some((EdgeKey(k as u32), (*edge)?)))
    }
}
