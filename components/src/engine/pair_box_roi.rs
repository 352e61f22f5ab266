//! `PairBoxROI`: the points in one box and not in another.

use sim_core::component::attributes::{Attributes, CoordRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::selection::{PointSearch, points};

/// The points in one box and not in another, as lists that others link to.
#[derive(Attributes)]
#[attributes(
    ignored("meshPosition", "indices", "pointsInROI", "pointsInBox"),
    ignored("drawInclusiveBox", "drawIncludedBox", "drawInclusdedBx", "drawPoints", "drawSize")
)]
struct Settings {
    /// two opposite corners of the box that holds the points [m]
    #[attribute(default = "0 0 0 0 0 0")]
    inclusive_box: [f64; 6],
    /// two opposite corners of the box that does not [m]
    #[attribute(default = "0 0 0 0 0 0")]
    included_box: [f64; 6],
    /// points; the rest positions of the state if not given [m]
    #[attribute(alias = "rest_position")]
    position: Option<CoordRows>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "PairBoxROI", build)
        .templates(&["Vec3", "Rigid3", "Vec6"]);

/// **Source:** as SOFA's: both boxes have their borders; where one is not given, nothing is chosen.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let given = [("inclusiveBox", s.inclusive_box), ("includedBox", s.included_box)];
    let missing = given.iter().find(|(_, c)| *c == [0.0; 6]);
    if let Some((name, _)) = missing {
        b.warn(Some(name), format!("`{name}` is not given, so no point is chosen"));
    }
    let within =
        |c: &[f64; 6], x: &Vec3| (0..3).all(|k| c[k].min(c[k + 3]) <= x[k] && x[k] <= c[k].max(c[k + 3]));
    let all = points(b, s.position.as_ref(), PointSearch::HereFirst);
    let chosen = |x: &Vec3| missing.is_none() && within(&s.inclusive_box, x) && !within(&s.included_box, x);
    let (indices, inside): (Vec<i64>, Vec<Vec3>) = (0..).zip(all).filter(|(_, x)| chosen(x)).unzip();
    b.offer("indices", Value::Integers(indices));
    b.offer("pointsInBox", Value::from_points(&inside));
    b.offer("pointsInROI", Value::from_points(&inside));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn the_border_of_the_inner_box_is_not_chosen() {
        let mut t = TestScene::new();
        let root = t.root();
        let points = ("position", "0 0 0 1 0 0 2 0 0 3 0 0 4 0 0");
        let boxes = [points, ("inclusiveBox", "0 -1 -1 3 1 1"), ("includedBox", "1 1 1 2 -1 -1")];
        let c = t.add(&DESCRIPTION, root, &boxes).unwrap();
        assert_eq!(t.scene.component(c).fields["indices"].integers().unwrap(), [0, 3]);
        let c = t.add(&DESCRIPTION, root, &boxes[..2]).unwrap();
        assert!(t.scene.component(c).fields["indices"].is_empty());
        assert!(t.warnings[0].contains("includedBox"), "{:?}", t.warnings);
    }
}
