//! What can be said about a graph as a whole, and about values that browsers go on with.

mod containment;
mod names;
mod profile;
mod routes;
mod types;
mod values;

use animation::event::NodeId;

use super::Builder;

impl Builder<'_> {
    /// Checks what this load has brought.
    pub(super) fn check(&mut self) {
        self.drop_double_routes();
        self.check_static_groups();
        if self.may_be_circular {
            self.check_circles();
        }
        self.check_keys();
        self.check_types();
        for k in self.first_node..self.scene.nodes.len() {
            self.check_values(NodeId(k as u32));
        }
    }
}
