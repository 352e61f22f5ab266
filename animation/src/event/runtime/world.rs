//! The graph as data, and what a node with exclusive access does with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::Diagnostic;
use engine::data::{Store, Workspace};

use super::chunk::Chunk;
use super::fill::{Home, present};
use super::layout::{Layout, Nature};
use super::places::Field;
use crate::event::behaviour::{Behaviour, Behaviours};
use crate::event::field::Value;
use crate::event::graph_access::{Ends, FragmentLoader, GraphAccess, GraphError};
use crate::event::host::HostEvent;
use crate::event::ids::{ContextId, FieldId, NodeId};
use crate::event::scene::{Alias, Context, ContextKind, EventScene, NodeType, Route};

/// What is to happen to a node from outside the cascade.
pub(super) enum Outside {
    /// An event to a field that receives.
    Event(Field, Value),
    /// A field sends.
    Emit(Field, Value),
    /// The node makes events of it.
    Tell(NodeId, HostEvent),
}

/// The graph as data. Values of fields that change are in chunks while tasks are recorded.
pub(super) struct World {
    pub scene: EventScene,
    /// By number; routes that have been deleted stay, so that a log may name them.
    pub routes: Vec<Route>,
    pub is_routed: Vec<bool>,
    pub route_at: BTreeMap<Ends, u32>,
    pub natures: Vec<Nature>,
    /// By node, while no chunk has them.
    pub behaviours: Vec<Option<Box<dyn Behaviour>>>,
    pub source: Box<dyn Behaviours>,
    pub loader: Option<Box<dyn FragmentLoader>>,
    /// Counts changes of the structure.
    pub version: u64,
    pub outside: Vec<Outside>,
    /// How many nodes have begun, and which are to end.
    pub n_initialized: usize,
    pub gone: Vec<NodeId>,
    /// What nodes did to the structure in this frame, in case they do it again in the same frame begun anew.
    pub journal: Vec<(NodeId, Done)>,
    /// How much of the journal was repeated, by node.
    pub repeated: BTreeMap<NodeId, usize>,
}

/// What a change of the structure yielded.
#[derive(Clone, Debug)]
pub(super) enum Done {
    Changed,
    Nodes(Vec<NodeId>),
}

impl World {
    /// Of a graph as a file's reader yields it.
    pub fn new(mut scene: EventScene, source: Box<dyn Behaviours>) -> Self {
        let routes = std::mem::take(&mut scene.routes);
        let ends = routes.iter().map(|r| (r.from, r.to));
        let mut world = Self {
            route_at: ends.zip(0..).collect(),
            is_routed: vec![true; routes.len()],
            routes,
            natures: Vec::new(),
            behaviours: Vec::new(),
            source,
            loader: None,
            version: 1,
            outside: Vec::new(),
            n_initialized: 0,
            gone: Vec::new(),
            journal: Vec::new(),
            repeated: BTreeMap::new(),
            scene,
        };
        world.animate();
        world
    }

    /// The routes that are there, by number.
    pub fn routes(&self) -> impl Iterator<Item = (u32, &Route)> {
        let all = (0..).zip(self.routes.iter().zip(&self.is_routed));
        all.filter(|(_, (_, is_routed))| **is_routed).map(|(k, (route, _))| (k, route))
    }

    /// Gives nodes that came their behaviours.
    pub fn animate(&mut self) {
        // What a node does may depend on what is sent to it.
        std::mem::swap(&mut self.scene.routes, &mut self.routes);
        for k in self.natures.len()..self.scene.nodes.len() {
            let behaviour = self.source.behaviour_of(&self.scene, NodeId(k as u32));
            self.natures.push(Nature {
                is_active: behaviour.is_some(),
                is_timed: behaviour.as_ref().is_some_and(|b| b.is_time_dependent()),
                reach: behaviour.as_ref().map(|b| b.reach()).unwrap_or_default(),
                is_initialized: behaviour.is_none(),
                ..Nature::default()
            });
            self.behaviours.push(behaviour);
        }
        std::mem::swap(&mut self.scene.routes, &mut self.routes);
    }

