//! Nodes, components, and the searches that components use to find each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use diagnostics::Location;

use crate::component::animation_loop::{AnimationLoop, DefaultAnimationLoop};
use crate::component::build::TopologySearch;
use crate::component::description::Recipe;
use crate::component::mechanical_state::{AnyInitialState, InitialState, StateAccess};
use crate::component::sleeping::Sleeping;
use crate::component::value::Value;
use crate::math::Vec3;
use crate::scene::ids::{ComponentId, NodeId, StateId};
use crate::scene::parts::Parts;
use crate::scene::solvers::Solvers;
use crate::topology::Topology;

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name; empty where the scene gives none, as in SOFA.
    pub name: String,
    /// Its parent; the root has none.
    pub parent: Option<NodeId>,
    /// Children in order.
    pub children: Vec<NodeId>,
    /// Components in order.
    pub components: Vec<ComponentId>,
    /// Whether it takes part (attribute `activated`).
    pub active: bool,
    /// Whether it sleeps for ever (attribute `sleeping`, where nothing wakes anybody): its states stand where they are, whatever solver
    /// stands above.
    pub rests: bool,
    /// Whether what stands in it may fall asleep and wake by SOFA's rules (attribute `canChangeSleepingState`).
    pub can_sleep: bool,
    /// Whether it sleeps at the beginning (attribute `sleeping`).
    pub sleeps: bool,
    /// Where it stands in the file.
    pub location: Location,
    /// How many names were made here, by what they begin with.
    made_names: BTreeMap<String, u32>,
}

/// A component, whatever its family.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name, given or made as SOFA makes it (class and counter).
    pub name: String,
    /// SOFA's class name.
    pub class: &'static str,
    /// Its node.
    pub node: NodeId,
    /// Where it stands in the file.
    pub location: Location,
    /// Fields that links may read.
    pub fields: BTreeMap<&'static str, Value>,
    /// Its topology, if it is one.
    pub topology: Option<Arc<Topology>>,
    /// Its mechanical state, if it is one.
    pub state: Option<StateId>,
    /// How it was built, if a scene file or the like describes it.
    pub recipe: Option<Arc<Recipe>>,
    /// What its own crate keeps with it (a collision model, a visual model), to be found again by type.
    pub extension: Option<Arc<dyn std::any::Any + Send + Sync>>,
}

impl Component {
    /// What its own crate keeps with it, if it is of this type.
    pub fn extension<T: 'static>(&self) -> Option<&T> {
        self.extension.as_deref().and_then(|e| e.downcast_ref())
    }
}

/// A mechanical state in the scene.
#[derive(Debug)]
pub(crate) struct StateEntry {
    pub(crate) component: ComponentId,
    pub(crate) initial: AnyInitialState,
}

/// A state before a projective constraint projected its initial vectors.
#[derive(Debug)]
pub(super) struct Unprojected {
    pub(super) constraint: ComponentId,
    pub(super) state: StateId,
    pub(super) initial: AnyInitialState,
}

/// An output before its mapping moved it.
#[derive(Debug)]
pub(super) struct Unmapped {
    pub(super) mapping: ComponentId,
    pub(super) output: StateId,
    pub(super) initial: AnyInitialState,
}

/// The scene.
pub struct Scene {
    pub(super) nodes: Vec<Node>,
    pub(super) components: Vec<Component>,
    pub(crate) states: Vec<StateEntry>,
    /// States as they were before projective constraints projected their initial vectors, in the order of building.
    pub(super) unprojected: Vec<Unprojected>,
    /// Outputs as they were before mappings first moved them, of those that place them.
    pub(super) unmapped: Vec<Unmapped>,
    /// The mechanical components.
    pub parts: Parts,
    /// The solvers.
    pub solvers: Solvers,
    /// What a step consists of.
    pub animation_loop: Box<dyn AnimationLoop>,
    /// Gravity [m/s^2].
    pub gravity: Vec3,
    /// Time step [s].
    pub dt: f64,
    /// Time at the beginning [s].
    pub time: f64,
    /// Whether the forces of elements are added to a point one by one, in the order of the mesh, as SOFA does; else force fields
    /// may add up what neighbors share first, in any fixed order.
    pub mesh_order: bool,
}

