//! What is under the cursor, and which degree of freedom holds it.

use sim_core::math::{Real, Vec3, rotate};

use crate::camera::Bounds;
use crate::surface::{Motion, Rows, Surface};

/// A place on a body that can be pulled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// The state: its place among the states.
    pub state: usize,
    /// The point or the frame.
    pub index: u32,
    /// Where the place is in the axes of a frame [m]; zero for points.
    pub local: Vec3,
    /// Where it is now [m].
    pub at: Vec3,
    /// How far it is along the ray [m].
    pub depth: Real,
    /// Where the ray goes.
    pub direction: Vec3,
}

impl Grip {
    /// Where the place is in a later state [m].
    pub fn place(&self, rows: &Rows) -> Vec3 {
        let index = self.index as usize;
        match rows.frame(index) {
            Some((center, q)) => center + rotate(&q, &self.local),
            None => rows.point(index),
        }
    }
}

/// The nearest place on any of the surfaces that a ray meets.
///
/// # Cost
/// All points, and all triangles of the surfaces whose box the ray meets: a click's time, not a frame's.
pub fn pick<'s>(
    surfaces: impl Iterator<Item = &'s Surface>,
    states: &[Rows],
    origin: &Vec3,
    direction: &Vec3,
) -> Option<Grip> {
    let mut nearest: Option<(Real, Option<Grip>)> = None;
    for s in surfaces {
        let points = s.motion.points(states);
        let is_near = Bounds::around(points.iter().copied()).is_some_and(|b| enters(origin, direction, &b));
        if !is_near {
            continue;
        }
        for t in s.faces.triangulated() {
            let Some(corners) = corners(&points, &t) else { continue };
            let Some(depth) = meets(origin, direction, &corners) else { continue };
            if nearest.as_ref().is_none_or(|(d, _)| depth < *d) {
                let at = origin + direction * depth;
                let vertex = t[nearest_of(&corners, &at)];
                nearest = Some((depth, grip(&s.motion, states, vertex, (&at, depth, direction))));
            }
        }
    }
    // What stands in front and cannot be pulled hides what is behind it.
    nearest.and_then(|(_, grip)| grip)
}

fn corners(points: &[Vec3], t: &[u32; 3]) -> Option<[Vec3; 3]> {
    Some([*points.get(t[0] as usize)?, *points.get(t[1] as usize)?, *points.get(t[2] as usize)?])
}

fn nearest_of(corners: &[Vec3; 3], at: &Vec3) -> usize {
    let distance = |k: &usize| (corners[*k] - at).norm_squared();
    (0..3).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(0)
}

/// Whether a ray meets a box.
fn enters(origin: &Vec3, direction: &Vec3, bounds: &Bounds) -> bool {
    let (mut near, mut far) = (0.0, Real::INFINITY);
    for k in 0..3 {
        if direction[k] == 0.0 {
            if origin[k] < bounds.min[k] || origin[k] > bounds.max[k] {
                return false;
            }
            continue;
        }
        let [a, b] = [bounds.min[k], bounds.max[k]].map(|c| (c - origin[k]) / direction[k]);
        (near, far) = (a.min(b).max(near), a.max(b).min(far));
    }
    near <= far
}

