//! `PlaneROI`: the points and elements inside thick rectangles.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;

use super::selection::{Region, Selection};

/// The points and elements inside thick rectangles, as lists that others link to.
#[derive(Attributes)]
#[attributes(ignored("drawPlane"))]
struct Settings {
    /// rectangles: three corners, the second between the others, and the thickness [m]
    plane: Vec<[f64; 10]>,
    #[attribute(flatten)]
    selection: Selection,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "PlaneROI", build)
        .templates(&["Vec3", "Vec2", "Vec1", "Rigid3", "Vec6"]);

/// A rectangle about a middle plane.
struct Rectangle {
    corner: Vec3,
    far: Vec3,
    /// Directions of the first side, and across the rectangle's plane.
    along: Vec3,
    normal: Vec3,
    across: Vec3,
    width: f64,
    length: f64,
    depth: f64,
}

impl Rectangle {
    fn new(c: &[f64; 10]) -> Option<Self> {
        let p = |i: usize| Vec3::new(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
        let (first, second) = (p(1) - p(0), p(2) - p(1));
        let normal = first.cross(&second).try_normalize(0.0)?;
        let along = first.normalize();
        Some(Self {
            corner: p(0),
            far: p(2),
            along,
            normal,
            across: along.cross(&normal),
            width: first.norm(),
            length: second.norm(),
            depth: c[9],
        })
    }

    /// **Source:** as SOFA's: within half the thickness of the plane, and no farther from the lines through the first and the last corner
    /// than the sides are long.
    fn contains(&self, x: &Vec3) -> bool {
        let near = |from: &Vec3| {
            let d = x - from;
            d.dot(&self.along).abs() <= self.width && d.dot(&self.across).abs() <= self.length
        };
        (x - self.corner).dot(&self.normal).abs() <= (self.depth / 2.0).abs()
            && near(&self.corner)
            && near(&self.far)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let flat = || BuildError::attribute("plane", "the three corners of a `plane` lie on a line");
    let planes: Vec<Rectangle> =
        s.plane.iter().map(|c| Rectangle::new(c).ok_or_else(flat)).collect::<Result<_, _>>()?;
    let contains = |x: &Vec3| planes.iter().any(|r| r.contains(x));
    s.selection.offer(b, &Region::of(&contains), "plane")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn a_rectangle_has_a_thickness() {
        let mut t = TestScene::new();
        let root = t.root();
        let points = ("position", "0 0 0  2 1 0.5  1 0.5 0.51  2.1 0.5 0  1 -0.1 0  1 0.5 -0.5");
        let roi = [points, ("plane", "0 0 0  2 0 0  2 1 0  1")];
        let c = t.add(&DESCRIPTION, root, &roi).unwrap();
        assert_eq!(t.scene.component(c).fields["indices"].integers().unwrap(), [0, 1, 5]);
        let e = t.add(&DESCRIPTION, root, &[points, ("plane", "0 0 0 1 0 0 2 0 0 1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("plane"));
    }
}
