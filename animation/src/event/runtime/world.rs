//! The graph as data.

use std::collections::BTreeMap;

use super::fill::Kept;
use super::inlines::Inlines;
use super::kept::Outside;
use super::kernels::KnownWays;
use super::places::Field;
use super::vertex::{Nature, kernel_of};
use crate::event::behaviour::Behaviours;
use crate::event::field::Value;
use crate::event::graph_access::{Ends, FragmentLoader, GraphError};
use crate::event::ids::{ContextId, NodeId};
use crate::event::nodes::field_inputs::is_one;
use crate::event::nodes::interpolation::first::first_output;
use crate::event::scene::{Alias, Context, ContextKind, EventScene, Route};

/// The graph as data. Values of fields that change are in chunks while tasks are recorded.
pub(super) struct World {
    pub scene: EventScene,
    /// By number; routes that have been deleted stay, so that a log may name them.
    pub routes: Vec<Route>,
    pub is_routed: Vec<bool>,
    pub route_at: BTreeMap<Ends, u32>,
    pub natures: Vec<Nature>,
    /// By node, while no chunk has them.
    pub behaviours: Vec<Kept>,
    /// By node: what kernels have found out about its keys.
    pub known_ways: Vec<KnownWays>,
    pub source: Box<dyn Behaviours>,
    pub loader: Option<Box<dyn FragmentLoader>>,
    /// Counts changes of the structure.
    pub version: u64,
    /// What has changed since chunks were made.
    pub dirt: Dirt,
    pub outside: Vec<Outside>,
    /// How many nodes have begun, and which are to end.
    pub n_initialized: usize,
    pub gone: Vec<NodeId>,
    pub inlines: Inlines,
    /// How many routes and aliases were looked at for inputs that wake nodes.
    n_looked_at: (usize, usize),
}

/// What has changed of the structure.
#[derive(Debug, Default)]
pub(super) struct Dirt {
    /// Nobody knows: all of it.
    pub all: bool,
    /// Routes that came or went.
    pub routes: Vec<u32>,
    /// Nodes that came, went, or are evaluated otherwise.
    pub nodes: Vec<NodeId>,
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
            known_ways: Vec::new(),
            source,
            loader: None,
            version: 1,
            dirt: Dirt { all: true, ..Dirt::default() },
            outside: Vec::new(),
            n_initialized: 0,
            gone: Vec::new(),
            inlines: Inlines::default(),
            n_looked_at: (0, 0),
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
        let first = self.natures.len();
        self.notice_inlines(first);
        self.dirt.nodes.extend((first as u32..self.scene.nodes.len() as u32).map(NodeId));
        // What a node does may depend on what is sent to it.
        std::mem::swap(&mut self.scene.routes, &mut self.routes);
        for k in self.natures.len()..self.scene.nodes.len() {
            let node = &mut self.scene.nodes[k];
            if let Some((out, value)) = first_output(node) {
                node.values[out.0 as usize] = value;
            }
            let behaviour = self.source.behaviour_of(&self.scene, NodeId(k as u32));
            let kernel = behaviour.as_ref().and_then(|_| kernel_of(&self.scene, NodeId(k as u32)));
            self.known_ways.push(None);
            self.natures.push(Nature { kernel, ..Nature::of(behaviour.as_deref()) });
            self.behaviours.push(behaviour);
        }
        std::mem::swap(&mut self.scene.routes, &mut self.routes);
        self.wake();
    }

    /// Gives nodes without behaviours one if what came may send to an input of them that changes another field.
    fn wake(&mut self) {
        let (routes, aliases) =
            std::mem::replace(&mut self.n_looked_at, (self.routes.len(), self.scene.aliases.len()));
        let ends = self.routes[routes..].iter().map(|route| route.to);
        let ends = ends.chain(self.scene.aliases[aliases..].iter().map(|alias| alias.inner));
        let sleeps = |(node, field): &Field| {
            let nature = &self.natures[node.0 as usize];
            !nature.is_active && !nature.is_gone && is_one(&self.scene.node(*node).node_type, *field)
        };
        let nodes: Vec<NodeId> = ends.filter(sleeps).map(|(node, _)| node).collect();
        for node in nodes {
            let k = node.0 as usize;
            if self.natures[k].is_active {
                continue;
            }
            let Some(behaviour) = self.source.woken(&self.scene, node) else { continue };
            self.natures[k] = Nature::of(Some(&*behaviour));
            self.natures[k].is_initialized = true;
            self.behaviours[k] = Some(behaviour);
            self.dirt.nodes.push(node);
        }
    }

    pub fn check_node(&self, node: NodeId) -> Result<(), GraphError> {
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
        self.take_route(Route { from, to, sides: [true; 2], older_names: [None, None], location });
        self.wake();
        self.version += 1;
        Ok(())
    }

    pub fn delete_route(&mut self, from: Field, to: Field) -> Result<(), GraphError> {
        let Some(route) = self.route_at.remove(&(from, to)) else {
            return Err(GraphError::Route("there is no such route".to_owned()));
        };
        self.is_routed[route as usize] = false;
        self.dirt.routes.push(route);
        self.version += 1;
        Ok(())
    }

    pub fn remove(&mut self, node: NodeId) -> Result<(), GraphError> {
        self.check_node(node)?;
        self.hide(node);
        self.let_go(&[node]);
        Ok(())
    }

    /// Lets nodes go, with their routes.
    pub fn let_go(&mut self, nodes: &[NodeId]) {
        for node in nodes {
            self.natures[node.0 as usize].is_gone = true;
        }
        self.gone.extend(nodes);
        self.dirt.nodes.extend(nodes);
        let natures = &self.natures;
        let is_gone = |node: NodeId| natures[node.0 as usize].is_gone;
        for (k, (route, is_routed)) in (0..).zip(self.routes.iter().zip(&mut self.is_routed)) {
            if *is_routed && (is_gone(route.from.0) || is_gone(route.to.0)) {
                self.route_at.remove(&(route.from, route.to));
                *is_routed = false;
                self.dirt.routes.push(k);
            }
        }
        for context in &mut self.scene.contexts {
            context.roots.retain(|&root| !is_gone(root));
            context.imports.retain(|&(_, node)| !is_gone(node));
        }
        self.forget_inlines();
        self.version += 1;
    }

    /// Takes in a route that fits.
    pub fn take_route(&mut self, route: Route) {
        self.dirt.routes.push(self.routes.len() as u32);
        self.route_at.insert((route.from, route.to), self.routes.len() as u32);
        self.routes.push(route);
        self.is_routed.push(true);
    }

    /// Takes in another graph; yields its root nodes.
    pub fn admit(&mut self, fragment: EventScene, context: ContextId) -> Vec<NodeId> {
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
        for (k, Context { kind, parent, file, roots: own, imports, metadata, declared }) in
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
            let parent = parent.map(place);
            let roots = own;
            self.scene.contexts.push(Context { kind, parent, file, roots, imports, metadata, declared });
        }
        let aliases = fragment.aliases.into_iter();
        self.scene.aliases.extend(aliases.map(|a| Alias { outer: field(a.outer), inner: field(a.inner) }));
        for route in fragment.routes {
            self.take_route(Route { from: field(route.from), to: field(route.to), ..route });
        }
        self.version += 1;
        self.animate();
        roots
    }
}
