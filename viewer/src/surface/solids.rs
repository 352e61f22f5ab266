//! Boxes, capsules and cylinders as meshes.

use components::collision::{CollisionModel, ModelKind};
use sim_core::math::Vec3;

use super::circles::circles;
use super::{Faces, Motion};

/// Segments of a circle.
const SEGMENTS: u32 = 16;
/// Circles of half a sphere.
const RINGS: u32 = 4;

/// The surfaces of a model's solids on a state, carried by its frames; of capsules on points, their axes and circles around their ends.
pub(super) fn surface(state: usize, model: &CollisionModel) -> (Motion, Faces) {
    if model.kind == ModelKind::LineCapsule {
        return line_capsules(state, model);
    }
    let mut mesh = Mesh { points: Vec::new(), faces: Faces::default(), frame: 0 };
    for (frame, sizes) in (0..).zip(model.sizes.chunks_exact(model.kind.sizes())) {
        mesh.frame = frame;
        match *sizes {
            [radius, half] => mesh.turned(Vec3::y(), &capsule(radius, half)),
            [x, y, z] => mesh.cuboid(Vec3::new(x, y, z)),
            [radius, half, x, y, z] => {
                let profile = [[0.0, -half], [radius, -half], [radius, half], [0.0, half]];
                mesh.turned(Vec3::new(x, y, z), &profile);
            }
            _ => {}
        }
    }
    (Motion::Carried(state, mesh.points), mesh.faces)
}

/// The profile of a capsule from one end to the other: distances from the axis, and places along it.
fn capsule(radius: f64, half: f64) -> Vec<[f64; 2]> {
    let quarter = |k: u32| f64::from(k) / f64::from(RINGS) * std::f64::consts::FRAC_PI_2;
    let up = (0..=RINGS).map(|k| [radius * quarter(k).cos(), half + radius * quarter(k).sin()]);
    let mut profile: Vec<_> = up.clone().rev().map(|[r, y]| [r, -y]).collect();
    profile.extend(up);
    profile
}

/// The surface that grows.
struct Mesh {
    points: Vec<(u32, Vec3)>,
    faces: Faces,
    frame: u32,
}

impl Mesh {
    fn cuboid(&mut self, half: Vec3) {
        let first = self.points.len() as u32;
        for k in 0..8 {
            let side = |axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] };
            self.points.push((self.frame, Vec3::new(side(0), side(1), side(2))));
        }
        const QUADS: [[u32; 4]; 6] =
            [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        self.faces.quads.extend(QUADS.map(|q| q.map(|v| first + v)));
    }

    /// A profile turned around an axis.
    fn turned(&mut self, axis: Vec3, profile: &[[f64; 2]]) {
        let side = if axis.x.abs() < 0.6 { Vec3::x() } else { Vec3::z() };
        let u = (side - axis * axis.dot(&side)).normalize();
        let w = u.cross(&axis);
        let first = self.points.len() as u32;
        for [radius, along] in profile {
            for k in 0..SEGMENTS {
                let (sin, cos) = (f64::from(k) / f64::from(SEGMENTS) * std::f64::consts::TAU).sin_cos();
                self.points.push((self.frame, (u * cos - w * sin) * *radius + axis * *along));
            }
        }
        for ring in 0..profile.len() as u32 - 1 {
            for k in 0..SEGMENTS {
                let (a, b) = (first + ring * SEGMENTS, first + (ring + 1) * SEGMENTS);
                let next = (k + 1) % SEGMENTS;
                self.faces.quads.push([a + k, a + next, b + next, b + k]);
            }
        }
    }
}

fn line_capsules(state: usize, model: &CollisionModel) -> (Motion, Faces) {
    let (mut points, mut lines) = (Vec::new(), Vec::new());
    for (e, radius) in model.elements.iter().zip(&model.sizes) {
        let first = points.len() as u32;
        let [a, b, _] = e.vertices;
        points.extend([(a, Vec3::zeros()), (b, Vec3::zeros())]);
        lines.push([first, first + 1]);
        [a, b].into_iter().for_each(|v| circles(v, *radius, &mut points, &mut lines));
    }
    (Motion::Beside(state, points), Faces { lines, ..Faces::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use components::collision::Padded;

    fn list<T>(default: T) -> Padded<T> {
        Padded { attribute: "test", list: Vec::new(), default }
    }

    /// The volume that faces enclose, seen from outside, where frames are at rest [m^3].
    fn volume(model: &CollisionModel) -> f64 {
        let (motion, faces) = surface(0, model);
        let Motion::Carried(0, points) = motion else { panic!("frames carry it") };
        let at = |v: u32| points[v as usize].1;
        faces.triangulated().map(|[a, b, c]| at(a).dot(&at(b).cross(&at(c))) / 6.0).sum()
    }

    #[test]
    fn surfaces_enclose_their_solids() {
        let boxes = CollisionModel::boxes(2, &list(Vec3::new(0.5, 0.3, 0.2))).unwrap();
        assert!((volume(&boxes) - 2.0 * 8.0 * 0.03).abs() < 1e-12);
        let axis = Vec3::new(1.0, 2.0, -1.0);
        let cylinders =
            CollisionModel::cylinders(1, &list(0.5), &list(2.0 / axis.norm()), &list(axis)).unwrap();
        let disc = f64::from(SEGMENTS) / 2.0 * (std::f64::consts::TAU / f64::from(SEGMENTS)).sin() * 0.25;
        assert!((volume(&cylinders) - 2.0 * disc).abs() < 1e-12, "{}", volume(&cylinders));
        let capsules = CollisionModel::capsules(1, &list(0.5), &list(1.0)).unwrap();
        let exact = std::f64::consts::PI * (0.25 + 4.0 / 3.0 * 0.125);
        assert!((volume(&capsules) / exact - 1.0).abs() < 0.08, "{} is not {exact}", volume(&capsules));
    }
}
