//! `JoinPoints`: points that are close to each other become one.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// Points that are close to each other, as one in their middle.
#[derive(Attributes)]
#[attributes(ignored("mergedPoints"))]
struct Settings {
    /// the points [m]
    points: Vec<Vec3>,
    /// points that are nearer to each other become one [m]
    #[attribute(default = "0")]
    distance: f64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "JoinPoints", build).templates(&["Vec3"]);

/// **Source:** as SOFA's: each point in turn joins the nearest other one, in the mean of all that have joined, until none is near enough.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    if s.points.is_empty() {
        b.warn(Some("points"), "there are no points");
    }
    let mut joined: Vec<(Vec3, f64)> = s.points.into_iter().map(|x| (x, 1.0)).collect();
    let mut at = 0;
    while at < joined.len() {
        let x = joined[at].0;
        let mut nearest = None;
        for (i, other) in joined.iter().enumerate().filter(|(i, _)| *i != at) {
            let distance = (x - other.0).norm();
            if distance < s.distance && nearest.is_none_or(|(_, least)| distance < least) {
                nearest = Some((i, distance));
            }
        }
        let Some((i, _)) = nearest else {
            at += 1;
            continue;
        };
        let ((x, n), (other, m)) = (joined[at], joined[i]);
        joined[at] = ((x * n + other * m) / (n + m), n + m);
        joined.remove(i);
        at -= usize::from(i < at);
    }
    let points: Vec<Vec3> = joined.into_iter().map(|(x, _)| x).collect();
    b.offer("mergedPoints", Value::from_points(&points));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn near_points_become_one() {
        let mut t = TestScene::new();
        let root = t.root();
        let points = ("points", "0 0 0 10 0 0 1 0 0 2 0 0 11 0 0");
        let c = t.add(&DESCRIPTION, root, &[points, ("distance", "1.6")]).unwrap();
        let x = t.scene.component(c).fields["mergedPoints"].reals().unwrap();
        // 0 joins 1 in 0.5, and both join 2 in the middle of all three.
        assert_eq!(x, [1.0, 0.0, 0.0, 10.5, 0.0, 0.0]);
        let c = t.add(&DESCRIPTION, root, &[points]).unwrap();
        assert_eq!(t.scene.component(c).fields["mergedPoints"].len(), 15);
        t.add(&DESCRIPTION, root, &[("distance", "1")]).unwrap();
        assert_eq!(t.warnings.len(), 1);
    }
}
