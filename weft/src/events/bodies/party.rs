//! Which body and which collidable a component of the mechanics stands for.

use std::collections::BTreeMap;

use animation::event::NodeId;
use sim_core::scene::ComponentId;
use x3d::bodies::BodySystem;

/// What collides, by the component that does so in the mechanics.
pub(super) type Colliding = BTreeMap<ComponentId, Party>;

/// One of two that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Party {
    /// Its RigidBody, if it is one's.
    pub body: Option<NodeId>,
    /// Its CollidableShape or CollidableOffset.
    pub geometry: NodeId,
}

/// What a component is part of, by its path in the mechanics.
pub(super) fn party(system: &BodySystem, path: &str) -> Option<Party> {
    let mut parts = path.split('/').skip(1);
    let first = parts.next()?;
    let number = |text: &str, name: &str| text.strip_prefix(name)?.parse::<usize>().ok();
    if let Some(k) = number(first, "obstacle") {
        return Some(Party { body: None, geometry: system.obstacles.get(k)?.node });
    }
    let body = system.bodies.get(number(first, "body")?)?;
    let geometry = body.collidables.get(number(parts.next()?, "shape")?)?.node;
    Some(Party { body: Some(body.node), geometry })
}
