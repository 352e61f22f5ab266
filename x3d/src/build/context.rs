//! Scopes and contexts: where names hold.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use animation::event::scene::{Context, ContextKind, Declared};
use animation::event::{ContextId, NodeId};
use diagnostics::Severity;

use super::state::{ContextState, EnvironmentIndex, PrototypeIndex, TreeIndex};
use super::{Builder, Built, Frame, Scope, What};
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::{Item, List, Tree};

impl Builder<'_> {
    /// Builds a file as a context of its own.
    pub(crate) fn file(
        mut self,
        tree: TreeIndex,
        kind: ContextKind,
        parent: Option<ContextId>,
        path: Option<PathBuf>,
    ) -> Built {
        self.open_file(tree, kind, parent, path);
        self.finish()
    }
    /// Builds a fragment: nodes of a context, with names of their own.
    pub(crate) fn fragment(mut self, tree: TreeIndex, context: ContextId) -> Built {
        let outside = self.state.contexts.get(context.0 as usize).map(|c| c.environment);
        let environment = self.state.new_environment(outside);
        let list = self.state.trees[tree].root;
        self.open_scope(tree, list, context, environment, None, true);
        self.finish()
    }
    /// Walks what is open, and looks at the whole.
    pub(super) fn finish(mut self) -> Built {
        self.run();
        if !self.stopped {
            self.convert_routed();
            self.try_unused_prototypes();
            self.check();
        }
        self.state.values = self.values;
        for prototype in &mut self.state.prototypes {
            prototype.is_open = false;
        }
        let found = self.findings();
        Built { roots: self.roots, found, is_fatal: self.is_fatal }
    }

    /// Opens a file's scope in a new context.
    pub(super) fn open_file(
        &mut self,
        tree: TreeIndex,
        kind: ContextKind,
        parent: Option<ContextId>,
        path: Option<PathBuf>,
    ) -> ContextId {
        let environment = self.file_environment(tree);
        let file = self.state.trees[tree].source.file.clone();
        let context = self.new_context(kind, parent, file, environment, path);
        self.check_header(tree);
        let syntax = &self.state.trees[tree];
        self.scene.contexts[context.0 as usize].metadata = syntax.metadata.clone();
        self.scene.contexts[context.0 as usize].declared = Arc::new(self.declared_by(tree));
        let syntax = &self.state.trees[tree];
        // As many as there are without prototypes; a file that is inlined a thousand times makes room as it goes.
        if self.scene.nodes.is_empty() {
            self.scene.nodes.reserve(syntax.nodes.len().min(self.options.max_nodes));
            self.scene.routes.reserve(syntax.routes.len());
        }
        let list = self.state.trees[tree].root;
        self.open_scope(tree, list, context, environment, None, false);
        context
    }
    /// What a file is written in, and what it declares.
    fn declared_by(&self, tree: TreeIndex) -> Declared {
        let tree = &self.state.trees[tree];
        let (encoding, usual) = match tree.encoding {
            Encoding::Xml => ("XML", "4.0"),
            Encoding::Classic => ("VRML", "4.0"),
            Encoding::Vrml97 => ("VRML", "2.0"),
        };
        let version = tree.version.as_ref().map_or_else(|| usual.into(), |(version, _)| version.clone());
        let of_root = || {
            tree.items(tree.root).filter_map(|item| match item {
                Item::Prototype(k) => Some(&tree.prototypes[k as usize]),
                _ => None,
            })
        };
        let names = |is_extern: bool| {
            let of_kind = of_root().filter(move |p| p.url.is_some() == is_extern);
            of_kind.map(|p| self.state.names.text(p.name).clone()).collect()
        };
        Declared {
            version,
            encoding: encoding.into(),
            prototypes: names(false),
            extern_prototypes: names(true),
            units: tree.own_units(),
        }
    }

    pub(super) fn new_context(
        &mut self,
        kind: ContextKind,
        parent: Option<ContextId>,
        file: Arc<str>,
        environment: EnvironmentIndex,
        path: Option<PathBuf>,
    ) -> ContextId {
        let id = ContextId(self.scene.contexts.len() as u32);
        let (roots, imports, metadata) = (Vec::new(), Vec::new(), Vec::new());
        let declared = Arc::default();
        self.scene.contexts.push(Context { kind, parent, file, roots, imports, metadata, declared });
        self.state.contexts.push(ContextState { environment, exports: BTreeMap::new(), path });
        id
    }
    pub(super) fn open_scope(
        &mut self,
        tree: TreeIndex,
        list: List,
        context: ContextId,
        environment: EnvironmentIndex,
        instance: Option<(NodeId, PrototypeIndex)>,
        is_fragment: bool,
    ) {
        self.state.spaces += 1;
        self.scopes.push(Scope {
            context,
            environment,
            instance,
            is_fragment,
            defs: BTreeMap::new(),
            broken: BTreeSet::new(),
            space: self.state.spaces,
            imports: BTreeSet::new(),
            late_routes: Vec::new(),
            late_imports: Vec::new(),
            exports: Vec::new(),
        });
        self.frames.push(Frame {
            tree,
            next: list.first,
            scope: self.scopes.len() - 1,
            what: What::Scope,
            children_from: self.children.len(),
            given_from: self.given.len(),
        });
    }

    /// What can only be said once a scope is complete.
    pub(super) fn close_scope(&mut self, tree: &Tree, frame: Frame) {
        for index in std::mem::take(&mut self.scopes[frame.scope].late_imports) {
            self.import(tree, frame.scope, index, true);
        }
        for index in std::mem::take(&mut self.scopes[frame.scope].late_routes) {
            self.late_route(tree, frame.scope, index);
        }
        self.exports(tree, frame.scope);
        let roots: Vec<NodeId> = self.children.drain(frame.children_from..).map(|c| c.1).collect();
        // Scopes close in the reverse of the order in which they opened.
        let Some(scope) = self.scopes.pop() else { return };
        if let Some((instance, prototype)) = scope.instance {
            self.state.prototypes[prototype].is_open = false;
            let syntax = tree.prototypes.get(self.state.prototypes[prototype].index as usize);
            // Where a node has been left out, that has been said.
            let has_nodes = |body| tree.items(body).any(|item| matches!(item, Item::Child { .. }));
            if roots.is_empty() && !syntax.is_some_and(|p| has_nodes(p.body)) {
                let at = syntax.map_or(0, |p| p.at);
                let message = "the prototype's body has no node: an instance of it is nothing";
                let d = self.finding(Severity::Warning, tree, at, message);
                self.report(d.component(self.label(instance)));
            }
        }
        if self.scopes.is_empty() {
            self.roots.clone_from(&roots);
        }
        if !scope.is_fragment {
            self.scene.contexts[scope.context.0 as usize].roots = roots;
        }
    }
}
