//! What becomes of lists of springs when points of their ends come and go.

use sim_core::component::build::AttributeValues;
use sim_core::component::value::Value;
use sim_core::renumbering::present;

/// Numbers of a row of `spring`: first point, second point, stiffness, damping, rest length.
const ROW: usize = 5;

/// Lists of a number for each spring, of which the last is repeated.
const BESIDE: [&str; 5] = ["stiffness", "damping", "lengths", "elongationOnly", "enabled"];

/// Lets the springs of a `SpringForceField` follow: those of points that have gone go, the others keep their points.
///
/// **Source:** as SOFA's `SpringForceField` when points are removed from the topology beside one of its states.
pub fn follow(attributes: &mut AttributeValues, ends: [Option<&[u32]>; 2]) {
    if let Some(rows) = attributes.set.get("spring").and_then(Value::reals) {
        let kept = rows.as_chunks::<ROW>().0.iter().filter_map(|row| {
            let [i, j] = [0, 1].map(|end| now(ends[end], row[end] as i64));
            Some([i? as f64, j? as f64, row[2], row[3], row[4]])
        });
        attributes.set.insert("spring", Value::Reals(kept.flatten().collect()));
        return;
    }
    let names = ["springsIndices1", "springsIndices2"];
    let lists = names.map(|name| attributes.set.get(name).and_then(Value::integers).unwrap_or_default());
    let n = lists[0].len().min(lists[1].len());
    let pair = |k: usize| Some((k, now(ends[0], lists[0][k])?, now(ends[1], lists[1][k])?));
    let kept: Vec<(usize, i64, i64)> = (0..n).filter_map(pair).collect();
    for name in BESIDE {
        if let Some(list) = attributes.set.get(name).and_then(|list| entries(list, &kept)) {
            attributes.set.insert(name, list);
        }
    }
    attributes.set.insert(names[0], Value::Integers(kept.iter().map(|k| k.1).collect()));
    attributes.set.insert(names[1], Value::Integers(kept.iter().map(|k| k.2).collect()));
}

/// The present number of a point; none where it has gone.
fn now(end: Option<&[u32]>, point: i64) -> Option<i64> {
    end.map_or(Some(point), |numbers| present(numbers, point).map(i64::from))
}

/// The entries of some springs, the last repeated; none of a list that is the same for all.
fn entries(list: &Value, kept: &[(usize, i64, i64)]) -> Option<Value> {
    fn of<T: Copy>(list: &[T], kept: &[(usize, i64, i64)]) -> Option<Vec<T>> {
        let last = list.last().filter(|_| list.len() > 1)?;
        Some(kept.iter().map(|(k, ..)| *list.get(*k).unwrap_or(last)).collect())
    }
    match list {
        Value::Reals(list) => of(list, kept).map(Value::Reals),
        Value::Integers(list) => of(list, kept).map(Value::Integers),
        Value::Bools(list) => of(list, kept).map(Value::Bools),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::renumbering::NEW;

    #[test]
    fn springs_of_points_that_have_gone_go() {
        let rows = vec![2.0, 0.0, 100.0, 0.0, 1.0, 1.0, 2.0, 50.0, 0.1, 2.0, 3.0, 3.0, 25.0, 0.0, 3.0];
        let mut attributes = AttributeValues::default();
        attributes.set.insert("spring", Value::Reals(rows));
        // Points 0 and 1 have gone; 3 and 2 have got their numbers.
        follow(&mut attributes, [None, Some(&[NEW, NEW, 1, 0])]);
        let left = vec![1.0, 1.0, 50.0, 0.1, 2.0, 3.0, 0.0, 25.0, 0.0, 3.0];
        assert_eq!(attributes.set["spring"], Value::Reals(left));
    }

    #[test]
    fn lists_beside_stay_beside() {
        let mut attributes = AttributeValues::default();
        let integers = |list: &[i64]| Value::Integers(list.to_vec());
        attributes.set.insert("springsIndices1", integers(&[0, 1, 2]));
        attributes.set.insert("springsIndices2", integers(&[1, 2, 0]));
        attributes.set.insert("stiffness", Value::Reals(vec![10.0, 20.0]));
        attributes.set.insert("damping", Value::Reals(vec![5.0]));
        follow(&mut attributes, [Some(&[NEW, 1, 0]), Some(&[NEW, 1, 0])]);
        assert_eq!(attributes.set["springsIndices1"], integers(&[1]));
        assert_eq!(attributes.set["springsIndices2"], integers(&[0]));
        assert_eq!(attributes.set["stiffness"], Value::Reals(vec![20.0]));
        assert_eq!(attributes.set["damping"], Value::Reals(vec![5.0]));
    }
}
