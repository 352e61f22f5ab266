//! What is nearest: of two convex sets by the library parry, of a solid and a point in closed form.
//!
//! Of collisions this is the only file that names the library. Of it comes Gilbert, Johnson and Keerthi's algorithm, which allocates nothing and keeps
//! nothing. Its manifolds are not used: those of capsules have one point, those of separated boxes end where their faces
//! do not lie over each other, and all of them allocate.

use parry3d_f64::math::{Pose3, Vec3 as Place};
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;
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
///
/// In closed form: over a face the way out is the face's normal to the last bit, however near the point is.
pub(super) fn nearest_on(solid: &Solid, p: Vec3) -> (Vec3, Vec3, f64) {
    let (core, normal, outside) = match &solid.core {
        Core::Box(center, axes, half) => {
            let l = local(axes, p - center);
            let beyond = [0, 1, 2].map(|k| l[k].abs() - half[k]);
            let face = (1..3).fold(0, |best, k| if beyond[k] > beyond[best] { k } else { best });
            let mut out = Vec3::zeros();
            out[face] = if l[face] < 0.0 { -1.0 } else { 1.0 };
            let on = Vec3::from_fn(|k, _| l[k].clamp(-half[k], half[k]));
            let over_face = beyond.iter().filter(|b| **b > 0.0).count() < 2;
            leading((center, axes), l, on, over_face.then_some((out, beyond[face])))
        }
        Core::Cylinder(center, axes, half, radius) => {
            let l = local(axes, p - center);
            let (across, rho) = (Vec3::new(l.x, 0.0, l.z), l.x.hypot(l.z));
            let side = if rho > 0.0 { across / rho } else { Vec3::x() };
            let end = Vec3::new(0.0, if l.y < 0.0 { -1.0 } else { 1.0 }, 0.0);
            let (up, out) = (l.y.abs() - half, rho - radius);
            let on = side * rho.min(*radius) + end * l.y.abs().min(*half);
            let over_face = !(up > 0.0 && out > 0.0);
            leading(
                (center, axes),
                l,
                on,
                over_face.then_some(if up > out { (end, up) } else { (side, out) }),
            )
        }
        Core::Segment([a, b]) => {
            let along = b - a;
            let t = (p - a).dot(&along) / along.dot(&along);
            let on = a + along * if t > 0.0 { t.min(1.0) } else { 0.0 };
            let (way, length) = (p - on, (p - on).norm());
            (on, if length > 0.0 { way / length } else { across_of(along) }, length)
        }
        Core::Triangle([a, ..]) => (*a, Vec3::x(), (p - a).norm()),
    };
    (core + normal * solid.rounding, normal, outside - solid.rounding)
}

fn local(axes: &[Vec3; 3], v: Vec3) -> Vec3 {
    Vec3::new(axes[0].dot(&v), axes[1].dot(&v), axes[2].dot(&v))
}

/// The nearest point of a body to the place `l` in its axes, in the world, with the way out and how far outside it is: over a face by its
/// normal and the height above it, else from the nearest point `on`.
fn leading(
    (center, axes): (&Vec3, &[Vec3; 3]),
    l: Vec3,
    on: Vec3,
    face: Option<(Vec3, f64)>,
) -> (Vec3, Vec3, f64) {
    let world = |v: Vec3| axes[0] * v.x + axes[1] * v.y + axes[2] * v.z;
    let (out, outside) = face.unwrap_or_else(|| ((l - on).normalize(), (l - on).norm()));
    (center + world(l - out * outside), world(out), outside)
}

/// A unit vector across another vector.
pub(super) fn across_of(v: Vec3) -> Vec3 {
    let along = v.normalize();
    if along.iter().all(|c| c.is_finite()) { crate::collision::solids::around(along)[0] } else { Vec3::y() }
}
