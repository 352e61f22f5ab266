//! `SphereROI`: the points and elements inside balls.

use sim_core::component::attributes::{Attributes, Deferred};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;

use super::selection::{Region, Selection};

/// The points and elements inside balls, as lists that others link to.
#[derive(Attributes)]
#[attributes(ignored("drawSphere", "isVisible", "pointIndices"))]
struct Settings {
    /// centres of the balls [m]
    centers: Vec<Vec3>,
    /// their radii; a single one is that of all [m]
    radii: Vec<f64>,
    /// edges within this angle of `direction` only, as SOFA compares them; 0: all [deg]
    #[attribute(default = "0")]
    edge_angle: f64,
    /// direction that `edgeAngle` is measured from
    #[attribute(default = "0 0 0")]
    direction: Deferred<Vec3>,
    /// triangles whose inward normals are farther than this from `normal` only; 0: all [deg]
    #[attribute(default = "0", alias = "angle")]
    tri_angle: f64,
    /// direction that `triAngle` is measured from
    #[attribute(default = "0 0 0")]
    normal: Deferred<Vec3>,
    #[attribute(flatten)]
    selection: Selection,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "SphereROI", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Rigid3", "Vec6"]);

/// **Source:** as SOFA's: the border of a ball belongs to it. An edge counts where |n . direction| < |cos|, a triangle where the product of
/// `normal` and (t2 - t0) x (t1 - t0), which points inwards, is below the cosine.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let balls = balls(&s)?;
    let contains = |x: &Vec3| balls.iter().any(|(c, r)| (x - c).norm_squared() <= r * r);
    let edge = (s.edge_angle != 0.0).then(|| unit(b, &s.direction)).transpose()?;
    let triangle = (s.tri_angle != 0.0).then(|| unit(b, &s.normal)).transpose()?;
    let [edge_limit, triangle_limit] = [s.edge_angle, s.tri_angle].map(|angle| angle.to_radians().cos());
    let accepts = |p: &[Vec3]| match (p, edge, triangle) {
        ([a, b], Some(direction), _) => (b - a).normalize().dot(&direction).abs() < edge_limit.abs(),
        ([a, b, c], _, Some(normal)) => (c - a).cross(&(b - a)).normalize().dot(&normal) < triangle_limit,
        _ => true,
    };
    s.selection.offer(b, &Region { accepts: &accepts, ..Region::of(&contains) }, "centers")?;
    if let Some(indices) = b.offered("indices").cloned() {
        b.offer("pointIndices", indices);
    }
    Ok(())
}

fn balls(s: &Settings) -> Result<Vec<(Vec3, f64)>, BuildError> {
    let (n, radii) = (s.centers.len(), &s.radii);
    if radii.len() != n && radii.len() != 1 {
        let text = format!("`radii` has {} entries for {n} centers; give one, or one each", radii.len());
        return Err(BuildError::attribute("radii", text));
    }
    Ok(s.centers.iter().copied().zip(radii.iter().copied().cycle()).collect())
}

fn unit(b: &Builder<'_>, given: &Deferred<Vec3>) -> Result<Vec3, BuildError> {
    let name = given.name();
    let no_length = || BuildError::attribute(name, format!("`{name}` is 0; give a direction"));
    given.get(b)?.try_normalize(0.0).ok_or_else(no_length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    const POINTS: (&str, &str) = ("position", "0 0 0 1 0 0 2 0 0 3 0 0 0 1 0");

    #[test]
    fn points_on_the_border_are_inside() {
        let mut t = TestScene::new();
        let root = t.root();
        let roi = [POINTS, ("centers", "0 0 0 3.5 0 0"), ("radii", "1")];
        let c = t.add(&DESCRIPTION, root, &roi).unwrap();
        assert_eq!(t.scene.component(c).fields["indices"].integers().unwrap(), [0, 1, 3, 4]);
        assert_eq!(t.scene.component(c).fields["pointIndices"].integers().unwrap(), [0, 1, 3, 4]);
        let e = t.add(&DESCRIPTION, root, &[POINTS, ("centers", "0 0 0"), ("radii", "1 2")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("radii"));
    }

    #[test]
    fn angles_choose_among_edges_and_triangles() {
        let mut t = TestScene::new();
        let root = t.root();
        let roi = [
            POINTS,
            ("edges", "0 1 0 4"),
            ("triangles", "0 1 4 0 4 1"),
            ("centers", "0 0 0"),
            ("radii", "9"),
            ("edgeAngle", "45"),
            ("direction", "2 0 0"),
            ("triAngle", "45"),
            ("normal", "0 0 1"),
        ];
        let c = t.add(&DESCRIPTION, root, &roi).unwrap();
        let fields = &t.scene.component(c).fields;
        assert_eq!(fields["edgeIndices"].integers().unwrap(), [1], "as in SOFA, those across the direction");
        assert_eq!(fields["triangleIndices"].integers().unwrap(), [0]);
        let e = t.add(&DESCRIPTION, root, &[&roi[..6], &[("direction", "0 0 0")]].concat()).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("direction"));
    }
}
