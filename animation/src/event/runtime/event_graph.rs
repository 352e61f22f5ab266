//! An event graph on the engine.

use engine::data::Store;

use super::chunk::Chunk;
use super::event_log::{EventLog, unnoted};
use super::kept::{InStore, Outside, Scales};
use super::layout::Layout;
use super::options::EventOptions;
use super::print::Print;
use super::turn::Now;
use super::world::World;
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

/// An event graph: a scene whose nodes are evaluated by recorded tasks.
///
/// A frame is: [`Self::begin_frame`], a run of what [`Self::record`] yielded, [`Self::proceed`] until it says `Next::Done`,
/// [`Self::end_frame`]; or [`Self::frame`], which does all that.
pub struct EventGraph {
    pub(super) world: World,
    pub(super) options: EventOptions,
    pub(super) layout: Option<Layout>,
    pub(super) in_store: Option<InStore>,
    /// The version of the structure that chunks are of; the shape that was recorded last.
    pub(super) built: u64,
    pub(super) recorded: u64,
    /// Counts changes of what is to be recorded; most edits change what is in chunks only.
    pub(super) shape: u64,
    pub(super) now: Now,
    pub(super) stops: u32,
    /// Whether others know where values lie: see `sample`.
    pub(super) is_sampled: bool,
    pub(super) log: EventLog,
    /// Deliveries of the frame before its last stop.
    pub(super) n_before: u64,
    pub(super) complaints: Vec<Complaint>,
    pub(super) prints: Vec<Print>,
    /// How often chunks were made.
    pub(super) rebuilds: u64,
    /// What nodes cost as measured, in parts of what was estimated.
    pub(super) scales: Scales,
}

impl EventGraph {
    /// Of a scene; `behaviours` says what its nodes do.
    pub fn new(scene: EventScene, behaviours: Box<dyn Behaviours>, options: EventOptions) -> Self {
        Self {
            world: World::new(scene, behaviours),
            options,
            layout: None,
            in_store: None,
            built: 0,
            recorded: 0,
            shape: 1,
            now: Now::in_frame(0, 0.0),
            stops: 0,
            is_sampled: false,
            log: EventLog::default(),
            n_before: 0,
            complaints: Vec::new(),
            prints: Vec::new(),
            rebuilds: 0,
            scales: Scales::default(),
        }
    }

    /// Lets Scripts create nodes, and Inlines load, while the graph runs.
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
        let mut found = Vec::new();
        for (_, part) in layout.parts() {
            let name = |key: NodeKey| {
                let vertex = part.vertices[key.0 as usize];
                let node = self.world.scene.node(vertex.node);
                let def = node.def.as_deref().unwrap_or(&node.node_type.name);
                match node.node_type.fields.get(vertex.field as usize) {
                    Some(field) => format!("{def}.{}", field.name),
                    None => def.to_owned(),
                }
            };
            let of_part = part.structure.cycles();
            let place = |c| part.place(part.structure.members(c)[0]);
            found.extend(of_part.map(|c| (place(c), part.structure.describe_cycle(c, name))));
        }
        found.sort();
        found.into_iter().map(|(_, circle)| circle).collect()
    }

    /// Number of levels, MCEE's size of the event flow vector; zero before the first recording.
    pub fn n_levels(&self) -> u32 {
        self.layout
            .iter()
            .flat_map(|l| l.parts())
            .map(|(_, part)| part.structure.n_levels())
            .max()
            .unwrap_or(0)
    }

    /// Number of tasks, gates and steps that bring events included.
    pub fn n_tasks(&self) -> usize {
        self.layout.iter().flat_map(|l| &l.stages).map(|stage| stage.chunks.len()).sum()
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

    /// The present value of a field; none if there is no such node or field.
    pub fn value(&self, store: &Store, node: NodeId, field: FieldId) -> Option<Value> {
        let cold = self.world.scene.nodes.get(node.0 as usize)?.values.get(field.0 as usize)?;
        let (Some(layout), Some(in_store)) = (&self.layout, &self.in_store) else {
            return Some(cold.clone());
        };
        let at = layout.aliases.first((node, field));
        let chunk = |c: u32| store.workspace_ref(in_store.workspaces[c as usize]);
        layout
            .present(&self.world.scene, at, chunk)
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
        unnoted(layout, &chunks, self.now.frame, |_, _, _| n += 1);
        let noted = chunks.iter().filter(|c| c.n_noted.0 == self.now.frame);
        n + noted.map(|c| c.n_noted.1).sum::<u64>()
    }

    /// What nodes said is wrong, by frame, then by node; each once.
    pub fn take_complaints(&mut self) -> Vec<Complaint> {
        std::mem::take(&mut self.complaints)
    }

    /// What nodes wrote for people to read since the last call, by frame, then by node.
    pub fn take_prints(&mut self) -> Vec<Print> {
        std::mem::take(&mut self.prints)
    }

    pub(super) fn chunks<'a>(&self, store: &'a Store) -> Vec<&'a Chunk> {
        let workspaces = self.in_store.iter().flat_map(|s| &s.workspaces);
        workspaces.map(|&w| store.workspace_ref(w)).collect()
    }
}
