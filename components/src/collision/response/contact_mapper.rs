//! From detection outputs to contact points: the weights with which an element's points carry a contact.
//!
//! **Source:** as SOFA's contact mappers and BarycentricPenalityContact, but the weights go straight onto the collision mesh.

use sim_core::math::{Mat3, Vec3, quat_to_matrix};

use super::contact_point::{Anchor, ContactPoint};
use crate::collision::narrow_phase::{DetectionOutput, Projection, unit_clamped};
use crate::collision::{Element, List, ModelKind, ModelView, Positions};

/// What the springs of one pair of models have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyParameters {
    /// `contactDistance` of the intersection method [m].
    pub contact_distance: f64,
    /// `contactStiffness` of the first and of the second model.
    pub stiffness: [f64; 2],
}

/// Turns outputs, free of duplicates, into contact points: `points` is cleared and filled.
///
/// Distance d = contactDistance + both skins + both radii, stiffness k = k1 k2 / d (k1 k2 where d is 0).
pub fn contact_points(
    outputs: &[DetectionOutput],
    first: &ModelView,
    second: &ModelView,
    parameters: &PenaltyParameters,
    points: &mut impl List<ContactPoint>,
) {
    points.clear();
    let skins = parameters.contact_distance + first.skin + second.skin;
    let product = parameters.stiffness[0] * parameters.stiffness[1];
    for o in outputs {
        let (a, n_a, radius_a) = anchor(first, o.elements[0], o.points[0]);
        let (b, n_b, radius_b) = anchor(second, o.elements[1], o.points[1]);
        let distance = skins + radius_a + radius_b;
        let stiffness = if distance == 0.0 { product } else { product / distance };
        points.push(ContactPoint { a, b, normal: o.normal, distance, stiffness, n_a, n_b });
    }
}

/// Moves the ends of contacts on frames along the normal onto the spheres or solids there, where friction acts; distances follow, so that
/// normal forces stay what they are. `beyond` is how far outside of a surface they act: half of a distance at which surfaces touch.
///
/// Methods differ in whether they report a sphere's center or its surface.
pub fn onto_surfaces(
    outputs: &[DetectionOutput],
    first: &ModelView,
    second: &ModelView,
    beyond: f64,
    points: &mut [ContactPoint],
) {
    for (model, k) in [(first, 0), (second, 1)] {
        let Positions::Frames(x) = model.positions else { continue };
        for (o, c) in outputs.iter().zip(&mut *points) {
            let frame = &x[o.elements[k] as usize];
            let outward = if k == 0 { o.normal } else { -o.normal };
            // Of solids the surface is reported in any case.
            let on_surface = if model.kind.is_solid() {
                0.0
            } else {
                model.sphere(o.elements[k]).radius - (o.points[k] - frame.center).dot(&outward)
            };
            let lacks = on_surface + beyond;
            let to_frame = quat_to_matrix(&frame.orientation).transpose();
            let place = to_frame * (o.points[k] + outward * lacks - frame.center);
            let end = if k == 0 { &mut c.a } else { &mut c.b };
            *end = Anchor::in_frame(o.elements[k], place);
            c.distance -= lacks;
        }
    }
}

/// How a point on element `i` hangs on the model's state, by how many indices, and the radius to count with it.
fn anchor(model: &ModelView, i: u32, p: Vec3) -> (Anchor, u32, f64) {
    match model.kind {
        ModelKind::Point => (Anchor::point(i), 1, 0.0),
        ModelKind::Sphere => (Anchor::point(i), 1, model.sizes[i as usize]),
        ModelKind::RigidSphere => {
            let s = model.sphere(i);
            let local = match model.positions {
                Positions::Frames(x) => {
                    quat_to_matrix(&x[i as usize].orientation).transpose() * (p - s.center)
                }
                Positions::Points(_) => p - s.center,
            };
            (Anchor::in_frame(i, local), 1, s.radius)
        }
        ModelKind::Box | ModelKind::Capsule | ModelKind::Cylinder => {
            let Positions::Frames(x) = model.positions else { return (Anchor::point(i), 1, 0.0) };
            let frame = &x[i as usize];
            let place = quat_to_matrix(&frame.orientation).transpose() * (p - frame.center);
            (Anchor::in_frame(i, place), 1, 0.0)
        }
        ModelKind::Line | ModelKind::LineCapsule => {
            let [v, w, _] = model.elements[i as usize].vertices;
            let a = on_line(model.positions.points(), v, w, p);
            let radius = model.sizes.get(i as usize).copied().unwrap_or(0.0);
            (Anchor { weights: [1.0 - a, a, 0.0, 0.0], indices: [v, w, 0, 0] }, 2, radius)
        }
        ModelKind::Triangle | ModelKind::TriangleOctree => on_triangle_model(model, i, p),
    }
}

