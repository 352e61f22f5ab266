//! What is asked of the library parry: the distance of two convex sets, and the point of a solid nearest to a point.
//!
//! This is the only file that names it. Of the library come Gilbert, Johnson and Keerthi's algorithm and projections, which allocate
//! nothing and keep nothing. Its manifolds are not used: those of capsules have one point, those of separated boxes end where their faces
//! do not lie over each other, and all of them allocate.

use parry3d_f64::math::{Pose3, Vec3 as Place};
use parry3d_f64::query::PointQuery;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::{Cuboid, Cylinder, Segment, SupportMap};
use sim_core::math::Vec3;

use super::support::support;
use crate::collision::solids::{Core, Solid};

fn to(v: Vec3) -> Place {
    Place::new(v.x, v.y, v.z)
}

fn from(v: Place) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// A core as the library asks for it, with the point from which places are counted.
struct Convex<'a>(&'a Core, Vec3);

impl SupportMap for Convex<'_> {
    fn local_support_point(&self, direction: Place) -> Place {
        to(support(self.0, &from(direction)) - self.1)
    }
}

/// What the library says of two cores.
pub(super) enum Nearest {
    /// Their nearest points.
    Points([Vec3; 2]),
    /// They are farther apart than was asked for.
    Far,
    /// They meet.
    Meet,
}

/// The nearest points of two cores, if they are not farther apart than `farthest` [m].
pub(super) fn nearest(first: &Core, second: &Core, toward: Vec3, farthest: f64) -> Nearest {
    // Far from the origin of the world places lose digits.
    let origin = support(first, &toward);
    let (a, b) = (Convex(first, origin), Convex(second, origin));
    let same = Pose3::IDENTITY;
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(&same, &a, &b, to(toward)));
    match closest_points(&same, &a, &b, farthest, true, &mut simplex) {
        GJKResult::ClosestPoints(p, q, _) => Nearest::Points([from(p) + origin, from(q) + origin]),
        GJKResult::NoIntersection(_) => Nearest::Far,
        _ => Nearest::Meet,
    }
}

/// The point of a solid's surface nearest to `p`, the unit vector that leads out of it there, and how far `p` is outside [m].
pub(super) fn nearest_on(solid: &Solid, p: Vec3) -> (Vec3, Vec3, f64) {
    let (core, normal, outside) = match &solid.core {
        Core::Box(center, axes, half) => {
            let l = local(axes, p - center);
            let on = Cuboid::new(Place::new(half[0], half[1], half[2])).project_local_point(to(l), false);
            let depth = [0, 1, 2].map(|k| l[k].abs() - half[k]);
            let face = (1..3).fold(0, |best, k| if depth[k] > depth[best] { k } else { best });
            let mut out = Vec3::zeros();
            out[face] = if l[face] < 0.0 { -1.0 } else { 1.0 };
            leading((center, axes), from(on.point), l, out, on.is_inside)
        }
        Core::Cylinder(center, axes, half, radius) => {
            let l = local(axes, p - center);
            let on = Cylinder::new(*half, *radius).project_local_point(to(l), false);
            let across = Vec3::new(l.x, 0.0, l.z);
            let out = if l.y.abs() - half > across.norm() - radius || across.norm() == 0.0 {
                Vec3::new(0.0, if l.y < 0.0 { -1.0 } else { 1.0 }, 0.0)
            } else {
                across.normalize()
            };
            leading((center, axes), from(on.point), l, out, on.is_inside)
        }
        Core::Segment([a, b]) => {
            let on = from(Segment::new(to(*a), to(*b)).project_local_point(to(p), false).point);
            let way = p - on;
            let out = if way.norm() > 0.0 { way.normalize() } else { across_of(b - a) };
            (on, out, way.norm())
        }
        Core::Triangle([a, ..]) => (*a, Vec3::x(), (p - a).norm()),
    };
    (core + normal * solid.rounding, normal, outside - solid.rounding)
}

fn local(axes: &[Vec3; 3], v: Vec3) -> Vec3 {
    Vec3::new(axes[0].dot(&v), axes[1].dot(&v), axes[2].dot(&v))
}

/// The nearest point `on` of a body to the place `l`, both in its axes, in the world: with the way out, and how far outside it is. Where
/// they are one point, the way out is `out`.
fn leading(
    (center, axes): (&Vec3, &[Vec3; 3]),
    on: Vec3,
    l: Vec3,
    out: Vec3,
    inside: bool,
) -> (Vec3, Vec3, f64) {
    let world = |v: Vec3| axes[0] * v.x + axes[1] * v.y + axes[2] * v.z;
    let (way, length) = (l - on, (l - on).norm());
    let sign = if inside { -1.0 } else { 1.0 };
    let normal = if length > 1e-12 { way / (sign * length) } else { out };
    (center + world(on), world(normal), sign * length)
}

/// A unit vector across another vector.
pub(super) fn across_of(v: Vec3) -> Vec3 {
    let along = v.normalize();
    if along.iter().all(|c| c.is_finite()) { crate::collision::solids::around(along)[0] } else { Vec3::y() }
}
