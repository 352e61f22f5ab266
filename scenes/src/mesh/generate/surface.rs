//! Closed triangle surfaces.

use std::f64::consts::{FRAC_PI_2, TAU};

use components::topology::derive::first_equal;
use sim_core::math::Vec3;

use super::boxes::box_surface;
use super::curve::{Frame, circle, torus_knot};
use crate::mesh::Mesh;

/// A torus about the y axis, `2 * around * across` triangles.
pub fn torus(major: f64, minor: f64, around: usize, across: usize) -> Mesh {
    tube(&circle(major, around.max(3)), minor, across)
}

/// A tube of radius `tube` around the (p, q) torus knot (2, 3: the trefoil), `2 * along * across` triangles.
///
/// p and q should have no common divisor, and the tube should be thin enough not to touch itself.
pub fn knot([p, q]: [u32; 2], [major, minor, tube_radius]: [f64; 3], along: usize, across: usize) -> Mesh {
    tube(&torus_knot(p, q, major, minor, along.max(8)), tube_radius, across)
}

/// A round tube along a closed curve.
fn tube(frames: &[Frame], radius: f64, across: usize) -> Mesh {
    let across = across.max(3);
    let mut mesh = Mesh::default();
    for frame in frames {
        for j in 0..across {
            let (s, c) = (TAU * j as f64 / across as f64).sin_cos();
            mesh.positions.push(frame.at(radius * c, radius * s));
        }
    }
    let at = |i: usize, j: usize| ((i % frames.len()) * across + j % across) as u32;
    for i in 0..frames.len() {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A sphere: an icosahedron, each edge divided into `frequency` parts; `20 * frequency^2` triangles of similar size.
pub fn sphere(radius: f64, frequency: usize) -> Mesh {
    let f = frequency.max(1) as u32;
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let corners: [[f64; 3]; 12] = [
        [-1.0, golden, 0.0],
        [1.0, golden, 0.0],
        [-1.0, -golden, 0.0],
        [1.0, -golden, 0.0],
        [0.0, -1.0, golden],
        [0.0, 1.0, golden],
        [0.0, -1.0, -golden],
        [0.0, 1.0, -golden],
        [golden, 0.0, -1.0],
        [golden, 0.0, 1.0],
        [-golden, 0.0, -1.0],
        [-golden, 0.0, 1.0],
    ];
    const FACES: [[u32; 3]; 20] = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    // A point is known by the corners that it lies between and its distances from them, sorted: so points on
    // common edges are found to be the same, and come out the same to the last bit.
    let mut keys: Vec<[u32; 6]> = Vec::new();
    let mut triangles = Vec::new();
    for face in FACES {
        let base = keys.len() as u32;
        for i in 0..=f {
            for j in 0..=f - i {
                let mut parts = [(face[0], f - i - j), (face[1], i), (face[2], j)];
                parts.iter_mut().filter(|part| part.1 == 0).for_each(|part| part.0 = u32::MAX);
                parts.sort_unstable();
                keys.push([parts[0].0, parts[0].1, parts[1].0, parts[1].1, parts[2].0, parts[2].1]);
            }
        }
        // Row i begins after the rows of f + 1, f, f - 1 ... points before it.
        let at = |i: u32, j: u32| base + i * (f + 1) - i * i.saturating_sub(1) / 2 + j;
        for i in 0..f {
            for j in 0..f - i {
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if j + 1 < f - i {
                    triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    let first = first_equal(&keys);
    let mut mesh = Mesh::default();
    let mut index = vec![0; keys.len()];
    for (k, key) in keys.iter().enumerate() {
        if first[k] as usize != k {
            index[k] = index[first[k] as usize];
            continue;
        }
        index[k] = mesh.positions.len() as u32;
        let parts = key.as_chunks::<2>().0.iter().filter(|part| part[1] > 0);
        let sum = parts.fold(Vec3::zeros(), |sum, part| {
            sum + Vec3::from(corners[part[0] as usize]) * f64::from(part[1])
        });
        mesh.positions.push(sum.normalize() * radius);
    }
    mesh.triangles = triangles.iter().map(|t| t.map(|i| index[i as usize])).collect();
    mesh
}

/// A flat, open sheet in the plane y = 0, facing up, `2 nx nz` triangles, points in rows along x.
pub fn sheet(size_x: f64, size_z: f64, nx: usize, nz: usize) -> Mesh {
    let (nx, nz) = (nx.max(1), nz.max(1));
    let mut mesh = Mesh::default();
    for k in 0..=nz {
        for i in 0..=nx {
            let (x, z) = (i as f64 / nx as f64 - 0.5, k as f64 / nz as f64 - 0.5);
            mesh.positions.push(Vec3::new(x * size_x, 0.0, z * size_z));
        }
    }
    let at = |i: usize, k: usize| (i + (nx + 1) * k) as u32;
    for k in 0..nz {
        for i in 0..nx {
            let [a, b, c, d] = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// The surface that a profile makes as it turns about the y axis.
///
/// `profile` holds (radius, y) from the axis to the axis, the body to its left; its two ends count as radius 0.
/// Fewer than three points make nothing.
pub fn revolved(profile: &[[f64; 2]], around: usize) -> Mesh {
    let around = around.max(3);
    let mut mesh = Mesh::default();
    let [first, rings @ .., last] = profile else { return mesh };
    if rings.is_empty() {
        return mesh;
    }
    for [r, y] in rings {
        for j in 0..around {
            let (s, c) = (TAU * j as f64 / around as f64).sin_cos();
            mesh.positions.push(Vec3::new(r * c, *y, r * s));
        }
    }
    let at = |i: usize, j: usize| (i * around + j % around) as u32;
    let start = mesh.positions.len() as u32;
    mesh.positions.extend([Vec3::new(0.0, first[1], 0.0), Vec3::new(0.0, last[1], 0.0)]);
    for j in 0..around {
        mesh.triangles.push([start, at(0, j), at(0, j + 1)]);
        for i in 1..rings.len() {
            let [a, b, c, d] = [at(i - 1, j), at(i, j), at(i, j + 1), at(i - 1, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        mesh.triangles.push([start + 1, at(rings.len() - 1, j + 1), at(rings.len() - 1, j)]);
    }
    mesh
}

/// A cylinder about the y axis, with `along` divisions of its side.
pub fn cylinder(radius: f64, height: f64, around: usize, along: usize) -> Mesh {
    let along = along.max(1);
    let mut profile = vec![[0.0, -height / 2.0]];
    profile.extend((0..=along).map(|i| [radius, height * (i as f64 / along as f64 - 0.5)]));
    profile.push([0.0, height / 2.0]);
    revolved(&profile, around)
}

/// A half-spherical bowl, open upward, with `rings` divisions from the bottom to the plane y = 0. Its sizes are the outer radius, the
/// thickness, and how high its rim stands upright above that plane, which may be 0.
pub fn bowl([radius, thickness, rim]: [f64; 3], around: usize, rings: usize) -> Mesh {
    let rings = rings.max(2);
    let arc = |radius: f64, i: usize| {
        let (s, c) = (FRAC_PI_2 * i as f64 / rings as f64).sin_cos();
        [radius * s, -radius * c]
    };
    let outside = (0..=rings).map(|i| arc(radius, i));
    let inside = (0..=rings).rev().map(|i| arc(radius - thickness, i));
    let edge = [[radius, rim], [radius - thickness, rim]];
    let edge = edge.into_iter().filter(|_| rim > 0.0);
    let profile: Vec<[f64; 2]> = outside.chain(edge).chain(inside).collect();
    revolved(&profile, around)
}

/// Four upright walls around an inner space of the given size, standing on the plane y = 0; `n` cells per edge.
pub fn walls(inner: Vec3, thickness: f64, n: usize) -> Mesh {
    let moved = |size: Vec3, center: Vec3, cells: [usize; 3]| {
        let mut wall = box_surface(size, cells);
        wall.positions.iter_mut().for_each(|x| *x += center);
        wall
    };
    let (x, z) = ((inner.x + thickness) / 2.0, (inner.z + thickness) / 2.0);
    let y = inner.y / 2.0;
    let along_z = Vec3::new(thickness, inner.y, inner.z + 2.0 * thickness);
    let along_x = Vec3::new(inner.x, inner.y, thickness);
    combined(&[
        moved(along_z, Vec3::new(-x, y, 0.0), [1, n, n]),
        moved(along_z, Vec3::new(x, y, 0.0), [1, n, n]),
        moved(along_x, Vec3::new(0.0, y, -z), [n, n, 1]),
        moved(along_x, Vec3::new(0.0, y, z), [n, n, 1]),
    ])
}

/// Several meshes as one.
pub fn combined(meshes: &[Mesh]) -> Mesh {
    let mut all = Mesh::default();
    for mesh in meshes {
        let offset = all.positions.len() as u32;
        all.positions.extend(&mesh.positions);
        all.edges.extend(mesh.edges.iter().map(|e| e.map(|i| i + offset)));
        all.triangles.extend(mesh.triangles.iter().map(|e| e.map(|i| i + offset)));
        all.quads.extend(mesh.quads.iter().map(|e| e.map(|i| i + offset)));
        all.tetrahedra.extend(mesh.tetrahedra.iter().map(|e| e.map(|i| i + offset)));
        all.hexahedra.extend(mesh.hexahedra.iter().map(|e| e.map(|i| i + offset)));
    }
    all
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::super::check::{assert_closed, volume};
    use super::*;

    #[test]
    fn surfaces_are_closed_and_enclose_their_volume() {
        let size = Vec3::new(1.0, 2.0, 3.0);
        // The tube's cross-section, a regular decagon, times the curve's length.
        let speed = |i: usize| {
            let t = TAU * i as f64 / 1000.0;
            (2.0 * (1.0 + 0.4 * (3.0 * t).cos())).hypot(3.0 * 0.4)
        };
        let length: f64 = (0..1000).map(speed).sum::<f64>() * TAU / 1000.0;
        let knot_volume = length * 5.0 * (TAU / 10.0).sin() * 0.15 * 0.15;
        let bowl_volume = 2.0 / 3.0 * PI * (1.0 - 0.9_f64.powi(3));
        for (name, mesh, n_triangles, euler, expected) in [
            ("torus", torus(1.0, 0.4, 40, 16), 1280, 0, 2.0 * PI * PI * 0.16),
            ("smallest torus", torus(1.0, 0.4, 0, 0), 18, 0, 1.0),
            ("sphere", sphere(2.0, 8), 1280, 2, 32.0 / 3.0 * PI),
            ("icosahedron", sphere(1.0, 0), 20, 2, 2.536),
            ("box", box_surface(size, [4, 8, 12]), 4 * (32 + 96 + 48), 2, 6.0),
            ("flat box", box_surface(size, [0, 0, 0]), 12, 2, 6.0),
            ("knot", knot([2, 3], [1.0, 0.4, 0.15], 120, 10), 2400, 0, knot_volume),
            ("cylinder", cylinder(1.0, 2.0, 32, 8), 32 * 18, 2, 2.0 * PI),
            ("bowl", bowl([1.0, 0.1, 0.0], 40, 12), 40 * 48, 2, bowl_volume),
            ("rimmed bowl", bowl([1.0, 0.1, 0.5], 40, 12), 40 * 52, 2, bowl_volume + 0.5 * PI * 0.19),
            ("walls", walls(Vec3::new(4.0, 1.0, 4.0), 0.2, 4), 4 * 4 * (4 + 16 + 4), 8, 2.0 * 0.2 * 8.4),
        ] {
            assert_eq!(mesh.triangles.len(), n_triangles, "{name}");
            assert_closed(name, &mesh.triangles, mesh.positions.len(), euler);
            let v = volume(&mesh);
            let tolerance = if mesh.triangles.len() < 100 && euler == 0 { 0.7 } else { 0.05 };
            assert!((v / expected - 1.0).abs() < tolerance, "{name}: volume {v}, not {expected}");
        }
    }

    #[test]
    fn a_sheet_faces_up() {
        let mesh = sheet(2.0, 3.0, 4, 5);
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (30, 40));
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
            assert!((b - a).cross(&(c - a)).y > 0.0);
        }
    }

    #[test]
    fn the_triangles_of_a_sphere_are_of_similar_size() {
        let mesh = sphere(1.0, 8);
        let areas: Vec<f64> = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
                (b - a).cross(&(c - a)).norm()
            })
            .collect();
        let (low, high) = areas.iter().fold((f64::MAX, 0.0_f64), |(l, h), a| (l.min(*a), h.max(*a)));
        assert!(high / low < 2.5, "{}", high / low);
    }

    #[test]
    fn a_short_profile_makes_nothing() {
        assert_eq!(revolved(&[[0.0, 0.0], [0.0, 1.0]], 8), Mesh::default());
    }
}