/// Place along a line, not clamped; 0 if it is degenerate.
fn on_line(x: &[Vec3], v: u32, w: u32, p: Vec3) -> f64 {
    let (p0, edge) = (x[v as usize], x[w as usize] - x[v as usize]);
    let square = edge.dot(&edge);
    if square > 0.0 { (p - p0).dot(&edge) / square } else { 0.0 }
}

fn on_triangle_model(model: &ModelView, i: u32, p: Vec3) -> (Anchor, u32, f64) {
    let x = model.positions.points();
    let e = &model.elements[i as usize];
    let halves = if e.has(Element::QUAD_FIRST) {
        Some((e, &model.elements[i as usize + 1]))
    } else if e.has(Element::QUAD_SECOND) {
        Some((&model.elements[i as usize - 1], e))
    } else {
        None
    };
    let Some((first, second)) = halves else {
        let [alpha, beta] = on_triangle(e.vertices.map(|v| x[v as usize]), p);
        let [u, v, w] = e.vertices;
        let weights = [1.0 - alpha - beta, alpha, beta, 0.0];
        return (Anchor { weights, indices: [u, v, w, 0] }, 3, 0.0);
    };
    let indices = [first.vertices[2], first.vertices[0], first.vertices[1], second.vertices[0]];
    let [a, b] = on_quad(indices.map(|v| x[v as usize]), p);
    let weights = [(1.0 - a) * (1.0 - b), a * (1.0 - b), a * b, (1.0 - a) * b];
    (Anchor { weights, indices }, 4, 0.0)
}

/// Barycentric coordinates of the point of a triangle nearest to `p`.
fn on_triangle(t: [Vec3; 3], p: Vec3) -> [f64; 2] {
    let on = Projection::new(t, p);
    if on.is_inside(0.0, 1.0) {
        return [on.alpha, on.beta];
    }
    let (s, u) = (on.along_ab(), on.along_ac());
    if s < 0.0 && u < 0.0 {
        [0.0, 0.0]
    } else if (0.0..1.0).contains(&s) && on.beta < 0.0 {
        [s, 0.0]
    } else if (0.0..1.0).contains(&u) && on.alpha < 0.0 {
        [0.0, u]
    } else {
        let w = unit_clamped(on.along_bc());
        [1.0 - w, w]
    }
}

