//! `GridMeshCreator` and `StringMeshCreator`: loaders that make their meshes.

use std::collections::BTreeSet;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;

use super::mesh_loader::{Finishing, offer};
use crate::mesh::{self, Mesh, MeshFormat};

/// A square of cells in the plane z = 0, from 0 to 1 along x and y.
#[derive(Attributes)]
#[attributes(ignored("filename"))]
struct Grid {
    /// points along x and y, at least 2
    #[attribute(default = "2 2")]
    resolution: [i64; 2],
    /// 0: quads; 1: triangles with alternating diagonals; 2, 3: triangles with the one or the other diagonal
    #[attribute(default = "2")]
    triangle_pattern: i64,
    #[attribute(flatten)]
    finishing: Finishing,
}

/// A row of edges along x, from 0 to 1.
#[derive(Attributes)]
#[attributes(ignored("filename"))]
struct Line {
    /// points, at least 2
    #[attribute(default = "2")]
    resolution: i64,
    #[attribute(flatten)]
    finishing: Finishing,
}

/// The components.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<Grid>(Family::Loader, "GridMeshCreator", |b| {
        let s = Grid::read(b)?;
        let [nx, ny] = [count(s.resolution[0])?, count(s.resolution[1])?];
        if !(0..=3).contains(&s.triangle_pattern) {
            let text = format!("`trianglePattern` is 0, 1, 2 or 3, not {}", s.triangle_pattern);
            return Err(BuildError::attribute("trianglePattern", text));
        }
        finish(b, grid(nx, ny, s.triangle_pattern), &s.finishing)
    }),
    ComponentDescription::new::<Line>(Family::Loader, "StringMeshCreator", |b| {
        let s = Line::read(b)?;
        let mesh = line(count(s.resolution)?);
        finish(b, mesh, &s.finishing)
    }),
];

fn finish(b: &mut Builder<'_>, mut mesh: Mesh, finishing: &Finishing) -> Result<(), BuildError> {
    // As for a VTK file: no faces and edges are added unless asked for.
    mesh::finish(&mut mesh, MeshFormat::Vtk, &finishing.options());
    offer(b, mesh);
    Ok(())
}

fn count(points: i64) -> Result<u32, BuildError> {
    u32::try_from(points).ok().filter(|n| (2..=10_000).contains(n)).ok_or_else(|| {
        let text = format!("`resolution` asks for {points} points; it must be between 2 and 10000");
        BuildError::attribute("resolution", text)
    })
}

/// **Source:** as SOFA's: points with x running fastest; edges are those of the faces, each once in the direction of its first face,
/// ascending.
fn grid(nx: u32, ny: u32, pattern: i64) -> Mesh {
    let at = |i: u32, n: u32| f64::from(i) / f64::from(n - 1);
    let mut mesh = Mesh {
        positions: (0..nx * ny).map(|i| Vec3::new(at(i % nx, nx), at(i / nx, ny), 0.0)).collect(),
        ..Mesh::default()
    };
    let mut edges = BTreeSet::new();
    let mut add = |nodes: &[u32]| {
        for (k, a) in nodes.iter().enumerate() {
            let b = nodes[(k + 1) % nodes.len()];
            if !edges.contains(&[b, *a]) {
                edges.insert([*a, b]);
            }
        }
    };
    for y in 0..ny - 1 {
        for x in 0..nx - 1 {
            let [a, b, c, d] = [x + nx * y, x + 1 + nx * y, x + 1 + nx * (y + 1), x + nx * (y + 1)];
            let other = pattern == 3 || (pattern == 1 && (x + y) % 2 == 1);
            if pattern == 0 {
                add(&[a, b, c, d]);
                mesh.quads.push([a, b, c, d]);
            } else {
                let halves = if other { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] };
                halves.iter().for_each(|t| add(t));
                mesh.triangles.extend(halves);
            }
        }
    }
    mesh.edges = edges.into_iter().collect();
    mesh
}

fn line(n: u32) -> Mesh {
    Mesh {
        positions: (0..n).map(|i| Vec3::x() * (f64::from(i) / f64::from(n - 1))).collect(),
        edges: (1..n).map(|i| [i - 1, i]).collect(),
        ..Mesh::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cut_cells_along_one_diagonal_or_the_other() {
        let quads = grid(3, 2, 0);
        assert_eq!((quads.quads.as_slice(), quads.edges.len()), (&[[0, 1, 4, 3], [1, 2, 5, 4]][..], 7));
        assert_eq!(grid(3, 2, 2).triangles, [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]);
        assert_eq!(grid(3, 2, 3).triangles[..2], [[0, 1, 3], [1, 4, 3]]);
        let mixed = grid(3, 2, 1);
        assert_eq!(mixed.triangles, [[0, 1, 4], [0, 4, 3], [1, 2, 4], [2, 5, 4]]);
        assert_eq!(mixed.edges.len(), 9);
        assert!(mixed.edges.is_sorted());
        assert_eq!(mixed.positions[4], Vec3::new(0.5, 1.0, 0.0));
    }

    #[test]
    fn an_edge_keeps_its_first_direction() {
        // The edge from 1 to 4 is that of the first triangle; its neighbor runs from 4 to 1.
        let edges = grid(3, 2, 2).edges;
        assert!(edges.contains(&[1, 4]) && !edges.contains(&[4, 1]));
        assert!(edges.contains(&[4, 3]), "counter-clockwise around the first cell");
    }

    #[test]
    fn a_line_has_one_edge_less_than_points() {
        let m = line(5);
        assert_eq!((m.positions[1].x, m.edges[3]), (0.25, [3, 4]));
        assert!(count(1).is_err() && count(-3).is_err());
    }
}
