//! Which pointing device sensors listen to a shape.
//!
//! **Source:** ISO/IEC 19775-1, 20.2, *Concepts*: a sensor listens to the geometry of its siblings and of what is under them; of several
//! on the way up, only those of the lowest group do.

use animation::event::NodeId;
use animation::event::nodes::sensors::POINTING_SENSORS;

use super::fields::Fields;
use super::place::Place;

/// The sensors that listen to what stands at a place, and the place of their group, whose coordinates they measure in (the world's at
/// the roots); none where no group has any.
pub fn sensors(fields: &Fields<'_>, places: &[Place], place: u32) -> Option<(Option<u32>, Vec<NodeId>)> {
    let mut at = places[place as usize].parent;
    while let Some(group) = at {
        let Place { node, parent, .. } = places[group as usize];
        let is_sensor = |child: &NodeId| POINTING_SENSORS.contains(&fields.type_name(*child));
        let found: Vec<NodeId> = fields.nodes(node, "children").into_iter().filter(is_sensor).collect();
        if !found.is_empty() {
            return Some((Some(group), found));
        }
        at = parent;
    }
    // The roots of a file are one group.
    let roots = fields.scene.contexts.first().map(|c| c.roots.as_slice()).unwrap_or_default();
    let found = roots.iter().copied().filter(|n| POINTING_SENSORS.contains(&fields.type_name(*n)));
    let found: Vec<NodeId> = found.collect();
    (!found.is_empty()).then_some((None, found))
}
