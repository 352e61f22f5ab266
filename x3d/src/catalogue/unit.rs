//! What the values of fields are measured in.
//!
//! **Source:** ISO/IEC 19775-1, 4.3.6 (base units and derived units).

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What a field's values are measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// In nothing: colors, factors, times, directions.
    None,
    /// A product of powers of length, angle, mass and force.
    Powers([i8; 4]),
    /// A plane: a direction and a distance.
    Plane,
    /// In what the field is measured in that the value travels to.
    Routed,
    /// In several units.
    Unknown,
}

/// The unit of a word of the table.
fn unit_of(word: &str) -> Option<Unit> {
    Some(match word {
        "none" => Unit::None,
        "length" | "speed" | "acceleration" => Unit::Powers([1, 0, 0, 0]),
        "area" => Unit::Powers([2, 0, 0, 0]),
        "angle" | "angular_rate" => Unit::Powers([0, 1, 0, 0]),
        "mass" => Unit::Powers([0, 0, 1, 0]),
        "force" => Unit::Powers([0, 0, 0, 1]),
        "torque" => Unit::Powers([1, 0, 0, 1]),
        "inertia" => Unit::Powers([2, 0, 1, 0]),
        "plane" => Unit::Plane,
        "routed" => Unit::Routed,
        "unknown" => Unit::Unknown,
        _ => return None,
    })
}

/// Units by field, then by type.
type Table = BTreeMap<&'static str, BTreeMap<&'static str, Unit>>;

/// The table, and what is wrong with it.
fn read() -> (Table, Vec<&'static str>) {
    let mut table = Table::new();
    let mut faults = Vec::new();
    for line in include_str!("tables/units.txt").lines().filter(|l| !l.starts_with('#')) {
        let mut words = line.split_ascii_whitespace();
        let Some(unit) = words.next().and_then(unit_of) else {
            faults.push(line);
            continue;
        };
        for word in words {
            match word.split_once('.') {
                Some((owner, field)) if table.entry(field).or_default().insert(owner, unit).is_none() => {}
                _ => faults.push(word),
            }
        }
    }
    (table, faults)
}

/// What a standard type's field is measured in.
pub(crate) fn unit(node_type: &str, field: &str) -> Unit {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let table = TABLE.get_or_init(|| read().0);
    let owners = table.get(field);
    let found = owners.and_then(|o| o.get(node_type).or_else(|| o.get("*")));
    found.copied().unwrap_or(Unit::None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_fields_that_there_are() {
        let (table, faults) = read();
        assert_eq!(faults, Vec::<&str>::new());
        let catalogue = super::super::standard();
        for (field, owner) in table.iter().flat_map(|(field, o)| o.keys().map(move |owner| (field, owner))) {
            let has = |t: &super::super::Standard| t.node_type.field(field).is_some();
            let is_there = match *owner {
                "*" => catalogue.types().any(has),
                owner => catalogue.get(owner).is_some_and(has),
            };
            assert!(is_there, "{owner}.{field}");
        }
    }
}
