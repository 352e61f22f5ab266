//! `ShapeMatching`: where clusters want their points.

use sim_core::component::attributes::{Attributes, Lists};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Vec3, Vec3Type};
use sim_core::scene::ComponentId;

use super::matched::{MatchedPoint, Matching, Member, Slot, add_cluster, match_shapes, slots};

/// Target positions of points: each cluster's rest shape is put where its points are, and a point's target is the mean of what its clusters
/// want.
#[derive(Attributes)]
#[attributes(ignored("targetPosition"))]
struct Settings {
    /// how often all clusters are matched
    #[attribute(default = "1", non_negative)]
    iterations: i64,
    /// 0: clusters turn; 1: they are stretched and sheared, too
    #[attribute(default = "0")]
    affine_ratio: f64,
    /// weight of the points of `fixedPosition`, where others have 1
    #[attribute(default = "1", name = "fixedweight")]
    fixed_weight: f64,
    /// rest positions of points that are in clusters and in no state [m]
    #[attribute(name = "fixedPosition0")]
    fixed_at_rest: Vec<Vec3>,
    /// where these points are [m]
    #[attribute(name = "fixedPosition")]
    fixed_now: Vec<Vec3>,
    /// where the points of the state are [m]
    position: Vec<Vec3>,
    /// the clusters, as lists in brackets
    cluster: Lists,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "ShapeMatching", build).templates(&["Vec3"]);

/// What is kept with the component, for constraints that match shapes within a step.
pub(crate) struct Shapes {
    /// How clusters follow.
    pub matching: Matching,
    /// The points, at their positions, and their clusters.
    pub slots: Vec<Slot>,
    /// Whose positions they follow, if those are linked to.
    pub follows: Option<ComponentId>,
}

/// **Source:** as SOFA's; rest positions are those of the state of this node or above.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let state = b.state()?;
    b.check_template::<Vec3Type>(state)?;
    let rest = b.scene.initial_as::<Vec3Type>(state).map_or(&[][..], |initial| &initial.rest_position);
    let n = s.position.len();
    if rest.len() != n {
        let text = format!("`position` has {n} points, but the state {}", rest.len());
        return Err(BuildError::attribute("position", text));
    }
    let place = |(rest, x): (&Vec3, &Vec3)| MatchedPoint { rest: *rest, target: *x, n_clusters: 0 };
    let mut points: Vec<MatchedPoint> = rest.iter().zip(&s.position).map(place).collect();
    if s.fixed_now.len() != s.fixed_at_rest.len() {
        let [now, at_rest] = [s.fixed_now.len(), s.fixed_at_rest.len()];
        let text = format!("`fixedPosition` has {now} points, but `fixedPosition0` {at_rest}");
        return Err(BuildError::attribute("fixedPosition", text));
    }
    let mut items = Vec::new();
    let mut flat = 0;
    for cluster in clusters(&s.cluster)? {
        let member = |i: &usize| {
            if *i < n {
                return Ok(Member::Point(*i as u32));
            }
            let fixed = s.fixed_at_rest.get(i - n).zip(s.fixed_now.get(i - n)).ok_or_else(|| {
                let text = format!("`cluster` holds {i}, but there are {} points", n + s.fixed_now.len());
                BuildError::attribute("cluster", text)
            })?;
            Ok(Member::Fixed { rest: *fixed.0, now: *fixed.1, weight: s.fixed_weight })
        };
        let members: Vec<Member> = cluster.iter().map(member).collect::<Result<_, BuildError>>()?;
        flat += usize::from(!add_cluster(&mut items, &mut points, &members));
    }
    if flat > 0 && s.affine_ratio != 0.0 {
        let text = format!("{flat} clusters are flat: what is affine of them is put at their centers");
        b.warn(Some("affineRatio"), text);
    }
    let iterations = u32::try_from(s.iterations).unwrap_or(u32::MAX);
    let matching = Matching { iterations, affine_ratio: s.affine_ratio };
    let follows = b.source("position").and_then(|(c, data)| (data == "position").then_some(c));
    let mut slots = slots(&points, &items);
    let kept = Shapes { matching, slots: slots.clone(), follows };
    match_shapes(&matching, &mut slots, n);
    let targets: Vec<Vec3> = slots[..n].iter().map(|s| s.point.target).collect();
    b.offer("targetPosition", Value::from_points(&targets));
    b.keep(Some(kept));
    Ok(())
}

/// The clusters, each with a point at least.
fn clusters(given: &Lists) -> Result<Vec<Vec<usize>>, BuildError> {
    let lists = given.of("point", |w| w.parse().ok())?;
    if lists.iter().any(Vec::is_empty) {
        return Err(BuildError::attribute("cluster", "a list of `cluster` is empty"));
    }
    Ok(lists)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    const SQUARE: &str = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1";

    fn targets(attributes: &[(&'static str, &str)]) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", SQUARE)]).unwrap();
        let c = t.add(&DESCRIPTION, root, attributes)?;
        Ok(t.scene.component(c).fields["targetPosition"].reals().unwrap())
    }

    #[test]
    fn points_of_no_cluster_stay_and_others_go_with_theirs() {
        let moved = "5 0 0 6 0 0 6 1 0 5 1 0 9 9 9";
        let found = targets(&[("position", moved), ("cluster", "[0,1,2] [2,3,0]")]).unwrap();
        for (a, b) in found.iter().zip(moved.split(' ').map(|w| w.parse::<f64>().unwrap())) {
            assert!((a - b).abs() < 1e-12, "{found:?}");
        }
        // A fixed point, which is heavy, holds its cluster.
        let held = [("fixedPosition0", "0.5 0.5 0"), ("fixedPosition", "0.5 0.5 0"), ("fixedweight", "1e9")];
        let all = [&[("position", moved), ("cluster", "[0,1,2,3,5]")], &held[..]].concat();
        let found = targets(&all).unwrap();
        assert!((found[0] + found[3] + found[6] + found[9] - 2.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (wrong, attribute) in [
            (&[("position", "0 0 0"), ("cluster", "[0]")], "position"),
            (&[("position", SQUARE), ("cluster", "[0,9]")], "cluster"),
            (&[("position", SQUARE), ("cluster", "[0,1")], "cluster"),
            (&[("position", SQUARE), ("cluster", "[a]")], "cluster"),
            (&[("position", SQUARE), ("fixedPosition", "1 1 1")], "fixedPosition"),
        ] {
            let e = targets(wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute), "{e:?}");
        }
    }
}
