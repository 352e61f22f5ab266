//! What tasks are called.

use super::event_graph::EventGraph;
use engine::data::ObjectId;

impl EventGraph {
    /// What the task of an object is, by names: its first node, and how many there are. None of an object that is not the graph's.
    pub fn describe_task(&self, object: ObjectId) -> Option<String> {
        let layout = self.layout.as_ref()?;
        let c = object.0.checked_sub(self.options.first_object + 1)?;
        let (part, local) = layout.owner(c)?;
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
        let own = || String::from("graph");
        let first = self.options.first_object + 1;
        let tasks = (first..).take(self.layout.as_ref().map_or(0, |layout| layout.n_chunks()));
        let of_tasks = tasks.map(|object| self.describe_task(ObjectId(object)).unwrap_or_else(own));
        (0..first).map(|_| own()).chain(of_tasks).collect()
    }
}
