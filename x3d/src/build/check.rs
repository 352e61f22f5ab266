//! What can be said about a graph as a whole, and about values that browsers go on with.
//!
//! **Source:** ISO/IEC 19775-1: 10.4.4 (nothing changes inside of a StaticGroup), 19.2.1 (keys grow, and there is a value for each),
//! 8.4.1 (a cycle lasts longer than no time), 5.3.16 (a rotation's axis has a length).

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::scene::ContextKind;
use diagnostics::{Diagnostic, Severity};

use super::state::TreeIndex;
use super::{Builder, Frame};
use crate::catalogue::{PROFILES, Standard, level_in_profile};
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::Tree;

impl Builder<'_> {
    /// Checks what this load has brought.
    pub(super) fn check(&mut self) {
        self.drop_double_routes();
        self.check_static_groups();
        if self.may_be_circular {
            self.check_circles();
        }
        for k in self.first_node..self.scene.nodes.len() {
            self.check_values(NodeId(k as u32));
        }
    }

    /// A node at the top of a file has to be one that may stand there.
    pub(super) fn check_root(
        &mut self,
        tree: &Tree,
        frame: Frame,
        standard: &Standard,
        node: NodeId,
        at: u32,
    ) {
        let may_stand = ["X3DChildNode", "X3DLayerNode"].iter().any(|b| standard.bases.contains(b));
        if may_stand || &*standard.node_type.name == "LayerSet" || self.scopes[frame.scope].instance.is_some()
        {
            return;
        }
        let field = standard.container_field;
        let message =
            format!("stands by itself, and is no child of a group: it belongs into a field `{field}`");
        let d = self.finding(Severity::Warning, tree, at, message);
        self.report(d.component(self.label(node)));
    }

    /// The profile that a file names is one.
    pub(super) fn check_profile_name(&mut self, tree: TreeIndex) {
        let tree = self.state.trees[tree].clone();
        let Some((name, at)) = tree.profile else { return };
        let text = self.state.names.text(name).clone();
        if !PROFILES.contains(&&*text) {
            let suggestion = self.suggest(&text, PROFILES.iter().copied());
            let d = self.finding(
                Severity::Warning,
                &tree,
                at,
                format!("`{text}` is no profile; read as if it were Full"),
            );
            self.report(d.suggestion(suggestion));
        }
    }

    /// A type that is not in the profile that the file names.
    pub(super) fn check_profile(&mut self, tree: &Tree, frame: Frame, standard: &'static Standard, at: u32) {
        let Some((profile, _)) = tree.profile else { return };
        if tree.encoding == Encoding::Vrml97 || !self.is_new_type(frame.tree, standard) {
            return;
        }
        let profile = self.state.names.text(profile).clone();
        let (component, level) = (standard.component, standard.level);
        let Some(there) = level_in_profile(&profile, component) else { return };
        let asked = |(name, level): &(crate::names::Name, u32)| {
            let name = self.state.names.text(*name);
            let same = **name == *component || (component == "HAnim" && &**name == "H-Anim");
            same.then_some(*level)
        };
        let there = tree.components.iter().filter_map(asked).max().unwrap_or(0).max(there);
        if there < level {
            let message = format!(
                "belongs to component {component} level {level}, and profile {profile} has level {there}"
            );
            let d = self.finding(Severity::Warning, tree, at, message).component(&*standard.node_type.name);
            self.report(
                d.suggestion(Some(format!("add the component {component}:{level}, or name another profile"))),
            );
        }
    }
    fn is_new_type(&mut self, tree: TreeIndex, standard: &'static Standard) -> bool {
        let key = (tree, standard as *const Standard as usize);
        if self.types.contains(&key) {
            return false;
        }
        self.types.insert(key)
    }

    /// Of equal routes the first stays.
    fn drop_double_routes(&mut self) {
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
    fn check_static_groups(&mut self) {
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

    /// Nodes that stand in themselves by way of a prototype's body or a Script's neighbours.
    fn check_circles(&mut self) {
        let below = self.roots_by_node();
        // 0: not seen; 1: on the way; 2: done.
        let mut state = vec![0_u8; self.scene.nodes.len()];
        for first in self.first_node..self.scene.nodes.len() {
            let mut stack = vec![(NodeId(first as u32), false)];
            while let Some((node, is_done)) = stack.pop() {
                let mark = &mut state[node.0 as usize];
                if is_done {
                    *mark = 2;
                    continue;
                }
                if *mark != 0 {
                    continue;
                }
                *mark = 1;
                stack.push((node, true));
                for part in self.parts(node, &below) {
                    match state[part.0 as usize] {
                        0 => stack.push((part, false)),
                        1 => {
                            let at = self.scene.node(part).location.clone();
                            let message =
                                format!("the node stands in itself, by way of {}", self.label(node));
                            self.report(
                                Diagnostic::new(Severity::Error, &at, message).component(self.label(part)),
                            );
                            return;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    /// The roots of the contexts that belong to nodes.
    fn roots_by_node(&self) -> Vec<(NodeId, usize)> {
        let of_node = |(k, c): (usize, &animation::event::scene::Context)| match c.kind {
            ContextKind::Prototype(node) | ContextKind::Inline(node) => Some((node, k)),
            ContextKind::File => None,
        };
        let mut list: Vec<_> = self.scene.contexts.iter().enumerate().filter_map(of_node).collect();
        list.sort_unstable();
        list
    }
    /// The nodes that make up a node: its fields', or its body's roots.
    fn parts(&self, node: NodeId, below: &[(NodeId, usize)]) -> Vec<NodeId> {
        let mut parts = Vec::new();
        let from = below.partition_point(|b| b.0 < node);
        for (_, context) in below[from..].iter().take_while(|b| b.0 == node) {
            parts.extend(&self.scene.contexts[*context].roots);
        }
        let node = self.scene.node(node);
        if node.node_type.is_prototype || &*node.node_type.name == "Script" {
            return parts;
        }
        for (value, field) in node.values.iter().zip(&node.node_type.fields) {
            match value {
                _ if super::node::REFERENCES.contains(&&*field.name) => {}
                Value::SFNode(Some(child)) => parts.push(*child),
                Value::MFNode(children) => parts.extend(children.iter().flatten()),
                _ => {}
            }
        }
        parts
    }

    /// Values with which a node runs, but hardly as meant.
    fn check_values(&mut self, id: NodeId) {
        let node = self.scene.node(id);
        if node.node_type.is_prototype {
            return;
        }
        let value = |name: &str| node.node_type.field(name).and_then(|f| node.values.get(f.0 as usize));
        let mut odd: Vec<(&str, String)> = Vec::new();
        match &*node.node_type.name {
            "TimeSensor" => {
                if let Some(Value::SFTime(t)) = value("cycleInterval")
                    && *t <= 0.
                {
                    odd.push((
                        "cycleInterval",
                        format!("a cycle of {t} s; a cycle lasts longer than no time"),
                    ));
                }
            }
            name if name.ends_with("Interpolator")
                || name.ends_with("Interpolator2D")
                || name.ends_with("Sequencer") =>
            {
                if let Some(Value::MFFloat(keys)) = value("key") {
                    if let Some(k) = keys.windows(2).position(|w| w[1] < w[0]) {
                        let message = format!(
                            "keys grow, and key {} ({}) is less than the one before it",
                            k + 1,
                            keys[k + 1]
                        );
                        odd.push(("key", message));
                    }
                    let values = value("keyValue").and_then(length);
                    if let Some(n) = values {
                        let fits = match name {
                            "CoordinateInterpolator" | "NormalInterpolator" | "CoordinateInterpolator2D" => {
                                keys.is_empty() || n % keys.len() == 0
                            }
                            name if name.starts_with("Spline") || name.starts_with("Squad") => true,
                            _ => n == keys.len(),
                        };
                        if !fits {
                            odd.push(("keyValue", format!("{n} values for {} keys", keys.len())));
                        }
                    }
                }
            }
            _ => {}
        }
        for (value, field) in node.values.iter().zip(&node.node_type.fields) {
            let is_bad = |r: &[f32; 4]| r[..3] == [0.; 3] && r[3] != 0.;
            let has_bad = match value {
                Value::SFRotation(r) => is_bad(r),
                Value::MFRotation(list) => list.iter().any(is_bad),
                _ => false,
            };
            if has_bad {
                odd.push((
                    &*field.name,
                    "a rotation by an angle about no axis (0 0 0); it turns nothing".to_owned(),
                ));
            }
        }
        if odd.is_empty() {
            return;
        }
        let (at, label) = (node.location.clone(), self.label(id));
        let odd: Vec<_> = odd.into_iter().map(|(f, m)| (f.to_owned(), m)).collect();
        for (field, message) in odd {
            self.report(Diagnostic::new(Severity::Warning, &at, message).component(&*label).attribute(field));
        }
    }
}

fn length(value: &Value) -> Option<usize> {
    Some(match value {
        Value::MFFloat(v) => v.len(),
        Value::MFVec2f(v) => v.len(),
        Value::MFVec3f(v) => v.len(),
        Value::MFRotation(v) => v.len(),
        Value::MFColor(v) => v.len(),
        Value::MFBool(v) => v.len(),
        Value::MFInt32(v) => v.len(),
        _ => return None,
    })
}
