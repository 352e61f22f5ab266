//! Which nodes make up others: no node may stand in itself.

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::scene::ContextKind;
use diagnostics::{Diagnostic, Severity};

use super::super::{Builder, reference};

impl Builder<'_> {
    /// Nodes that stand in themselves by way of a prototype's body or a Script's neighbours.
    pub(super) fn check_circles(&mut self) {
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
    pub(super) fn roots_by_node(&self) -> Vec<(NodeId, usize)> {
        let of_node = |(k, c): (usize, &animation::event::scene::Context)| match c.kind {
            ContextKind::Prototype(node) | ContextKind::Inline(node) => Some((node, k)),
            ContextKind::File => None,
        };
        let mut list: Vec<_> = self.scene.contexts.iter().enumerate().filter_map(of_node).collect();
        list.sort_unstable();
        list
    }
    /// The nodes that make up a node: its fields', or its body's roots.
    pub(super) fn parts(&self, node: NodeId, below: &[(NodeId, usize)]) -> Vec<NodeId> {
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
                _ if reference::REFERENCES.contains(&&*field.name) => {}
                Value::SFNode(Some(child)) => parts.push(*child),
                Value::MFNode(children) => parts.extend(children.iter().flatten()),
                _ => {}
            }
        }
        parts
    }
}
