//! `MergePoints`: the points of two objects as one list.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// The points of two objects as one list, at the beginning.
#[derive(Attributes)]
#[attributes(ignored("indices1", "indices2", "points", "noUpdate"))]
struct Settings {
    /// points of the first object [m]
    position1: Vec<Vec3>,
    /// points of the second object [m]
    position2: Vec<Vec3>,
    /// which points of the first object those of the second replace; they follow the first object's if not given
    #[attribute(name = "mappingX2")]
    mapping_x2: Vec<i64>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MergePoints", build).templates(&["Vec3"]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let mut points = s.position1;
    let n = points.len();
    let second: Vec<usize> = if s.mapping_x2.is_empty() {
        points.extend(&s.position2);
        (n..points.len()).collect()
    } else {
        let wrong = |text: String| BuildError::attribute("mappingX2", text);
        if s.mapping_x2.len() > s.position2.len() {
            let text = format!("`mappingX2` names {} points of {}", s.mapping_x2.len(), s.position2.len());
            return Err(wrong(text));
        }
        let place = |i: &i64| usize::try_from(*i).ok().filter(|i| *i < n);
        let mut places = Vec::with_capacity(s.mapping_x2.len());
        for (i, x) in s.mapping_x2.iter().zip(&s.position2) {
            if let Some(i) = place(i) {
                points[i] = *x;
                places.push(i);
            }
        }
        let beyond = s.mapping_x2.len() - places.len();
        if beyond > 0 {
            let text =
                format!("{beyond} entries are beyond the {n} points of `position1`; they are left out");
            b.warn(Some("mappingX2"), text);
        }
        places.sort_unstable();
        places.dedup();
        places
    };
    let first = (0..points.len()).filter(|i| second.binary_search(i).is_err());
    let integers = |list: Vec<usize>| Value::Integers(list.into_iter().map(|i| i as i64).collect());
    b.offer("indices1", integers(first.collect()));
    b.offer("points", Value::from_points(&points));
    b.offer("indices2", integers(second));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    #[test]
    fn points_follow_or_replace() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [("position1", "0 0 0 1 0 0 2 0 0"), ("position2", "7 0 0 8 0 0")];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        let get = |t: &TestScene, c, name: &str| t.scene.component(c).fields[name].reals().unwrap();
        assert_eq!((get(&t, c, "indices2"), get(&t, c, "points").len()), (vec![3.0, 4.0], 15));
        let c = t.add(&DESCRIPTION, root, &[given[0], given[1], ("mappingX2", "2 0")]).unwrap();
        assert_eq!(get(&t, c, "points"), [8.0, 0.0, 0.0, 1.0, 0.0, 0.0, 7.0, 0.0, 0.0]);
        assert_eq!((get(&t, c, "indices1"), get(&t, c, "indices2")), (vec![1.0], vec![0.0, 2.0]));
        assert!(t.add(&DESCRIPTION, root, &[given[0], given[1], ("mappingX2", "0 1 2")]).is_err());
        let c = t.add(&DESCRIPTION, root, &[given[0], given[1], ("mappingX2", "3 1")]).unwrap();
        assert_eq!(get(&t, c, "points"), [0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 2.0, 0.0, 0.0], "3 is left out");
        assert_eq!((get(&t, c, "indices2"), t.warnings.len()), (vec![1.0], 1));
    }
}
