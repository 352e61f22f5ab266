//! `ExtrudeEdgesAndGenerateQuads` and `ExtrudeQuadsAndGenerateHexas`: curves that become surfaces, and surfaces that become bodies. The
//! file is long for its two classes.

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::normals::normalized;

/// A curve moved along a direction, which makes a surface of quads.
#[allow(clippy::duplicated_attributes, reason = "attributes may have the same default")]
#[derive(Attributes)]
#[attributes(ignored("extrudedVertices", "extrudedEdges", "extrudedQuads"))]
struct Curve {
    /// where the curve is moved to
    #[attribute(default = "1 0 0")]
    extrude_direction: Vec3,
    /// how far against the direction the surface begins, in lengths of the direction
    #[attribute(default = "0")]
    thickness_in: f64,
    /// how far along the direction it ends [m]
    #[attribute(default = "1")]
    thickness_out: f64,
    /// how many quads there are along the direction
    #[attribute(default = "1")]
    number_of_sections: i64,
    /// points of the curve [m]
    curve_vertices: Vec<Vec3>,
    /// its edges
    curve_edges: IndexRows<2>,
}

/// A surface of quads made thick along its normals, as hexahedra.
#[allow(clippy::duplicated_attributes, reason = "attributes may have the same default")]
#[derive(Attributes)]
#[attributes(ignored(
    "isVisible",
    "extrudedVertices",
    "extrudedSurfaceQuads",
    "extrudedQuads",
    "extrudedHexas"
))]
struct Surface {
    /// factors for the surface's points along the axes
    #[attribute(default = "1 1 1")]
    scale: Vec3,
    /// how far against the normals the body begins [m]
    #[attribute(default = "0")]
    thickness_in: f64,
    /// how far along the normals it ends [m]
    #[attribute(default = "1")]
    thickness_out: f64,
    /// how many hexahedra there are along the normals
    #[attribute(default = "1")]
    number_of_slices: i64,
    /// whether the points of hexahedra come in the order of the quads' own, and not the other way round
    flip_normals: bool,
    /// points of the surface [m]
    surface_vertices: Vec<Vec3>,
    /// its quads
    surface_quads: IndexRows<4>,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<Curve>(Family::Engine, "ExtrudeEdgesAndGenerateQuads", of_curve)
        .templates(&["Vec3"]),
    ComponentDescription::new::<Surface>(Family::Engine, "ExtrudeQuadsAndGenerateHexas", of_surface)
        .templates(&["Vec3"]),
];

/// The most points that are made; more are a mistake.
const MOST_POINTS: usize = 50_000_000;

/// A number of layers between what is there and its copy.
fn layers(name: &str, given: i64, n_points: usize) -> Result<u32, BuildError> {
    let fits = |n: &u32| *n > 0 && (*n as usize + 1).saturating_mul(n_points) <= MOST_POINTS;
    u32::try_from(given).ok().filter(fits).ok_or_else(|| {
        let text = format!(
            "`{name}` is {given}; of {n_points} points it may be between 1 and {}",
            MOST_POINTS / n_points.max(1) - 1
        );
        BuildError::attribute(name, text)
    })
}

/// **Source:** as SOFA's: the points of a section follow each other, as those of the curve do. Edges are those of each edge of the curve in all
/// sections and those from its first point on; if the curve has fewer edges than points, those from the last point of its last edge on, too.
fn of_curve(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Curve::read(b)?;
    let n = s.curve_vertices.len() as u32;
    let curve = s.curve_edges.below(s.curve_vertices.len())?;
    let mut sections = s.number_of_sections;
    if sections < 0 {
        b.warn(Some("numberOfSections"), "is negative; 1 is taken, as in SOFA");
        sections = 1;
    }
    let sections = layers("numberOfSections", sections, s.curve_vertices.len())?;
    let (mut points, mut edges, mut quads) = (Vec::new(), Vec::new(), Vec::new());
    if curve.is_empty() {
        b.warn(Some("curveEdges"), "there are no edges, so there is no surface");
    } else {
        let step =
            normalized(s.extrude_direction) * ((s.thickness_in + s.thickness_out) / f64::from(sections));
        for k in 0..=sections {
            let moved = -s.extrude_direction * s.thickness_in + step * f64::from(k);
            points.extend(s.curve_vertices.iter().map(|x| x + moved));
        }
        for [p, q] in &curve {
            edges.extend((0..=sections).map(|k| [p + k * n, q + k * n]));
            edges.extend((0..sections).map(|k| [p + k * n, p + (k + 1) * n]));
            quads.extend((0..sections).map(|k| [p + k * n, q + k * n, q + (k + 1) * n, p + (k + 1) * n]));
        }
        if let Some([_, q]) = curve.last().filter(|_| curve.len() < n as usize) {
            edges.extend((0..sections).map(|k| [q + k * n, q + (k + 1) * n]));
        }
    }
    b.offer("extrudedVertices", Value::from_points(&points));
    b.offer("extrudedEdges", Value::from_rows(&edges));
    b.offer("extrudedQuads", Value::from_rows(&quads));
    Ok(())
}

