//! `ValuesFromIndices`, `PointsFromIndices` and `IndexValueMapper`: values chosen, or set, by index.

use sim_core::component::attributes::{Attributes, CoordRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::rows::{POINT, rows, width};
use super::selection::current_points;

/// Values of a list, in the order of indices.
#[derive(Attributes)]
#[attributes(ignored("out", "output"))]
struct Values {
    /// the list, rows of the template's coordinates
    #[attribute(name = "in", alias = "input")]
    input: Vec<f64>,
    /// which of them are taken
    indices: Vec<i64>,
}

/// Points of a list, in the order of indices, each position once.
#[derive(Attributes)]
#[attributes(ignored("indices_position"))]
struct Points {
    /// points; the positions of the state if not given [m]
    position: Option<CoordRows>,
    /// which of them are taken
    indices: Vec<i64>,
}

/// A list of values, of which some are replaced by another.
#[derive(Attributes)]
#[attributes(ignored("outputValues"))]
struct Mapper {
    /// the list
    input_values: Vec<f64>,
    /// which of them are replaced
    indices: Vec<i64>,
    /// what they become
    #[attribute(default = "0")]
    value: f64,
    /// what stands between the end of the list and an index beyond it
    #[attribute(default = "1")]
    default_value: f64,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 3] = [
    ComponentDescription::new::<Values>(Family::Engine, "ValuesFromIndices", values),
    ComponentDescription::new::<Points>(Family::Engine, "PointsFromIndices", chosen_points),
    ComponentDescription::new::<Mapper>(Family::Engine, "IndexValueMapper", map),
];

/// The entries of a list at the indices; an index beyond it is skipped with a warning.
fn pick<T: Copy>(list: &[T], indices: &[i64], b: &mut Builder<'_>) -> Vec<T> {
    let found: Vec<T> =
        indices.iter().filter_map(|i| usize::try_from(*i).ok().and_then(|i| list.get(i)).copied()).collect();
    let beyond = indices.len() - found.len();
    if beyond > 0 {
        let text = format!("{beyond} `indices` are beyond the {} values; they are left out", list.len());
        b.warn(Some("indices"), text);
    }
    found
}

fn values(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Values::read(b)?;
    let rows = rows("in", &s.input, width(b, 1)?)?;
    let out: Vec<f64> = pick(&rows, &s.indices, b).into_iter().flatten().copied().collect();
    b.offer("out", Value::Reals(out.clone()));
    b.offer("output", Value::Reals(out));
    Ok(())
}

fn chosen_points(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Points::read(b)?;
    if b.attributes.template.is_some() && width(b, POINT)? != POINT {
        return Err(BuildError::attribute("template", "positions of Vec3 only are taken"));
    }
    let all = current_points(b, s.position.as_ref());
    let mut taken: Vec<Vec3> = Vec::new();
    for x in pick(&all, &s.indices, b) {
        if !taken.contains(&x) {
            taken.push(x);
        }
    }
    b.offer("indices_position", Value::from_points(&taken));
    Ok(())
}

/// The most values that an index may make a list grow to.
const MAX_VALUES: i64 = 1 << 27;

/// Puts a value at an index of the attribute `name`; a list that ends before it goes on with `default` until there.
pub(super) fn put(
    output: &mut Vec<f64>,
    (name, index): (&str, i64),
    value: f64,
    default: f64,
) -> Result<(), BuildError> {
    if !(0..MAX_VALUES).contains(&index) {
        return Err(BuildError::attribute(name, format!("`{name}` holds {index}, which is no index")));
    }
    let i = index as usize;
    if output.len() <= i {
        output.resize(i + 1, default);
    }
    output[i] = value;
    Ok(())
}

fn map(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Mapper::read(b)?;
    let mut output = s.input_values;
    for i in s.indices {
        put(&mut output, ("indices", i), s.value, s.default_value)?;
    }
    b.offer("outputValues", Value::Reals(output));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn offered(class: usize, attributes: &[(&'static str, &str)], name: &str) -> (Vec<f64>, Vec<String>) {
        let (value, warnings) = TestScene::offered(&ALL[class], attributes, name);
        (value.reals().unwrap(), warnings)
    }

    #[test]
    fn values_come_in_the_order_of_indices() {
        let list = [("template", "Vec3"), ("in", "0 1 2 3 4 5 6 7 8"), ("indices", "2 0 2 9")];
        let (out, warnings) = offered(0, &list, "out");
        assert_eq!(out, [6.0, 7.0, 8.0, 0.0, 1.0, 2.0, 6.0, 7.0, 8.0]);
        assert!(warnings[0].contains("beyond"));
        assert_eq!(offered(0, &[("in", "5 6 7"), ("indices", "1 -1")], "out").0, [6.0]);
    }

    #[test]
    fn points_come_once() {
        let list = [("position", "0 0 0 1 1 1 0 0 0"), ("indices", "2 1 0")];
        assert_eq!(offered(1, &list, "indices_position").0, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_list_grows_to_its_indices() {
        let list = [("inputValues", "5 6"), ("indices", "1 4"), ("value", "9"), ("defaultValue", "3")];
        assert_eq!(offered(2, &list, "outputValues").0, [5.0, 9.0, 3.0, 3.0, 9.0]);
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&ALL[2], root, &[("indices", "-1")]).is_err());
    }
}
