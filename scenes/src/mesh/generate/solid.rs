//! Volumes: hexahedral grids, straight or swept along a curve, tetrahedra from them, and balls.

use components::topology::{HexaCut, cut_hexahedra};
use sim_core::math::Vec3;

use super::boxes::{box_hexahedra, cells};
use super::curve::{Frame, circle, torus_knot};
use super::surface::sphere;
use crate::mesh::Mesh;

/// How far the square cross-section of a swept grid is bent towards a circle: fully round, its corners would be flat.
const ROUNDNESS: f64 = 0.75;

/// A box cut into six tetrahedra per cell.
pub fn box_tetrahedra(size: Vec3, n: [usize; 3]) -> Mesh {
    tetrahedra_of(&box_hexahedra(size, n), [n[0].max(1), n[1].max(1)])
}

/// A torus about the y axis: `around` sections of `across * across` hexahedra, `around` raised to an even number.
pub fn torus_hexahedra(major: f64, minor: f64, around: usize, across: usize) -> Mesh {
    swept(&circle(major, even(around)), minor, across)
}

/// A tube around the (p, q) torus knot, as [`torus_hexahedra`].
pub fn knot_hexahedra([p, q]: [u32; 2], [major, minor, tube]: [f64; 3], along: usize, across: usize) -> Mesh {
    swept(&torus_knot(p, q, major, minor, even(along).max(8)), tube, across)
}

/// Tetrahedra that fill the hexahedra of a grid with `layer` cells in each of its first two directions, and meet
/// face to face; in a grid that closes upon itself, if the number of its layers is even.
pub fn tetrahedra_of(mesh: &Mesh, layer: [usize; 2]) -> Mesh {
    let points = [layer[0] + 1, layer[1] + 1, 0];
    let mut tetrahedra = cut_hexahedra(&mesh.hexahedra, Some(points), HexaCut::Mirrored);
    for t in &mut tetrahedra {
        if tetrahedron_volume(&mesh.positions, t) < 0.0 {
            t.swap(2, 3);
        }
    }
    Mesh { positions: mesh.positions.clone(), tetrahedra, ..Mesh::default() }
}

/// A ball: `layers` shells of [`sphere`]'s triangles around a point, `20 frequency^2 (3 layers - 2)` tetrahedra.
///
/// The last points are those of `sphere(radius, frequency)`, in its order.
pub fn ball_tetrahedra(radius: f64, frequency: usize, layers: usize) -> Mesh {
    let layers = layers.max(1);
    let surface = sphere(1.0, frequency);
    let n = surface.positions.len() as u32;
    let mut mesh = Mesh { positions: vec![Vec3::zeros()], ..Mesh::default() };
    for layer in 1..=layers {
        let r = radius * layer as f64 / layers as f64;
        mesh.positions.extend(surface.positions.iter().map(|x| x * r));
    }
    mesh.tetrahedra.extend(surface.triangles.iter().map(|t| [0, t[0] + 1, t[1] + 1, t[2] + 1]));
    for layer in 1..layers as u32 {
        let (inner, outer) = (1 + (layer - 1) * n, 1 + layer * n);
        for triangle in &surface.triangles {
            // Starting at the smallest node, prisms agree on the diagonal of their common side: it starts at the
            // side's smaller node, inside.
            let mut t = *triangle;
            let smallest = (0..3).min_by_key(|k| t[*k]).unwrap_or(0);
            t.rotate_left(smallest);
            let [a, b, c] = t.map(|i| i + inner);
            let [d, e, f] = t.map(|i| i + outer);
            mesh.tetrahedra.push([a, d, e, f]);
            if t[1] < t[2] {
                mesh.tetrahedra.extend([[a, b, c, f], [a, b, f, e]]);
            } else {
                mesh.tetrahedra.extend([[a, b, c, e], [a, c, f, e]]);
            }
        }
    }
    for t in &mut mesh.tetrahedra {
        if tetrahedron_volume(&mesh.positions, t) < 0.0 {
            t.swap(2, 3);
        }
    }
    mesh
}

/// The next even number, at least 4.
fn even(n: usize) -> usize {
    n.max(4).next_multiple_of(2)
}

