//! `GenerateSphere`: a ball whose surface is a platonic solid divided. The file is long for the three solids, whose points and faces are
//! tables, and for dividing them in SOFA's order.

use std::collections::BTreeMap;

use sim_core::component::value::Value;
use sim_core::prelude::*;

/// The solid that is divided.
#[derive(Word, Clone, Copy, PartialEq, Eq)]
enum Solid {
    #[word("icosahedron")]
    Icosahedron,
    #[word("tetrahedron")]
    Tetrahedron,
    #[word("octahedron")]
    Octahedron,
}

/// A ball of tetrahedra around its middle, and its surface.
#[allow(clippy::duplicated_attributes, reason = "attributes may have the same default")]
#[derive(Attributes)]
#[attributes(
    unsupported("BezierTetrahedronDegree", default = "1", summary = "adds points of Bezier tetrahedra"),
    unsupported("BezierTriangleDegree", default = "1", summary = "adds points of Bezier triangles"),
    ignored("output_TetrahedraPosition", "output_position", "position", "tetrahedra"),
    ignored("output_TrianglesPosition", "triangles"),
    ignored("BezierTetrahedronWeights", "isBezierTetrahedronRational"),
    ignored("BezierTriangleWeights", "isBezierTriangleRational")
)]
struct Settings {
    /// radius of the ball [m]
    #[attribute(default = "0.2")]
    radius: Real,
    /// its middle [m]
    #[attribute(default = "0 0 0")]
    origin: Vec3,
    /// into how many parts the edges of the solid are divided
    #[attribute(default = "1")]
    tessellation_degree: i64,
    /// the solid
    #[attribute(default = "icosahedron")]
    platonic_solid: Solid,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "GenerateSphere", build).templates(&["Vec3"]);

/// More parts of an edge are a mistake.
const MOST_PARTS: i64 = 1500;

/// Directions of six corners of the icosahedron; the others are opposite to them.
///
/// **Source:** as SOFA's, whose icosahedron is regular but for 1e-8.
const AXES: [[f64; 3]; 6] = [
    [0.4249358858193742, -0.6234212590752522, -0.901521749427252],
    [-0.5999406907417391, 0.05914133178387721, -1.009227188986324],
    [0.4980672603913731, 0.6101449500603583, -0.872707378430782],
    [1.170388006823068, -0.06734654200022822, -0.0873067158600265],
    [0.4878971283264427, -1.037062929459035, 0.2615777778398508],
    [-0.606226178027942, -0.958889124295748, -0.3082004094765843],
];
/// Faces of the icosahedron, in SOFA's order.
#[rustfmt::skip]
const ICOSAHEDRON: [[u32; 3]; 20] = [
    [0, 1, 5], [0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4],
    [1, 2, 10], [1, 9, 5], [1, 10, 9], [2, 3, 11], [2, 11, 10],
    [3, 4, 7], [3, 7, 11], [4, 5, 8], [4, 8, 7], [5, 9, 8],
    [6, 7, 8], [6, 8, 9], [6, 9, 10], [6, 10, 11], [6, 11, 7],
];

