//! `HausdorffDistance`: how far two sets of points are apart.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

use super::rows::{POINT, rows, width};

/// The Hausdorff distance of two sets of points: the greatest distance from a point of one to the nearest of the other.
#[derive(Attributes)]
#[attributes(
    ignored("d12", "d21", "max"),
    ignored("update", summary = "it is computed again whenever what it is linked to changes")
)]
struct Settings {
    /// the first set, rows of the template's coordinates [m]
    points1: Vec<f64>,
    /// the second set [m]
    points2: Vec<f64>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "HausdorffDistance", build)
        .templates(&["Vec3", "Vec1", "Vec2", "Rigid3"]);

/// How far a point is at most from the nearest of others [m]; 0 without points.
///
/// Points that are too far from all to be the farthest are dropped at the first one that is near enough (early break: Taha and Hanbury
/// 2015).
fn directed(from: &[&[f64]], to: &[&[f64]]) -> f64 {
    let mut farthest = 0.0_f64;
    for p in from {
        let mut nearest = f64::MAX;
        for q in to {
            let square: f64 = p.iter().zip(*q).map(|(a, b)| (a - b) * (a - b)).sum();
            nearest = nearest.min(square.sqrt());
            if nearest <= farthest {
                break;
            }
        }
        farthest = farthest.max(nearest);
    }
    farthest
}

/// **Source:** as SOFA's: of frames the quaternions count like other numbers, and of no points the greatest number is the distance.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let width = width(b, POINT)?;
    let (first, second) = (rows("points1", &s.points1, width)?, rows("points2", &s.points2, width)?);
    let (d12, d21) = (directed(&first, &second), directed(&second, &first));
    b.offer("d12", Value::Real(d12));
    b.offer("d21", Value::Real(d21));
    b.offer("max", Value::Real(d12.max(d21)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use proptest::prelude::*;

    fn distances(first: &str, second: &str) -> Result<[f64; 3], BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, &[("points1", first), ("points2", second)])?;
        Ok(["d12", "d21", "max"].map(|n| t.scene.component(c).fields[n].reals().unwrap()[0]))
    }

    #[test]
    fn a_distance_has_a_direction() {
        assert_eq!(distances("0 0 0", "0 0 0 3 4 0").unwrap(), [0.0, 5.0, 5.0]);
        assert_eq!(distances("10 0 0", "0 0 0").unwrap(), [10.0; 3]);
        assert!(distances("10 0", "0 0 0").is_err());
    }

    proptest! {
        #[test]
        fn it_is_the_greatest_of_the_least(x in prop::collection::vec(-9.0..9.0_f64, 6), y in prop::collection::vec(-9.0..9.0_f64, 9)) {
            let (from, to): (Vec<&[f64]>, Vec<&[f64]>) = (x.chunks(3).collect(), y.chunks(3).collect());
            let apart = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            let least = |p: &&[f64]| to.iter().map(|q| apart(p, q)).fold(f64::MAX, f64::min);
            prop_assert_eq!(directed(&from, &to), from.iter().map(least).fold(0.0, f64::max));
        }
    }
}
