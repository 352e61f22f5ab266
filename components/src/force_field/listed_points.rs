//! What becomes of a list of points, and of lists with an entry for each, when points come and go.

use sim_core::component::build::AttributeValues;
use sim_core::component::value::Value;
use sim_core::renumbering::present;

/// Gives the points that `name` lists their present numbers; those that have gone leave it. Gives back which entries are left; none
/// where no list is given.
pub(super) fn keep(attributes: &mut AttributeValues, name: &'static str, now: &[u32]) -> Option<Vec<usize>> {
    let list = attributes.set.get(name).and_then(Value::integers)?;
    let (kept, numbers): (Vec<usize>, Vec<i64>) = (list.into_iter().enumerate())
        .filter_map(|(k, point)| present(now, point).map(|n| (k, i64::from(n))))
        .unzip();
    attributes.set.insert(name, Value::Integers(numbers));
    Some(kept)
}

/// Leaves of a list with `width` numbers for each point the rows of these.
pub(super) fn keep_rows(attributes: &mut AttributeValues, name: &'static str, width: usize, kept: &[usize]) {
    let Some(list) = attributes.set.get(name).and_then(Value::reals) else { return };
    let row = |k: &usize| list.get(k * width..(k + 1) * width).unwrap_or_default().iter().copied();
    let rows = kept.iter().flat_map(row).collect();
    attributes.set.insert(name, Value::Reals(rows));
}

/// Points as the value of an attribute.
pub(super) fn numbers(points: &[u32]) -> Value {
    Value::Integers(points.iter().map(|p| i64::from(*p)).collect())
}