impl Solid {
    /// Its corners at a distance of 1 from the middle, and its faces.
    ///
    /// **Source:** as SOFA's, some of whose numbers are 32-bit floats.
    fn corners_and_faces(self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        match self {
            Self::Tetrahedron => {
                let (root, low) = (std::f64::consts::SQRT_2, f64::from(-1.0_f32 / 3.0));
                let corners = [
                    Vec3::z(),
                    Vec3::new(0.0, 2.0 * root / 3.0, low),
                    Vec3::new(-root / 3.0_f64.sqrt(), -root / 3.0, low),
                    Vec3::new(root / 3.0_f64.sqrt(), -root / 3.0, low),
                ];
                (corners.to_vec(), vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
            }
            Self::Octahedron => {
                let axes = [Vec3::z(), Vec3::x(), Vec3::y()];
                let corners = axes.into_iter().chain(axes.map(|a| -a)).collect();
                let faces =
                    [[0, 1, 2], [0, 2, 4], [0, 4, 5], [0, 5, 1], [1, 5, 3], [1, 3, 2], [3, 5, 4], [2, 3, 4]];
                (corners, faces.to_vec())
            }
            Self::Icosahedron => {
                let half: Vec<Vec3> = AXES.iter().map(|axis| Vec3::from(*axis).normalize()).collect();
                let corners = half.iter().copied().chain(half.iter().map(|c| -c)).collect();
                (corners, ICOSAHEDRON.to_vec())
            }
        }
    }
}

/// A solid whose faces are divided, on the ball with radius 1.
///
/// **Source:** as SOFA's: points of edges are at even angles, those inside of faces are even sums that are brought to the ball. The corners come
/// first, then the points of the edges, which are sorted, from their first corner on, then those of each face.
struct Divided {
    n_corners: u32,
    edges: BTreeMap<[u32; 2], u32>,
    parts: u32,
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Divided {
    fn new(solid: Solid, parts: u32) -> Self {
        let (points, faces) = solid.corners_and_faces();
        let mut edges: BTreeMap<[u32; 2], u32> = BTreeMap::new();
        for f in &faces {
            edges.extend([[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]].map(|[p, q]| ([p.min(q), p.max(q)], 0)));
        }
        (0..).zip(edges.values_mut()).for_each(|(k, number)| *number = k);
        let n_corners = points.len() as u32;
        let mut divided = Self { n_corners, edges, parts, points, triangles: Vec::new() };
        divided.divide_edges();
        for (face, corners) in (0..).zip(&faces) {
            divided.divide_face(face, corners);
        }
        divided
    }

    fn divide_edges(&mut self) {
        for [p, q] in self.edges.keys().map(|edge| edge.map(|i| i as usize)) {
            let [begin, end] = [self.points[p], self.points[q]];
            let across = begin.cross(&end).cross(&begin);
            let (across, angle) = (across / across.norm(), begin.dot(&end).acos());
            self.points.extend((1..self.parts).map(|k| {
                let (sine, cosine) = (f64::from(k) / f64::from(self.parts) * angle).sin_cos();
                begin * cosine + across * sine
            }));
        }
    }

    fn divide_face(&mut self, face: u32, corners: &[u32; 3]) {
        let n = self.parts;
        let [p, q, r] = corners.map(|i| self.points[i as usize]);
        for i in 1..n {
            for j in 1..n - i {
                let sum = f64::from(i) * p + f64::from(j) * q + f64::from(n - i - j) * r;
                self.points.push(sum / sum.norm());
            }
        }
        for i in 1..=n {
            for j in 0..=n - i {
                let k = n - i - j;
                let at = |place: [u32; 3]| self.number(face, corners, place);
                let (first, second) = (at([i, j, k]), at([i - 1, j + 1, k]));
                let mut found = vec![[first, second, at([i - 1, j, k + 1])]];
                if i + j < n {
                    found.push([first, at([i, j + 1, k - 1]), second]);
                }
                self.triangles.extend(found);
            }
        }
    }

    /// The number of a point of a face that is so many parts from the sides opposite to its corners.
    fn number(&self, face: u32, corners: &[u32; 3], place: [u32; 3]) -> u32 {
        let n = self.parts;
        if let Some(corner) = place.iter().position(|parts| *parts == n) {
            return corners[corner];
        }
        let of_edges = self.n_corners + (n - 1) * self.edges.len() as u32;
        match place.iter().position(|parts| *parts == 0) {
            Some(side) => {
                let (begin, end) = (corners[(side + 1) % 3], corners[(side + 2) % 3]);
                let from_begin = place[(side + 2) % 3];
                let from_first = if begin < end { from_begin } else { n - from_begin };
                let edge = self.edges[&[begin.min(end), begin.max(end)]];
                self.n_corners + (n - 1) * edge + from_first - 1
            }
            None => {
                let [i, j, _] = place;
                let before: u32 = (1..i).map(|row| n - row - 1).sum();
                of_edges + face * ((n - 1) * (n - 2) / 2) + before + j - 1
            }
        }
    }
}

/// **Source:** as SOFA's: the tetrahedra join the middle, which comes first, to the triangles; a tetrahedron that is not divided is one.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let parts = u32::try_from(s.tessellation_degree).ok().filter(|_| s.tessellation_degree <= MOST_PARTS);
    let parts = parts.ok_or_else(|| {
        let text = format!("`tessellationDegree` is {}; it may be up to {MOST_PARTS}", s.tessellation_degree);
        BuildError::attribute("tessellationDegree", text)
    })?;
    let Divided { points, triangles, .. } = Divided::new(s.platonic_solid, parts.max(1));
    let surface: Vec<Vec3> = points.iter().map(|x| x * s.radius + s.origin).collect();
    let (body, tetrahedra): (Vec<Vec3>, Vec<[u32; 4]>) =
        if s.platonic_solid == Solid::Tetrahedron && parts <= 1 {
            (surface.clone(), vec![[0, 1, 2, 3]])
        } else {
            let middle = Vec3::zeros() * s.radius + s.origin;
            let joined = triangles.iter().map(|[p, q, r]| [0, p + 1, q + 1, r + 1]).collect();
            (std::iter::once(middle).chain(surface.iter().copied()).collect(), joined)
        };
    for name in ["output_TetrahedraPosition", "output_position", "position"] {
        b.offer(name, Value::from_points(&body));
    }
    b.offer("tetrahedra", Value::from_rows(&tetrahedra));
    b.offer("output_TrianglesPosition", Value::from_points(&surface));
    b.offer("triangles", Value::from_rows(&triangles));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use std::collections::BTreeSet;

