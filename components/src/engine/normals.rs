//! `NormalsFromPoints` and `DilateEngine`: normals at the points of a surface, and the surface moved along them. The file is long for its
//! two classes, which share the faces.

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::tetra_stuffing::Surface;

/// Normals at the points of a surface.
#[derive(Attributes)]
#[attributes(ignored("normals"))]
struct Normals {
    /// points of the surface [m]
    position: Vec<Vec3>,
    /// its triangles
    triangles: Option<IndexRows<3>>,
    /// its quads
    quads: Option<IndexRows<4>>,
    /// whether the normals point inward
    invert_normals: bool,
    /// whether faces count as much as their angles at a point
    use_angles: bool,
}

/// A surface whose points are moved along their normals.
#[derive(Attributes)]
#[attributes(ignored("output_position", "normal", "thickness"))]
struct Dilated {
    /// points of the surface [m]
    #[attribute(name = "input_position", alias = "position")]
    input_position: Vec<Vec3>,
    /// its triangles
    triangles: Option<IndexRows<3>>,
    /// its quads
    quads: Option<IndexRows<4>>,
    /// how far points are moved; inward if negative [m]
    #[attribute(default = "0")]
    distance: f64,
    /// thickness that the body has at least: where it is thinner, points are moved by half of what lacks, too [m]
    #[attribute(default = "0")]
    min_thickness: f64,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<Normals>(Family::Engine, "NormalsFromPoints", normals).templates(&["Vec3"]),
    ComponentDescription::new::<Dilated>(Family::Engine, "DilateEngine", dilate).templates(&["Vec3"]),
];

/// The vector with length 1; one that is shorter than rounding stays as it is, as in SOFA.
pub(super) fn normalized(v: Vec3) -> Vec3 {
    let length = v.norm();
    if length > f64::EPSILON { v / length } else { v }
}

/// The faces of a surface.
struct Faces {
    triangles: Vec<[u32; 3]>,
    quads: Vec<[u32; 4]>,
}

impl Faces {
    fn new(
        triangles: Option<IndexRows<3>>,
        quads: Option<IndexRows<4>>,
        n: usize,
    ) -> Result<Self, BuildError> {
        let triangles = triangles.map(|rows| rows.below(n)).transpose()?.unwrap_or_default();
        let quads = quads.map(|rows| rows.below(n)).transpose()?.unwrap_or_default();
        Ok(Self { triangles, quads })
    }

    fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.quads.is_empty()
    }
}

/// **Source:** as SOFA's: normals of length 1 are summed, those of quads at each corner of its own; with angles, one of a quad's is divided by the
/// length of its neighbor's.
fn normals(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Normals::read(b)?;
    let faces = Faces::new(s.triangles, s.quads, s.position.len())?;
    if faces.is_empty() {
        b.warn(None, "neither `triangles` nor `quads` are given, so there are no normals");
    }
    let mut normals = vec![Vec3::zeros(); s.position.len()];
    for t in &faces.triangles {
        let [p, q, r] = t.map(|i| s.position[i as usize]);
        let normal = (q - p).cross(&(r - p));
        let weighed = if s.use_angles {
            let sides = [q - p, r - q, p - r];
            angles(&sides).map(|angle| normal * (angle / normal.norm()))
        } else {
            [normalized(normal); 3]
        };
        t.iter().zip(weighed).for_each(|(i, n)| normals[*i as usize] += n);
    }
    for quad in &faces.quads {
        let x = quad.map(|i| s.position[i as usize]);
        let side = |k: usize| x[(k + 1) % 4] - x[k % 4];
        let at = [0, 1, 2, 3].map(|k| side(k).cross(&-side(k + 3)));
        let lengths = at.map(|n| n.norm());
        let angles = angles(&[0, 1, 2, 3].map(side));
        for k in 0..4 {
            let weighed =
                if s.use_angles { at[k] * (angles[k] / lengths[k.min(2)]) } else { at[k] / lengths[k] };
            normals[quad[k] as usize] += weighed;
        }
    }
    let sign = if s.invert_normals { -1.0 } else { 1.0 };
    let normals: Vec<Vec3> = normals.into_iter().map(|n| normalized(n * sign)).collect();
    b.offer("normals", Value::from_points(&normals));
    Ok(())
}

/// The angles at the beginnings of the sides of a face, which follow each other.
fn angles<const N: usize>(sides: &[Vec3; N]) -> [f64; N] {
    std::array::from_fn(|k| {
        let (before, after) = (sides[(k + N - 1) % N], sides[k]);
        (-before.dot(&after) / (before.norm() * after.norm())).acos()
    })
}