    fn check_node(&self, node: NodeId) -> Result<(), GraphError> {
        let nature = self.natures.get(node.0 as usize).filter(|n| !n.is_gone);
        nature.map(|_| ()).ok_or(GraphError::NoSuchNode)
    }

    /// Refuses a field that is not there, or not to be used so.
    pub fn check(
        &self,
        (node, field): Field,
        receives: bool,
        value: Option<&Value>,
    ) -> Result<(), GraphError> {
        self.check_node(node)?;
        let fields = &self.scene.node(node).node_type.fields;
        let declared = fields.get(field.0 as usize).ok_or(GraphError::NoSuchField)?;
        let access = declared.access;
        if !(if receives { access.receives() } else { access.sends() }) {
            return Err(GraphError::Access(access));
        }
        match value.map(Value::field_type) {
            Some(given) if given != declared.field_type => {
                Err(GraphError::Type { expected: declared.field_type, given })
            }
            _ => Ok(()),
        }
    }

    pub fn add_route(&mut self, from: Field, to: Field) -> Result<(), GraphError> {
        self.check(from, false, None)?;
        self.check(to, true, None)?;
        let (given, expected) = (self.scene.field(from).field_type, self.scene.field(to).field_type);
        if given != expected {
            return Err(GraphError::Type { expected, given });
        }
        if self.route_at.contains_key(&(from, to)) {
            return Err(GraphError::Route("the route is there already".to_owned()));
        }
        let location = self.scene.node(from.0).location.clone();
        self.route_at.insert((from, to), self.routes.len() as u32);
        self.routes.push(Route { from, to, location });
        self.is_routed.push(true);
        self.version += 1;
        Ok(())
    }

    pub fn delete_route(&mut self, from: Field, to: Field) -> Result<(), GraphError> {
        let Some(route) = self.route_at.remove(&(from, to)) else {
            return Err(GraphError::Route("there is no such route".to_owned()));
        };
        self.is_routed[route as usize] = false;
        self.version += 1;
        Ok(())
    }

    pub fn remove(&mut self, node: NodeId) -> Result<(), GraphError> {
        self.check_node(node)?;
        self.natures[node.0 as usize].is_gone = true;
        self.gone.push(node);
        for (route, is_routed) in self.routes.iter().zip(&mut self.is_routed) {
            if *is_routed && (route.from.0 == node || route.to.0 == node) {
                self.route_at.remove(&(route.from, route.to));
                *is_routed = false;
            }
        }
        for context in &mut self.scene.contexts {
            context.roots.retain(|&root| root != node);
        }
        self.version += 1;
        Ok(())
    }

    /// Takes in another graph; yields its root nodes.
    fn admit(&mut self, fragment: EventScene, context: ContextId) -> Vec<NodeId> {
        let (nodes, contexts) = (self.scene.nodes.len() as u32, self.scene.contexts.len() as u32);
        let node = |id: NodeId| NodeId(id.0 + nodes);
        // The fragment's main context is the one that asked for it.
        let place = |id: ContextId| if id.0 == 0 { context } else { ContextId(id.0 + contexts - 1) };
        let field = |(id, f): Field| (node(id), f);
        let renumber = |value: &mut Value| match value {
            Value::SFNode(Some(id)) => *id = node(*id),
            Value::MFNode(all) => *all = all.iter().map(|id| id.map(node)).collect(),
            _ => {}
        };
        for mut new in fragment.nodes {
            new.context = place(new.context);
            new.values.iter_mut().for_each(renumber);
            self.scene.nodes.push(new);
        }
        let mut roots = Vec::new();
        for (k, Context { kind, parent, file, roots: own, imports }) in
            fragment.contexts.into_iter().enumerate()
        {
            let own: Vec<NodeId> = own.into_iter().map(node).collect();
            if k == 0 {
                roots = own;
                continue;
            }
            let kind = match kind {
                ContextKind::File => ContextKind::File,
                ContextKind::Prototype(id) => ContextKind::Prototype(node(id)),
                ContextKind::Inline(id) => ContextKind::Inline(node(id)),
            };
            let imports = imports.into_iter().map(|(name, id)| (name, node(id))).collect();
            self.scene.contexts.push(Context { kind, parent: parent.map(place), file, roots: own, imports });
        }
        let aliases = fragment.aliases.into_iter();
        self.scene.aliases.extend(aliases.map(|a| Alias { outer: field(a.outer), inner: field(a.inner) }));
        for route in fragment.routes {
            let (from, to) = (field(route.from), field(route.to));
            self.route_at.insert((from, to), self.routes.len() as u32);
            self.routes.push(Route { from, to, location: route.location });
            self.is_routed.push(true);
        }
        self.version += 1;
        self.animate();
        roots
    }
}

