//! Scopes and contexts: where names hold.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use animation::event::scene::{Context, ContextKind};
use animation::event::{ContextId, NodeId};
use diagnostics::Severity;

use super::state::{ContextState, EnvironmentIndex, PrototypeIndex, TreeIndex};
use super::{Builder, Built, Frame, Scope, What};
use crate::syntax::tree::{List, Tree};

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
        self.check_profile_name(tree);
        let syntax = &self.state.trees[tree];
        self.scene.contexts[context.0 as usize].metadata = syntax.metadata.clone();
        // As many as there are without prototypes; a file that is inlined a thousand times makes room as it goes.
        if self.scene.nodes.is_empty() {
            self.scene.nodes.reserve(syntax.nodes.len().min(self.options.max_nodes));
            self.scene.routes.reserve(syntax.routes.len());
        }
        let list = self.state.trees[tree].root;
        self.open_scope(tree, list, context, environment, None, false);
        context
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
        self.scene.contexts.push(Context { kind, parent, file, roots, imports, metadata });
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
            if roots.is_empty() {
                let at = self.state.prototypes[prototype].index;
                let at = tree.prototypes.get(at as usize).map_or(0, |p| p.at);
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
