//! `MeshClosingEngine`: the holes of a surface closed by fans of triangles.

use std::collections::{BTreeMap, BTreeSet};

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// A surface whose holes are closed, each by a fan of triangles around a new point in the middle of its border.
#[derive(Attributes)]
#[attributes(ignored("position", "triangles", "quads", "indices", "closingPosition", "closingTriangles"))]
struct Settings {
    /// points of the surface [m]
    input_position: Vec<Vec3>,
    /// its triangles
    input_triangles: Option<IndexRows<3>>,
    /// its quads
    input_quads: Option<IndexRows<4>>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MeshClosingEngine", build).templates(&["Vec3"]);

/// The mesh with its fans, and the fans alone.
#[derive(Debug, Default, PartialEq)]
struct Closed {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Per hole, the points of its border and the one in its middle.
    holes: Vec<Vec<u32>>,
    fan_points: Vec<Vec3>,
    fan_triangles: Vec<[u32; 3]>,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n = s.input_position.len();
    let triangles = s.input_triangles.map(|t| t.below(n)).transpose()?.unwrap_or_default();
    let quads = s.input_quads.map(|q| q.below(n)).transpose()?.unwrap_or_default();
    let closed = close(s.input_position, triangles, &quads);
    b.offer("position", Value::from_points(&closed.points));
    b.offer("triangles", Value::from_rows(&closed.triangles));
    b.offer("quads", Value::from_rows(&quads));
    b.offer("indices", Value::Integers(closed.holes.iter().flatten().map(|p| i64::from(*p)).collect()));
    b.offer("closingPosition", Value::from_points(&closed.fan_points));
    b.offer("closingTriangles", Value::from_rows(&closed.fan_triangles));
    Ok(())
}

/// Closes the holes of a surface.
///
/// **Source:** as SOFA's: edges that are run through in one direction only are a border, and of several that leave a point the one to the
/// greatest point is followed.
fn close(points: Vec<Vec3>, triangles: Vec<[u32; 3]>, quads: &[[u32; 4]]) -> Closed {
    let mut next = BTreeMap::new();
    for (from, to) in border(&triangles, quads) {
        next.insert(from, to);
    }
    let mut closed = Closed { points, triangles, ..Closed::default() };
    while let Some((first, _)) = next.first_key_value() {
        let first = *first;
        // A border that does not come back to its beginning ends where it ends, and its last point counts as its first.
        let (mut walk, mut at) = (vec![first], first);
        while let Some(to) = next.remove(&at) {
            walk.push(to);
            at = to;
            if at == first {
                break;
            }
        }
        walk.pop();
        if walk.len() >= 2 {
            closed.fan(&walk);
        }
    }
    closed
}

/// The edges that are run through in one direction only, as they are run through.
fn border(triangles: &[[u32; 3]], quads: &[[u32; 4]]) -> BTreeSet<(u32, u32)> {
    let mut edges = BTreeSet::new();
    for face in triangles.iter().map(|t| &t[..]).chain(quads.iter().map(|q| &q[..])) {
        for (k, to) in face.iter().enumerate() {
            let from = face[(k + face.len() - 1) % face.len()];
            if !edges.remove(&(*to, from)) {
                edges.insert((from, *to));
            }
        }
    }
    edges
}

impl Closed {
    /// Adds a point in the middle of a border, and the triangles between it and the border.
    fn fan(&mut self, border: &[u32]) {
        let (n, middle) = (border.len(), self.points.len() as u32);
        let base = self.fan_points.len() as u32;
        let own_middle = base + n as u32;
        let centroid = border.iter().map(|p| self.points[*p as usize]).sum::<Vec3>() / n as f64;
        for (k, p) in border.iter().enumerate() {
            let before = (k + n - 1) % n;
            self.fan_points.push(self.points[*p as usize]);
            self.fan_triangles.push([own_middle, base + k as u32, base + before as u32]);
            self.triangles.push([middle, *p, border[before]]);
        }
        self.fan_points.push(centroid);
        self.points.push(centroid);
        let mut hole = border.to_vec();
        hole.push(middle);
        self.holes.push(hole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    /// Six times the volume that a surface encloses.
    fn volume(x: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
        let at = |t: &[u32; 3]| t.map(|p| x[p as usize]);
        triangles.iter().map(at).map(|[a, b, c]| a.dot(&b.cross(&c))).sum()
    }

    #[test]
    fn a_cube_without_lid_and_bottom_is_a_cube_again() {
        let corner = |k: u32| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
        let x: Vec<Vec3> = (0..8).map(corner).collect();
        let sides = [[0, 1, 5, 4], [1, 3, 7, 5], [3, 2, 6, 7], [2, 0, 4, 6]];
        let closed = close(x, vec![], &sides);
        assert_eq!(closed.holes, [[0, 1, 3, 2, 8], [4, 6, 7, 5, 9]]);
        let mut all = closed.triangles.clone();
        all.extend(sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]));
        assert!((volume(&closed.points, &all) - 6.0).abs() < 1e-15);
        assert!(border(&all, &[]).is_empty(), "nothing is left open");
        assert_eq!((closed.fan_points.len(), closed.fan_triangles.len()), (10, 8));
        let of_fan: f64 = closed
            .fan_triangles
            .iter()
            .map(|t| t.map(|p| closed.fan_points[p as usize]))
            .map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0)
            .sum();
        assert!((of_fan - 2.0).abs() < 1e-15, "the area of both holes");
    }

    #[test]
    fn what_is_closed_stays_and_wrong_indices_are_named() {
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let x = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        let closed = close(x.clone(), tetrahedron.to_vec(), &[]);
        assert_eq!(closed, Closed { points: x, triangles: tetrahedron.to_vec(), ..Closed::default() });
        let mut t = TestScene::new();
        let root = t.root();
        let wrong = [("inputPosition", "0 0 0"), ("inputTriangles", "0 1 2")];
        assert!(t.add(&DESCRIPTION, root, &wrong).is_err());
    }
}
