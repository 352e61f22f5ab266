//! An event graph on the engine.

use engine::data::{
    Data, ObjectId, Role, StepParameter, Store, Workspace, look_in_all, update, val, when, work_in,
};
use engine::graph::{ComponentTag, Recorder, Recording};

use super::chunk::{Chunk, Gate};
use super::event_log::{EventLog, collect, unnoted};
use super::fill::{Filled, fill, present};
use super::layout::Layout;
use super::options::EventOptions;
use super::places::{Aliases, ways};
use super::rebuild::{Carried, Snapshot};
use super::turn::Now;
use super::world::{Outside, World};
use crate::event::behaviour::Behaviours;
use crate::event::field::Value;
use crate::event::graph_access::{FragmentLoader, GraphError};
use crate::event::host::HostEvent;
use crate::event::ids::{FieldId, NodeId};
use crate::event::scene::{EventScene, Route};
use crate::graph::NodeKey;

/// What a node says is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// Which.
    pub node: NodeId,
    /// What.
    pub message: String,
}

/// What a host is to do after a run of the recorded tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The frame is complete.
    Done,
    /// The frame was stopped for a node that reaches the whole graph: run the same recording again.
    Again,
    /// That node has changed the structure: record anew, and run that.
    RecordAgain,
}

/// What of the graph is kept in a store.
pub(super) struct InStore {
    pub frame: StepParameter<u32>,
    pub time: StepParameter<f64>,
    /// Whether the frame goes on; gates say no.
    pub goes_on: Data<bool>,
    pub workspaces: Vec<Workspace<Chunk>>,
}

/// An event graph: a scene whose nodes are evaluated by recorded tasks.
///
/// A frame is: [`Self::begin_frame`], a run of what [`Self::record`] yielded, [`Self::proceed`] until it says [`Next::Done`],
/// [`Self::end_frame`]; or [`Self::frame`], which does all that.
pub struct EventGraph {
    pub(super) world: World,
    pub(super) options: EventOptions,
    pub(super) layout: Option<Layout>,
    pub(super) filled: Filled,
    pub(super) in_store: Option<InStore>,
    /// The version of the structure that chunks are of; what was recorded last is of.
    pub(super) built: u64,
    pub(super) recorded: u64,
    pub(super) now: Now,
    pub(super) stops: u32,
    pub(super) log: EventLog,
    /// Deliveries of the frame before its last stop.
    pub(super) n_before: u64,
    pub(super) complaints: Vec<Complaint>,
    pub(super) snapshot: Option<Snapshot>,
    pub(super) repeats: bool,
    /// How often chunks were made.
    pub(super) rebuilds: u64,
}

impl EventGraph {
    /// Of a scene; `behaviours` says what its nodes do.
    pub fn new(scene: EventScene, behaviours: Box<dyn Behaviours>, options: EventOptions) -> Self {
        Self {
            world: World::new(scene, behaviours),
            options,
            layout: None,
            filled: Filled {
                chunks: Vec::new(),
                producers: Vec::new(),
                stages: Vec::new(),
                gates: Vec::new(),
                homes: Vec::new(),
            },
            in_store: None,
            built: 0,
            recorded: 0,
            now: Now { frame: 0, time: 0.0 },
            stops: 0,
            log: EventLog::default(),
            n_before: 0,
            complaints: Vec::new(),
            snapshot: None,
            repeats: false,
            rebuilds: 0,
        }
    }

    /// Lets Scripts create nodes while the graph runs.
    pub fn set_loader(&mut self, loader: Box<dyn FragmentLoader>) {
        self.world.loader = Some(loader);
    }

    /// The graph as data. Values of fields that change are those of before; see [`Self::value`].
    pub fn scene(&self) -> &EventScene {
        &self.world.scene
    }

    /// A route by its number in the log, also one that has been deleted since.
    pub fn route(&self, route: u32) -> Option<&Route> {
        self.world.routes.get(route as usize)
    }

    /// All routes, with their numbers.
    pub fn routes(&self) -> impl Iterator<Item = (u32, &Route)> {
        self.world.routes()
    }

