//! Trees as event graphs: names get their meaning, prototypes and inlined files are expanded.
//!
//! The builder walks lists of a tree with a stack of its own, so that neither deep nodes nor deep prototypes need a deep call
//! stack. A node is numbered when it is met, before what stands in it.

mod check;
mod context;
mod external;
mod field;
mod import;
mod inline;
mod node;
mod prototype;
mod reference;
mod report;
mod route;
mod state;
mod unit;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use animation::event::scene::EventScene;
use animation::event::{ContextId, FieldId, NodeId};
use diagnostics::Diagnostic;

use crate::catalogue::Standard;
use crate::names::Name;
use crate::options::LoadOptions;
use crate::syntax::tree::{Item, ItemIndex, Tree};

pub(crate) use state::State;
use state::{EnvironmentIndex, PrototypeIndex, TreeIndex};

/// What stands for a node in a field that there is not.
const NOWHERE: FieldId = FieldId(u32::MAX);

/// What a frame's items belong to.
#[derive(Clone, Copy, Debug)]
enum What {
    /// A file, the body of an instance, or a fragment.
    Scope,
    Node(NodeId, Kind),
    /// Nodes of one field.
    Field(NodeId, FieldId),
}

/// What a node's type is.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Standard(&'static Standard),
    Prototype(PrototypeIndex),
}

/// A list that is being walked.
#[derive(Clone, Copy, Debug)]
struct Frame {
    tree: TreeIndex,
    next: ItemIndex,
    scope: usize,
    what: What,
    /// Where its nodes begin among [`Builder::children`].
    children_from: usize,
    /// Where its fields begin among [`Builder::given`].
    given_from: usize,
}

/// A name space that is open.
#[derive(Debug)]
struct Scope {
    context: ContextId,
    environment: EnvironmentIndex,
    /// The instance whose body it is, and its prototype.
    instance: Option<(NodeId, PrototypeIndex)>,
    is_fragment: bool,
    defs: BTreeMap<Name, NodeId>,
    /// Names of nodes that are left out, with their routes.
    broken: BTreeSet<Name>,
    /// Its number among all name spaces.
    space: usize,
    /// Names of nodes of inlined files, whether they are there or not.
    imports: BTreeSet<Name>,
    late_routes: Vec<u32>,
    late_imports: Vec<u32>,
    exports: Vec<u32>,
}

/// What a load ends with.
pub(crate) struct Built {
    /// Roots of the file or the fragment.
    pub(crate) roots: Vec<NodeId>,
    pub(crate) found: Vec<Diagnostic>,
    /// Whether the scene cannot run: an error costs more than what it is about.
    pub(crate) is_fatal: bool,
}

/// Builds one file or fragment into a scene.
pub(crate) struct Builder<'a> {
    state: &'a mut State,
    scene: &'a mut EventScene,
    options: &'a LoadOptions,
    found: Vec<Diagnostic>,
    frames: Vec<Frame>,
    scopes: Vec<Scope>,
    /// Nodes met, with the field that they stand in, of all frames.
    children: Vec<(FieldId, NodeId)>,
    /// Fields of instances that the file gives a value.
    given: Vec<FieldId>,
    /// Nodes whose frames are open, from the first node of this load on.
    open: Vec<bool>,
    first_node: usize,
    first_context: usize,
    values: usize,
    memo: field::Memo,
    /// Values in the units of what they are routed to.
    routed: Vec<unit::Routed>,
    /// A node has been used inside itself, in a field that may hold that.
    may_be_circular: bool,
    /// A prototype is only looked through for mistakes.
    is_trial: bool,
    stopped: bool,
    /// An error costs more than what it is about.
    is_fatal: bool,
    /// Types that have been held against their file's profile.
    types: BTreeSet<(TreeIndex, usize)>,
    first_route: usize,
    first_alias: usize,
    roots: Vec<NodeId>,
    suggestions: usize,
    /// Warnings and errors kept.
    counts: [usize; 2],
    /// Findings have been left out.
    is_cut: bool,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(state: &'a mut State, scene: &'a mut EventScene, options: &'a LoadOptions) -> Self {
        let (first_node, first_context) = (scene.nodes.len(), scene.contexts.len());
        let first_route = scene.routes.len();
        let first_alias = scene.aliases.len();
        let values = state.values;
        Self {
            state,
            scene,
            options,
            found: Vec::new(),
            frames: Vec::new(),
            scopes: Vec::new(),
            children: Vec::new(),
            given: Vec::new(),
            open: Vec::new(),
            first_node,
            first_context,
            values,
            memo: field::Memo::default(),
            routed: Vec::new(),
            may_be_circular: false,
            is_trial: false,
            stopped: false,
            is_fatal: false,
            types: BTreeSet::new(),
            first_route,
            first_alias,
            roots: Vec::new(),
            suggestions: 0,
            counts: [0; 2],
            is_cut: false,
        }
    }

    /// Walks until nothing is left.
    fn run(&mut self) {
        let mut held: Option<(TreeIndex, Arc<Tree>)> = None;
        while let Some(frame) = self.frames.last_mut() {
            if self.stopped {
                return;
            }
            let tree = match &held {
                Some((index, tree)) if *index == frame.tree => tree,
                _ => &held.insert((frame.tree, self.state.trees[frame.tree].clone())).1,
            };
            match tree.item(frame.next) {
                Some((item, next)) => {
                    frame.next = next;
                    let frame = *frame;
                    self.item(tree, frame, item);
                }
                None => {
                    let frame = *frame;
                    self.frames.pop();
                    self.close(tree, frame);
                }
            }
        }
    }

    fn item(&mut self, tree: &Tree, frame: Frame, item: Item) {
        match item {
            Item::Child { field, node } => self.child(tree, frame, field, node),
            Item::Value { field, text, at } => self.value(tree, frame, field, text, at),
            Item::Is { field, outer, at } => self.is(tree, frame, field, outer, at),
            Item::Declare(index) => self.declared(tree, frame, index),
            Item::Program { text, at } => self.program(tree, frame, text, at),
            Item::Route(index) => self.route(tree, frame.scope, index),
            Item::Prototype(index) => {
                let environment = self.scopes[frame.scope].environment;
                self.declare(tree, frame.tree, index, environment, true);
            }
            Item::Import(index) => self.import(tree, frame.scope, index, false),
            Item::Export(index) => self.scopes[frame.scope].exports.push(index),
        }
    }

    fn close(&mut self, tree: &Tree, frame: Frame) {
        match frame.what {
            What::Scope => self.close_scope(tree, frame),
            What::Field(node, _) => self.take_children(tree, frame, node),
            What::Node(node, kind) => {
                self.take_children(tree, frame, node);
                self.open[node.0 as usize - self.first_node] = false;
                match kind {
                    // A trial is of one body; those of its instances have their own.
                    Kind::Prototype(_) if self.is_trial => {}
                    Kind::Prototype(prototype) => self.instantiate(frame, node, prototype),
                    Kind::Standard(standard) if &*standard.node_type.name == "Inline" => {
                        self.inline(frame, node)
                    }
                    Kind::Standard(_) => {}
                }
                self.given.truncate(frame.given_from);
            }
        }
    }
}
