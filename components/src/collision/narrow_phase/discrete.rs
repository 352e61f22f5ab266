//! `DiscreteIntersection`: spheres that overlap, lines that cross triangles; no alarm distance.

use super::DetectionOutput;
use super::bvh::{Walk, Work};
use super::elements::{Coincident, Emitter, Projection, larger_model_index, line, triangle};
use crate::collision::{List, ModelKind};

/// Whether there is a test for these two kinds in this order.
pub(super) fn tests(first: ModelKind, second: ModelKind) -> bool {
    use ModelKind::{Line, RigidSphere, Sphere, Triangle};
    matches!((first, second), (Triangle, Line) | (Sphere, Sphere | RigidSphere) | (RigidSphere, RigidSphere))
}

pub(super) fn detect(walk: &Walk<'_>, work: &mut impl List<Work>, out: &mut impl List<DetectionOutput>) {
    let Walk { first, second, .. } = *walk;
    let emit = Emitter { out, coincident: Coincident::FirstAxis };
    if first.kind == ModelKind::Triangle {
        let (x, y) = (first.positions.points(), second.positions.points());
        walk.each(work, |i, j| {
            let (t, [a, b]) = (triangle(first, x, i), line(second, y, j));
            let normal = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
            let (above, below) = (normal.dot(&(a - t[0])), normal.dot(&(b - t[0])));
            if above * below > 0.0 || above == below {
                return;
            }
            let crossing = a + (b - a) * (above / (above - below));
            if Projection::new(t, crossing).is_inside(0.0, 1.0) {
                let points = [crossing; 2];
                emit.out.push(DetectionOutput { elements: [i, j], id: j, points, normal, value: 0.0 });
            }
        });
    } else {
        let (n, m) = (first.len(), second.len());
        walk.each(work, |i, j| {
            let (s, t) = (first.sphere(i), second.sphere(j));
            let (reach, pq) = (s.radius + t.radius, t.center - s.center);
            let square = pq.dot(&pq);
            if square <= reach * reach {
                let (normal, length) = emit.direction(pq, square);
                emit.out.push(DetectionOutput {
                    elements: [i, j],
                    id: larger_model_index(n, m, i, j),
                    points: [s.contact_point(&normal), t.contact_point(&-normal)],
                    normal,
                    value: length - reach,
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::narrow_phase::{IntersectionMethod, Order, SelfFilter, detect};
    use crate::collision::test_meshes::Body;
    use sim_core::math::Vec3;

    fn run(first: &Body, second: &Body) -> Vec<DetectionOutput> {
        let (method, views, mut out) =
            (IntersectionMethod::Discrete, (first.view(), second.view()), Vec::new());
        detect(&method, &views.0, &views.1, &SelfFilter::NONE, &mut Vec::new(), &mut out);
        out
    }

    #[test]
    fn spheres_overlap() {
        let a = Body::spheres(1.0, &[[0.0, 0.0, 0.0]]);
        let out = run(&a, &Body::spheres(0.5, &[[1.25, 0.0, 0.0], [1.75, 0.0, 0.0]]));
        assert_eq!((out.len(), out[0].value, out[0].normal), (1, -0.25, Vec3::x()));
    }

    #[test]
    fn lines_cross_triangles() {
        let t = Body::triangles(&[[0, 1, 2]], &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let l = Body::lines(&[[0, 1], [1, 2]], &[[0.25, 0.25, 1.0], [0.25, 0.25, -1.0], [0.25, 0.25, -2.0]]);
        let out = run(&t, &l);
        assert_eq!((out.len(), out[0].id, out[0].normal), (1, 0, Vec3::z()));
        assert!((out[0].points[0] - Vec3::new(0.25, 0.25, 0.0)).norm() < 1e-15);
        assert!(run(&t, &Body::lines(&[[0, 1]], &[[0.9, 0.9, 1.0], [0.9, 0.9, -1.0]])).is_empty());
    }

    #[test]
    fn only_these_kinds() {
        let order = |a, b| IntersectionMethod::Discrete.order(a, b);
        assert_eq!(order(ModelKind::Line, ModelKind::Triangle), Order::EarlierFirst);
        assert_eq!(order(ModelKind::Triangle, ModelKind::Triangle), Order::Ignored);
    }
}
