//! Where rays through a closed surface cross its triangles.

use sim_core::math::Vec3;

/// A crossing of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    /// How far along the ray, in lengths of its direction.
    pub t: f64,
    /// 1 where it leaves, -1 where it enters.
    pub sign: i32,
}

/// The triangles of a surface, sorted into squares of the plane across a direction.
pub(super) struct Across<'a> {
    points: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    axes: [Vec3; 2],
    low: [f64; 2],
    width: f64,
    n: [usize; 2],
    /// The triangles that are over each square.
    squares: Vec<Vec<u32>>,
}

/// The most squares along an axis.
const MOST: usize = 1024;

impl<'a> Across<'a> {
    /// The triangles as seen along a direction.
    pub fn new(points: &'a [Vec3], triangles: &'a [[u32; 3]], direction: Vec3) -> Self {
        let other = if direction.x.abs() > direction.y.abs() { Vec3::y() } else { Vec3::x() };
        let first = direction.cross(&other).normalize();
        let axes = [first, first.cross(&direction).normalize()];
        let seen: Vec<[f64; 2]> = points.iter().map(|p| axes.map(|a| a.dot(p))).collect();
        let extreme = |k: usize, start: f64, f: fn(f64, f64) -> f64| seen.iter().map(|p| p[k]).fold(start, f);
        let low = [0, 1].map(|k| extreme(k, f64::INFINITY, f64::min));
        let high = [0, 1].map(|k| extreme(k, f64::NEG_INFINITY, f64::max));
        let size = (high[0] - low[0]).max(high[1] - low[1]).max(f64::MIN_POSITIVE);
        let width = (direction.norm() / 2.0).max(size / MOST as f64);
        let n = [0, 1].map(|k| ((high[k] - low[k]) / width) as usize + 1);
        let mut squares: Vec<Vec<u32>> = vec![Vec::new(); n[0] * n[1]];
        let margin = size * 1e-9;
        for (triangle, corners) in triangles.iter().enumerate() {
            let corners = corners.map(|c| seen[c as usize]);
            let range = |k: usize| {
                let least = corners.iter().map(|c| c[k]).fold(f64::INFINITY, f64::min) - margin;
                let most = corners.iter().map(|c| c[k]).fold(f64::NEG_INFINITY, f64::max) + margin;
                square(least, low[k], width, n[k])..=square(most, low[k], width, n[k])
            };
            for (i, j) in range(0).flat_map(|i| range(1).map(move |j| (i, j))) {
                squares[i + n[0] * j].push(triangle as u32);
            }
        }
        Self { points, triangles, axes, low, width, n, squares }
    }

    /// The crossings of a ray in its order; its direction is nearly that of all.
    pub fn crossings(&self, origin: &Vec3, direction: &Vec3) -> Vec<Crossing> {
        let [i, j] = [0, 1].map(|k| square(self.axes[k].dot(origin), self.low[k], self.width, self.n[k]));
        let over = &self.squares[i + self.n[0] * j];
        let mut crossings: Vec<Crossing> =
            over.iter().filter_map(|t| self.crossing(*t, origin, direction)).collect();
        crossings.sort_by(|a, b| a.t.total_cmp(&b.t));
        crossings
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

/// The number of the square along an axis; what is below is in the first one, what is beyond in the last.
fn square(at: f64, low: f64, width: f64, n: usize) -> usize {
    // Casting saturates.
    (((at - low) / width) as usize).min(n - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_enters_and_leaves_a_tetrahedron() {
        let points = [[0.0; 3], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]].map(Vec3::from);
        let triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let up = Vec3::new(0.0, 0.0, 0.5);
        let across = Across::new(&points, &triangles, up);
        let crossings = across.crossings(&Vec3::new(0.5, 0.5, -1.0), &up);
        assert_eq!(crossings.len(), 2, "{crossings:?}");
        assert_eq!(crossings.iter().map(|c| c.sign).collect::<Vec<_>>(), [-1, 1]);
        assert!((crossings[0].t - 2.0).abs() < 1e-12 && (crossings[1].t - 6.0).abs() < 1e-12);
        assert!(across.crossings(&Vec3::new(2.0, 2.0, -1.0), &up).is_empty());
        assert!(across.crossings(&Vec3::new(-9.0, 2.0, -1.0), &up).is_empty());
    }
}
