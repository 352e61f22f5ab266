//! On which nodes of memory the objects' buffers lie.

use std::io;

use engine::data::DataId;
use executors::topology::{nodes_of_pages, pages_of};

use super::Simulation;

/// Where an object's buffers lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectMemory {
    /// Path of its independent state.
    pub path: String,
    /// The worker that owns it in the integration.
    pub worker: u32,
    /// The system's number of the node that the worker's thread is pinned to; none if it may wander between nodes.
    pub node: Option<u32>,
    /// Pages that hold its buffers. A page that small objects share counts for each of them.
    pub pages: usize,
    /// Those on the worker's node.
    pub near: usize,
    /// Those on another node, or on any node if the worker may wander.
    pub far: usize,
    /// Those that nobody has touched yet.
    pub untouched: usize,
}

impl Simulation {
    /// Asks the system where the buffers of each object lie; partial sums and logs, which are read by others, are left out.
    ///
    /// # Errors
    /// The system cannot tell, or refuses to.
    pub fn object_memory(&self) -> io::Result<Vec<ObjectMemory>> {
        let store = &self.world.store;
        let mut pages: Vec<Vec<usize>> = vec![Vec::new(); self.world.objects.len()];
        for data in (0..store.n_data() as DataId).filter(|&d| store.is_movable(d)) {
            if let Some(pages) = pages.get_mut(store.info(data).object.0 as usize) {
                let (address, bytes) = store.place_of(data);
                pages.extend(pages_of(address, bytes));
            }
        }
        let mut found = Vec::new();
        let present = self.world.objects.iter().zip(pages).filter(|(o, _)| !o.states.is_empty());
        for (object, mut pages) in present {
            pages.sort_unstable();
            pages.dedup();
            let (worker, node) = self.engine.owner(object.id);
            let nodes = nodes_of_pages(&pages)?;
            let untouched = nodes.iter().filter(|n| n.is_none()).count();
            let near = nodes.iter().filter(|n| n.is_some() && **n == node).count();
            let scene = &self.world.scene;
            found.push(ObjectMemory {
                path: scene.path(scene.component_of_state(object.root)),
                worker,
                node,
                pages: pages.len(),
                near,
                far: pages.len() - near - untouched,
                untouched,
            });
        }
        Ok(found)
    }
}
