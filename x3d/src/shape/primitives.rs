//! Boxes, spheres, cones, cylinders: points and triangles of X3D's simple geometry.
//!
//! **Source:** ISO/IEC 19775-1, clauses 13 (*Geometry3D*) and 14 (*Geometry2D*).

use std::f64::consts::TAU;

use super::mesh::Mesh;

/// Corners of a circle.
const AROUND: u32 = 32;
/// Rings of a sphere.
const RINGS: u32 = 16;

/// A box of a size, about the origin.
pub fn cuboid(size: [f64; 3]) -> Mesh {
    let h = size.map(|s| 0.5 * s);
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        [sign(0) * h[0], sign(1) * h[1], sign(2) * h[2]]
    };
    let mut mesh = Mesh { points: (0..8).map(corner).collect(), ..Mesh::default() };
    for side in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
        mesh.convex(&side);
    }
    mesh
}

/// A sphere about the origin, its poles on the y axis.
pub fn sphere(radius: f64) -> Mesh {
    let profile: Vec<[f64; 2]> = (0..=RINGS)
        .map(|k| {
            let (s, c) = (0.5 * TAU * f64::from(k) / f64::from(RINGS)).sin_cos();
            [radius * if k == 0 || k == RINGS { 0.0 } else { s }, radius * c]
        })
        .collect();
    revolved(&profile)
}

/// A cylinder along the y axis.
pub fn cylinder(radius: f64, height: f64, top: bool, side: bool, bottom: bool) -> Mesh {
    let h = 0.5 * height;
    capped(&[[radius, h], [radius, -h]], top, side, bottom)
}

/// A cone whose tip is up the y axis.
pub fn cone(bottom_radius: f64, top_radius: f64, height: f64, top: bool, side: bool, bottom: bool) -> Mesh {
    let h = 0.5 * height;
    capped(&[[top_radius, h], [bottom_radius, -h]], top && top_radius > 0.0, side, bottom)
}

/// A side between two circles, and disks on them.
fn capped(ends: &[[f64; 2]; 2], top: bool, side: bool, bottom: bool) -> Mesh {
    let mut profile = Vec::new();
    if top {
        profile.push([0.0, ends[0][1]]);
    }
    if top || side {
        profile.push(ends[0]);
    }
    if side || bottom {
        profile.push(ends[1]);
    }
    if bottom {
        profile.push([0.0, ends[1][1]]);
    }
    if side || !(top && bottom) {
        return revolved(&profile);
    }
    // Two disks apart.
    let mut mesh = revolved(&profile[..2]);
    let lower = revolved(&profile[2..]);
    let first = mesh.points.len() as u32;
    mesh.points.extend(lower.points);
    mesh.triangles.extend(lower.triangles.iter().map(|t| t.map(|i| i + first)));
    mesh
}

/// A disk or ring in the xy plane.
pub fn disk(inner: f64, outer: f64) -> Mesh {
    let mut mesh = revolved(&[[inner, 0.0], [outer, 0.0]]);
    // Seen from +z, not from +y.
    mesh.points.iter_mut().for_each(|p| *p = [p[0], -p[2], 0.0]);
    mesh
}

/// A rectangle in the xy plane.
pub fn rectangle([x, y]: [f64; 2]) -> Mesh {
    let (x, y) = (0.5 * x, 0.5 * y);
    let points = vec![[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]];
    Mesh { points, triangles: vec![[0, 1, 2], [0, 2, 3]], lines: Vec::new() }
}

/// A part of a circle in the xy plane: a line, and closed as a pie or chord if `is_pie` says so.
pub fn arc(radius: f64, start: f64, end: f64, closed: Option<bool>) -> Mesh {
    let mut sweep = (end - start).rem_euclid(TAU);
    if sweep == 0.0 {
        sweep = TAU;
    }
    let mut mesh = Mesh::default();
    for k in 0..=AROUND {
        let (s, c) = (start + sweep * f64::from(k) / f64::from(AROUND)).sin_cos();
        mesh.points.push([radius * c, radius * s, 0.0]);
    }
    match closed {
        None => mesh.lines = (0..AROUND).map(|k| [k, k + 1]).collect(),
        Some(is_pie) => {
            let mut corners: Vec<u32> = (0..=AROUND).collect();
            if is_pie {
                mesh.points.push([0.0; 3]);
                corners.insert(0, AROUND + 1);
            }
            mesh.polygon(&corners);
        }
    }
    mesh
}

/// What a line of radii and heights, from the top down, makes when it turns about the y axis.
fn revolved(profile: &[[f64; 2]]) -> Mesh {
    let mut mesh = Mesh::default();
    let mut rings: Vec<(u32, bool)> = Vec::new();
    for &[radius, y] in profile {
        rings.push((mesh.points.len() as u32, radius == 0.0));
        if radius == 0.0 {
            mesh.points.push([0.0, y, 0.0]);
            continue;
        }
        for k in 0..AROUND {
            let (s, c) = (TAU * f64::from(k) / f64::from(AROUND)).sin_cos();
            mesh.points.push([radius * s, y, radius * c]);
        }
    }
    for pair in rings.windows(2) {
        let [(upper, is_tip), (lower, is_foot)] = [pair[0], pair[1]];
        for k in 0..AROUND {
            let next = (k + 1) % AROUND;
            match (is_tip, is_foot) {
                (true, true) => {}
                (true, false) => mesh.triangles.push([upper, lower + k, lower + next]),
                (false, true) => mesh.triangles.push([upper + k, lower, upper + next]),
                (false, false) => mesh.convex(&[upper + k, lower + k, lower + next, upper + next]),
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the divergence theorem; positive if triangles are seen from outside.
    fn volume(mesh: &Mesh) -> f64 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| mesh.points[i as usize]);
            a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        mesh.triangles.iter().map(of).sum::<f64>() / 6.0
    }

    #[test]
    fn solids_have_their_volume() {
        assert!((volume(&cuboid([1.0, 2.0, 3.0])) - 6.0).abs() < 1e-12);
        let pi = TAU / 2.0;
        for (mesh, exact) in [
            (sphere(2.0), 4.0 / 3.0 * pi * 8.0),
            (cylinder(1.0, 2.0, true, true, true), 2.0 * pi),
            (cone(1.0, 0.0, 3.0, true, true, true), pi),
        ] {
            let ratio = volume(&mesh) / exact;
            assert!(ratio > 0.97 && ratio < 1.0, "{ratio}");
        }
    }

    #[test]
    fn parts_of_a_cylinder_can_be_left_out() {
        let whole = cylinder(1.0, 2.0, true, true, true).triangles.len();
        let parts = [(true, false, false), (false, true, false), (false, false, true)]
            .map(|(t, s, b)| cylinder(1.0, 2.0, t, s, b).triangles.len());
        assert_eq!(parts.iter().sum::<usize>(), whole);
        assert_eq!(cylinder(1.0, 2.0, true, false, true).triangles.len(), parts[0] + parts[2]);
        assert!(disk(0.5, 1.0).triangles.len() == 2 * AROUND as usize);
        assert!(arc(1.0, 0.0, 1.0, Some(true)).triangles.len() >= AROUND as usize);
        assert_eq!(rectangle([1.0, 1.0]).triangles.len(), 2);
    }
}
