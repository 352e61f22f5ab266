//! Boxes, capsules and cylinders against each other and against all else: the same for every intersection method, but for its distances.
//!
//! A pair of solids has one normal, along which they are apart or overlap least (`separation`), and a contact at each corner of what their
//! facets share seen along it (`patch`): so a box stands on its four corners, and a capsule lies on two points. Nothing is kept from step
//! to step. A point or a sphere meets the nearest point of a solid's surface. Of a cylinder that overlaps, the direction is one of a few
//! (its axis, across it, across both axes), so that a rim's depth may come out somewhat too large.
//!
//! Against triangles and lines, each corner of a solid has one contact with a mesh, whatever elements it touches, and so has each vertex
//! of the mesh (`mesh`). Edges count where the surface is bent at them.
//!
//! **Source:** SOFA's plugin CollisionOBBCapsule gives one point for each pair of elements, the middle of what they share. Ours are
//! several, since a body on a single point has nothing to stand on.

mod between;
mod distinct;
mod mesh;
mod patch;
mod queries;
mod separation;
mod support;
#[cfg(test)]
mod tests;

use super::bvh::{Walk, Work};
use super::elements::Distances;
use super::{Cones, DetectionOutput};
use crate::collision::solids::Solid;
use crate::collision::{List, ModelKind, ModelView};
use sim_core::math::Vec3;

/// Whether there is a test for these two kinds, of which one is of solids, in this order: meshes come first, points and spheres last.
pub(super) fn tests(first: ModelKind, second: ModelKind) -> bool {
    use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle};
    match (first.is_solid(), second.is_solid()) {
        (true, true) => first <= second,
        (true, false) => matches!(second, Sphere | RigidSphere | Point),
        (false, true) => matches!(first, Triangle | Line),
        (false, false) => false,
    }
}

/// What the tests of a pair of models share.
struct Solids<'a, L> {
    models: [&'a ModelView<'a>; 2],
    distances: Distances,
    /// Whose elements accept contacts in cones of directions only.
    cones: Option<Cones>,
    out: &'a mut L,
}

impl<L: List<DetectionOutput>> Solids<'_, L> {
    /// Appends an output if it is near enough. The points are on the surfaces, `apart` along the normal.
    fn push(&mut self, elements: [u32; 2], id: u32, points: [Vec3; 2], normal: Vec3, apart: f64) {
        let near = apart < self.distances.alarm || apart <= 0.0;
        if near && self.accept(elements, &normal) {
            let value = apart - self.distances.contact;
            self.out.push(DetectionOutput { elements, id, points, normal, value });
        }
    }

    fn accept(&self, [i, j]: [u32; 2], normal: &Vec3) -> bool {
        let [first, second] = self.models;
        self.cones.is_none_or(|c| c.accept(first, i, normal) && c.accept(second, j, &-normal))
    }
}

/// The point that stands for a place on the surface of a solid, above `on` of its core by `rounding` along `outward`: of what hangs on
/// points, the core's, as of spheres.
fn surface(kind: ModelKind, solid: &Solid, on: Vec3, outward: Vec3) -> Vec3 {
    if kind == ModelKind::LineCapsule { on } else { on + outward * solid.rounding }
}

/// Finds the contacts of a pair of models, one of which is of solids.
///
/// # Cost
/// No allocation. A pair of elements whose boxes are near costs up to nineteen directions and a search for the nearest points.
pub(super) fn detect(
    walk: &Walk<'_>,
    distances: Distances,
    cones: Option<Cones>,
    work: &mut impl List<Work>,
    out: &mut impl List<DetectionOutput>,
) {
    let Walk { first, second, .. } = *walk;
    let mut solids = Solids { models: [first, second], distances, cones, out };
    match (first.kind, second.kind) {
        (ModelKind::Triangle | ModelKind::Line, _) => walk.each(work, |i, j| solids.mesh(i, j)),
        (_, ModelKind::Point | ModelKind::Sphere | ModelKind::RigidSphere) => {
            walk.each(work, |i, j| solids.ball(i, j));
        }
        _ => walk.each(work, |i, j| solids.pair(i, j)),
    }
}
