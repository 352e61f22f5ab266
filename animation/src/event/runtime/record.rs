//! An event graph's chunks in a store, and its tasks in a recording.

use std::collections::BTreeSet;

use engine::data::{ObjectId, Role, Store, look_in_all, update, val, when, work_in};
use engine::graph::{ComponentTag, Recorder, Recording};

use super::chunk::Chunk;
use super::event_graph::EventGraph;
use super::fill::fill;
use super::kept::{Carried, InStore};
use super::options::{Mode, Restart};
use super::part::Part;
use super::turn::Now;
use super::world::{Dirt, World};

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
            self.rebuild(store, false);
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
        let layout = self.layout.as_ref().expect("a graph that was prepared in this store");
        let has_gates = !layout.gates.is_empty();
        for stage in &layout.stages {
            rec.sweep(stage.name);
            for &c in &stage.chunks {
                let of = &layout.producers[c as usize];
                let producers: Vec<_> = of.iter().map(|&p| workspaces[p as usize]).collect();
                let list = rec.store().workspace_list(&producers);
                let (object, chunk) = (self.object(c), work_in(workspaces[c as usize]));
                let tag = ComponentTag(self.options.component.unwrap_or(object.0));
                if stage.name == "gate" {
                    let accesses = (chunk, update(goes_on), val(frame), val(time), look_in_all(list));
                    rec.own(stage.name, tag, object, accesses, |(chunk, goes_on, frame, time, producers)| {
                        goes_on[0] = goes_on[0] && chunk.knock(producers, Now::in_frame(frame, time));
                    });
                } else if has_gates {
                    let accesses = (chunk, when(goes_on), val(frame), val(time), look_in_all(list));
                    rec.own(stage.name, tag, object, accesses, |(chunk, (), frame, time, producers)| {
                        chunk.run(producers, Now::in_frame(frame, time));
                    });
                } else {
                    let accesses = (chunk, val(frame), val(time), look_in_all(list));
                    rec.own(stage.name, tag, object, accesses, |(chunk, frame, time, producers)| {
                        chunk.run(producers, Now::in_frame(frame, time));
                    });
                }
            }
        }
        self.recorded = self.shape;
    }

    /// The object of a chunk.
    pub(super) fn object(&self, chunk: u32) -> ObjectId {
        self.options.object(chunk)
    }

    /// Whether what was recorded is not the graph's any more: [`Self::record`] is due before the next run.
    pub fn is_stale(&self) -> bool {
        self.layout.is_none() || self.recorded != self.shape || self.built != self.world.version
    }

    /// Makes the parts of the graph that have changed anew, with their chunks; in a frame that was stopped all of it, if the options say so.
    pub(super) fn rebuild(&mut self, store: &mut Store, is_in_frame: bool) {
        self.shut_down(store);
        self.rebuilds += 1;
        self.built = self.world.version;
        let mut dirt = std::mem::take(&mut self.world.dirt);
        dirt.all |= is_in_frame && self.options.restart == Restart::Full;
        dirt.all |= matches!(self.options.mode, Mode::Levels(_));
        let layout = self.layout.get_or_insert_default();
        layout.grow(&self.world.scene);
        let mut touched = layout.touched(&dirt, &self.world);
        let mut carried = Carried {
            is_stopped: self.stops > 0 && self.in_store.is_some(),
            n_routes: layout.n_routes,
            ..Carried::default()
        };
        let none = BTreeSet::new();
        let concerned = touched.clone().unwrap_or_else(|| layout.others(&none));
        self.carry(store, &concerned, &mut carried);
        let mut parts = self.parts(touched.as_ref(), &dirt);
        let layout = self.layout.get_or_insert_default();
        let gates = layout.gate_levels_with(&parts);
        if touched.is_some() && gates != layout.gate_levels {
            // Gates divide the whole graph.
            let rest = layout.others(&none);
            self.carry(store, &rest, &mut carried);
            touched = None;
            parts = self.parts(None, &dirt);
        }
        let World { scene, natures, behaviours, known_ways, routes, .. } = &mut self.world;
        let (mut filled, mut chunks) = (Vec::new(), Vec::new());
        for mut part in parts {
            part.cut(scene, &gates, &self.options, &self.scales);
            let new = fill(&mut part, scene, natures, (behaviours, known_ways), &self.options);
            filled.push((part, new.producers));
            chunks.extend(new.chunks);
        }
        let layout = self.layout.get_or_insert_default();
        layout.gate_levels = gates;
        layout.n_routes = routes.len() as u32;
        let (stages, producers) = (std::mem::take(&mut layout.stages), layout.producers.clone());
        let new = layout.install(filled, touched.is_none(), scene, natures);
        layout.order();
        if self.is_sampled || layout.stages != stages || layout.producers != producers {
            self.shape += 1;
        }
        self.world.notice_routed_inlines(|field| layout.find(field).is_some());
        self.move_in(chunks, &new, store);
        self.restore(carried, &new, store);
    }

    /// The parts that stand for those that have changed; all if none are named.
    fn parts(&mut self, touched: Option<&BTreeSet<u32>>, dirt: &Dirt) -> Vec<Part> {
        let World { scene, natures, .. } = &self.world;
        let layout = self.layout.get_or_insert_default();
        let region = layout.take_region(touched, dirt, &self.world);
        let regions = match self.options.mode {
            Mode::Dataflow => region.split(scene, natures, &self.options, &self.scales),
            Mode::Levels(_) => vec![region],
        };
        regions.into_iter().map(|region| Part::new(scene, natures, region, &self.options)).collect()
    }

    /// Puts new chunks into the store; those of before make room.
    fn move_in(&mut self, chunks: Vec<Chunk>, numbers: &[u32], store: &mut Store) {
        let (own, options) = (ObjectId(self.options.first_object), self.options);
        let Some(layout) = &self.layout else { return };
        let in_store = self.in_store.get_or_insert_with(|| InStore {
            frame: store.parameter("event frame", 0_u32),
            time: store.parameter("event time", 0.0_f64),
            goes_on: store.create("the event frame goes on", own, Role::Scratch, vec![true]),
            workspaces: Vec::new(),
        });
        for k in in_store.workspaces.len()..layout.n_chunks() {
            let object = options.object(k as u32);
            in_store.workspaces.push(store.workspace("event nodes", object, Chunk::new(false)));
        }
        for (chunk, &number) in chunks.into_iter().zip(numbers) {
            *store.workspace_mut(in_store.workspaces[number as usize]) = chunk;
        }
        for (number, &workspace) in (0..).zip(&in_store.workspaces) {
            if layout.owner(number).is_none() && !store.workspace_ref(workspace).vertices.is_empty() {
                *store.workspace_mut(workspace) = Chunk::new(false);
            }
        }
        store.set_parameter(in_store.frame, self.now.frame);
        store.set_parameter(in_store.time, self.now.time);
    }
}
