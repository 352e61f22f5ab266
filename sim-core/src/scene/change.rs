//! Taking components out of a scene again. Numbers are never given twice: tasks and traces name components by them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::ids::{ComponentId, NodeId};
use super::tree::Scene;

impl Scene {
    /// Takes a component out of its node. It keeps its number, name, class and place, so that what was recorded of it can
    /// still be read.
    pub fn remove_component(&mut self, id: ComponentId) {
        let component = &mut self.components[id.0 as usize];
        component.fields = BTreeMap::new();
        (component.topology, component.state, component.extension) = (None, None, None);
        let node = component.node;
        self.nodes[node.0 as usize].components.retain(|c| *c != id);
    }

    /// Whether a component comes before another one in a depth-first walk; both must be in the scene.
    pub fn precedes(&self, first: ComponentId, second: ComponentId) -> bool {
        let (a, b) = (self.component(first).node, self.component(second).node);
        if a == b {
            let place = |id| self.node(a).components.iter().position(|c| *c == id);
            return place(first) < place(second);
        }
        let down = |n: NodeId| {
            let mut way: Vec<NodeId> = self.upward(n).collect();
            way.reverse();
            way
        };
        let (a, b) = (down(a), down(b));
        let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        match (a.get(common), b.get(common)) {
            (Some(a), Some(b)) => {
                let siblings = &self.node(self.upward(*a).nth(1).unwrap_or(*a)).children;
                let place = |n| siblings.iter().position(|c| c == n);
                place(a).cmp(&place(b)) == Ordering::Less
            }
            // A node's own components come before those below it.
            (in_a, _) => in_a.is_none(),
        }
    }
}
