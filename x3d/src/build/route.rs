//! Routes.

use animation::event::field::Access;
use animation::event::scene::Route;
use animation::event::{FieldId, NodeId};
use diagnostics::{Diagnostic, Location, Severity};

use super::Builder;
use super::state::{End, ImportRoute};
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
        let is_left_out = |name: &Name| self.scopes[scope].broken.contains(name);
        if let Some((name, _)) = ends.iter().find(|(name, end)| end.is_none() && is_left_out(name)) {
            let text = self.state.names.text(*name).clone();
            let message = format!("the route is left out, as its node `{text}` is");
            self.warn(tree, route.at, message);
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
        // Each of them is compared with the text.
        const MOST: usize = 20_000;
        let scope = &self.scopes[scope];
        if scope.defs.len() > MOST {
            return None;
        }
        let names: Vec<_> =
            scope.defs.keys().chain(&scope.imports).map(|n| self.state.names.text(*n).clone()).collect();
        self.suggest(text, names.iter().map(|n| &**n))
    }
    pub(super) fn end(&self, scope: usize, name: Name) -> Option<End> {
        let scope = &self.scopes[scope];
        let node = scope.defs.get(&name).map(|node| End::Node(*node));
        node.or_else(|| scope.imports.contains(&name).then_some(End::Import(scope.space, name)))
    }

    fn connect(&mut self, tree: &Tree, from: End, to: End, index: u32) {
        let route = tree.routes[index as usize];
        let location = tree.source.location(route.at);
        let (from, to) = ((from, route.from.1), (to, route.to.1));
        if let (End::Node(from_node), End::Node(to_node)) = (from.0, to.0) {
            self.join_fields((from_node, from.1), (to_node, to.1), location);
            return;
        }
        let route = ImportRoute { from, to, location };
        self.join_imported(&route);
        self.state.import_routes.push(route);
    }

    /// A route between two nodes, if their fields allow it.
    pub(super) fn join_fields(&mut self, from: (NodeId, Name), to: (NodeId, Name), location: Location) {
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
        // An older name of the field, as `choice` for `children`, says no side.
        let says_side = |name, own: &str| {
            let text = self.state.names.text(name);
            **text != *own && (text.starts_with("set_") || text.ends_with("_changed"))
        };
        let sides = [says_side(from.1, &sent.name), says_side(to.1, &received.name)];
        // `set_children` is no older name, `set_choice` is one.
        let older = |name, own: &str| {
            let text = self.state.names.text(name);
            let bare = text.strip_prefix("set_").or_else(|| text.strip_suffix("_changed"));
            (**text != *own && bare != Some(own)).then(|| text.clone())
        };
        let older_names = [older(from.1, &sent.name), older(to.1, &received.name)];
        self.scene.routes.push(Route {
            from: (from.0, start),
            to: (to.0, end),
            sides,
            older_names,
            location,
        });
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
                self.check_hidden(node, field, location);
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
                Side::From => text.starts_with("set_"),
                Side::To => text.ends_with("_changed"),
            }
    }
}
