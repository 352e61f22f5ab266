//! An event graph's chunks in a store, and its tasks in a recording.

use engine::data::{ObjectId, Role, Store, look_in_all, update, val, when, work_in};
use engine::graph::{ComponentTag, Recorder, Recording};

use super::chunk::Chunk;
use super::event_graph::EventGraph;
use super::fill::fill;
use super::kept::{Carried, InStore};
use super::layout::Layout;
use super::places::{Aliases, ways};
use super::turn::Now;
use super::world::World;
use crate::event::ids::NodeId;

impl EventGraph {
    /// Records the graph's tasks as a program of its own.
    pub fn record(&mut self, store: &mut Store) -> Recording {
        self.prepare(store);
        let mut rec = Recorder::new(store);
        self.emit(&mut rec);
        rec.finish()
    }

    /// Makes the graph's chunks in a store, if its structure has changed since; [`Self::emit`] follows.
    pub fn prepare(&mut self, store: &mut Store) {
        if self.layout.is_none() || self.built != self.world.version {
            self.rebuild(store, None);
        }
    }

    /// Records the graph's tasks among others.
    ///
    /// # Panics
    /// If the graph was not prepared in the recorder's store.
    pub fn emit(&mut self, rec: &mut Recorder<'_>) {
        let InStore { frame, time, goes_on, workspaces } =
            self.in_store.as_ref().expect("a graph that was prepared in this store");
        let (frame, time, goes_on) = (*frame, *time, *goes_on);
        let has_gates = !self.filled.gates.is_empty();
        for stage in &self.filled.stages {
            rec.sweep(stage.name);
            for &c in &stage.chunks {
                let of = &self.filled.producers[c as usize];
                let producers: Vec<_> = of.iter().map(|&p| workspaces[p as usize]).collect();
                let list = rec.store().workspace_list(&producers);
                let (object, chunk) = (self.object(c), work_in(workspaces[c as usize]));
                let tag = ComponentTag(self.options.component.unwrap_or(object.0));
                if stage.name == "gate" {
                    let accesses = (chunk, update(goes_on), val(frame), val(time), look_in_all(list));
                    rec.own(stage.name, tag, object, accesses, |(chunk, goes_on, frame, time, producers)| {
                        goes_on[0] = goes_on[0] && chunk.knock(producers, Now { frame, time });
                    });
                } else if has_gates {
                    let accesses = (chunk, when(goes_on), val(frame), val(time), look_in_all(list));
                    rec.own(stage.name, tag, object, accesses, |(chunk, (), frame, time, producers)| {
                        chunk.run(producers, Now { frame, time });
                    });
                } else {
                    let accesses = (chunk, val(frame), val(time), look_in_all(list));
                    rec.own(stage.name, tag, object, accesses, |(chunk, frame, time, producers)| {
                        chunk.run(producers, Now { frame, time });
                    });
                }
            }
        }
        self.recorded = self.built;
    }

    /// The object of a chunk.
    pub(super) fn object(&self, chunk: u32) -> ObjectId {
        self.options.object(chunk)
    }

    /// Whether what was recorded is not the graph's any more: [`Self::record`] is due before the next run.
    pub fn is_stale(&self) -> bool {
        self.layout.is_none() || self.recorded != self.built || self.built != self.world.version
    }

    /// Makes layout and chunks of the graph as it is; `carried` is what a stopped frame keeps.
    pub(super) fn rebuild(&mut self, store: &mut Store, carried: Option<Carried>) {
        let carried = carried.unwrap_or_else(|| self.carry(store));
        self.rebuilds += 1;
        self.built = self.world.version;
        let aliases = Aliases::of(&self.world.scene);
        let is_there = |node: NodeId| !self.world.natures[node.0 as usize].is_gone;
        let ways = ways(&self.world.scene, self.world.routes(), &aliases, is_there);
        let World { scene, natures, behaviours, known_ways, routes, .. } = &mut self.world;
        let mut layout = Layout::new(scene, natures, (ways, aliases), &self.options, &self.scales);
        layout.n_routes = routes.len() as u32;
        self.filled = fill(&layout, scene, natures, (behaviours, known_ways), &self.options);
        self.layout = Some(layout);
        self.move_in(store);
        self.restore(carried, store);
    }

    /// Puts chunks into the store; those of before make room.
    fn move_in(&mut self, store: &mut Store) {
        let (own, options) = (ObjectId(self.options.first_object), self.options);
        let chunks = std::mem::take(&mut self.filled.chunks);
        let in_store = self.in_store.get_or_insert_with(|| InStore {
            frame: store.parameter("event frame", 0_u32),
            time: store.parameter("event time", 0.0_f64),
            goes_on: store.create("the event frame goes on", own, Role::Scratch, vec![true]),
            workspaces: Vec::new(),
        });
        let n = chunks.len();
        for (k, chunk) in chunks.into_iter().enumerate() {
            match in_store.workspaces.get(k) {
                Some(&workspace) => *store.workspace_mut(workspace) = chunk,
                None => {
                    let object = options.object(k as u32);
                    in_store.workspaces.push(store.workspace("event nodes", object, chunk));
                }
            }
        }
        for &workspace in &in_store.workspaces[n..] {
            *store.workspace_mut(workspace) = Chunk::new(false);
        }
        store.set_parameter(in_store.frame, self.now.frame);
        store.set_parameter(in_store.time, self.now.time);
    }
}
