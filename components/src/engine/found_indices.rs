//! `MapIndices`, `IndicesFromValues` and `Indices2ValuesMapper`: indices and values found for each other.

use std::collections::BTreeMap;

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

use super::rows::{rows, width};

/// Indices under other numbers.
#[derive(Attributes)]
#[attributes(ignored("out", "outStr"))]
struct Renumbered {
    /// the indices, or elements that hold them
    #[attribute(name = "in")]
    input: Vec<i64>,
    /// which index each of the new ones stands for
    indices: Vec<i64>,
    /// whether `indices` says instead which new one stands for each index
    transpose: bool,
}

/// Where values are in a list.
#[derive(Attributes)]
#[attributes(ignored("indices", "otherIndices"))]
struct Found {
    /// the values, numbers or rows of the template's coordinates
    values: Vec<f64>,
    /// the list
    global: Vec<f64>,
    /// whether all places of each value are found, not the first one only
    recursive_search: bool,
}

/// Values in the place of others.
#[derive(Attributes)]
#[attributes(ignored("outputValues"))]
struct Replaced {
    /// what is replaced
    input_values: Vec<f64>,
    /// which values are known
    indices: Vec<f64>,
    /// what each of these becomes
    values: Vec<f64>,
    /// what others become
    #[attribute(default = "1")]
    default_value: f64,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 3] = [
    ComponentDescription::new::<Renumbered>(Family::Engine, "MapIndices", renumber),
    ComponentDescription::new::<Found>(Family::Engine, "IndicesFromValues", find),
    ComponentDescription::new::<Replaced>(Family::Engine, "Indices2ValuesMapper", replace),
];

/// **Source:** as SOFA's: an index without a new number stays as it is; of two numbers for one index the last counts.
fn renumber(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Renumbered::read(b)?;
    let pairs = (0..).zip(&s.indices).map(|(new, old)| if s.transpose { (new, *old) } else { (*old, new) });
    let numbers: BTreeMap<i64, i64> = pairs.collect();
    let out: Vec<i64> = s.input.iter().map(|i| numbers.get(i).copied().unwrap_or(*i)).collect();
    let text: Vec<String> = out.iter().map(i64::to_string).collect();
    b.offer("outStr", Value::Text(text.join(" ")));
    b.offer("out", Value::Integers(out));
    Ok(())
}

/// Numbers per value of the template; elements of a mesh have theirs in brackets in SOFA's names.
fn row_width(b: &Builder<'_>) -> Result<usize, BuildError> {
    let template = b.attributes.template.as_deref().unwrap_or("");
    match template.strip_prefix("fixed_array<unsigned int,").map(|n| n.trim_matches([' ', '>', 'u'])) {
        Some(n) => {
            n.parse().ok().filter(|n| [2, 3, 4, 8].contains(n)).ok_or_else(|| {
                BuildError::attribute("template", format!("there are no values of `{template}`"))
            })
        }
        None => width(b, 1),
    }
}

/// **Source:** as SOFA's: the indices of the others are found in a search for all places only, and are then there once for each value.
fn find(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Found::read(b)?;
    let width = row_width(b)?;
    let (values, global) = (rows("values", &s.values, width)?, rows("global", &s.global, width)?);
    let (mut indices, mut others) = (Vec::new(), Vec::new());
    let mut missing = 0;
    for value in values {
        if s.recursive_search {
            for (i, row) in (0..).zip(&global) {
                if *row == value { indices.push(i) } else { others.push(i) }
            }
        } else if let Some(i) = global.iter().position(|row| *row == value) {
            indices.push(i as i64);
        } else {
            missing += 1;
        }
    }
    if missing > 0 {
        b.warn(Some("values"), format!("{missing} `values` are not in `global`; they are left out"));
    }
    b.offer("indices", Value::Integers(indices));
    b.offer("otherIndices", Value::Integers(others));
    Ok(())
}

/// **Source:** as SOFA's: `indices` are values that are compared, and the first one that is equal counts.
fn replace(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Replaced::read(b)?;
    let (n, m) = (s.indices.len(), s.values.len());
    if m < n {
        return Err(BuildError::attribute("values", format!("there are {m} `values` for {n} `indices`")));
    }
    let replaced =
        |value: &f64| s.indices.iter().position(|i| i == value).map_or(s.default_value, |k| s.values[k]);
    b.offer("outputValues", Value::Reals(s.input_values.iter().map(replaced).collect()));
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
    fn indices_get_other_numbers() {
        let given = [("in", "5 7 9 5"), ("indices", "7 5")];
        assert_eq!(offered(0, &given, "out").0, Value::Integers(vec![1, 0, 9, 1]));
        assert_eq!(offered(0, &given, "outStr").0, Value::Text("1 0 9 1".to_owned()));
        let transposed = [("in", "0 1 2"), ("indices", "7 5"), ("transpose", "1")];
        assert_eq!(offered(0, &transposed, "out").0, Value::Integers(vec![7, 5, 2]));
    }

    #[test]
    fn values_are_found() {
        let given = [("values", "3 8 3"), ("global", "1 3 5 3")];
        let (indices, warnings) = offered(1, &given, "indices");
        assert_eq!((indices, warnings.len()), (Value::Integers(vec![1, 1]), 1));
        let all = [given[0], given[1], ("recursiveSearch", "1")];
        assert_eq!(offered(1, &all, "indices").0, Value::Integers(vec![1, 3, 1, 3]));
        assert_eq!(offered(1, &all, "otherIndices").0, Value::Integers(vec![0, 2, 0, 1, 2, 3, 0, 2]));
        let rows = [("template", "Vec3"), ("values", "4 5 6"), ("global", "1 2 3 4 5 6")];
        assert_eq!(offered(1, &rows, "indices").0, Value::Integers(vec![1]));
        let edges = [("template", "fixed_array<unsigned int,2>"), ("values", "2 3"), ("global", "1 2 2 3")];
        assert_eq!(offered(1, &edges, "indices").0, Value::Integers(vec![1]));
    }

    #[test]
    fn values_replace_others() {
        let given =
            [("inputValues", "3 4 3"), ("indices", "3 3"), ("values", "0.5 9"), ("defaultValue", "7")];
        assert_eq!(offered(2, &given, "outputValues").0, Value::Reals(vec![0.5, 7.0, 0.5]));
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&ALL[2], root, &[("indices", "3")]).is_err());
    }
}