/// A grid of `across * across` cells swept along a closed curve.
fn swept(frames: &[Frame], radius: f64, across: usize) -> Mesh {
    let m = across.max(1);
    let mut mesh = Mesh::default();
    for frame in frames {
        for j in 0..=m {
            for i in 0..=m {
                let (x, y) = (2.0 * i as f64 / m as f64 - 1.0, 2.0 * j as f64 / m as f64 - 1.0);
                let bent = |a: f64, b: f64| a * (1.0 - ROUNDNESS + ROUNDNESS * (1.0 - b * b / 2.0).sqrt());
                mesh.positions.push(frame.at(radius * bent(x, y), radius * bent(y, x)));
            }
        }
    }
    mesh.hexahedra = cells([m, m, frames.len()], frames.len());
    mesh
}

/// The volume of a tetrahedron; positive if its last node lies where the first three turn counter-clockwise around.
pub(super) fn tetrahedron_volume(x: &[Vec3], t: &[u32; 4]) -> f64 {
    let [a, b, c, d] = t.map(|i| x[i as usize]);
    (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use components::topology::derive::triangles_from_tetrahedra;

    use super::super::border;
    use super::super::check::{assert_closed, volume};
    use super::*;

    /// Positive tetrahedra that meet face to face and fill their border.
    fn assert_solid(name: &str, mesh: &Mesh, euler: i64) -> f64 {
        let volumes: Vec<f64> =
            mesh.tetrahedra.iter().map(|t| tetrahedron_volume(&mesh.positions, t)).collect();
        let sum: f64 = volumes.iter().sum();
        let mean = sum / volumes.len() as f64;
        let low = volumes.iter().copied().fold(f64::MAX, f64::min);
        assert!(low > 0.02 * mean, "{name}: smallest volume {low}, mean {mean}");
        let surface = border(mesh);
        assert_closed(name, &surface.triangles, surface.positions.len(), euler);
        assert!((volume(&surface) / sum - 1.0).abs() < 1e-9, "{name}");
        let faces = triangles_from_tetrahedra(&mesh.tetrahedra).len();
        assert_eq!(2 * faces, 4 * mesh.tetrahedra.len() + surface.triangles.len(), "{name}");
        sum
    }

    #[test]
    fn tetrahedral_volumes_are_sound() {
        let size = Vec3::new(1.0, 2.0, 3.0);
        let sum = assert_solid("box", &box_tetrahedra(size, [3, 4, 5]), 2);
        assert!((sum - 6.0).abs() < 1e-12);
        let torus = tetrahedra_of(&torus_hexahedra(1.0, 0.4, 19, 3), [3, 3]);
        assert_eq!(torus.tetrahedra.len(), 20 * 9 * 6);
        let sum = assert_solid("torus", &torus, 0);
        assert!((sum / (2.0 * PI * PI * 0.16) - 1.0).abs() < 0.15, "{sum}");
        let knot = tetrahedra_of(&knot_hexahedra([2, 3], [1.0, 0.4, 0.15], 60, 2), [2, 2]);
        assert_solid("knot", &knot, 0);
        for (layers, n) in [(1, 180), (3, 180 * 7)] {
            let ball = ball_tetrahedra(1.0, 3, layers);
            assert_eq!(ball.tetrahedra.len(), n);
            let sum = assert_solid("ball", &ball, 2);
            assert!((sum / (4.0 / 3.0 * PI) - 1.0).abs() < 0.1, "{sum}");
        }
    }

    #[test]
    fn hexahedra_are_positive_at_all_corners() {
        let sample = [
            box_hexahedra(Vec3::new(1.0, 2.0, 3.0), [2, 3, 4]),
            torus_hexahedra(1.0, 0.4, 20, 4),
            knot_hexahedra([2, 3], [1.0, 0.4, 0.15], 100, 3),
        ];
        const NEIGHBORS: [[usize; 3]; 8] =
            [[1, 3, 4], [2, 0, 5], [3, 1, 6], [0, 2, 7], [7, 5, 0], [4, 6, 1], [5, 7, 2], [6, 4, 3]];
        for mesh in &sample {
            for h in &mesh.hexahedra {
                for (k, [a, b, c]) in NEIGHBORS.iter().enumerate() {
                    let t = [h[k], h[*a], h[*b], h[*c]];
                    assert!(tetrahedron_volume(&mesh.positions, &t) > 0.0, "{t:?}");
                }
            }
        }
    }

    #[test]
    fn the_border_of_hexahedra_is_closed() {
        let mesh = border(&torus_hexahedra(1.0, 0.4, 20, 4));
        assert_eq!(mesh.triangles.len(), 20 * 16 * 2);
        assert_closed("torus", &mesh.triangles, mesh.positions.len(), 0);
        assert!(volume(&mesh) > 0.0);
    }
}
