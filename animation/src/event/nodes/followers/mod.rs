//! Followers: values that come after a destination, by a chaser in a given time, by a damper ever more slowly.
//!
//! A chaser's answer to each step of its destination is `1/2 - cos(pi t / duration) / 2`, and its value the sum of all these answers; the
//! standard's own listing samples the destination in a buffer and is the same up to the buffer's grain. A damper is a row of `order` first-order
//! filters, each of which comes nearer by `1 - exp(-dt / tau)` in a frame. Colours are followed as red, green and blue; rotations along the shortest way.
//!
//! **Source:** ISO/IEC 19775-1, clause 39, *Followers component*.

mod chaser;
mod damper;
mod followed;
mod output;

use crate::event::behaviour::Behaviour;
use crate::event::scene::NodeType;
use followed::{Colors, Numbers, Plane, Points, Rotations, Space, TexCoords};

/// Types that have a behaviour here.
pub const TYPES: &[&str] = &[
    "ColorChaser",
    "ColorDamper",
    "CoordinateChaser",
    "CoordinateDamper",
    "OrientationChaser",
    "OrientationDamper",
    "PositionChaser",
    "PositionChaser2D",
    "PositionDamper",
    "PositionDamper2D",
    "ScalarChaser",
    "ScalarDamper",
    "TexCoordChaser2D",
    "TexCoordDamper2D",
];

/// A follower's behaviour; none for other types.
pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    match &*node_type.name {
        "ColorChaser" => chaser::node::<Colors>(node_type),
        "ColorDamper" => damper::node::<Colors>(node_type),
        "CoordinateChaser" => chaser::node::<Points>(node_type),
        "CoordinateDamper" => damper::node::<Points>(node_type),
        "OrientationChaser" => chaser::node::<Rotations>(node_type),
        "OrientationDamper" => damper::node::<Rotations>(node_type),
        "PositionChaser" => chaser::node::<Space>(node_type),
        "PositionDamper" => damper::node::<Space>(node_type),
        "PositionChaser2D" => chaser::node::<Plane>(node_type),
        "PositionDamper2D" => damper::node::<Plane>(node_type),
        "ScalarChaser" => chaser::node::<Numbers>(node_type),
        "ScalarDamper" => damper::node::<Numbers>(node_type),
        "TexCoordChaser2D" => chaser::node::<TexCoords>(node_type),
        "TexCoordDamper2D" => damper::node::<TexCoords>(node_type),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
