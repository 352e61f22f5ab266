//! What tasks are called.

use super::event_graph::EventGraph;
use engine::data::ObjectId;

impl EventGraph {
    /// What the task of an object is, by names: its first node, and how many there are. None of an object that is not the graph's.
    pub fn describe_task(&self, object: ObjectId) -> Option<String> {
        self.describe_chunk(object.0.checked_sub(self.options.first_object + 1)?)
    }

    fn describe_chunk(&self, chunk: u32) -> Option<String> {
        let (part, local) = self.layout.as_ref()?.owner(chunk)?;
        if let Some(batch) = local.checked_sub(part.chunks.len() as u32) {
            return Some(format!("events of level {batch}"));
        }
        let nodes: Vec<_> = part.members(local).map(|v| part.vertices[v as usize].node).collect();
        let first = self.world.scene.node(*nodes.first()?);
        let name = first.def.as_deref().unwrap_or(&first.node_type.name);
        Some(match nodes.len() {
            1 => name.to_owned(),
            n => format!("{name} and {} more", n - 1),
        })
    }

    /// What all tasks are called, by the number of their component and object: see [`describe_task`](Self::describe_task). The first names are
    /// the graph's own.
    pub fn task_names(&self) -> Vec<String> {
        let own = (0..=self.options.first_object).map(|_| String::from("graph"));
        own.chain(self.own_task_names()).collect()
    }

    /// What the graph's own tasks are called, in their order.
    pub fn own_task_names(&self) -> Vec<String> {
        let n = self.layout.as_ref().map_or(0, |layout| layout.n_chunks() as u32);
        (0..n).map(|chunk| self.describe_chunk(chunk).unwrap_or_else(|| String::from("graph"))).collect()
    }
}
