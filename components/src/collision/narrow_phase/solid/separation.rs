//! In which direction two convex cores are apart, or overlap least.

use sim_core::math::Vec3;

use super::queries::{Nearest, across_of, nearest};
use super::support::support;
use crate::collision::solids::Core;

/// How two cores lie to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Separation {
    /// Unit vector from the first to the second.
    pub normal: Vec3,
    /// How far they are apart along it; negative where they overlap [m].
    pub distance: f64,
    /// Their nearest points; where they overlap, those that are deepest.
    pub points: [Vec3; 2],
}

/// By which share of the distance a direction of a face or of two edges may be short of it, to be taken as it is: then it is known to the
/// last bits, where the points are known to half of them.
const AS_GOOD: f64 = 1e-6;

/// Nearer than this, as a share of their size, the nearest points are at one place, and say nothing of a direction.
const TOUCHING: f64 = 1e-7;

/// How two cores lie to each other, unless they are farther apart than `farthest` [m].
///
/// Apart, the normal is that of the nearest points. Where they overlap it is, of the normals of faces, of what is across two edges and of
/// the ways between axes of cylinders, the one along which they overlap least. That is exact for boxes, triangles and segments; of a
/// cylinder's rim it may be a little more than what is least. At the boundary between the two cases both agree.
pub(super) fn separation(first: &Core, second: &Core, farthest: f64) -> Option<Separation> {
    let scale = extent(first) + extent(second);
    let mut axes = Axes { cores: [first, second], best: (f64::NEG_INFINITY, Vec3::zeros()), scale };
    axes.faces(first);
    axes.faces(second);
    if axes.best.0 > farthest {
        return None;
    }
    axes.edges();
    let (mut distance, mut normal) = axes.best;
    if distance > farthest {
        return None;
    }
    let toward = second.center() - first.center();
    let toward = if toward.norm() > 0.0 { toward.normalize() } else { normal };
    match nearest(first, second, toward, farthest.max(0.0) + 1e-6 * scale) {
        Nearest::Far => None,
        Nearest::Points([p, q]) => {
            let length = (q - p).norm();
            if length > TOUCHING * scale && length > distance + AS_GOOD * length + 1e-12 * scale {
                (distance, normal) = (length, (q - p) / length);
            }
            (distance <= farthest).then_some(Separation { normal, distance, points: [p, q] })
        }
        Nearest::Meet => {
            let q = support(second, &-normal);
            Some(Separation { normal, distance, points: [q - normal * distance, q] })
        }
    }
}

/// What is known of the direction along which two cores are farthest apart.
struct Axes<'a> {
    cores: [&'a Core; 2],
    best: (f64, Vec3),
    scale: f64,
}

impl Axes<'_> {
    /// Takes a direction, or the opposite one, if the cores are farther apart along it; of directions that are as good the first stays.
    fn take(&mut self, direction: Vec3) {
        let length = direction.norm();
        if length.is_nan() || length <= 1e-9 {
            return;
        }
        for n in [direction / length, -direction / length] {
            let apart = support(self.cores[1], &-n).dot(&n) - support(self.cores[0], &n).dot(&n);
            if apart > self.best.0 + 1e-9 * self.scale || self.best.0 == f64::NEG_INFINITY {
                self.best = (apart, n);
            }
        }
    }

    fn faces(&mut self, core: &Core) {
        match core {
            Core::Box(_, axes, _) => axes.iter().for_each(|a| self.take(*a)),
            Core::Cylinder(_, axes, ..) => self.take(axes[1]),
            Core::Segment(_) => {}
            Core::Triangle([a, b, c]) => self.take(unit((b - a).cross(&(c - a)))),
        }
    }

    /// The directions across an edge of each, and those across the axes of what is round.
    fn edges(&mut self) {
        let [first, second] = self.cores;
        let ((mine, n), (others, m)) = (edges(first), edges(second));
        for a in &mine[..n] {
            for b in &others[..m] {
                self.take(a.cross(b));
            }
        }
        let between = second.center() - first.center();
        for core in [first, second] {
            if let Core::Cylinder(_, [_, axis, _], ..) = core {
                self.take(across(&between, axis));
            } else if let Core::Segment([a, b]) = core {
                self.take(across(&between, &unit(b - a)));
            }
        }
        if self.best.0 == f64::NEG_INFINITY {
            self.take(across_of(mine[0]));
        }
    }
}

fn across(v: &Vec3, axis: &Vec3) -> Vec3 {
    v - axis * axis.dot(v)
}

/// The vector's direction, none of a vector that has none.
fn unit(v: Vec3) -> Vec3 {
    let length = v.norm();
    if length > 0.0 { v / length } else { Vec3::zeros() }
}

/// The directions of a core's edges, and of the lines on a cylinder's side.
fn edges(core: &Core) -> ([Vec3; 3], usize) {
    match core {
        Core::Box(_, axes, _) => (*axes, 3),
        Core::Cylinder(_, axes, ..) => ([axes[1]; 3], 1),
        Core::Segment([a, b]) => ([unit(b - a); 3], 1),
        Core::Triangle([a, b, c]) => ([b - a, c - b, a - c].map(unit), 3),
    }
}

/// About how large a core is [m].
pub(super) fn extent(core: &Core) -> f64 {
    match core {
        Core::Box(_, _, half) => half[0] + half[1] + half[2],
        Core::Cylinder(_, _, half, radius) => half + radius,
        Core::Segment([a, b]) => (b - a).norm(),
        Core::Triangle([a, b, c]) => (b - a).norm() + (c - a).norm(),
    }
}
