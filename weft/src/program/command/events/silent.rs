//! Nodes from which events are expected, and do not come here.

use std::collections::BTreeSet;

use animation::event::field::Access;
use animation::event::nodes::is_silent;
use animation::event::scene::EventScene;
use scenes::diagnostics::{Diagnostic, Severity};

use crate::program::say::complain;

/// Types that wait for what only a browser would tell them: what the viewer bumps into, which keys are pressed.
const UNTOLD: &[&str] = &["Collision", "KeySensor", "StringSensor"];

/// Says of types that send no events here, if routes wait for them; of each once.
pub fn tell_of_silent_nodes(scene: &EventScene) {
    let mut said = BTreeSet::new();
    for route in &scene.routes {
        let node = scene.node(route.from.0);
        let name = &node.node_type.name;
        if scene.field(route.from).access != Access::OutputOnly || node.node_type.is_prototype {
            continue;
        }
        let message = if is_silent(&node.node_type) {
            format!("a {name} sends no events here; routes from it bring nothing")
        } else if UNTOLD.contains(&&**name) {
            format!("nothing here tells a {name} of what it senses; routes from it bring nothing")
        } else {
            continue;
        };
        if said.insert(name.clone()) {
            complain(&Diagnostic::new(Severity::Warning, &node.location, message).to_string());
        }
    }
}
