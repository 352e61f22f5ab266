//! `ExtrudeSurface`: a part of a surface made thick.

use std::collections::BTreeMap;

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// A part of a surface made thick along its normals, as a closed surface.
#[derive(Attributes)]
#[attributes(ignored("isVisible", "extrusionVertices", "extrusionTriangles"))]
struct Settings {
    /// thickness [m]
    #[attribute(default = "1")]
    height_factor: f64,
    /// points of the surface [m]
    surface_vertices: Vec<Vec3>,
    /// triangles of the surface
    triangles: IndexRows<3>,
    /// which of the triangles are made thick
    surface_triangles: Vec<i64>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "ExtrudeSurface", build).templates(&["Vec3"]);

/// **Source:** as SOFA's: each point that a triangle uses, in the order of the triangles, has the number 2i and its copy along the sum of the
/// normals of its triangles the number 2i + 1; each triangle makes one below, turned over, and one above, and each edge of one triangle only makes two.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let all = s.triangles.below(s.surface_vertices.len())?;
    let mut chosen = Vec::with_capacity(s.surface_triangles.len());
    for i in &s.surface_triangles {
        let triangle = usize::try_from(*i).ok().and_then(|i| all.get(i)).ok_or_else(|| {
            let text = format!("`surfaceTriangles` holds {i}, but there are {} triangles", all.len());
            BuildError::attribute("surfaceTriangles", text)
        })?;
        chosen.push(*triangle);
    }
    if chosen.is_empty() {
        b.warn(Some("surfaceTriangles"), "no triangle is chosen, so nothing is made thick");
    }
    let mut normals: BTreeMap<u32, Vec3> = BTreeMap::new();
    for t in &chosen {
        let [p, q, r] = t.map(|i| s.surface_vertices[i as usize]);
        let normal = (q - p).cross(&(r - p)).try_normalize(0.0).unwrap_or_default();
        t.iter().for_each(|i| *normals.entry(*i).or_default() += normal);
    }
    let mut points = Vec::new();
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    let mut triangles = Vec::new();
    // For each edge as its first triangle names it, whether no other triangle has it.
    let mut is_border: BTreeMap<[u32; 2], bool> = BTreeMap::new();
    for t in &chosen {
        let below = t.map(|i| {
            *numbers.entry(i).or_insert_with(|| {
                let normal = normals[&i].try_normalize(0.0).unwrap_or_default();
                let x = s.surface_vertices[i as usize];
                points.extend([x, x + normal * s.height_factor]);
                points.len() as u32 - 2
            })
        });
        let [p, q, r] = below;
        for [a, b] in [[p, q], [p, r], [q, r]] {
            if let Some(border) = is_border.get_mut(&[b, a]) {
                *border = false;
            } else {
                is_border.entry([a, b]).and_modify(|border| *border = false).or_insert(true);
            }
        }
        triangles.push([p, r, q]);
        triangles.push(below.map(|i| i + 1));
    }
    for [p, q] in is_border.iter().filter(|(_, border)| **border).map(|(edge, _)| *edge) {
        triangles.push([p, q, p + 1]);
        triangles.push([q + 1, p + 1, q]);
    }
    b.offer("extrusionVertices", Value::from_points(&points));
    b.offer("extrusionTriangles", Value::from_rows(&triangles));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn a_square_becomes_a_box() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [
            ("surfaceVertices", "0 0 0 1 0 0 1 1 0 0 1 0 9 9 9"),
            ("triangles", "0 1 4 0 1 2 0 2 3"),
            ("surfaceTriangles", "1 2"),
            ("heightFactor", "2"),
        ];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let get = |name: &str| t.scene.component(c).fields[name].reals().unwrap();
        let x: Vec<Vec3> = get("extrusionVertices").chunks(3).map(Vec3::from_column_slice).collect();
        assert_eq!((x.len(), x[2], x[3]), (8, Vec3::x(), Vec3::new(1.0, 0.0, 2.0)));
        let triangles = get("extrusionTriangles");
        assert_eq!(triangles.len(), 3 * (4 + 8), "two squares and four sides");
        let area: f64 = triangles
            .chunks(3)
            .map(|t| {
                let [a, b, c] = [0, 1, 2].map(|k| x[t[k] as usize]);
                (b - a).cross(&(c - a)).norm() / 2.0
            })
            .sum();
        assert!((area - 10.0).abs() < 1e-12, "{area}");
        let wrong = [given[0], given[1], ("surfaceTriangles", "3")];
        assert_eq!(
            t.add(&DESCRIPTION, root, &wrong).unwrap_err().attribute.as_deref(),
            Some("surfaceTriangles")
        );
    }
}