/// Coordinates of a point along the sides of a quadrangle at its first corner, not clamped; of a degenerate one its first corner.
fn on_quad([q0, q1, _, q3]: [Vec3; 4], p: Vec3) -> [f64; 2] {
    let (along, up) = (q1 - q0, q3 - q0);
    let base = Mat3::from_columns(&[along, up, along.cross(&up)]);
    match base.try_inverse() {
        Some(inverse) => {
            let c = inverse * (p - q0);
            [c.x, c.y]
        }
        None => [0.0, 0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::CollisionModel;
    use crate::collision::response::Anchored;
    use crate::collision::response::penalty::penetration;
    use crate::collision::test_meshes::Body;
    use sim_core::math::{Rigid3Type, RigidCoord, Vec3Type, quat_from_euler_degrees};
    use sim_core::topology::{Topology, TopologyKind};

    fn check(body: &Body, i: u32, p: [f64; 3]) -> Vec<f64> {
        let (anchor, n, radius) = anchor(&body.view(), i, p.into());
        assert_eq!(radius, 0.0);
        let at = Vec3Type::place(&anchor, n, &body.x);
        assert!((at - Vec3::from(p)).norm() < 1e-14, "{at} is not {p:?}");
        anchor.weights[..n as usize].to_vec()
    }

    #[test]
    fn weights_on_a_triangle_and_on_a_line() {
        let x = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        assert_eq!(check(&Body::triangles(&[[0, 1, 2]], &x), 0, [0.5, 0.5, 0.0]), [0.5, 0.25, 0.25]);
        assert_eq!(check(&Body::lines(&[[0, 1]], &x), 0, [0.5, 0.0, 0.0]), [0.75, 0.25]);
    }

    #[test]
    fn a_point_beside_a_triangle_goes_to_its_nearest_point() {
        let t = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from);
        let at = |x: f64, y: f64| on_triangle(t, Vec3::new(x, y, 1.0));
        assert_eq!(at(-1.0, -1.0), [0.0, 0.0]);
        assert_eq!(at(1.0, -1.0), [0.5, 0.0]);
        assert_eq!(at(-1.0, 1.0), [0.0, 0.5]);
        assert_eq!(at(2.0, 2.0), [0.5, 0.5]);
        assert_eq!(at(3.0, 0.0), [1.0, 0.0]);
        assert_eq!(at(0.0, 5.0), [0.0, 1.0]);
        let [alpha, beta] = on_triangle([t[0]; 3], t[1]);
        assert!(alpha.is_finite() && beta.is_finite());
    }

    #[test]
    fn both_halves_of_a_quad_use_its_four_corners() {
        let mut topology = Topology::empty(TopologyKind::Mesh);
        topology.quads = vec![[0, 1, 2, 3]];
        let x = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from).to_vec();
        let body = Body::new(CollisionModel::triangles(&topology, 4).unwrap(), x);
        for half in 0..2 {
            assert_eq!(check(&body, half, [0.5, 0.25, 0.0]), [0.5625, 0.1875, 0.0625, 0.1875]);
        }
    }

    #[test]
    fn on_a_rigid_sphere_a_contact_turns_with_the_frame() {
        let model = CollisionModel::spheres(1, true, 0.5, &[]).unwrap();
        let orientation = quat_from_euler_degrees(Vec3::new(0.0, 0.0, 90.0));
        let x = [RigidCoord { center: Vec3::new(1.0, 0.0, 0.0), orientation }];
        let view = model.view(Positions::Frames(&x), &[], 0.0);
        let p = Vec3::new(1.0, 0.5, 0.0);
        let (anchor, n, radius) = anchor(&view, 0, p);
        assert_eq!((n, radius), (1, 0.5));
        assert!((anchor.weights[0] - 0.5).abs() < 1e-15);
        assert!((Rigid3Type::place(&anchor, n, &x) - p).norm() < 1e-15);
    }

    /// Two rigid spheres, of which a method reports the centers: their contact turns both, and pushes as before.
    #[test]
    fn friction_acts_on_the_surfaces_of_spheres() {
        let model = CollisionModel::spheres(1, true, 0.5, &[]).unwrap();
        let orientation = quat_from_euler_degrees(Vec3::new(10.0, 20.0, 90.0));
        let x = [RigidCoord { center: Vec3::new(1.0, 0.0, 0.0), orientation }];
        let y = [RigidCoord { center: Vec3::new(1.0, 0.9, 0.0), orientation }];
        let views = [&x, &y].map(|x| model.view(Positions::Frames(x), &[], 0.0));
        let output = DetectionOutput {
            elements: [0, 0],
            id: 0,
            points: [x[0].center, y[0].center],
            normal: Vec3::y(),
            value: -0.1,
        };
        let parameters = PenaltyParameters { contact_distance: 0.0, stiffness: [3.0, 4.0] };
        let mut points = Vec::new();
        contact_points(&[output], &views[0], &views[1], &parameters, &mut points);
        let before = points[0];
        onto_surfaces(&[output], &views[0], &views[1], 0.0, &mut points);
        let c = points[0];
        assert_eq!((c.stiffness, before.stiffness), (12.0, 12.0));
        let at = [Rigid3Type::place(&c.a, 1, &x), Rigid3Type::place(&c.b, 1, &y)];
        assert!((at[0] - Vec3::new(1.0, 0.5, 0.0)).norm() < 1e-15);
        assert!((at[1] - Vec3::new(1.0, 0.4, 0.0)).norm() < 1e-15);
        let depth = |c| penetration::<Rigid3Type, Rigid3Type>(c, &x, &y);
        assert!((depth(&before) - 0.1).abs() < 1e-15 && (depth(&c) - 0.1).abs() < 1e-15);
    }
}
