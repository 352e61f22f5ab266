//! What is farthest of a convex core in a direction: a point, and the corners of the flat part around it.

use sim_core::math::Vec3;

use crate::collision::solids::Core;

/// Most corners of a flat part.
pub(super) const CORNERS: usize = 8;

/// A point of a core that is farthest in a direction.
#[inline]
pub(super) fn support(core: &Core, d: &Vec3) -> Vec3 {
    match core {
        Core::Box(center, axes, half) => {
            let along = |k: usize| axes[k] * if axes[k].dot(d) < 0.0 { -half[k] } else { half[k] };
            center + along(0) + along(1) + along(2)
        }
        Core::Cylinder(center, axes, half, radius) => {
            let (u, y, w) = (axes[0].dot(d), axes[1].dot(d), axes[2].dot(d));
            let length = (u * u + w * w).sqrt();
            let rim =
                if length > 0.0 { (axes[0] * u + axes[2] * w) * (radius / length) } else { axes[0] * 0.0 };
            center + axes[1] * if y < 0.0 { -half } else { *half } + rim
        }
        Core::Segment([a, b]) => {
            if (b - a).dot(d) > 0.0 {
                *b
            } else {
                *a
            }
        }
        Core::Triangle(t) => {
            let far = t.map(|p| p.dot(d));
            t[(1..3).fold(0, |best, k| if far[k] > far[best] { k } else { best })]
        }
    }
}

/// The part of a core's surface that faces a direction, as a polygon, a segment or a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub corners: [Vec3; CORNERS],
    pub len: usize,
    /// Which of the core's faces it is.
    pub face: u32,
    /// Its unit normal, if it is a polygon.
    pub normal: Vec3,
}

/// Up to which angle a cylinder's cap faces a direction, as a cosine: beyond it, the cylinder touches with its rim or its side.
const CAP: f64 = 0.999;

/// The facet of a core that faces a direction `d`, a unit vector.
pub(super) fn facet(core: &Core, d: &Vec3) -> Facet {
    let mut f = Facet { corners: [Vec3::zeros(); CORNERS], len: 0, face: 0, normal: *d };
    match core {
        Core::Box(center, axes, half) => {
            let along = axes.map(|a| a.dot(d));
            let k = (1..3).fold(0, |k, l| if along[l].abs() > along[k].abs() * (1.0 + 1e-9) { l } else { k });
            let side = if along[k] < 0.0 { -1.0 } else { 1.0 };
            let (u, v) = (axes[(k + 1) % 3] * half[(k + 1) % 3], axes[(k + 2) % 3] * half[(k + 2) % 3]);
            f.normal = axes[k] * side;
            let middle = center + f.normal * half[k];
            f.corners[..4].copy_from_slice(&[middle + u + v, middle - u + v, middle - u - v, middle + u - v]);
            f.len = 4;
            f.face = 2 * k as u32 + u32::from(side < 0.0);
        }
        Core::Cylinder(center, axes, half, radius) => {
            let along = axes[1].dot(d);
            let side = if along < 0.0 { -1.0 } else { 1.0 };
            let end = axes[1] * (half * side);
            if along.abs() > CAP {
                f.normal = axes[1] * side;
                const S: f64 = std::f64::consts::FRAC_1_SQRT_2;
                let around =
                    [[1.0, 0.0], [S, S], [0.0, 1.0], [-S, S], [-1.0, 0.0], [-S, -S], [0.0, -1.0], [S, -S]];
                f.corners = around.map(|[c, s]| center + end + (axes[0] * c + axes[2] * s) * *radius);
                f.len = 8;
                f.face = 1 + u32::from(side < 0.0);
            } else {
                let rim = (d - axes[1] * along).normalize() * *radius;
                f.corners[..2]
                    .copy_from_slice(&[center + rim - axes[1] * *half, center + rim + axes[1] * *half]);
                f.len = 2;
            }
        }
        Core::Segment(ends) => {
            f.corners[..2].copy_from_slice(ends);
            // A segment without length is a point, or a capsule without height would have two contacts at one place.
            f.len = if ends[0] == ends[1] { 1 } else { 2 };
        }
        Core::Triangle(t) => {
            f.corners[..3].copy_from_slice(t);
            f.len = 3;
            let normal = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
            f.normal = if normal.dot(d) < 0.0 { -normal } else { normal };
        }
    }
    f
}
