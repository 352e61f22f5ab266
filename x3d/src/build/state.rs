//! What stays between loads into one scene.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use animation::event::scene::NodeType;
use animation::event::{ContextId, NodeId};
use diagnostics::Location;

use crate::names::{Name, Names};
use crate::syntax::tree::Tree;

pub(crate) type TreeIndex = usize;
pub(crate) type PrototypeIndex = usize;
pub(crate) type EnvironmentIndex = usize;

/// Prototypes by name, those of a scope around another one seen from within.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    pub(crate) parent: Option<EnvironmentIndex>,
    pub(crate) prototypes: BTreeMap<Name, PrototypeIndex>,
}

/// Where a prototype's body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    Here,
    /// In a file that has not been looked at.
    Elsewhere,
    /// In a file that is being looked at.
    Sought,
    Found(PrototypeIndex),
    Missing,
}

/// A prototype.
#[derive(Debug)]
pub(crate) struct Prototype {
    pub(crate) name: Name,
    pub(crate) tree: TreeIndex,
    /// Its number in the tree.
    pub(crate) index: u32,
    pub(crate) node_type: Arc<NodeType>,
    /// The scope that it is declared in.
    pub(crate) environment: EnvironmentIndex,
    /// The scope of its body, once there is one.
    pub(crate) body_environment: Option<EnvironmentIndex>,
    pub(crate) whereabouts: Whereabouts,
    /// Whether an instance's body is being built.
    pub(crate) is_open: bool,
    pub(crate) is_used: bool,
    /// Whether a scope of the scene declares it, not only a file that others are taken from.
    pub(crate) is_of_scene: bool,
}

/// What is known about a context beside what the scene says.
#[derive(Debug)]
pub(crate) struct ContextState {
    pub(crate) environment: EnvironmentIndex,
    pub(crate) exports: Vec<(Name, NodeId)>,
    /// The file, in one spelling; none for a text.
    pub(crate) path: Option<PathBuf>,
}

/// An import whose file is not there yet.
#[derive(Clone, Debug)]
pub(crate) struct WaitingImport {
    pub(crate) context: ContextId,
    pub(crate) inline: NodeId,
    pub(crate) exported: Name,
    pub(crate) alias: Name,
    pub(crate) location: Location,
}

/// One end of a route that waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Node(NodeId),
    /// An import of a context.
    Import(ContextId, Name),
}

/// A route to or from such an import.
#[derive(Clone, Debug)]
pub(crate) struct WaitingRoute {
    pub(crate) from: (End, Name),
    pub(crate) to: (End, Name),
    pub(crate) location: Location,
}

/// What stays between loads into one scene.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) names: Names,
    pub(crate) trees: Vec<Arc<Tree>>,
    /// Files by their paths in one spelling.
    pub(crate) files: BTreeMap<PathBuf, TreeIndex>,
    /// The scope of a file's own prototypes.
    pub(crate) file_environments: BTreeMap<TreeIndex, EnvironmentIndex>,
    pub(crate) environments: Vec<Environment>,
    pub(crate) prototypes: Vec<Prototype>,
    /// As many as the scene has contexts.
    pub(crate) contexts: Vec<ContextState>,
    /// Contexts of Inline nodes.
    pub(crate) inlines: BTreeMap<NodeId, ContextId>,
    pub(crate) waiting_imports: Vec<WaitingImport>,
    pub(crate) waiting_routes: Vec<WaitingRoute>,
    /// Values of all nodes.
    pub(crate) values: usize,
}

impl State {
    pub(crate) fn new_environment(&mut self, parent: Option<EnvironmentIndex>) -> EnvironmentIndex {
        self.environments.push(Environment { parent, ..Environment::default() });
        self.environments.len() - 1
    }
    /// The prototype of a name, seen from a scope.
    pub(crate) fn prototype(&self, mut environment: EnvironmentIndex, name: Name) -> Option<PrototypeIndex> {
        loop {
            let here = &self.environments[environment];
            if let Some(found) = here.prototypes.get(&name) {
                return Some(*found);
            }
            environment = here.parent?;
        }
    }
    pub(crate) fn add_tree(&mut self, tree: Tree) -> TreeIndex {
        self.trees.push(Arc::new(tree));
        self.trees.len() - 1
    }
    /// How many trees, environments and prototypes are known.
    pub(crate) fn known(&self) -> [usize; 3] {
        [self.trees.len(), self.environments.len(), self.prototypes.len()]
    }
    /// Forgets the trees that have come since, if neither a prototype nor a file has come with them.
    pub(crate) fn forget(&mut self, [trees, environments, prototypes]: [usize; 3]) {
        let is_held = |tree: &TreeIndex| *tree >= trees;
        if self.prototypes.len() == prototypes && !self.files.values().any(is_held) {
            self.trees.truncate(trees);
            // More than the fragment's own one belong to bodies of prototypes that are used for the first time.
            if self.environments.len() == environments + 1 {
                self.environments.truncate(environments);
            }
        }
    }
}