/// **Source:** as SOFA's: the copies of a point follow it. A quad's normal is that of its first three points; of quads there are the outer one, the
/// inner one, pairs between the slices, and the sides of each slice.
fn of_surface(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Surface::read(b)?;
    let surface = s.surface_quads.below(s.surface_vertices.len())?;
    let slices = layers("numberOfSlices", s.number_of_slices, s.surface_vertices.len())?;
    if surface.is_empty() {
        b.warn(Some("surfaceQuads"), "there are no quads, so there is no body");
    }
    let mut normals = vec![Vec3::zeros(); s.surface_vertices.len()];
    for quad in &surface {
        let [p, q, r, _] = quad.map(|i| s.surface_vertices[i as usize]);
        let normal = normalized((q - p).cross(&(r - p)));
        quad.iter().for_each(|i| normals[*i as usize] += normal);
    }
    let step = (s.thickness_in + s.thickness_out) / f64::from(slices);
    let mut points = Vec::new();
    if !surface.is_empty() {
        for (x, normal) in s.surface_vertices.iter().zip(normals) {
            let (normal, x) = (normalized(normal), x.component_mul(&s.scale));
            points
                .extend((0..=slices).map(|k| x + (-normal * s.thickness_in + normal * step * f64::from(k))));
        }
    }
    let (mut outer, mut quads, mut hexahedra) = (Vec::new(), Vec::new(), Vec::new());
    for quad in &surface {
        let at = |k: u32| quad.map(|i| i * (slices + 1) + k);
        let turned = |k: u32| {
            let [p, q, r, s] = at(k);
            [s, r, q, p]
        };
        outer.push(at(0));
        quads.extend([at(0), turned(slices)]);
        quads.extend((1..slices).flat_map(|k| [at(k), turned(k)]));
        for k in 0..slices {
            let p = at(k);
            quads.extend((0..4).map(|i| [p[i], p[i] + 1, p[(i + 1) % 4] + 1, p[(i + 1) % 4]]));
            let [p, q, r, s] = if s.flip_normals { p } else { turned(k) };
            hexahedra.push([p, q, r, s, p + 1, q + 1, r + 1, s + 1]);
        }
    }
    b.offer("extrudedVertices", Value::from_points(&points));
    b.offer("extrudedSurfaceQuads", Value::from_rows(&outer));
    b.offer("extrudedQuads", Value::from_rows(&quads));
    b.offer("extrudedHexas", Value::from_rows(&hexahedra));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn made(class: usize, attributes: &[(&'static str, &str)]) -> impl Fn(&str) -> Vec<f64> + use<> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&ALL[class], root, attributes).unwrap();
        move |name| t.scene.component(c).fields[name].reals().unwrap()
    }

    #[test]
    fn a_curve_becomes_a_surface() {
        let get = made(
            0,
            &[
                ("curveVertices", "0 0 0 0 1 0 0 2 0"),
                ("curveEdges", "0 1 1 2"),
                ("extrudeDirection", "2 0 0"),
                ("thicknessIn", "1"),
                ("thicknessOut", "3"),
                ("numberOfSections", "2"),
            ],
        );
        let x: Vec<f64> = get("extrudedVertices").chunks(3).map(|x| x[0]).collect();
        assert_eq!(x, [-2.0, -2.0, -2.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0]);
        assert_eq!(get("extrudedQuads")[..8], [0., 1., 4., 3., 3., 4., 7., 6.]);
        assert_eq!(get("extrudedEdges").len(), 2 * (2 * 5 + 2));
        assert_eq!(get("extrudedEdges")[20..], [2., 5., 5., 8.], "the open end");
    }

    #[test]
    fn a_surface_becomes_a_body() {
        let square = [
            ("surfaceVertices", "0 0 0 1 0 0 1 1 0 0 1 0"),
            ("surfaceQuads", "0 1 2 3"),
            ("thicknessIn", "1"),
            ("thicknessOut", "3"),
            ("numberOfSlices", "2"),
        ];
        let get = made(1, &square);
        let z: Vec<f64> = get("extrudedVertices").chunks(3).map(|x| x[2]).collect();
        assert_eq!(z[..3], [-1.0, 1.0, 3.0]);
        assert_eq!(get("extrudedHexas")[..8], [9., 6., 3., 0., 10., 7., 4., 1.]);
        assert_eq!(get("extrudedSurfaceQuads"), [0., 3., 6., 9.]);
        assert_eq!(get("extrudedQuads").len(), 4 * (2 + 2 + 8));
        let flipped = made(1, &[&square[..], &[("flipNormals", "1"), ("scale", "2 2 2")]].concat());
        assert_eq!(flipped("extrudedHexas")[..4], [0., 3., 6., 9.]);
        assert_eq!(flipped("extrudedVertices")[9], 2.0);
    }

    #[test]
    fn layers_are_checked() {
        let mut t = TestScene::new();
        let root = t.root();
        let curve = [("curveVertices", "0 0 0 0 1 0"), ("curveEdges", "0 1")];
        let with = |t: &mut TestScene, n: &'static str| {
            t.add(&ALL[0], root, &[curve[0], curve[1], ("numberOfSections", n)])
        };
        assert!(with(&mut t, "-3").is_ok() && t.warnings.len() == 1);
        assert!(with(&mut t, "0").is_err() && with(&mut t, "99999999").is_err());
    }
}
