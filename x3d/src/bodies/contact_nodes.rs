//! Contact nodes that CollisionSensors give: some for each sensor, made once and used again in each frame.

use animation::event::NodeId;
use animation::event::field::FieldType;
use animation::event::scene::{EventScene, Node};

use super::BodySystem;
use crate::catalogue;

/// Contacts that a sensor tells of in a frame, at most.
const MOST_CONTACTS: u32 = 64;

/// Adds the Contact nodes that sensors of a scene need, where somebody may hear of them, and says which are whose: of each sensor the
/// first, and how many.
pub fn add_contact_nodes(scene: &mut EventScene) -> Vec<(NodeId, NodeId, u32)> {
    let is_of = |node: &Node, name: &str| &*node.node_type.name == name && !node.node_type.is_prototype;
    if !scene.nodes.iter().any(|n| BodySystem::is_of(&n.node_type.name)) {
        return Vec::new();
    }
    let Some(contact) = catalogue::standard().get("Contact") else { return Vec::new() };
    let reaches = |node: &Node| {
        let fields = || node.node_type.fields.iter();
        is_of(node, "Script") && fields().any(|f| f.field_type.is_nodes() && &*f.name != "metadata")
    };
    let is_reached = scene.nodes.iter().any(reaches);
    let hears = |sensor: NodeId| {
        let of = &scene.node(sensor).node_type;
        let field = of.field("contacts").filter(|f| of.fields[f.0 as usize].field_type == FieldType::MFNode);
        is_reached || scene.routes.iter().any(|r| r.from.0 == sensor && Some(r.from.1) == field)
    };
    let all = (0..scene.nodes.len() as u32).map(NodeId);
    let sensors: Vec<NodeId> =
        all.filter(|n| is_of(scene.node(*n), "CollisionSensor") && hears(*n)).collect();
    let mut added = Vec::new();
    for sensor in sensors {
        let (context, location) = (scene.node(sensor).context, scene.node(sensor).location.clone());
        let first = NodeId(scene.nodes.len() as u32);
        let node = Node {
            node_type: contact.node_type.clone(),
            def: None,
            values: contact.node_type.fields.iter().map(|f| f.default.clone()).collect(),
            context,
            location,
        };
        scene.nodes.extend((0..MOST_CONTACTS).map(|_| node.clone()));
        added.push((sensor, first, MOST_CONTACTS));
    }
    added
}
