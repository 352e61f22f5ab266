//! What tasks are called.

use super::event_graph::EventGraph;
use crate::event::ids::NodeId;

impl EventGraph {
    /// What tasks are called, by the number of their component and object: after their first node, with the number of the others. The first
    /// names are the graph's own.
    pub fn task_names(&self) -> Vec<String> {
        let first = self.options.first_object as usize + 1;
        let mut names = vec![String::from("graph"); first];
        names.extend(self.own_task_names());
        names
    }

    /// What the graph's own tasks are called, in their order.
    pub fn own_task_names(&self) -> Vec<String> {
        let mut names = vec![String::from("graph"); self.filled.producers.len()];
        let Some(layout) = &self.layout else { return names };
        let mut seen: Vec<Option<(NodeId, usize)>> = vec![None; self.filled.producers.len()];
        for (vertex, home) in layout.vertices.iter().zip(&self.filled.homes) {
            let (_, others) = seen[home.chunk as usize].get_or_insert((vertex.node, 0));
            *others += 1;
        }
        for (name, seen) in names.iter_mut().zip(seen) {
            let Some((node, n)) = seen else { continue };
            let node_of = self.world.scene.node(node);
            let own = node_of.def.as_deref().unwrap_or(&node_of.node_type.name);
            *name = if n > 1 { format!("{own} and {} more", n - 1) } else { own.to_owned() };
        }
        names
    }
}
