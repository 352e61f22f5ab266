//! Routes that count once, and routes to where nothing changes.
//!
//! **Source:** ISO/IEC 19775-1: 10.4.4 (StaticGroup), 4.4.8.2 (a route given twice is one).

use animation::event::NodeId;
use diagnostics::{Diagnostic, Severity};

use super::super::Builder;

impl Builder<'_> {
    /// Of equal routes the first stays.
    pub(super) fn drop_double_routes(&mut self) {
        let new = self.first_route.min(self.scene.routes.len());
        let mut order: Vec<usize> = (new..self.scene.routes.len()).collect();
        let key = |k: usize| {
            let r = &self.scene.routes[k];
            (r.from, r.to, k)
        };
        order.sort_unstable_by_key(|k| key(*k));
        let is_again = |pair: &&[usize]| {
            let (a, b) = (&self.scene.routes[pair[0]], &self.scene.routes[pair[1]]);
            (a.from, a.to) == (b.from, b.to)
        };
        let mut again: Vec<usize> = order.windows(2).filter(is_again).map(|pair| pair[1]).collect();
        if again.is_empty() {
            return;
        }
        let mut is_double = vec![false; self.scene.routes.len()];
        again.sort_unstable();
        for k in &again {
            is_double[*k] = true;
        }
        for k in again {
            {
                let route = &self.scene.routes[k];
                let name = self.scene.field(route.to).name.clone();
                let d = Diagnostic::new(
                    Severity::Warning,
                    &route.location,
                    "the same ROUTE once more; it counts once",
                );
                self.report(d.component(self.label(self.scene.routes[k].to.0)).attribute(&*name));
            }
        }
        let mut k = 0;
        self.scene.routes.retain(|_| {
            k += 1;
            !is_double[k - 1]
        });
    }

    /// Routes into a StaticGroup ask for what it rules out.
    pub(super) fn check_static_groups(&mut self) {
        // Programs make nodes again and again, most without a route.
        if self.first_route >= self.scene.routes.len() {
            return;
        }
        let is_group = |n: &animation::event::scene::Node| {
            !n.node_type.is_prototype && &*n.node_type.name == "StaticGroup"
        };
        let groups = self.scene.nodes.iter().enumerate().filter(|(_, n)| is_group(n));
        let mut stack: Vec<NodeId> = groups.map(|(k, _)| NodeId(k as u32)).collect();
        if stack.is_empty() {
            return;
        }
        let below = self.roots_by_node();
        let mut is_static = vec![false; self.scene.nodes.len()];
        while let Some(node) = stack.pop() {
            for child in self.parts(node, &below) {
                if !std::mem::replace(&mut is_static[child.0 as usize], true) {
                    stack.push(child);
                }
            }
        }
        for k in self.first_route..self.scene.routes.len() {
            let route = &self.scene.routes[k];
            if is_static[route.to.0.0 as usize] {
                let name = self.scene.field(route.to).name.clone();
                let message =
                    "ROUTE to a node in a StaticGroup, in which nothing changes; a Group takes events";
                let d = Diagnostic::new(Severity::Error, &route.location, message);
                self.report(d.component(self.label(self.scene.routes[k].to.0)).attribute(&*name));
            }
        }
    }
}
