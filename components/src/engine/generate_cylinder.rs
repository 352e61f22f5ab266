//! `GenerateCylinder`: a cylinder of tetrahedra.

use std::f64::consts::PI;

use sim_core::component::value::Value;
use sim_core::prelude::*;

/// A cylinder along z divided into tetrahedra.
#[allow(clippy::duplicated_attributes, reason = "attributes may have the same default")]
#[derive(Attributes)]
#[attributes(
    unsupported("BezierTetrahedronDegree", default = "1", summary = "adds points of Bezier tetrahedra"),
    unsupported("BezierTriangleDegree", default = "1", summary = "adds points of Bezier triangles"),
    unsupported(
        "openSurface",
        default = "1",
        summary = "closes the ends of `triangles`, which Weft does not make"
    ),
    ignored("output_TetrahedraPosition", "output_position", "position", "tetrahedra"),
    ignored("BezierTetrahedronWeights", "isBezierTetrahedronRational"),
    ignored("BezierTriangleWeights", "isBezierTriangleRational")
)]
struct Settings {
    /// radius of the cylinder [m]
    #[attribute(default = "0.2", positive)]
    radius: Real,
    /// its height [m]
    #[attribute(default = "1", positive)]
    height: Real,
    /// the middle of its lower end [m]
    #[attribute(default = "0 0 0")]
    origin: Vec3,
    /// how many points a circle has
    #[attribute(default = "6")]
    res_circumferential: i64,
    /// how many circles are around the middle
    #[attribute(default = "3")]
    res_radial: i64,
    /// how many layers of points there are
    #[attribute(default = "5")]
    res_height: i64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "GenerateCylinder", build).templates(&["Vec3"]);

/// The most points that are made; more are a mistake.
const MOST_POINTS: usize = 50_000_000;

/// **Source:** as SOFA's: each layer has its middle, then its circles from within; between two layers the innermost ring is of prisms, which
/// make three tetrahedra, and the others of hexahedra, which make six.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let around = count("resCircumferential", s.res_circumferential, 3)?;
    let rings = count("resRadial", s.res_radial, 1)?;
    let layers = count("resHeight", s.res_height, 2)?;
    let layer = around.checked_mul(rings).and_then(|n| n.checked_add(1));
    let layer =
        layer.filter(|n| n.checked_mul(layers).is_some_and(|n| n <= MOST_POINTS)).ok_or_else(|| {
            let text = format!("the cylinder would have more than {MOST_POINTS} points");
            BuildError::attribute("resHeight", text)
        })?;
    let mut points = Vec::with_capacity(layer * layers);
    for i in 0..layers {
        let z = i as f64 * s.height / (layers - 1) as f64;
        points.push(Vec3::new(0.0, 0.0, z) + s.origin);
        for j in 1..=rings {
            let r = j as f64 * s.radius / rings as f64;
            for k in 0..around {
                let angle = (k * 2) as f64 * PI / around as f64;
                points.push(Vec3::new(r * angle.cos(), r * angle.sin(), z) + s.origin);
            }
        }
    }
    let tetrahedra = tetrahedra(around, rings, layers, layer);
    b.offer("position", Value::from_points(&points));
    b.offer("output_position", Value::from_points(&points));
    b.offer("output_TetrahedraPosition", Value::from_points(&points));
    b.offer("tetrahedra", Value::from_rows(&tetrahedra));
    Ok(())
}

fn count(name: &str, given: i64, least: usize) -> Result<usize, BuildError> {
    usize::try_from(given).ok().filter(|n| *n >= least).ok_or_else(|| {
        BuildError::attribute(name, format!("`{name}` is {given}; it must be {least} at least"))
    })
}

fn tetrahedra(around: usize, rings: usize, layers: usize, layer: usize) -> Vec<[u32; 4]> {
    let mut all = Vec::new();
    for i in 1..layers {
        let middle = i * layer;
        // Each point of a circle, after the one before it.
        let pairs = || (1..=around).map(|k| (k, if k == 1 { around } else { k - 1 }));
        for (k, before) in pairs() {
            let upper = [middle, middle + before, middle + k];
            let p = [upper, upper.map(|n| n - layer)].concat();
            for t in [[1, 0, 2, 3], [1, 2, 4, 3], [3, 4, 5, 2]] {
                all.push(t.map(|n: usize| p[n] as u32));
            }
        }
        for j in 1..rings {
            let first = middle + (j - 1) * around;
            for (k, before) in pairs() {
                let upper = [first + k, first + before, first + k + around, first + before + around];
                let h = [upper, upper.map(|n| n - layer)].concat();
                for t in [[0, 5, 4, 7], [0, 1, 5, 3], [5, 0, 3, 7], [0, 3, 7, 2], [7, 0, 2, 4], [6, 7, 2, 4]]
                {
                    all.push(t.map(|n: usize| h[n] as u32));
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn tetrahedra_fill_the_prism_of_the_circle() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [("radius", "2"), ("height", "3"), ("origin", "1 1 1"), ("resCircumferential", "7")];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let fields = &t.scene.component(c).fields;
        let x = fields["output_position"].reals().unwrap();
        let x: Vec<Vec3> = x.chunks(3).map(Vec3::from_column_slice).collect();
        let elements = fields["tetrahedra"].integers().unwrap();
        assert_eq!((x.len(), elements.len()), (5 * 22, 4 * (3 * 7 * 4 + 6 * 2 * 7 * 4)));
        let volume: f64 = elements
            .chunks(4)
            .map(|t| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|i| x[t[i] as usize]);
                (b - a).dot(&(c - a).cross(&(d - a))).abs() / 6.0
            })
            .sum();
        let polygon = 7.0 / 2.0 * 4.0 * (2.0 * PI / 7.0).sin();
        assert!((volume - 3.0 * polygon).abs() < 1e-12, "{volume}");
    }

    #[test]
    fn numbers_are_checked() {
        let mut t = TestScene::new();
        let root = t.root();
        for (name, value) in [("resHeight", "1"), ("resRadial", "0"), ("resCircumferential", "99999999999")] {
            assert!(t.add(&DESCRIPTION, root, &[(name, value)]).is_err(), "{name}");
        }
    }
}
