//! Circles around points: what is round without a surface.

use sim_core::math::Vec3;

/// Segments of a circle.
const SEGMENTS: u32 = 20;

/// Adds three circles around a point of a state, about the axes of the world.
pub(super) fn circles(center: u32, radius: f64, points: &mut Vec<(u32, Vec3)>, lines: &mut Vec<[u32; 2]>) {
    for axis in 0..3 {
        let first = points.len() as u32;
        for k in 0..SEGMENTS {
            let (sin, cos) = (f64::from(k) / f64::from(SEGMENTS) * std::f64::consts::TAU).sin_cos();
            let mut offset = Vec3::zeros();
            (offset[(axis + 1) % 3], offset[(axis + 2) % 3]) = (radius * cos, radius * sin);
            points.push((center, offset));
            lines.push([first + k, first + (k + 1) % SEGMENTS]);
        }
    }
}
