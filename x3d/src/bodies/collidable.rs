//! What collides: CollidableShape, CollidableOffset, and the lists that name them.

use std::collections::BTreeSet;

use animation::event::NodeId;

use super::pose::Pose;
use super::reader::Reader;
use super::solid::{Solid, Surface};
use crate::shape::geometry_mesh;

/// A solid on a body, or an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Collidable {
    /// The CollidableShape or CollidableOffset.
    pub node: NodeId,
    /// The CollidableShape in a CollidableOffset.
    pub inner: Option<NodeId>,
    /// Whether the collider lists it.
    pub collides: bool,
    /// Where the node is in its body, or in the world.
    pub place: Pose,
    /// Where the solid is in its body, or in the world.
    pub solid_place: Pose,
    /// What it is; none of what has no surface.
    pub solid: Option<Solid>,
}

/// Fields of places.
const PLACE: [&str; 2] = ["translation", "rotation"];

impl Reader<'_> {
    /// The collidables that a CollisionCollection lists, spaces looked through, those that are enabled.
    pub(super) fn listed(&mut self, collider: NodeId) -> BTreeSet<NodeId> {
        let (mut all, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut open = vec![collider];
        while let Some(at) = open.pop() {
            // A space may be in several others, and in itself.
            if !seen.insert(at) || !self.fields.flag(at, "enabled", true) {
                continue;
            }
            match self.fields.type_name(at) {
                "CollisionCollection" | "CollisionSpace" => {
                    open.extend(self.nodes(at, "collidables").into_iter().rev());
                }
                "CollidableShape" | "CollidableOffset" => {
                    all.insert(at);
                }
                _ => self.warn(at, "", "no collidable: it collides with nothing"),
            }
        }
        all
    }

    /// A collidable of a body.
    pub(super) fn collidable(
        &mut self,
        node: NodeId,
        body: &Pose,
        listed: &BTreeSet<NodeId>,
    ) -> Option<Collidable> {
        let mut collidable = self.at_fields(node)?;
        if collidable.inner.is_none() {
            // It is where its body is, and says so.
            let own = std::mem::replace(&mut collidable.place, Pose::IDENTITY);
            collidable.solid_place = Pose::IDENTITY;
            let is_known = self.memory.offsets.insert(node, own).is_some();
            if !is_known && !own.is_near(&Pose::IDENTITY) && !own.is_near(body) {
                let text = "it is where its body is: a CollidableOffset puts it elsewhere in the body";
                self.warn(node, "translation", text);
            }
        } else {
            let first = *self.memory.offsets.entry(node).or_insert(collidable.place);
            let within = collidable.inner.map_or(Pose::IDENTITY, |n| Pose::of(&self.fields, n, PLACE));
            (collidable.place, collidable.solid_place) = (first, first.after(&within));
        }
        let is_listed = |n: &NodeId| listed.contains(n) && self.fields.flag(*n, "enabled", true);
        collidable.collides = is_listed(&node) || collidable.inner.as_ref().is_some_and(is_listed);
        Some(collidable)
    }

    /// A collidable of no body, which bodies collide with.
    pub(super) fn obstacle(&mut self, node: NodeId) -> Option<Collidable> {
        self.at_fields(node).filter(|c| c.solid.is_some())
    }

    /// A collidable where its fields say.
    fn at_fields(&mut self, node: NodeId) -> Option<Collidable> {
        let place = Pose::of(&self.fields, node, PLACE);
        let (inner, shape) = match self.fields.type_name(node) {
            "CollidableShape" => (None, self.node(node, "shape")),
            "CollidableOffset" => {
                let inner = self.node(node, "collidable");
                if inner.is_some_and(|n| self.fields.type_name(n) != "CollidableShape") {
                    let text = "only a CollidableShape is taken: this one collides with nothing";
                    self.warn(node, "collidable", text);
                    return None;
                }
                (inner, inner.and_then(|n| self.node(n, "shape")))
            }
            _ => {
                self.warn(node, "", "no CollidableShape and no CollidableOffset: it collides with nothing");
                return None;
            }
        };
        let within = inner.map_or(Pose::IDENTITY, |n| Pose::of(&self.fields, n, PLACE));
        let solid = shape.and_then(|shape| self.solid(shape));
        if solid.is_none() {
            self.warn(node, "shape", "there is no solid or surface in it: it collides with nothing");
        }
        let solid_place = place.after(&within);
        Some(Collidable { node, inner, collides: true, place, solid_place, solid })
    }

    /// The solid of a Shape.
    fn solid(&mut self, shape: NodeId) -> Option<Solid> {
        let geometry = self.node(shape, "geometry")?;
        // Points may stand in a node of their own.
        self.node(geometry, "coord");
        let number = |name, otherwise| self.fields.number(geometry, name, otherwise);
        let solid = match self.fields.type_name(geometry) {
            "Sphere" => Solid::Ball(number("radius", 1.0)),
            "Box" => Solid::Box(self.fields.three(geometry, "size", [2.0; 3])),
            "Cylinder" => Solid::Cylinder([number("radius", 1.0), number("height", 2.0)]),
            _ => {
                let mesh = geometry_mesh(&self.fields, geometry)?;
                let surface = Surface { points: mesh.points, triangles: mesh.triangles }.joined();
                (!surface.triangles.is_empty()).then_some(Solid::Surface(surface))?
            }
        };
        let half = solid.half_extent();
        (half > 0.0 && half.is_finite() && solid.reach().is_finite()).then_some(solid)
    }
}
