//! What stays between loads into one scene.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use animation::event::scene::{ContextKind, EventScene, NodeType};
use animation::event::{ContextId, NodeId};
use diagnostics::Location;

use crate::files;
use crate::names::{Name, Names};
use crate::syntax::tree::Tree;

pub(crate) type TreeIndex = usize;
pub(crate) type PrototypeIndex = usize;
pub(crate) type EnvironmentIndex = usize;

/// Prototypes by name, those of a scope around another one seen from within.
#[derive(Clone, Debug, Default)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
pub(crate) struct ContextState {
    pub(crate) environment: EnvironmentIndex,
    pub(crate) exports: BTreeMap<Name, NodeId>,
    /// The file, in one spelling; none for a text.
    pub(crate) path: Option<PathBuf>,
}

/// An import, whether its file is there or not.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) context: ContextId,
    /// The name space that its alias belongs to.
    pub(crate) space: usize,
    pub(crate) inline: NodeId,
    pub(crate) exported: Name,
    pub(crate) alias: Name,
    pub(crate) location: Location,
}

/// One end of a route.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Node(NodeId),
    /// An import of a name space.
    Import(usize, Name),
}

/// A route to or from an import.
#[derive(Clone, Debug)]
pub(crate) struct ImportRoute {
    pub(crate) from: (End, Name),
    pub(crate) to: (End, Name),
    pub(crate) location: Location,
}

/// What stays between loads into one scene.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) names: Names,
    pub(crate) trees: Vec<Arc<Tree>>,
    /// Files by their paths in one spelling.
    pub(crate) files: BTreeMap<PathBuf, TreeIndex>,
    /// The scope of a file's own prototypes.
    pub(crate) file_environments: BTreeMap<TreeIndex, EnvironmentIndex>,
    pub(crate) environments: Vec<Environment>,
    pub(crate) prototypes: Vec<Prototype>,
    /// By name: whether a prototype anywhere is called so.
    is_prototype_name: Vec<bool>,
    /// As many as the scene has contexts.
    pub(crate) contexts: Vec<ContextState>,
    /// Contexts of Inline nodes.
    pub(crate) inlines: BTreeMap<NodeId, ContextId>,
    /// All imports, for what Inline nodes show may go and come again.
    pub(crate) imports: Vec<Import>,
    pub(crate) import_routes: Vec<ImportRoute>,
    /// The nodes of imports whose files are there.
    pub(crate) imported: BTreeMap<(usize, Name), NodeId>,
    /// Types of instances whose EXTERNPROTO does not declare all fields, and the names of the others.
    pub(crate) hidden: Vec<(Arc<NodeType>, Vec<Arc<str>>)>,
    /// How many name spaces there have been.
    pub(crate) spaces: usize,
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
        // Most names are no prototype's, and scopes may be deep.
        if !self.is_prototype_name.get(name.0 as usize).is_some_and(|is| *is) {
            return None;
        }
        loop {
            let here = &self.environments[environment];
            if let Some(found) = here.prototypes.get(&name) {
                return Some(*found);
            }
            environment = here.parent?;
        }
    }
    /// The node at an end of a route, if it is there.
    pub(crate) fn placed(&self, end: End) -> Option<NodeId> {
        match end {
            End::Node(node) => Some(node),
            End::Import(space, name) => self.imported.get(&(space, name)).copied(),
        }
    }
    pub(crate) fn add_prototype(&mut self, prototype: Prototype) -> PrototypeIndex {
        let (name, environment, id) = (prototype.name, prototype.environment, self.prototypes.len());
        self.prototypes.push(prototype);
        self.environments[environment].prototypes.insert(name, id);
        let names = &mut self.is_prototype_name;
        names.resize(names.len().max(name.0 as usize + 1), false);
        names[name.0 as usize] = true;
        id
    }
    pub(crate) fn add_tree(&mut self, tree: Tree) -> TreeIndex {
        self.trees.push(Arc::new(tree));
        self.trees.len() - 1
    }
    /// Takes note of contexts that came without this loader: fragments have some.
    pub(crate) fn know_contexts(&mut self, scene: &EventScene) {
        for context in scene.contexts.iter().skip(self.contexts.len()) {
            let environment = self.new_environment(None);
            let is_file = !matches!(context.kind, ContextKind::Prototype(_));
            let path = is_file.then(|| files::canonical(Path::new(&*context.file)));
            self.contexts.push(ContextState { environment, exports: BTreeMap::new(), path });
        }
    }
    /// Forgets imports and routes of a context that has gone, and of all below it.
    pub(crate) fn forget_context(&mut self, scene: &EventScene, gone: ContextId) {
        let mut goes = vec![false; scene.contexts.len()];
        for (k, context) in scene.contexts.iter().enumerate().skip(gone.0 as usize) {
            // A context stands behind that which it stands in.
            goes[k] = k == gone.0 as usize || context.parent.is_some_and(|p| goes[p.0 as usize]);
        }
        let goes_with = |node: NodeId| goes[scene.node(node).context.0 as usize];
        self.inlines.retain(|node, _| !goes_with(*node));
        let mut spaces = BTreeSet::new();
        self.imports.retain(|import| {
            let stays = !goes[import.context.0 as usize];
            if !stays {
                spaces.insert(import.space);
            }
            stays
        });
        self.imported.retain(|(space, _), _| !spaces.contains(space));
        let is_gone = |end: End| match end {
            End::Node(node) => goes_with(node),
            End::Import(space, _) => spaces.contains(&space),
        };
        self.import_routes.retain(|route| !is_gone(route.from.0) && !is_gone(route.to.0));
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
