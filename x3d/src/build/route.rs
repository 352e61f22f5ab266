//! Routes, imports and exports.

use animation::event::field::Access;
use animation::event::scene::Route;
use animation::event::{ContextId, FieldId, NodeId};
use diagnostics::{Diagnostic, Location, Severity};

use super::Builder;
use super::state::{End, WaitingImport, WaitingRoute};
use crate::names::Name;
use crate::syntax::tree::Tree;

/// Which side of a field a route is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    From,
    To,
}

impl Builder<'_> {
    /// A route, where both its nodes are known; else it waits for the end of the scope.
    pub(super) fn route(&mut self, tree: &Tree, scope: usize, index: u32) {
        let route = tree.routes[index as usize];
        match (self.end(scope, route.from.0), self.end(scope, route.to.0)) {
            (Some(from), Some(to)) => self.connect(tree, from, to, index),
            _ => self.scopes[scope].late_routes.push(index),
        }
    }
    pub(super) fn late_route(&mut self, tree: &Tree, scope: usize, index: u32) {
        let route = tree.routes[index as usize];
        let ends = [route.from.0, route.to.0].map(|name| (name, self.end(scope, name)));
        if let [(_, Some(from)), (_, Some(to))] = ends {
            let message = "the route stands before the nodes that it joins; X3D wants it after them";
            self.warn(tree, route.at, message);
            self.connect(tree, from, to, index);
            return;
        }
        for (name, end) in ends {
            if end.is_none() && !self.scopes[scope].broken.contains(&name) {
                let text = self.state.names.text(name).clone();
                let suggestion = self.suggest_def(scope, &text);
                let d = self.finding(
                    Severity::Error,
                    tree,
                    route.at,
                    format!("ROUTE: no node is called `{text}` here"),
                );
                self.report(d.suggestion(suggestion));
            }
        }
    }
    /// The nearest name of a node.
    pub(super) fn suggest_def(&mut self, scope: usize, text: &str) -> Option<String> {
        let scope = &self.scopes[scope];
        let names: Vec<_> = scope
            .defs
            .keys()
            .chain(scope.imports.keys())
            .map(|n| self.state.names.text(*n).clone())
            .collect();
        self.suggest(text, names.iter().map(|n| &**n))
    }
    fn end(&self, scope: usize, name: Name) -> Option<End> {
        let scope = &self.scopes[scope];
        let node = scope.defs.get(&name).map(|node| End::Node(*node));
        node.or_else(|| match scope.imports.get(&name)? {
            Some(node) => Some(End::Node(*node)),
            None => Some(End::Import(scope.context, name)),
        })
    }

    fn connect(&mut self, tree: &Tree, from: End, to: End, index: u32) {
        let route = tree.routes[index as usize];
        let location = tree.source.location(route.at);
        match (from, to) {
            (End::Node(from), End::Node(to)) => {
                self.join_fields((from, route.from.1), (to, route.to.1), location)
            }
            _ => {
                let waiting = WaitingRoute { from: (from, route.from.1), to: (to, route.to.1), location };
                self.state.waiting_routes.push(waiting);
            }
        }
    }

    /// A route between two nodes, if their fields allow it.
    fn join_fields(&mut self, from: (NodeId, Name), to: (NodeId, Name), location: Location) {
        let start = self.side(from.0, from.1, Side::From, &location);
        let end = self.side(to.0, to.1, Side::To, &location);
        let (Some(start), Some(end)) = (start, end) else { return };
        let (sent, received) = (self.scene.field((from.0, start)), self.scene.field((to.0, end)));
        if sent.field_type != received.field_type {
            let message = format!(
                "ROUTE from `{}.{}`, an {}, to `{}`, an {}: both have to be of one type",
                self.label(from.0),
                sent.name,
                sent.field_type,
                received.name,
                received.field_type
            );
            let d = Diagnostic::new(Severity::Error, &location, message);
            let d = d.component(self.label(to.0)).attribute(&*received.name);
            self.report(d);
            return;
        }
        self.scene.routes.push(Route { from: (from.0, start), to: (to.0, end), location });
    }

    /// The field at one side of a route, if it sends or receives.
    fn side(&mut self, node: NodeId, name: Name, side: Side, location: &Location) -> Option<FieldId> {
        let field = self.field(node, name);
        if let Some(field) = field {
            let access = self.scene.field((node, field)).access;
            let fits = match side {
                Side::From => access.sends(),
                Side::To => access.receives(),
            };
            if fits && !(access == Access::InputOutput && self.names_other_side(node, field, name, side)) {
                return Some(field);
            }
        }
        let text = self.state.names.text(name).clone();
        let node_type = self.scene.node(node).node_type.clone();
        let fits = |a: Access| if side == Side::From { a.sends() } else { a.receives() };
        let message = match (field, side) {
            (None, _) => format!("ROUTE: a {} has no such field", node_type.name),
            (Some(f), Side::From) => {
                format!("ROUTE: an {} field sends no events here", self.scene.field((node, f)).access.name())
            }
            (Some(f), Side::To) => format!(
                "ROUTE: an {} field receives no events here",
                self.scene.field((node, f)).access.name()
            ),
        };
        let suggestion =
            self.suggest(&text, node_type.fields.iter().filter(|f| fits(f.access)).map(|f| &*f.name));
        let d =
            Diagnostic::new(Severity::Error, location, message).component(self.label(node)).attribute(&*text);
        self.report(d.suggestion(suggestion));
        None
    }
    /// Whether a name says the side of a field that a route is not at: `set_x` sends nothing.
    fn names_other_side(&self, node: NodeId, field: FieldId, name: Name, side: Side) -> bool {
        let (text, own) = (self.state.names.text(name), &self.scene.field((node, field)).name);
        **text != **own
            && match side {
                Side::From => text.strip_prefix("set_") == Some(own),
                Side::To => text.strip_suffix("_changed") == Some(own),
            }
    }

    /// `IMPORT`; one whose Inline is named later waits for the end of the scope.
    pub(super) fn import(&mut self, tree: &Tree, scope: usize, index: u32, is_late: bool) {
        let import = tree.imports[index as usize];
        let name = self.state.names.text(import.inline).clone();
        let Some(inline) = self.scopes[scope].defs.get(&import.inline).copied() else {
            if !is_late {
                self.scopes[scope].late_imports.push(index);
                return;
            }
            let suggestion = self.suggest_def(scope, &name);
            let d = self.finding(
                Severity::Error,
                tree,
                import.at,
                format!("IMPORT: no node is called `{name}` here"),
            );
            self.report(d.suggestion(suggestion));
            self.scopes[scope].broken.push(import.alias);
            return;
        };
        if &*self.scene.node(inline).node_type.name != "Inline" {
            let d = self.finding(Severity::Error, tree, import.at, "IMPORT from a node that is no Inline");
            self.report(d.component(self.label(inline)));
            self.scopes[scope].broken.push(import.alias);
            return;
        }
        let here = self.scopes[scope].context;
        let Some(inlined) = self.state.inlines.get(&inline).copied() else {
            let text = self.state.names.text(import.exported);
            let message = format!("IMPORT `{text}` waits: nothing is loaded for the Inline");
            let d = self.finding(Severity::Warning, tree, import.at, message);
            self.report(d.component(self.label(inline)));
            let location = tree.source.location(import.at);
            let waiting = WaitingImport {
                context: here,
                inline,
                exported: import.exported,
                alias: import.alias,
                location,
            };
            self.state.waiting_imports.push(waiting);
            self.scopes[scope].imports.insert(import.alias, None);
            return;
        };
        let location = tree.source.location(import.at);
        match self.exported(inlined, import.exported, &location) {
            Some(node) => {
                let alias = self.state.names.text(import.alias).clone();
                self.scene.contexts[here.0 as usize].imports.push((alias, node));
                self.scopes[scope].imports.insert(import.alias, Some(node));
            }
            None => self.scopes[scope].broken.push(import.alias),
        }
    }

    /// A node that a file exports.
    fn exported(&mut self, inlined: ContextId, name: Name, location: &Location) -> Option<NodeId> {
        let exports = &self.state.contexts[inlined.0 as usize].exports;
        if let Some((_, node)) = exports.iter().find(|(n, _)| *n == name) {
            return Some(*node);
        }
        let known: Vec<_> = exports.iter().map(|(n, _)| self.state.names.text(*n).clone()).collect();
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
            match self.end(scope, export.node) {
                Some(End::Node(node)) => {
                    let context = self.scopes[scope].context;
                    self.state.contexts[context.0 as usize].exports.push((export.alias, node));
                }
                Some(End::Import(..)) => {
                    self.warn(
                        tree,
                        export.at,
                        format!("EXPORT of `{text}`, which is imported and not there"),
                    );
                }
                None => {
                    let suggestion = self.suggest_def(scope, &text);
                    let d = self.finding(
                        Severity::Error,
                        tree,
                        export.at,
                        format!("EXPORT: no node is called `{text}` here"),
                    );
                    self.report(d.suggestion(suggestion));
                }
            }
        }
    }

    /// Imports and routes that waited for what an Inline node now shows.
    pub(super) fn arrive(&mut self, inline: NodeId, inlined: ContextId) {
        let (mine, others) =
            std::mem::take(&mut self.state.waiting_imports).into_iter().partition(|w| w.inline == inline);
        self.state.waiting_imports = others;
        let mut arrived = Vec::new();
        for import in Vec::<WaitingImport>::from_iter(mine as Vec<_>) {
            if let Some(node) = self.exported(inlined, import.exported, &import.location) {
                let alias = self.state.names.text(import.alias).clone();
                self.scene.contexts[import.context.0 as usize].imports.push((alias, node));
                arrived.push(((import.context, import.alias), node));
            }
        }
        let place = |end: End| match end {
            End::Import(context, name) => {
                let found = arrived.iter().find(|(at, _)| *at == (context, name));
                found.map_or(end, |(_, node)| End::Node(*node))
            }
            End::Node(_) => end,
        };
        for route in std::mem::take(&mut self.state.waiting_routes) {
            match (place(route.from.0), place(route.to.0)) {
                (End::Node(from), End::Node(to)) => {
                    self.join_fields((from, route.from.1), (to, route.to.1), route.location);
                }
                (from, to) => {
                    let still = WaitingRoute {
                        from: (from, route.from.1),
                        to: (to, route.to.1),
                        location: route.location,
                    };
                    self.state.waiting_routes.push(still);
                }
            }
        }
    }
}
