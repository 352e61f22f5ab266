//! How far a place is from an element, by the library parry.

use parry3d_f64::math::Vec3 as Place;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{Segment, Tetrahedron, Triangle};
use sim_core::math::Vec3;
use sim_core::renumbering::ElementKind;

use super::derive::TETRAHEDRA_IN_HEXAHEDRON;

/// How far a place is from an element with these corners [m]; zero within a volume, none where corners are missing. A quad is two
/// triangles, a hexahedron six tetrahedra.
pub fn distance(kind: ElementKind, corners: &[Vec3], p: &Vec3) -> Option<f64> {
    let to = |v: &Vec3| Place::new(v.x, v.y, v.z);
    let (c, p) = (corners.iter().map(to).collect::<Vec<_>>(), to(p));
    let from_triangle = |a: Place, b, c| Triangle::new(a, b, c).distance_to_local_point(p, true);
    let from_tetrahedron = |a: Place, b, c, d| Tetrahedron::new(a, b, c, d).distance_to_local_point(p, true);
    match (kind, &c[..]) {
        (ElementKind::Edge, &[a, b]) => Some(Segment::new(a, b).distance_to_local_point(p, true)),
        (ElementKind::Triangle, &[a, b, c]) => Some(from_triangle(a, b, c)),
        (ElementKind::Quad, &[a, b, c, d]) => Some(from_triangle(a, b, c).min(from_triangle(a, c, d))),
        (ElementKind::Tetrahedron, &[a, b, c, d]) => Some(from_tetrahedron(a, b, c, d)),
        (ElementKind::Hexahedron, c) if c.len() == 8 => {
            let parts = TETRAHEDRA_IN_HEXAHEDRON.map(|t| t.map(|k| c[k]));
            parts.into_iter().map(|[a, b, c, d]| from_tetrahedron(a, b, c, d)).reduce(f64::min)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_as_far_from_an_element_as_from_its_nearest_part() {
        let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
        let low = [at(0.0, 0.0, 0.0), at(2.0, 0.0, 0.0), at(2.0, 2.0, 0.0), at(0.0, 2.0, 0.0)];
        let cube: Vec<Vec3> = low.into_iter().chain(low.map(|p| p + Vec3::z() * 2.0)).collect();
        let corner = [cube[0], cube[1], cube[3], cube[4]];
        for (kind, corners, p, expected) in [
            (ElementKind::Edge, &low[..2], at(1.0, 3.0, 0.0), 3.0),
            (ElementKind::Edge, &low[..2], at(-4.0, 3.0, 0.0), 5.0),
            (ElementKind::Triangle, &low[..3], at(1.5, 0.5, -0.7), 0.7),
            (ElementKind::Triangle, &low[..3], at(0.0, 2.0, 0.0), 2.0_f64.sqrt()),
            (ElementKind::Quad, &low[..], at(0.1, 1.9, 0.0), 0.0),
            (ElementKind::Tetrahedron, &corner[..], at(0.5, 0.5, 0.5), 0.0),
            (ElementKind::Tetrahedron, &corner[..], at(0.5, 0.5, -0.5), 0.5),
            (ElementKind::Hexahedron, &cube[..], at(1.7, 0.2, 1.9), 0.0),
            (ElementKind::Hexahedron, &cube[..], at(0.3, 1.8, 0.4), 0.0),
            (ElementKind::Hexahedron, &cube[..], at(5.0, 6.0, 1.0), 5.0),
        ] {
            let found = distance(kind, corners, &p).expect("all corners");
            assert!((found - expected).abs() < 1e-12, "{kind:?} {p}: {found}");
        }
    }
}