/// **Source:** as SOFA's: normals are weighed by the areas of their faces. The thickness at a point is how far it is, against its normal, to a face
/// that does not have it, in lengths of the normal; 0 where there is none.
fn dilate(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Dilated::read(b)?;
    let x = &s.input_position;
    let faces = Faces::new(s.triangles, s.quads, x.len())?;
    if faces.is_empty() || x.is_empty() {
        b.warn(None, "there is no surface, so nothing is moved");
    }
    let mut normals = vec![Vec3::zeros(); x.len()];
    for t in &faces.triangles {
        let [p, q, r] = t.map(|i| x[i as usize]);
        let normal = (q - p).cross(&(r - p));
        t.iter().for_each(|i| normals[*i as usize] += normal);
    }
    for quad in &faces.quads {
        let corners = quad.map(|i| x[i as usize]);
        for k in 0..4 {
            let (before, after) = (corners[(k + 3) % 4] - corners[k], corners[(k + 1) % 4] - corners[k]);
            normals[quad[k] as usize] += after.cross(&before);
        }
    }
    normals.iter_mut().for_each(|n| *n = normalized(*n));
    let thickness = if s.min_thickness == 0.0 { Vec::new() } else { thicknesses(x, &normals, &faces) };
    let moved = |i: usize| {
        let lacks = thickness.get(i).map_or(0.0, |t| s.min_thickness - t);
        let more = if s.min_thickness > 0.0 && lacks > 0.0 { lacks * 0.5 } else { 0.0 };
        x[i] + normals[i] * (s.distance + more)
    };
    let output: Vec<Vec3> = (0..x.len()).map(moved).collect();
    b.offer("output_position", Value::from_points(&output));
    b.offer("normal", Value::from_points(&normals));
    b.offer("thickness", Value::Reals(thickness));
    Ok(())
}

/// How thick the body is at each point.
fn thicknesses(x: &[Vec3], normals: &[Vec3], faces: &Faces) -> Vec<f64> {
    let halves = faces.quads.iter().flat_map(|[p, q, r, s]| [[*p, *q, *r], [*p, *r, *s]]);
    let triangles: Vec<[u32; 3]> = faces.triangles.iter().copied().chain(halves).collect();
    let surface = Surface::new(x, &triangles);
    let at = |(i, (x, normal)): (u32, (&Vec3, &Vec3))| {
        let hits = surface.hits(x, &-normal);
        let others = hits.into_iter().filter(|(t, _)| !triangles[*t as usize].contains(&i));
        others.map(|(_, crossing)| crossing.t).reduce(f64::min).unwrap_or(0.0)
    };
    (0..).zip(x.iter().zip(normals)).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn offered(class: usize, attributes: &[(&'static str, &str)], name: &str) -> Vec<f64> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&ALL[class], root, attributes).unwrap();
        t.scene.component(c).fields[name].reals().unwrap()
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14)
    }

    #[test]
    fn normals_are_those_of_the_faces() {
        // A corner: a square of two triangles in z = 0, and a quad in x = 0 that shares the edge along y.
        let points = ("position", "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 0 1 1");
        let faces = [points, ("triangles", "0 1 2 0 2 3"), ("quads", "0 3 5 4")];
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let plain = offered(0, &faces, "normals");
        assert!(near(&plain[3..6], &[0.0, 0.0, 1.0]) && near(&plain[12..15], &[1.0, 0.0, 0.0]), "{plain:?}");
        // Point 0 has two triangles of length 1 each, and one corner of the quad.
        let length = 5.0_f64.sqrt();
        assert!(near(&plain[..3], &[1.0 / length, 0.0, 2.0 / length]), "{plain:?}");
        // By angles both triangles count half each.
        let by_angles = offered(0, &[&faces[..], &[("useAngles", "1")]].concat(), "normals");
        assert!(near(&by_angles[..3], &[h, 0.0, h]), "{by_angles:?}");
        let inward = offered(0, &[&faces[..], &[("invertNormals", "1")]].concat(), "normals");
        assert!(near(&inward[3..6], &[0.0, 0.0, -1.0]));
    }

    const SLAB: [(&str, &str); 2] = [
        (
            "position",
            "-3 -3 0 3 -3.1 0 3.2 3 0 -3 3.3 0 -3 -3 0.5 3 -3.1 0.5 3.2 3 0.5 -3 3.3 0.5 0.1 0.2 0 0.3 0.1 0.5",
        ),
        (
            "triangles",
            "0 8 1 1 8 2 2 8 3 3 8 0 4 5 9 5 6 9 6 7 9 7 4 9 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7",
        ),
    ];

    #[test]
    fn a_slab_gets_thicker() {
        let moved = offered(1, &[&SLAB[..], &[("distance", "0.1")]].concat(), "output_position");
        assert!(near(&moved[24..], &[0.1, 0.2, -0.1, 0.3, 0.1, 0.6]), "{moved:?}");
        let at_least = [&SLAB[..], &[("minThickness", "0.8")]].concat();
        let thickness = offered(1, &at_least, "thickness");
        assert!(near(&thickness[8..], &[0.5, 0.5]), "{thickness:?}");
        let moved = offered(1, &at_least, "output_position");
        assert!(near(&moved[24..], &[0.1, 0.2, -0.15, 0.3, 0.1, 0.65]), "{moved:?}");
        let quads = [("position", "0 0 0 1 0 0 1 1 0 0 1 0"), ("quads", "0 1 2 3"), ("distance", "2")];
        assert!(offered(1, &quads, "output_position").chunks(3).all(|x| x[2] == 2.0));
    }
}
