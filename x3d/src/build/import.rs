//! Nodes of inlined files: imports, exports, and what comes and goes with an Inline.
//!
//! **Source:** ISO/IEC 19775-1, 4.4.6 (Import/Export semantics).

use std::collections::BTreeSet;
use std::sync::Arc;

use animation::event::{ContextId, NodeId};
use diagnostics::{Diagnostic, Location, Severity};

use super::state::{End, Import, ImportRoute};
use super::{Builder, Scope};
use crate::names::Name;
use crate::syntax::tree::Tree;

impl Builder<'_> {
    /// `IMPORT`; one whose Inline is named later waits for the end of the scope.
    pub(super) fn import(&mut self, tree: &Tree, scope: usize, index: u32, is_late: bool) {
        let syntax = tree.imports[index as usize];
        let name = self.state.names.text(syntax.inline).clone();
        let Some(inline) = self.scopes[scope].defs.get(&syntax.inline).copied() else {
            if !is_late {
                self.scopes[scope].late_imports.push(index);
                return;
            }
            let suggestion = self.suggest_def(scope, &name);
            let message = format!("IMPORT: no node is called `{name}` here");
            let d = self.finding(Severity::Error, tree, syntax.at, message);
            self.report(d.suggestion(suggestion));
            self.scopes[scope].broken.insert(syntax.alias);
            return;
        };
        if &*self.scene.node(inline).node_type.name != "Inline" {
            let d = self.finding(Severity::Error, tree, syntax.at, "IMPORT from a node that is no Inline");
            self.report(d.component(self.label(inline)));
            self.scopes[scope].broken.insert(syntax.alias);
            return;
        }
        let Scope { context, space, .. } = self.scopes[scope];
        let (exported, alias) = (syntax.exported, syntax.alias);
        let import =
            Import { context, space, inline, exported, alias, location: tree.source.location(syntax.at) };
        match self.state.inlines.get(&inline).copied() {
            Some(inlined) => {
                if !self.bring(&import, inlined) {
                    self.scopes[scope].broken.insert(alias);
                    return;
                }
            }
            None if self.is_trial => {}
            None => {
                let text = self.state.names.text(exported);
                let message = format!("IMPORT `{text}` waits: nothing is loaded for the Inline");
                let d = self.finding(Severity::Warning, tree, syntax.at, message);
                self.report(d.component(self.label(inline)));
            }
        }
        self.state.imports.push(import);
        self.scopes[scope].imports.insert(alias);
    }

    /// Gives an import its node; whether the file exports it.
    fn bring(&mut self, import: &Import, inlined: ContextId) -> bool {
        let Some(node) = self.exported(inlined, import.exported, &import.location) else { return false };
        let alias: Arc<str> = self.state.names.text(import.alias).clone();
        let imports = &mut self.scene.contexts[import.context.0 as usize].imports;
        // Of names that come again the last counts.
        imports.retain(|(name, _)| *name != alias);
        imports.push((alias, node));
        self.state.imported.insert((import.space, import.alias), node);
        true
    }

    /// A node that a file exports.
    fn exported(&mut self, inlined: ContextId, name: Name, location: &Location) -> Option<NodeId> {
        let exports = &self.state.contexts[inlined.0 as usize].exports;
        if let Some(node) = exports.get(&name) {
            return Some(*node);
        }
        let known: Vec<_> = exports.keys().take(1000).map(|n| self.state.names.text(*n).clone()).collect();
        let text = self.state.names.text(name).clone();
        let suggestion = self.suggest(&text, known.iter().map(|n| &**n));
        let file = self.scene.contexts[inlined.0 as usize].file.clone();
        let message = format!("IMPORT: `{file}` exports no `{text}`");
        self.report(Diagnostic::new(Severity::Error, location, message).suggestion(suggestion));
        None
    }

    /// The nodes that a scope lets others import.
    pub(super) fn exports(&mut self, tree: &Tree, scope: usize) {
        for index in std::mem::take(&mut self.scopes[scope].exports) {
            let export = tree.exports[index as usize];
            let text = self.state.names.text(export.node).clone();
            let end = self.end(scope, export.node);
            if let Some(node) = end.and_then(|end| self.state.placed(end)) {
                let context = self.scopes[scope].context;
                self.state.contexts[context.0 as usize].exports.insert(export.alias, node);
            } else if end.is_some() {
                self.warn(tree, export.at, format!("EXPORT of `{text}`, which is imported and not there"));
            } else {
                let suggestion = self.suggest_def(scope, &text);
                let message = format!("EXPORT: no node is called `{text}` here");
                let d = self.finding(Severity::Error, tree, export.at, message);
                self.report(d.suggestion(suggestion));
            }
        }
    }

    /// The imports of what an Inline now shows, and the routes to and from them.
    pub(super) fn arrive(&mut self, inline: NodeId, inlined: ContextId) {
        let mine: Vec<Import> = self.state.imports.iter().filter(|i| i.inline == inline).cloned().collect();
        let mut come = BTreeSet::new();
        for import in mine {
            if self.bring(&import, inlined) {
                come.insert((import.space, import.alias));
            }
        }
        let has_come = |end: End| matches!(end, End::Import(space, name) if come.contains(&(space, name)));
        let is_mine = |r: &&ImportRoute| has_come(r.from.0) || has_come(r.to.0);
        let routes: Vec<ImportRoute> = self.state.import_routes.iter().filter(is_mine).cloned().collect();
        for route in &routes {
            self.join_imported(route);
        }
    }
    /// A route to or from imports, if their nodes are there.
    pub(super) fn join_imported(&mut self, route: &ImportRoute) {
        let ends = (self.state.placed(route.from.0), self.state.placed(route.to.0));
        if let (Some(from), Some(to)) = ends {
            self.join_fields((from, route.from.1), (to, route.to.1), route.location.clone());
        }
    }
}
