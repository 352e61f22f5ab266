//! `NearestPointROI`: pairs of points of two objects that are near each other.

use sim_core::component::value::Value;
use sim_core::prelude::*;

/// Pairs of points of two objects that are near each other at the beginning.
#[derive(Attributes)]
#[attributes(ignored("indices1", "indices2", "edges", "indexPairs", "distances", "drawPairs"))]
struct Settings {
    /// the first object
    object1: LinkTarget,
    /// the second object
    object2: LinkTarget,
    /// points of the first object that count; all if none is given
    input_indices1: Indices,
    /// points of the second object that count; all if none is given
    input_indices2: Indices,
    /// distance below which points are a pair [m]
    #[attribute(default = "1", positive)]
    radius: Real,
    /// whether rest positions are compared, and not positions
    #[attribute(default = "1")]
    use_rest_position: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "NearestPointROI", build)
        .templates(&["Vec3", "Rigid3", "Vec2", "Vec1"]);

/// **Source:** as SOFA's: the nearest point of the first object (the first of equals) to each of the second; `edges` name the points of pair
/// i as 2i and 2i + 1 with the number i of the second object's point, as a `SubsetMultiMapping` by `indexPairs` puts them where all are paired.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let first = positions(b, s.object1, "object1", s.use_rest_position)?;
    let second = positions(b, s.object2, "object2", s.use_rest_position)?;
    let among = s.input_indices1.below_or_all(first.len())?;
    let mut pairs = Vec::new();
    let mut distances = Vec::new();
    for q in s.input_indices2.below_or_all(second.len())? {
        let distance = |p: &u32| (second[q as usize] - first[*p as usize]).norm_squared();
        let nearest = among.iter().min_by(|p, q| distance(p).total_cmp(&distance(q)));
        if let Some(p) = nearest.filter(|p| distance(p) < s.radius * s.radius) {
            pairs.push([*p, q]);
            distances.push(distance(p).sqrt());
        }
    }
    if pairs.is_empty() {
        b.warn(Some("radius"), "no two points are nearer to each other than `radius`");
    }
    let list = |k: usize| Value::Integers(pairs.iter().map(|pair| i64::from(pair[k])).collect());
    b.offer("indices1", list(0));
    b.offer("indices2", list(1));
    let edges = pairs.iter().flat_map(|[_, q]| [2 * i64::from(*q), 2 * i64::from(*q) + 1]);
    b.offer("edges", Value::Integers(edges.collect()));
    let of_objects = pairs.iter().flat_map(|[p, q]| [0, i64::from(*p), 1, i64::from(*q)]);
    b.offer("indexPairs", Value::Integers(of_objects.collect()));
    b.offer("distances", Value::Reals(distances));
    Ok(())
}

fn positions(
    b: &Builder<'_>,
    object: LinkTarget,
    attribute: &str,
    at_rest: bool,
) -> Result<Vec<Vec3>, BuildError> {
    let initial = b.scene.initial(b.state_at(object, attribute)?);
    Ok(if at_rest { initial.rest_centers() } else { initial.centers() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn the_nearest_points_are_pairs() {
        let mut t = TestScene::new();
        let objects = ["0 0 0 1 0 0 5 0 0", "1.1 0 0 9 0 0 4.8 0 0"].map(|position| {
            let node = t.child(t.root(), "object");
            t.add(&mechanical_object::DESCRIPTION, node, &[("position", position)]).unwrap();
            LinkTarget::Node(node)
        });
        let links = [("object1", objects[0]), ("object2", objects[1])];
        let root = t.root();
        let c = t.add_linked(&DESCRIPTION, root, &[("radius", "0.5")], &links).unwrap();
        let get = |t: &TestScene, c, name: &str| t.scene.component(c).fields[name].reals().unwrap();
        assert_eq!((get(&t, c, "indices1"), get(&t, c, "indices2")), (vec![1.0, 2.0], vec![0.0, 2.0]));
        assert_eq!(get(&t, c, "indexPairs"), [0.0, 1.0, 1.0, 0.0, 0.0, 2.0, 1.0, 2.0]);
        assert_eq!(get(&t, c, "edges"), [0.0, 1.0, 4.0, 5.0]);
        assert!((get(&t, c, "distances")[1] - 0.2).abs() < 1e-14);
        let chosen = [("radius", "2"), ("inputIndices1", "0"), ("inputIndices2", "0")];
        let c = t.add_linked(&DESCRIPTION, root, &chosen, &links).unwrap();
        assert_eq!(get(&t, c, "indexPairs"), [0.0, 0.0, 1.0, 0.0]);
    }
}