/// What a node with exclusive access sees: the graph as data, and the values in chunks.
pub(super) struct Exclusive<'a> {
    pub world: &'a mut World,
    pub layout: &'a Layout,
    pub homes: &'a [Home],
    pub store: &'a Store,
    pub workspaces: &'a [Workspace<Chunk>],
    /// The values of the fields of the node itself and its loop, whose chunk is away.
    pub own: Vec<(Field, Value)>,
    /// Who acts.
    pub node: NodeId,
    /// Whether changes of the structure are repeated from the journal.
    pub repeats: bool,
}

impl Exclusive<'_> {
    /// Changes the structure, unless the same was done before the frame began anew.
    fn change(
        &mut self,
        act: impl FnOnce(&mut World) -> Result<Done, GraphError>,
    ) -> Result<Done, GraphError> {
        let node = self.node;
        if self.repeats {
            let repeated = self.world.repeated.entry(node).or_default();
            let before = self.world.journal.iter().filter(|(n, _)| *n == node).nth(*repeated);
            if let Some((_, done)) = before {
                *repeated += 1;
                return Ok(done.clone());
            }
        }
        let done = act(self.world)?;
        self.world.journal.push((node, done.clone()));
        if self.repeats {
            *self.world.repeated.entry(node).or_default() += 1;
        }
        Ok(done)
    }

    fn load(
        &mut self,
        context: ContextId,
        read: impl FnOnce(&mut dyn FragmentLoader, &str) -> Result<EventScene, Vec<Diagnostic>>,
    ) -> Result<Vec<NodeId>, GraphError> {
        let known = self.world.scene.contexts.get(context.0 as usize);
        let base = known.ok_or(GraphError::NoSuchContext)?.file.clone();
        let done = self.change(|world| {
            let loader = world.loader.as_mut();
            let loader = loader.ok_or_else(|| {
                GraphError::Unsupported("this host reads no pieces of X3D while it runs".to_owned())
            })?;
            let fragment = read(&mut **loader, &base).map_err(GraphError::Fragment)?;
            Ok(Done::Nodes(world.admit(fragment, context)))
        })?;
        match done {
            Done::Nodes(roots) => Ok(roots),
            Done::Changed => Ok(Vec::new()),
        }
    }
}

