//! Where rays through a closed surface cross its triangles.

use std::collections::BTreeSet;

use sim_core::math::Vec3;

use super::octree::Octree;

/// A crossing of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::engine) struct Crossing {
    /// How far along the ray, in lengths of its direction.
    pub t: f64,
    /// 1 where it leaves, -1 where it enters.
    pub sign: i32,
}

/// A surface that rays are sent through.
pub(in crate::engine) struct Surface<'a> {
    points: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    octree: Octree,
}

impl<'a> Surface<'a> {
    /// A surface of triangles.
    pub fn new(points: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Self {
        Self { points, triangles, octree: Octree::new(points, triangles) }
    }

    /// The crossings of a ray in its order.
    ///
    /// **Source:** as SOFA's: of triangles that are found several times one stays, in whose place the last of all comes; this decides which
    /// of two crossings at the same place comes first.
    pub fn crossings(&self, origin: &Vec3, direction: &Vec3) -> Vec<Crossing> {
        let mut found = self.hits(origin, direction);
        let (mut seen, mut k) = (BTreeSet::new(), 0);
        while k < found.len() {
            if seen.insert(found[k].0) {
                k += 1;
            } else {
                found.swap_remove(k);
            }
        }
        let mut crossings: Vec<Crossing> = found.into_iter().map(|(_, c)| c).collect();
        crossings.sort_by(|a, b| a.t.total_cmp(&b.t));
        crossings
    }

    /// The triangles that a ray crosses and where, in the order in which they are found; some of them several times.
    pub fn hits(&self, origin: &Vec3, direction: &Vec3) -> Vec<(u32, Crossing)> {
        let candidates = self.octree.along(origin, direction);
        candidates.into_iter().filter_map(|t| Some((t, self.crossing(t, origin, direction)?))).collect()
    }

    /// Where the ray crosses a triangle, if it does.
    ///
    /// **Source:** Möller and Trumbore 1997, with the tolerances of SOFA: one rounding. Products are added without rounding them first, as
    /// SOFA does where it is compiled for a processor that can: where a ray runs through an edge, this decides whether one of the two
    /// triangles there is crossed, or none, or both, and so which points far outside are taken for inner ones.
    fn crossing(&self, triangle: u32, origin: &Vec3, direction: &Vec3) -> Option<Crossing> {
        const ROUNDING: f64 = f64::EPSILON;
        let [a, b, c] = self.triangles[triangle as usize].map(|i| self.points[i as usize]);
        let (ab, ac) = (b - a, c - a);
        let across = cross(direction, &ac);
        let det = dot(&ab, &across);
        if det.abs() <= ROUNDING {
            return None;
        }
        let (from, inverse) = (origin - a, 1.0 / det);
        let u = dot(&from, &across) * inverse;
        let turned = cross(&from, &ab);
        let v = dot(direction, &turned) * inverse;
        let t = dot(&ac, &turned) * inverse;
        let inside = (-ROUNDING..=1.0 + ROUNDING).contains(&u) && v >= -ROUNDING && u + v <= 1.0 + ROUNDING;
        let sign = if ab.cross(&ac).dot(direction) < 0.0 { -1 } else { 1 };
        (inside && t >= ROUNDING).then_some(Crossing { t, sign })
    }
}

/// The cross product, the first product of each entry fused.
#[expect(
    clippy::disallowed_methods,
    reason = "once, at init, with the bits of SOFA as it is compiled; the same on every machine"
)]
fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    let entry = |i: usize, j: usize| a[i].mul_add(b[j], -(a[j] * b[i]));
    Vec3::new(entry(1, 2), entry(2, 0), entry(0, 1))
}

/// The dot product, all products but the first fused.
#[expect(
    clippy::disallowed_methods,
    reason = "once, at init, with the bits of SOFA as it is compiled; the same on every machine"
)]
fn dot(a: &Vec3, b: &Vec3) -> f64 {
    a.z.mul_add(b.z, a.y.mul_add(b.y, a.x * b.x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_enters_and_leaves_a_tetrahedron() {
        let points = [[0.0; 3], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]].map(Vec3::from);
        let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let up = Vec3::new(0.0, 0.0, 0.5);
        let surface = Surface::new(&points, &triangles);
        let crossings = surface.crossings(&Vec3::new(0.5, 0.5, -1.0), &up);
        assert_eq!(crossings.len(), 2, "{crossings:?}");
        assert_eq!(crossings.iter().map(|c| c.sign).collect::<Vec<_>>(), [-1, 1]);
        assert!((crossings[0].t - 2.0).abs() < 1e-12 && (crossings[1].t - 6.0).abs() < 1e-12);
        assert!(surface.crossings(&Vec3::new(2.0, 2.0, -1.0), &up).is_empty());
        assert!(surface.crossings(&Vec3::new(-9.0, 2.0, -1.0), &up).is_empty());
    }
}