/// What a component gives its node, and all below, in place of the scene's gravity [m/s^2].
#[derive(Clone, Copy, Debug)]
pub struct NodeGravity(pub Vec3);

impl Scene {
    /// A scene with a root node and nothing else; gravity (0, -9.81, 0), dt 0.01.
    pub fn new(root: &str) -> Self {
        let root = Node {
            name: root.to_owned(),
            parent: None,
            children: Vec::new(),
            components: Vec::new(),
            active: true,
            rests: false,
            can_sleep: false,
            sleeps: false,
            location: Location::default(),
            made_names: BTreeMap::new(),
        };
        Self {
            nodes: vec![root],
            components: Vec::new(),
            states: Vec::new(),
            unprojected: Vec::new(),
            unmapped: Vec::new(),
            parts: Parts::default(),
            solvers: Solvers::default(),
            animation_loop: Box::new(DefaultAnimationLoop),
            gravity: Vec3::new(0.0, -9.81, 0.0),
            dt: 0.01,
            time: 0.0,
            mesh_order: false,
        }
    }

    /// The root node.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Adds a node below `parent`, as its last child.
    pub fn add_node(&mut self, parent: NodeId, name: &str, location: Location) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            name: name.to_owned(),
            parent: Some(parent),
            children: Vec::new(),
            components: Vec::new(),
            active: self.nodes[parent.0 as usize].active,
            rests: self.nodes[parent.0 as usize].rests,
            can_sleep: false,
            sleeps: false,
            location,
            made_names: BTreeMap::new(),
        });
        self.nodes[parent.0 as usize].children.push(id);
        id
    }

    /// A name for a component of a node that was given none: its class and a number.
    ///
    /// **Source:** SOFA's `ComponentNameHelper`: each node counts, from 1, the components of a class that have no name of
    /// their own; those that have one are not counted.
    pub fn make_name(&mut self, node: NodeId, class: &str) -> String {
        let made = self.nodes[node.0 as usize].made_names.entry(class.to_owned()).or_default();
        *made += 1;
        format!("{class}{made}")
    }

    /// Adds a component to a node, as its last; without a name it gets one from [`Self::make_name`].
    pub fn add_component(
        &mut self,
        node: NodeId,
        class: &'static str,
        name: Option<&str>,
        location: Location,
    ) -> ComponentId {
        let id = ComponentId(self.components.len() as u32);
        let name = name.map_or_else(|| self.make_name(node, class), str::to_owned);
        self.components.push(Component {
            name,
            class,
            node,
            location,
            fields: BTreeMap::new(),
            topology: None,
            state: None,
            recipe: None,
            extension: None,
        });
        self.nodes[node.0 as usize].components.push(id);
        id
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }
    /// A node, to change it.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }
    /// A component.
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.0 as usize]
    }
    /// A component, to change it.
    pub fn component_mut(&mut self, id: ComponentId) -> &mut Component {
        &mut self.components[id.0 as usize]
    }
    /// The components of a node, in order.
    pub fn components_of(&self, node: NodeId) -> impl Iterator<Item = ComponentId> + '_ {
        self.nodes[node.0 as usize].components.iter().copied()
    }
    /// When objects sleep, if they do.
    pub fn sleeping(&self) -> Option<Sleeping> {
        let mut active = self.components.iter().filter(|c| self.node(c.node).active);
        active.find_map(|c| c.extension::<Sleeping>().copied())
    }

    /// Gravity of a node below the root, where a component there or above gives one ([`NodeGravity`]); of several in one node the
    /// last [m/s^2].
    pub fn own_gravity(&self, node: NodeId) -> Option<Vec3> {
        let mut at = Some(node).filter(|n| *n != self.root());
        while let Some(n) = at {
            let given = self.components_of(n).filter_map(|c| self.component(c).extension::<NodeGravity>());
            if let Some(NodeGravity(gravity)) = given.last() {
                return Some(*gravity);
            }
            at = self.node(n).parent.filter(|p| *p != self.root());
        }
        None
    }

    /// All components, in the order they were added; those that were removed have kept their numbers.
    pub fn all_components(&self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.components.len() as u32).map(ComponentId)
    }
    /// All nodes, depth first, parents before children, children in order.
    pub fn depth_first(&self) -> Vec<NodeId> {
        self.depth_first_from(self.root())
    }
    /// A node and all below it, depth first, parents before children, children in order.
    pub fn depth_first_from(&self, node: NodeId) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut stack = vec![node];
        while let Some(n) = stack.pop() {
            order.push(n);
            stack.extend(self.node(n).children.iter().rev());
        }
        order
    }
    /// The node and its ancestors, from below.
    pub fn upward(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(node), |n| self.node(*n).parent)
    }
    /// The nodes whose solvers move what stands in a node: it and those above it, and none where it sleeps for ever.
    pub fn solved_from(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.upward(node).take_while(|n| !self.node(*n).rests)
    }
    /// The path of a node, `/` for the root. A node without a name leaves an empty place: `//TORUS` is a child of a nameless
    /// child of the root, as in SOFA, and a nameless child of the root has the root's path.
    pub fn node_path(&self, node: NodeId) -> String {
        let mut names: Vec<&str> = self.upward(node).map(|n| self.node(n).name.as_str()).collect();
        names.pop();
        names.reverse();
        if names.is_empty() { "/".to_owned() } else { format!("/{}", names.join("/")) }
    }
    /// The path of a component.
    pub fn path(&self, id: ComponentId) -> String {
        let c = self.component(id);
        let node = self.node_path(c.node);
        if node == "/" { format!("/{}", c.name) } else { format!("{node}/{}", c.name) }
    }

    /// The state of the node, else of the nearest ancestor that has one.
    pub fn state_from(&self, node: NodeId) -> Option<StateId> {
        self.upward(node).find_map(|n| self.state_in(n))
    }
    /// The state of this very node.
    pub fn state_in(&self, node: NodeId) -> Option<StateId> {
        self.node(node).components.iter().rev().find_map(|c| self.component(*c).state)
    }
    /// The state that a component is.
    pub fn state_of_component(&self, id: ComponentId) -> Option<StateId> {
        self.component(id).state
    }
    /// The component that a state belongs to.
    pub fn component_of_state(&self, id: StateId) -> ComponentId {
        self.states[id.0 as usize].component
    }
    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.states.len()
    }
    /// Makes a component a mechanical state.
    pub fn add_state(&mut self, component: ComponentId, initial: AnyInitialState) -> StateId {
        let id = StateId(self.states.len() as u32);
        self.states.push(StateEntry { component, initial });
        self.component_mut(component).state = Some(id);
        id
    }
    /// The vectors of a state as they are before the simulation.
    pub fn initial(&self, id: StateId) -> &AnyInitialState {
        &self.states[id.0 as usize].initial
    }
    /// The same, to change them.
    pub fn initial_mut(&mut self, id: StateId) -> &mut AnyInitialState {
        &mut self.states[id.0 as usize].initial
    }
    /// The initial vectors of a state, if it is of type `S`.
    pub fn initial_as<S: StateAccess>(&self, id: StateId) -> Option<&InitialState<S>> {
        S::of(self.initial(id))
    }

    /// Makes a component a topology, or replaces its topology.
    pub fn set_topology(&mut self, component: ComponentId, topology: Topology) {
        self.component_mut(component).topology = Some(Arc::new(topology));
    }
    /// The topology that a component is.
    pub fn topology(&self, component: ComponentId) -> Option<&Topology> {
        self.component(component).topology.as_deref()
    }
    /// The topology component that a search from a node finds.
    pub fn find_topology(&self, node: NodeId, search: TopologySearch) -> Option<ComponentId> {
        let is_topology = |c: &&ComponentId| self.component(**c).topology.is_some();
        match search {
            TopologySearch::FirstHere => self.node(node).components.iter().find(is_topology).copied(),
            TopologySearch::First => {
                self.upward(node).find_map(|n| self.node(n).components.iter().find(is_topology).copied())
            }
            TopologySearch::Last => self
                .upward(node)
                .find_map(|n| self.node(n).components.iter().rev().find(is_topology).copied()),
        }
    }
}