    #[test]
    fn solids_are_regular_and_closed() {
        for (solid, length) in [
            (Solid::Tetrahedron, (8.0_f64 / 3.0).sqrt()),
            (Solid::Octahedron, 2.0_f64.sqrt()),
            (Solid::Icosahedron, (2.0 - 2.0 / 5.0_f64.sqrt()).sqrt()),
        ] {
            for parts in [1, 2, 3, 5] {
                let d = Divided::new(solid, parts);
                let (n, m) = (d.points.len(), d.triangles.len());
                assert_eq!(n, m / 2 + 2, "Euler's formula");
                assert!(d.points.iter().all(|x| (x.norm() - 1.0).abs() < 1e-7));
                let halves: BTreeSet<[u32; 2]> =
                    d.triangles.iter().flat_map(|[p, q, r]| [[*p, *q], [*q, *r], [*r, *p]]).collect();
                assert!(halves.len() == 3 * m && halves.iter().all(|[p, q]| halves.contains(&[*q, *p])));
                let x = |i: u32| d.points[i as usize];
                let volume: f64 = d.triangles.iter().map(|[p, q, r]| x(*p).cross(&x(*q)).dot(&x(*r))).sum();
                // Of SOFA's faces those of the octahedron only are counter-clockwise seen from outside.
                assert!((volume > 0.0) == (solid == Solid::Octahedron), "{volume}");
                if parts == 1 {
                    assert!(halves.iter().all(|[p, q]| ((x(*p) - x(*q)).norm() - length).abs() < 1e-7));
                }
            }
        }
    }

    #[test]
    fn a_ball_is_around_its_middle() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [("radius", "2"), ("origin", "1 0 0"), ("tessellationDegree", "3")];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let get = |t: &TestScene, c, name: &str| t.scene.component(c).fields[name].reals().unwrap();
        let body = get(&t, c, "position");
        assert_eq!((body[..3].to_vec(), body.len()), (vec![1.0, 0.0, 0.0], 3 * (1 + 92)));
        assert_eq!((get(&t, c, "tetrahedra").len(), get(&t, c, "triangles").len()), (4 * 180, 3 * 180));
        assert!(body[3..].chunks(3).all(|x| ((x[0] - 1.0).hypot(x[1]).hypot(x[2]) - 2.0).abs() < 1e-14));
        let c = t.add(&DESCRIPTION, root, &[("platonicSolid", "tetrahedron")]).unwrap();
        assert_eq!(get(&t, c, "tetrahedra"), [0.0, 1.0, 2.0, 3.0]);
        assert!(t.add(&DESCRIPTION, root, &[("tessellationDegree", "-1")]).is_err());
    }
}