/// Where along a ray it meets a triangle from either side; after Möller and Trumbore (1997).
fn meets(origin: &Vec3, direction: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<Real> {
    let (u, v) = (b - a, c - a);
    let p = direction.cross(&v);
    let determinant = u.dot(&p);
    if determinant.abs() < 1e-300 {
        return None;
    }
    let from = origin - a;
    let s = from.dot(&p) / determinant;
    let q = from.cross(&u);
    let t = direction.dot(&q) / determinant;
    let depth = v.dot(&q) / determinant;
    (s >= 0.0 && t >= 0.0 && s + t <= 1.0 && depth > 0.0).then_some(depth)
}

/// The degree of freedom that holds a place near a vertex of a surface.
fn grip(
    motion: &Motion,
    states: &[Rows],
    vertex: u32,
    (at, depth, direction): (&Vec3, Real, &Vec3),
) -> Option<Grip> {
    let state = motion.state()?;
    let rows = states.get(state)?;
    let index = match motion {
        Motion::Still(_) => return None,
        Motion::Points(..) => vertex,
        Motion::Beside(_, points) | Motion::Carried(_, points) => points.get(vertex as usize)?.0,
        Motion::Frame(..) => 0,
        Motion::Weighted(_, weights) => {
            let w = weights.get(vertex as usize)?;
            let most = (0..w.n).max_by(|a, b| w.weights[*a].total_cmp(&w.weights[*b]))?;
            w.nodes[most]
        }
    };
    let local = rows
        .frame(index as usize)
        .map_or_else(Vec3::zeros, |(center, q)| rotate(&q.conjugate(), &(at - center)));
    Some(Grip { state, index, local, at: *at, depth, direction: *direction })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Faces, Role};

    fn triangle(motion: Motion) -> Surface {
        let faces = Faces { triangles: vec![[0, 1, 2]], ..Faces::default() };
        Surface::new(String::new(), Role::Visual, None, motion, faces, [1.0; 4])
    }

    fn states() -> Vec<Rows> {
        let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        let h = 0.5f64.sqrt();
        // The frame is turned by a quarter about z, and lies farther away.
        let frame = vec![0.0, 0.0, -3.0, 0.0, 0.0, h, h];
        vec![Rows { stride: 3, values: points.to_vec() }, Rows { stride: 7, values: frame }]
    }

    #[test]
    fn the_nearest_surface_is_picked_and_its_nearest_point_is_held() {
        let corners = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let near = triangle(Motion::Points(0, 3));
        let far = triangle(Motion::Frame(1, vec![Vec3::zeros(), Vec3::x(), Vec3::y() * -1.0]));
        let all = [far, near];
        let origin = Vec3::new(0.7, 0.1, 5.0);
        let grip = pick(all.iter(), &states(), &origin, &-Vec3::z()).expect("it is met");
        assert_eq!((grip.state, grip.index, grip.local), (0, 1, Vec3::zeros()));
        assert!((grip.depth - 5.0).abs() < 1e-12 && (grip.at - Vec3::new(0.7, 0.1, 0.0)).norm() < 1e-12);
        assert_eq!(pick(all.iter(), &states(), &Vec3::new(3.0, 3.0, 5.0), &-Vec3::z()), None);
        let wall = triangle(Motion::Still(corners.iter().map(|c| c + Vec3::z()).collect()));
        let hidden = [wall, triangle(Motion::Points(0, 3))];
        let behind = pick(hidden.iter(), &states(), &origin, &-Vec3::z());
        assert_eq!(behind, None, "a wall in front hides it, and cannot be pulled");
    }

    #[test]
    fn a_ray_enters_a_box_or_passes_it() {
        let bounds = Bounds { min: Vec3::zeros(), max: Vec3::new(1.0, 1.0, 0.0) };
        for (origin, direction, expected) in [
            ([0.5, 0.5, 3.0], [0.0, 0.0, -1.0], true),
            ([0.5, 0.5, 3.0], [0.0, 0.0, 1.0], false),
            ([1.5, 0.5, 3.0], [0.0, 0.0, -1.0], false),
            ([1.5, 0.5, 1.0], [-0.7, 0.0, -0.7], true),
            ([0.0, 0.0, 1.0], [0.0, 0.0, -1.0], true),
            ([0.5, 2.0, 0.0], [0.0, -1.0, 0.0], true),
        ] {
            assert_eq!(enters(&origin.into(), &direction.into(), &bounds), expected, "{origin:?}");
        }
    }

    #[test]
    fn a_place_on_a_frame_is_kept_in_its_axes() {
        let surface = triangle(Motion::Frame(1, vec![Vec3::zeros(), Vec3::x(), -Vec3::y()]));
        // Turned by a quarter, the triangle spans (0, 0), (0, 1), (1, 0).
        let grip = pick(std::iter::once(&surface), &states(), &Vec3::new(0.2, 0.3, 5.0), &-Vec3::z())
            .expect("it is met");
        assert_eq!((grip.state, grip.index), (1, 0));
        assert!((grip.local - Vec3::new(0.3, -0.2, 0.0)).norm() < 1e-12, "{}", grip.local);
    }
}
