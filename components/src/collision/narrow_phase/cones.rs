//! The cones of directions in which elements accept contacts: those that lead out of the surface around them.

use sim_core::math::Vec3;

use crate::collision::{ModelKind, ModelView};

/// Which directions the elements of a surface accept.
///
/// **Source:** as SOFA's LocalMinDistance (`testValidity`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cones {
    /// `angleCone` (0): by how much each cone is wider, as the sine of an angle.
    pub angle: f64,
    /// `coneFactor` (0.5): which share of the angle between a surface and its side counts to the cone.
    pub factor: f64,
}

/// Below this length the normals around a point are taken to cancel.
const NO_NORMAL: f64 = 1e-10;
/// A line without two triangles accepts directions that are so nearly perpendicular to it.
const PERPENDICULAR: f64 = 1e-4;

impl Cones {
    /// Whether element `i` of a model accepts a contact in direction `d`, which leads from the element to the other's point.
    #[inline]
    pub(super) fn accept(&self, model: &ModelView, i: u32, d: &Vec3) -> bool {
        let x = model.positions.points();
        match model.kind {
            ModelKind::Triangle | ModelKind::TriangleOctree => {
                model.both_side || triangle_accepts(model, x, i, d)
            }
            ModelKind::Line => self.line_accepts(model, x, i, d),
            ModelKind::Point => model.surroundings.are_unknown() || self.point_accepts(model, x, i, d),
            ModelKind::Sphere | ModelKind::RigidSphere => true,
            ModelKind::Box | ModelKind::Capsule | ModelKind::LineCapsule | ModelKind::Cylinder => true,
        }
    }

    /// The sine down to which directions are accepted against `side`, a direction of the surface whose mean normal is given.
    #[inline]
    fn sine(&self, mean: &Vec3, side: &Vec3) -> f64 {
        (mean.dot(side) * self.factor).max(0.0) + self.angle
    }

    /// Of a line between two triangles: outside of both, or within the cone beside each.
    fn line_accepts(&self, model: &ModelView, x: &[Vec3], i: u32, d: &Vec3) -> bool {
        let [a, b, _] = model.elements[i as usize].vertices;
        let along = unit(x[b as usize] - x[a as usize]);
        let Some([right, left]) = model.surroundings.sides(i) else {
            return along.dot(&unit(*d)).abs() <= self.angle + PERPENDICULAR;
        };
        let (n_right, n_left) = (normal(x, right), normal(x, left));
        let sides = [unit(n_right.cross(&along)), unit(along.cross(&n_left))];
        let mean = unit(n_right + n_left);
        if mean.dot(d) < 0.0 && !model.both_side {
            return false;
        }
        let length = d.norm();
        sides.iter().all(|side| side.dot(d) >= -self.sine(&mean, side) * length)
    }

    /// Of a point: outside of the surface around it, and away from each of its edges or within the cone beside it.
    fn point_accepts(&self, model: &ModelView, x: &[Vec3], i: u32, d: &Vec3) -> bool {
        let p = x[i as usize];
        let away = |[a, b]: [u32; 2]| unit((p - x[a as usize]) + (p - x[b as usize]));
        let around = model.surroundings;
        let mut mean = around.triangles(i).fold(Vec3::zeros(), |sum, t| sum + normal(x, t));
        if around.triangles(i).next().is_none() {
            mean = around.edges(i).fold(Vec3::zeros(), |sum, e| sum + away(e));
        }
        let length = d.norm();
        if mean.norm() > NO_NORMAL {
            mean = unit(mean);
            if mean.dot(d) < -self.angle * length && !model.both_side {
                return false;
            }
        }
        around.edges(i).map(away).all(|side| side.dot(d) >= -self.sine(&mean, &side) * length)
    }
}

/// Whether a direction leads to the side of a triangle from which its points run counterclockwise.
fn triangle_accepts(model: &ModelView, x: &[Vec3], i: u32, d: &Vec3) -> bool {
    let [a, b, c] = model.elements[i as usize].vertices.map(|v| x[v as usize]);
    (b - a).cross(&(c - a)).dot(d) >= 0.0
}

fn normal(x: &[Vec3], triangle: [u32; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|v| x[v as usize]);
    unit((b - a).cross(&(c - a)))
}