impl GraphAccess for Exclusive<'_> {
    fn node_type(&self, node: NodeId) -> Option<Arc<NodeType>> {
        self.world.check_node(node).ok().map(|()| self.world.scene.node(node).node_type.clone())
    }
    fn def(&self, node: NodeId) -> Option<Arc<str>> {
        self.world.check_node(node).ok().and_then(|()| self.world.scene.node(node).def.clone())
    }
    fn value(&self, node: NodeId, field: FieldId) -> Result<Value, GraphError> {
        self.world.check_node(node)?;
        let cold = self.world.scene.node(node).values.get(field.0 as usize);
        let cold = cold.ok_or(GraphError::NoSuchField)?;
        let at = self.layout.aliases.first((node, field));
        // What it has sent but not yet seen delivered.
        let sent = self.world.outside.iter().rev().find_map(|outside| match outside {
            Outside::Event(to, value) | Outside::Emit(to, value) if *to == (node, field) || *to == at => {
                Some(value.clone())
            }
            _ => None,
        });
        if let Some(value) = sent {
            return Ok(value);
        }
        if let Some((_, value)) = self.own.iter().find(|(own, _)| *own == at) {
            return Ok(value.clone());
        }
        let chunk = |c: u32| self.store.workspace_ref(self.workspaces[c as usize]);
        let present = present(self.layout, self.homes, &self.world.scene, at, chunk);
        Ok(present.unwrap_or_else(|| match at == (node, field) {
            true => cold.clone(),
            false => self.world.scene.node(at.0).values[at.1.0 as usize].clone(),
        }))
    }
    fn send_to(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        self.world.check((node, field), true, Some(&value))?;
        self.world.outside.push(Outside::Event((node, field), value));
        Ok(())
    }
    fn emit_from(&mut self, node: NodeId, field: FieldId, value: Value) -> Result<(), GraphError> {
        self.world.check((node, field), false, Some(&value))?;
        self.world.outside.push(Outside::Emit((node, field), value));
        Ok(())
    }
    fn add_route(&mut self, from: Field, to: Field) -> Result<(), GraphError> {
        self.change(|world| world.add_route(from, to).map(|()| Done::Changed)).map(|_| ())
    }
    fn delete_route(&mut self, from: Field, to: Field) -> Result<(), GraphError> {
        self.change(|world| world.delete_route(from, to).map(|()| Done::Changed)).map(|_| ())
    }
    fn routes(&self, context: ContextId) -> Vec<Ends> {
        let of_it = |r: &&Route| self.world.scene.node(r.from.0).context == context;
        self.world.routes().map(|(_, route)| route).filter(of_it).map(|r| (r.from, r.to)).collect()
    }
    fn create_from_text(&mut self, context: ContextId, text: &str) -> Result<Vec<NodeId>, GraphError> {
        self.load(context, |loader, base| loader.from_text(text, base))
    }
    fn create_from_urls(&mut self, context: ContextId, urls: &[Arc<str>]) -> Result<Vec<NodeId>, GraphError> {
        self.load(context, |loader, base| loader.from_urls(urls, base))
    }
    fn create_node(&mut self, context: ContextId, type_name: &str) -> Result<NodeId, GraphError> {
        let roots = self.load(context, |loader, base| loader.node(type_name, base))?;
        let none = || GraphError::Unsupported(format!("the reader made no node of {type_name}"));
        roots.first().copied().ok_or_else(none)
    }
    fn remove(&mut self, node: NodeId) -> Result<(), GraphError> {
        self.change(|world| world.remove(node).map(|()| Done::Changed)).map(|_| ())
    }
    fn set_roots(&mut self, context: ContextId, roots: &[NodeId]) -> Result<(), GraphError> {
        for &root in roots {
            self.world.check_node(root)?;
        }
        let known = self.world.scene.contexts.get_mut(context.0 as usize).ok_or(GraphError::NoSuchContext)?;
        known.roots = roots.to_vec();
        Ok(())
    }
    fn roots(&self, context: ContextId) -> Vec<NodeId> {
        self.world.scene.contexts.get(context.0 as usize).map_or_else(Vec::new, |c| c.roots.clone())
    }
    fn find(&self, context: ContextId, name: &str) -> Option<NodeId> {
        let scene = &self.world.scene;
        let mut named = scene.nodes.iter().enumerate().filter(|(k, node)| {
            node.context == context && node.def.as_deref() == Some(name) && !self.world.natures[*k].is_gone
        });
        let imports = &scene.contexts.get(context.0 as usize)?.imports;
        let imported = || imports.iter().find(|(known, _)| &**known == name).map(|(_, node)| *node);
        named.next().map(|(k, _)| NodeId(k as u32)).or_else(imported)
    }
    fn world_url(&self) -> Arc<str> {
        self.world.scene.contexts.first().map_or_else(|| "".into(), |c| c.file.clone())
    }
}