    /// Whether a node has been removed.
    pub fn is_removed(&self, node: NodeId) -> bool {
        self.world.natures.get(node.0 as usize).is_none_or(|n| n.is_gone)
    }

    /// Counts changes of the structure.
    pub fn version(&self) -> u64 {
        self.world.version
    }

    /// How often tasks were made anew, the first time included.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// The circles of the graph, each once, by names: `A -> B -> A`.
    pub fn cycles(&self) -> Vec<String> {
        let Some(layout) = &self.layout else { return Vec::new() };
        let name = |key: NodeKey| {
            let vertex = layout.vertices[key.0 as usize];
            let node = self.world.scene.node(vertex.node);
            let def = node.def.as_deref().unwrap_or(&node.node_type.name);
            match node.node_type.fields.get(vertex.field as usize) {
                Some(field) => format!("{def}.{}", field.name),
                None => def.to_owned(),
            }
        };
        let structure = &layout.structure;
        structure.cycles().map(|c| structure.describe_cycle(c, name)).collect()
    }

    /// Number of levels, MCEE's size of the event flow vector; zero before the first recording.
    pub fn n_levels(&self) -> u32 {
        self.layout.as_ref().map_or(0, |layout| layout.structure.n_levels())
    }

    /// Number of tasks, gates and steps that bring events included.
    pub fn n_tasks(&self) -> usize {
        self.filled.producers.len()
    }

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
                let tag = ComponentTag(object.0);
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
        ObjectId(self.options.first_object + 1 + chunk)
    }

    /// Whether what was recorded is not the graph's any more: [`Self::record`] is due before the next run.
    pub fn is_stale(&self) -> bool {
        self.layout.is_none() || self.recorded != self.built || self.built != self.world.version
    }

    /// An event to a field that receives, as if a route had brought it, in the next frame.
    ///
    /// # Errors
    /// There is no such node or field, it does not receive, or the value is of another type.
    pub fn send(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        self.world.check((node, field), true, Some(&value))?;
        self.world.outside.push(Outside::Event((node, field), value));
        Ok(())
    }

    /// Lets a field send in the next frame: what a sensor without a behaviour does.
    ///
    /// # Errors
    /// There is no such node or field, it does not send, or the value is of another type.
    pub fn emit_from(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        self.world.check((node, field), false, Some(&value))?;
        self.world.outside.push(Outside::Emit((node, field), value));
        Ok(())
    }

    /// Tells a node something that it makes events of in the next frame.
    pub fn tell(&mut self, node: NodeId, event: HostEvent) {
        self.world.outside.push(Outside::Tell(node, event));
    }

    /// Adds a route between frames.
    ///
    /// # Errors
    /// An end does not exist, types or access do not fit, or it is there already.
    pub fn add_route(&mut self, from: (NodeId, FieldId), to: (NodeId, FieldId)) -> Result<(), GraphError> {
        self.world.add_route(from, to)
    }

    /// Removes a route between frames.
    ///
    /// # Errors
    /// It is not there.
    pub fn delete_route(&mut self, from: (NodeId, FieldId), to: (NodeId, FieldId)) -> Result<(), GraphError> {
        self.world.delete_route(from, to)
    }

    /// Removes a node between frames, with its routes.
    ///
    /// # Errors
    /// There is no such node.
    pub fn remove(&mut self, node: NodeId) -> Result<(), GraphError> {
        self.world.remove(node)
    }

    /// Begins a frame: what the host has for nodes reaches them. [`Self::is_stale`] may be true afterwards.
    pub fn begin_frame(&mut self, store: &mut Store, time: f64) {
        self.now = Now { frame: self.now.frame + 1, time };
        self.log.deliveries.clear();
        (self.log.frame, self.log.time) = (self.now.frame, time);
        (self.stops, self.n_before, self.repeats) = (0, 0, false);
        self.world.journal.clear();
        self.world.repeated.clear();
        self.prepare(store);
        if let Some(InStore { frame, time, .. }) = &self.in_store {
            store.set_parameter(*frame, self.now.frame);
            store.set_parameter(*time, self.now.time);
        }
        self.snapshot = self.take_snapshot(store);
        self.initialize(store);
        self.apply_outside(store);
        self.go_on(store);
    }

    pub(super) fn go_on(&mut self, store: &mut Store) {
        if let Some(InStore { goes_on, .. }) = &self.in_store {
            store.write(*goes_on)[0] = true;
        }
    }

    /// After a run: evaluates nodes that reach the whole graph, if the frame was stopped for them.
    pub fn proceed(&mut self, store: &mut Store) -> Next {
        let Some(in_store) = &self.in_store else { return Next::Done };
        let is_waiting =
            |&&c: &&u32| store.workspace_ref(in_store.workspaces[c as usize]).gate == Gate::Waiting;
        let Some(&gate) = self.filled.gates.iter().find(is_waiting) else { return Next::Done };
        self.stops += 1;
        self.settle(store);
        let version = self.world.version;
        if self.stops > self.options.most_stops {
            self.give_up(gate, store);
        } else {
            self.evaluate_gate(gate, store);
        }
        if self.options.log {
            self.collect(store);
        }
        let is_changed = self.world.version != version;
        if is_changed {
            let carried = self.carry(store);
            let carried = self.begin_anew(carried);
            self.rebuild(store, Some(carried));
            self.initialize(store);
        }
        self.apply_outside(store);
        self.go_on(store);
        if is_changed || self.is_stale() { Next::RecordAgain } else { Next::Again }
    }

    /// Ends a frame: what was delivered in it, if the log is on.
    pub fn end_frame(&mut self, store: &mut Store) -> &EventLog {
        if self.options.log {
            self.collect(store);
        }
        self.gather_complaints(store);
        &self.log
    }

    /// What was delivered in the frame that ended last.
    pub fn frame_log(&self) -> &EventLog {
        &self.log
    }

    /// What tasks are called, by the number of their component and object: after their first node, with the number of the others. The first
    /// names are the graph's own.
    pub fn task_names(&self) -> Vec<String> {
        let first = self.options.first_object as usize + 1;
        let mut names = vec![String::from("graph"); first + self.filled.chunks.len()];
        let Some(layout) = &self.layout else { return names };
        let mut seen: Vec<Option<(NodeId, usize)>> = vec![None; self.filled.chunks.len()];
        for (vertex, home) in layout.vertices.iter().zip(&self.filled.homes) {
            let (_, others) = seen[home.chunk as usize].get_or_insert((vertex.node, 0));
            *others += 1;
        }
        for (name, seen) in names[first..].iter_mut().zip(seen) {
            let Some((node, n)) = seen else { continue };
            let node_of = self.world.scene.node(node);
            let own = node_of.def.as_deref().unwrap_or(&node_of.node_type.name);
            *name = if n > 1 { format!("{own} and {} more", n - 1) } else { own.to_owned() };
        }
        names
    }

    /// A run has failed: a node panicked. The frame stays incomplete; the next one begins from what there is.
    pub fn fail_frame(&mut self) {
        // What the node left half done is made anew.
        self.world.version += 1;
    }

    /// Plays a whole frame.
    ///
    /// # Errors
    /// The player's; the graph stays usable.
    pub fn frame<P: Player + ?Sized>(
        &mut self,
        store: &mut Store,
        player: &mut P,
        time: f64,
    ) -> Result<&EventLog, P::Error> {
        self.begin_frame(store, time);
        if self.is_stale() {
            player.load(self.record(store), store)?;
        }
        loop {
            if let Err(error) = player.run(store) {
                self.fail_frame();
                return Err(error);
            }
            match self.proceed(store) {
                Next::Done => return Ok(self.end_frame(store)),
                Next::Again => {}
                Next::RecordAgain => player.load(self.record(store), store)?,
            }
        }
    }

    /// The present value of a field; none if there is no such node or field.
    pub fn value(&self, store: &Store, node: NodeId, field: FieldId) -> Option<Value> {
        let cold = self.world.scene.nodes.get(node.0 as usize)?.values.get(field.0 as usize)?;
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else {
            return Some(cold.clone());
        };
        let at = layout.aliases.first((node, field));
        let chunk = |c: u32| store.workspace_ref(in_store.workspaces[c as usize]);
        present(layout, &self.filled.homes, &self.world.scene, at, chunk)
            .or_else(|| self.world.scene.node(at.0).values.get(at.1.0 as usize).cloned())
    }

    /// How many deliveries there were in the last frame: counted, also if the log is off.
    ///
    /// # Cost
    /// Looks at all routes.
    pub fn n_deliveries(&self, store: &Store) -> u64 {
        let Some(layout) = &self.layout else { return 0 };
        let chunks = self.chunks(store);
        let mut n = self.n_before;
        unnoted(layout, &self.filled, &chunks, self.now.frame, |_, _, _| n += 1);
        let noted = chunks.iter().filter(|c| c.n_noted.0 == self.now.frame);
        n + noted.map(|c| c.n_noted.1).sum::<u64>()
    }

    /// What nodes said is wrong, by frame, then by node; each once.
    pub fn take_complaints(&mut self) -> Vec<Complaint> {
        std::mem::take(&mut self.complaints)
    }

    pub(super) fn chunks<'a>(&self, store: &'a Store) -> Vec<&'a Chunk> {
        let workspaces = self.in_store.iter().flat_map(|s| &s.workspaces);
        workspaces.map(|&w| store.workspace_ref(w)).collect()
    }

    /// Appends to the log what was delivered since the last call.
    pub(super) fn collect(&mut self, store: &mut Store) {
        let Some(layout) = &self.layout else { return };
        let chunks = self.chunks(store);
        collect(layout, &self.filled, &chunks, self.now.frame, &mut self.log.deliveries);
        let workspaces = self.in_store.iter().flat_map(|s| &s.workspaces);
        for &workspace in workspaces {
            if !store.workspace_ref(workspace).noted.is_empty() {
                store.workspace_mut(workspace).noted.clear();
            }
        }
    }

    pub(super) fn gather_complaints(&mut self, store: &mut Store) {
        let mut new: Vec<Complaint> = Vec::new();
        for &workspace in self.in_store.iter().flat_map(|s| &s.workspaces) {
            if !store.workspace_ref(workspace).complaints.is_empty() {
                let all = std::mem::take(&mut store.workspace_mut(workspace).complaints);
                new.extend(all.into_iter().map(|(node, message)| Complaint { node, message }));
            }
        }
        if !new.is_empty() {
            new.sort_by_key(|complaint| complaint.node);
            self.complaints.extend(new);
        }
    }

    /// Makes layout and chunks of the graph as it is; `carried` is what a stopped frame keeps.
    pub(super) fn rebuild(&mut self, store: &mut Store, carried: Option<Carried>) {
        let carried = carried.unwrap_or_else(|| self.carry(store));
        self.rebuilds += 1;
        self.built = self.world.version;
        let aliases = Aliases::of(&self.world.scene);
        let is_there = |node: NodeId| !self.world.natures[node.0 as usize].is_gone;
        let ways = ways(&self.world.scene, self.world.routes(), &aliases, is_there);
        let World { scene, natures, behaviours, routes, .. } = &mut self.world;
        let mut layout = Layout::new(scene, natures, (ways, aliases), &self.options);
        layout.n_routes = routes.len() as u32;
        self.filled = fill(&layout, scene, natures, behaviours, &self.options);
        self.layout = Some(layout);
        self.move_in(store);
        self.restore(carried, store);
    }

    /// Puts chunks into the store; those of before make room.
    fn move_in(&mut self, store: &mut Store) {
        let own = ObjectId(self.options.first_object);
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
                    let object = ObjectId(self.options.first_object + 1 + k as u32);
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

/// Runs what an event graph records: an executor with a planner.
pub trait Player {
    /// What may go wrong.
    type Error;
    /// Loads a program in place of the one before.
    ///
    /// # Errors
    /// It does not fit.
    fn load(&mut self, recording: Recording, store: &mut Store) -> Result<(), Self::Error>;
    /// Runs it once.
    ///
    /// # Errors
    /// A node panicked.
    fn run(&mut self, store: &mut Store) -> Result<(), Self::Error>;
}