/// The unit vector along `v`; what is too short for one stays as it is, as in SOFA.
#[inline]
fn unit(v: Vec3) -> Vec3 {
    let length = v.norm();
    if length > f64::EPSILON { v / length } else { v }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::test_meshes::Body;

    const PLAIN: Cones = Cones { angle: 0.0, factor: 0.5 };
    /// A roof whose ridge (0, 1) runs along y: its slopes fall by 45 degrees to x = 1 and x = -1.
    const ROOF: [[f64; 3]; 4] = [[0.0, 0.0, 1.0], [0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    const SLOPES: [[u32; 3]; 2] = [[0, 2, 1], [0, 1, 3]];

    /// A direction in the plane across the ridge, by its angle from the vertical [degrees].
    fn across(angle: f64) -> Vec3 {
        let (s, c) = angle.to_radians().sin_cos();
        Vec3::new(s, 0.0, c) * 0.3
    }

    /// The largest angle that is accepted with all below it, to a hundredth of a degree.
    fn widest(accepts: impl Fn(f64) -> bool) -> f64 {
        let last = (0..18000).take_while(|&k| accepts(f64::from(k) * 0.01)).last();
        last.map_or(f64::NAN, |k| f64::from(k) * 0.01)
    }

    fn ridge(body: &Body) -> u32 {
        let is = |e: &crate::collision::Element| e.vertices[..2] == [0, 1] || e.vertices[..2] == [1, 0];
        body.model.elements.iter().position(is).unwrap() as u32
    }

    #[test]
    fn a_triangle_accepts_its_outer_side() {
        let mut body = Body::triangles(&[[0, 1, 2]], &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert!(PLAIN.accept(&body.view(), 0, &Vec3::z()) && PLAIN.accept(&body.view(), 0, &Vec3::x()));
        assert!(!PLAIN.accept(&body.view(), 0, &-Vec3::z()));
        body.both_side = true;
        assert!(PLAIN.accept(&body.view(), 0, &-Vec3::z()));
    }

    /// Each side makes 45 degrees with the mean normal: the cosine times the factor is the sine by which directions may lean over it.
    #[test]
    fn a_ridge_accepts_what_lies_between_its_slopes() {
        let mut body = Body::surface_lines(&SLOPES, &ROOF);
        let i = ridge(&body);
        let at = |cones: Cones, body: &Body| {
            let both = [1.0, -1.0].map(|sign| widest(|a| cones.accept(&body.view(), i, &across(sign * a))));
            assert!((both[0] - both[1]).abs() < 0.02, "{both:?}: the roof is symmetric");
            both[0]
        };
        let root = 0.5_f64.sqrt();
        let expected = |sine: f64| 45.0 + sine.asin().to_degrees();
        assert!((at(Cones { angle: 0.0, factor: 0.0 }, &body) - expected(0.0)).abs() < 0.02);
        assert!((at(PLAIN, &body) - expected(0.5 * root)).abs() < 0.02);
        assert!((at(Cones { angle: 0.1, factor: 0.5 }, &body) - expected(0.5 * root + 0.1)).abs() < 0.02);
        // So wide that the mean normal decides, unless both sides repel.
        let wide = Cones { angle: 0.95, factor: 0.5 };
        assert!((at(wide, &body) - 90.0).abs() < 0.02);
        body.both_side = true;
        assert!(at(wide, &body) > 179.0);
    }

    #[test]
    fn a_valley_accepts_nothing() {
        let body = Body::surface_lines(&SLOPES, &ROOF.map(|[x, y, z]| [x, y, -z]));
        let i = ridge(&body);
        assert!((-180..180).all(|a| !PLAIN.accept(&body.view(), i, &across(f64::from(a)))));
        // The sine of 45 degrees, by which the vertical leans over both slopes.
        assert!(!Cones { angle: 0.7, factor: 0.5 }.accept(&body.view(), i, &across(0.0)));
        assert!(Cones { angle: 0.71, factor: 0.5 }.accept(&body.view(), i, &across(0.0)));
    }

    #[test]
    fn a_line_without_two_triangles_accepts_what_is_perpendicular() {
        let body = Body::lines(&[[0, 1]], &[[0.0; 3], [1.0, 0.0, 0.0]]);
        assert!(PLAIN.accept(&body.view(), 0, &Vec3::new(0.0, -3.0, 4.0)));
        assert!(PLAIN.accept(&body.view(), 0, &Vec3::new(0.9e-4, 1.0, 0.0)));
        assert!(!PLAIN.accept(&body.view(), 0, &Vec3::new(1.1e-4, 1.0, 0.0)));
        assert!(Cones { angle: 0.5, factor: 0.5 }.accept(&body.view(), 0, &Vec3::new(0.5, 0.9, 0.0)));
    }

    /// The tip of a pyramid with a square base: its normals sum to the axis, its edges fall by 45 degrees.
    #[test]
    fn a_tip_accepts_what_leans_away_from_each_edge() {
        let x = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]];
        let faces = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]];
        let mut body = Body::surface_points(&faces, &x);
        let sine = 0.5 * 0.5_f64.sqrt();
        let accepts = |body: &Body, cones: Cones, a: f64| cones.accept(&body.view(), 0, &across(a));
        let expected = 45.0 + sine.asin().to_degrees();
        for sign in [1.0, -1.0] {
            assert!((widest(|a| accepts(&body, PLAIN, sign * a)) - expected).abs() < 0.02);
        }
        let wide = Cones { angle: 0.9, factor: 0.5 };
        assert!(!accepts(&body, wide, 160.0));
        body.both_side = true;
        assert!(accepts(&body, wide, 160.0));
        // A point without any element around it, and one about whose surroundings nothing is known.
        body.model = crate::collision::CollisionModel::points(5);
        assert!(accepts(&body, PLAIN, 180.0));
    }

    #[test]
    fn the_end_of_a_wire_accepts_what_leads_away_from_the_wire() {
        let body = Body::wire_points(&[[0, 1], [1, 2]], &[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
        assert!(PLAIN.accept(&body.view(), 0, &-Vec3::x()) && PLAIN.accept(&body.view(), 0, &Vec3::y()));
        assert!(!PLAIN.accept(&body.view(), 0, &Vec3::x()));
        // By the angle, what leads along the wire.
        assert!(Cones { angle: 0.3, factor: 0.5 }.accept(&body.view(), 0, &Vec3::new(0.29, 0.957, 0.0)));
        assert!(!Cones { angle: 0.3, factor: 0.5 }.accept(&body.view(), 0, &Vec3::new(0.31, 0.951, 0.0)));
        // Between two edges in a line, directions across it are accepted, and others not.
        assert!(PLAIN.accept(&body.view(), 1, &Vec3::y()));
        assert!(!PLAIN.accept(&body.view(), 1, &Vec3::new(0.1, 1.0, 0.0)));
    }
}
