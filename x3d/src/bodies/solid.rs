//! Solids that collide.

use crate::shape::primitives;

/// A solid in its own coordinates, about the origin but for meshes.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// A ball of a radius \[m\].
    Ball(f64),
    /// A box of a size \[m\].
    Box([f64; 3]),
    /// A cylinder along y: radius and height \[m\].
    Cylinder([f64; 2]),
    /// What has a surface.
    Surface(Surface),
}

/// Triangles between points \[m\].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The points.
    pub points: Vec<[f64; 3]>,
    /// The triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Solid {
    /// Half of its smallest extent along the axes; of what is flat, the next one \[m\].
    pub fn half_extent(&self) -> f64 {
        match self {
            Self::Ball(radius) => *radius,
            Self::Box(size) => 0.5 * size.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Cylinder([radius, height]) => radius.min(0.5 * height),
            Self::Surface(surface) => {
                let extents = surface.extents();
                let largest = extents.into_iter().fold(0.0, f64::max);
                let solid = extents.into_iter().filter(|e| *e > 1e-3 * largest);
                0.5 * solid.fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// The greatest distance of its points from the origin \[m\].
    pub fn reach(&self) -> f64 {
        let norm = |p: &[f64; 3]| p.iter().map(|c| c * c).sum::<f64>().sqrt();
        match self {
            Self::Ball(radius) => *radius,
            Self::Box(size) => 0.5 * norm(size),
            Self::Cylinder([radius, height]) => radius.hypot(0.5 * height),
            Self::Surface(surface) => surface.points.iter().map(norm).fold(0.0, f64::max),
        }
    }

    /// Its surface, that much within it on all sides; of a mesh, the mesh itself. A ball has none.
    pub fn surface(&self, within: f64) -> Option<Surface> {
        let mesh = match self {
            Self::Ball(_) => return None,
            Self::Box(size) => primitives::cuboid(size.map(|s| s - 2.0 * within)),
            Self::Cylinder([radius, height]) => {
                primitives::cylinder(radius - within, height - 2.0 * within, true, true, true)
            }
            Self::Surface(surface) => return Some(surface.clone()),
        };
        Some(Surface { points: mesh.points, triangles: mesh.triangles })
    }
}

impl Surface {
    fn extents(&self) -> [f64; 3] {
        std::array::from_fn(|k| {
            let along = self.points.iter().map(|p| p[k]);
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), c| (l.min(c), h.max(c)));
            (high - low).max(0.0)
        })
    }

    /// The same with points that lie in one place as one: surfaces that are closed become closed.
    pub(super) fn joined(self) -> Self {
        let mut order: Vec<u32> = (0..self.points.len() as u32).collect();
        let key = |k: &u32| self.points[*k as usize].map(|c| (c + 0.0).to_bits());
        order.sort_by_key(|k| (key(k), *k));
        let mut first_of = vec![0; self.points.len()];
        let mut first = 0;
        for (n, k) in order.iter().enumerate() {
            if n == 0 || key(k) != key(&order[n - 1]) {
                first = *k;
            }
            first_of[*k as usize] = first;
        }
        let triangles = self.triangles.iter().map(|t| t.map(|i| first_of[i as usize]));
        let triangles: Vec<[u32; 3]> = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        let mut numbers = vec![None; self.points.len()];
        let mut points = Vec::new();
        let mut number = |i: u32| {
            *numbers[i as usize].get_or_insert_with(|| {
                points.push(self.points[i as usize]);
                points.len() as u32 - 1
            })
        };
        let triangles = triangles.into_iter().map(|t| t.map(&mut number)).collect();
        Self { points, triangles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_within_touches_where_the_solid_ends() {
        let size = [1.0, 2.0, 3.0];
        let inner = Solid::Box(size).surface(0.1).expect("a surface");
        assert!(inner.extents().iter().zip([0.8, 1.8, 2.8]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(Solid::Box(size).half_extent(), 0.5);
        assert!((Solid::Cylinder([3.0, 8.0]).reach() - 5.0).abs() < 1e-12);
        assert_eq!(Solid::Ball(2.0).surface(0.1), None);
    }

    #[test]
    fn points_in_one_place_become_one() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.0, 0.0, 0.0], [9.0; 3]];
        let surface = Surface { points, triangles: vec![[0, 1, 2], [3, 2, 1], [0, 3, 1]] }.joined();
        assert_eq!(surface.points.len(), 3, "{surface:?}");
        assert_eq!(surface.triangles, [[0, 1, 2], [0, 2, 1]]);
    }
}
