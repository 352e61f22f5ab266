//! `MergeSets`, `ComplementaryROI`, `MergeROIs` and `ROIValueMapper`: what sets of indices make together.

use std::collections::BTreeSet;

use sim_core::component::attributes::{Attributes, Lists};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

use super::numbered::{IndexLists, Numbers, SetLists};
use super::rows::{POINT, rows, width};
use super::values_from_indices::put;

/// Two sets of indices as one.
#[derive(Attributes)]
#[attributes(ignored("out"))]
struct Merged {
    /// first set
    in1: Vec<i64>,
    /// second set
    in2: Vec<i64>,
    /// union, intersection, difference or symmetric_difference; the first letter counts
    #[attribute(default = "union")]
    op: String,
}

/// The points that are in none of some sets.
#[derive(Attributes)]
#[attributes(ignored("indices", "pointsInROI"))]
struct Complement {
    /// the points, rows of the template's coordinates [m]
    position: Vec<f64>,
    /// how many sets, at most 8
    #[attribute(default = "0")]
    nb_set: i64,
}

/// Several sets of indices as one list of lists.
#[derive(Attributes)]
#[attributes(ignored("roiIndices"))]
struct Joined {
    /// how many sets, at most 8
    #[attribute(name = "nbROIs", default = "0")]
    nb_rois: i64,
}

/// A list with a value at each index of some sets.
#[derive(Attributes)]
#[attributes(ignored("outputValues"))]
struct Mapped {
    /// how many sets, at most 8
    #[attribute(name = "nbROIs", default = "0")]
    nb_rois: i64,
    /// what stands at indices in no set
    #[attribute(default = "0")]
    default_value: f64,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 4] = [
    ComponentDescription::new::<Merged>(Family::Engine, "MergeSets", merge),
    ComponentDescription::new::<(Complement, SetLists)>(Family::Engine, "ComplementaryROI", complement)
        .templates(&["Vec3", "Vec2", "Vec1", "Vec6", "Rigid3", "Rigid2"]),
    ComponentDescription::new::<(Joined, IndexLists)>(Family::Engine, "MergeROIs", join),
    ComponentDescription::new::<(Mapped, IndexLists, Numbers)>(Family::Engine, "ROIValueMapper", map),
];

/// **Source:** as SOFA's: sets are in ascending order; an operation of another name gives none.
fn merge(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Merged::read(b)?;
    let [first, second] = [s.in1, s.in2].map(BTreeSet::from_iter);
    let out: Vec<i64> = match s.op.chars().next().map(|c| c.to_ascii_lowercase()) {
        None | Some('u') => first.union(&second).copied().collect(),
        Some('i') => first.intersection(&second).copied().collect(),
        Some('d') => first.difference(&second).copied().collect(),
        Some('s') => first.symmetric_difference(&second).copied().collect(),
        Some(_) => {
            let text = format!("there is no operation `{}`, so `out` is empty, as in SOFA", s.op);
            b.warn(Some("op"), text);
            Vec::new()
        }
    };
    b.offer("out", Value::Integers(out));
    Ok(())
}

/// **Source:** as SOFA's: an index that is no point, or that an earlier set has, is left out with a message.
fn complement(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, sets) = (Complement::read(b)?, SetLists::read(b)?);
    let points = rows("position", &s.position, width(b, POINT)?)?;
    let mut left: BTreeSet<i64> = (0..points.len() as i64).collect();
    let mut missing = 0;
    for set in sets.first(b, "nbSet", s.nb_set)? {
        missing += set.iter().filter(|i| !left.remove(i)).count();
    }
    if missing > 0 {
        let text = format!("{missing} indices of the sets are no points, or are there twice");
        b.warn(Some("nbSet"), text);
    }
    let chosen = left.iter().flat_map(|i| points[*i as usize]).copied().collect();
    b.offer("indices", Value::Integers(left.into_iter().collect()));
    b.offer("pointsInROI", Value::Reals(chosen));
    Ok(())
}

fn join(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, lists) = (Joined::read(b)?, IndexLists::read(b)?);
    let lists = lists.first(b, "nbROIs", s.nb_rois)?;
    b.offer("roiIndices", Lists::written(&lists));
    Ok(())
}

/// **Source:** as SOFA's: where sets overlap, the value of the last one stands; the list ends at the greatest index.
fn map(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, lists, values) = (Mapped::read(b)?, IndexLists::read(b)?, Numbers::read(b)?);
    let lists = lists.first(b, "nbROIs", s.nb_rois)?;
    let values = values.first(b, "nbROIs", s.nb_rois)?;
    let mut output = Vec::new();
    for (k, (list, value)) in lists.into_iter().zip(values).enumerate() {
        let name = format!("indices{}", k + 1);
        for i in list {
            put(&mut output, (&name, i), value.unwrap_or(0.0), s.default_value)?;
        }
    }
    b.offer("outputValues", Value::Reals(output));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn offered(class: usize, attributes: &[(&'static str, &str)], name: &str) -> (Value, Vec<String>) {
        TestScene::offered(&ALL[class], attributes, name)
    }

    #[test]
    fn sets_are_merged() {
        let sets = [("in1", "5 1 3 1"), ("in2", "3 7")];
        let merged = |op: &str| offered(0, &[sets[0], sets[1], ("op", op)], "out").0.integers().unwrap();
        assert_eq!(merged("union"), [1, 3, 5, 7]);
        assert_eq!(merged("Intersection"), [3]);
        assert_eq!(merged("difference"), [1, 5]);
        assert_eq!(merged("symmetric_difference"), [1, 5, 7]);
        let (none, warnings) = offered(0, &[sets[0], sets[1], ("op", "xor")], "out");
        assert!(none.is_empty() && warnings[0].contains("no operation"));
    }

    #[test]
    fn what_is_in_no_set_is_left() {
        let sets = [
            ("position", "0 0 0 1 0 0 2 0 0 3 0 0"),
            ("nbSet", "2"),
            ("setIndices1", "1 9"),
            ("setIndices2", "3 1"),
        ];
        let (indices, warnings) = offered(1, &sets, "indices");
        assert_eq!(indices, Value::Integers(vec![0, 2]));
        assert!(warnings[0].contains("2 indices"), "{warnings:?}");
        assert_eq!(offered(1, &sets, "pointsInROI").0.reals().unwrap(), [0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn sets_are_kept_apart_or_get_values() {
        let sets = [("nbROIs", "2"), ("indices1", "0 3"), ("indices2", "3 1"), ("indices3", "9")];
        let lists = offered(2, &sets, "roiIndices").0;
        assert_eq!(lists, Value::Texts(vec!["[0,3]".to_owned(), "[3,1]".to_owned()]));
        let values = [("value1", "5"), ("value2", "7"), ("defaultValue", "-1")];
        let values = offered(3, &[&sets[..], &values].concat(), "outputValues").0;
        assert_eq!(values.reals().unwrap(), [5.0, 7.0, -1.0, 7.0]);
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&ALL[2], root, &[("nbROIs", "9")]).is_err());
        let wrong = [("nbROIs", "1"), ("indices1", "-1")];
        assert_eq!(t.add(&ALL[3], root, &wrong).unwrap_err().attribute.as_deref(), Some("indices1"));
    }
}
