//! `GroupFilterYoungModulus`: a stiffness for each element by the group that it is in.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

/// A Young modulus for each element, by its group.
#[derive(Attributes)]
#[attributes(ignored("youngModulus"))]
struct Settings {
    /// groups of elements that follow each other, five words each: the first one, how many, a material's name, the group's name, a material's number
    groups: Vec<String>,
    /// elements; the list has one modulus for each at least
    primitives: Vec<i64>,
    /// the group of each element, where `groups` is empty
    elements_group: Vec<i64>,
    /// groups and their moduli, each pair with a `;` at its end: `0 1000; 1 2000;` (names of groups where `groups` is given) [Pa]
    map_group_modulus: Option<String>,
    /// modulus of elements in no group [Pa]
    #[attribute(default = "10000")]
    default_young_modulus: f64,
    /// modulus of each of the `groups`, in their order, instead of `mapGroupModulus` [Pa]
    group_modulus: Vec<f64>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "GroupFilterYoungModulus", build)
        .templates(&["Vec3"]);

/// More elements are a mistake.
const MOST_ELEMENTS: usize = 50_000_000;

/// Elements that follow each other.
struct Group<'s> {
    first: usize,
    n: usize,
    name: &'s str,
}

/// **Source:** as SOFA's: a pair without `;` is left out; of groups of the same name the first counts; with `groupModulus` the elements of all groups
/// follow each other, wherever these begin.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let map = s.map_group_modulus.as_deref().unwrap_or("");
    let groups = groups(&s.groups)?;
    let moduli = if groups.is_empty() {
        by_number(&s.elements_group, map)?
    } else if s.group_modulus.is_empty() {
        by_name(b, &s, &groups, map)?
    } else {
        let of = |k: usize| s.group_modulus.get(k).copied().unwrap_or(s.default_young_modulus);
        groups.iter().enumerate().flat_map(|(k, g)| std::iter::repeat_n(of(k), g.n)).collect()
    };
    b.offer("youngModulus", Value::Reals(moduli));
    Ok(())
}

fn groups(words: &[String]) -> Result<Vec<Group<'_>>, BuildError> {
    let wrong = |text: String| BuildError::attribute("groups", text);
    if !words.len().is_multiple_of(5) {
        return Err(wrong(format!("`groups` needs five words a group; there are {}", words.len())));
    }
    let number = |w: &str| {
        let n = w.parse::<usize>().ok().filter(|n| *n <= MOST_ELEMENTS);
        n.ok_or_else(|| wrong(format!("`groups` holds `{w}`, which is no number of elements")))
    };
    let mut groups = Vec::new();
    for w in words.chunks_exact(5) {
        groups.push(Group { first: number(&w[0])?, n: number(&w[1])?, name: &w[3] });
    }
    Ok(groups)
}

/// The pairs of a text, each with a `;` at its end.
fn pairs(map: &str) -> Result<Vec<(&str, f64)>, BuildError> {
    let closed = map.rsplit_once(';').map_or("", |(closed, _)| closed);
    let mut pairs = Vec::new();
    for text in closed.split(';').map(str::trim).filter(|text| !text.is_empty()) {
        let words = text.split_once(char::is_whitespace);
        let pair = words.and_then(|(group, modulus)| Some((group, modulus.trim().parse().ok()?)));
        pairs.push(pair.ok_or_else(|| {
            BuildError::attribute("mapGroupModulus", format!("`{text}` is no group and its modulus"))
        })?);
    }
    Ok(pairs)
}

fn by_name(
    b: &mut Builder<'_>,
    s: &Settings,
    groups: &[Group<'_>],
    map: &str,
) -> Result<Vec<f64>, BuildError> {
    let mut moduli = vec![s.default_young_modulus; s.primitives.len()];
    for (name, modulus) in pairs(map)? {
        match groups.iter().find(|g| g.name == name) {
            Some(group) => {
                let end = group.first + group.n;
                if moduli.len() < end {
                    moduli.resize(end, s.default_young_modulus);
                }
                moduli[group.first..end].fill(modulus);
            }
            None => b.warn(Some("mapGroupModulus"), format!("there is no group `{name}`; it is left out")),
        }
    }
    Ok(moduli)
}

fn by_number(of_elements: &[i64], map: &str) -> Result<Vec<f64>, BuildError> {
    let pairs = pairs(map)?;
    let modulus = |group: &i64| {
        let found = pairs.iter().rev().find(|(g, _)| g.parse() == Ok(*group));
        found.map(|(_, modulus)| *modulus).ok_or_else(|| {
            let text = format!("`elementsGroup` holds group {group}, which has no modulus");
            BuildError::attribute("mapGroupModulus", text)
        })
    };
    of_elements.iter().map(modulus).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn moduli(attributes: &[(&'static str, &str)]) -> Result<(Vec<f64>, Vec<String>), BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, attributes)?;
        Ok((t.scene.component(c).fields["youngModulus"].reals().unwrap(), t.warnings))
    }

    #[test]
    fn elements_name_their_groups() {
        let groups = ("elementsGroup", "1 0 1 2");
        let given = [groups, ("mapGroupModulus", "0 100; 1 2.5e3;2 7; 1 9")];
        assert_eq!(moduli(&given).unwrap().0, [2500.0, 100.0, 2500.0, 7.0], "the last has no `;`");
        assert!(moduli(&[groups, ("mapGroupModulus", "0 100;")]).is_err());
        assert!(moduli(&[groups, ("mapGroupModulus", "0;")]).is_err());
        assert!(moduli(&[]).unwrap().0.is_empty());
    }

    #[test]
    fn groups_hold_their_elements() {
        let groups = ("groups", "0 2 skin outside 1  4 1 bone inside 2");
        let map = ("mapGroupModulus", "inside 5; outside 3; above 1;");
        let (found, warnings) =
            moduli(&[groups, map, ("primitives", "0 1 2"), ("defaultYoungModulus", "9")]).unwrap();
        assert_eq!(found, [3.0, 3.0, 9.0, 9.0, 5.0]);
        assert!(warnings[0].contains("`above`"), "{warnings:?}");
        assert_eq!(moduli(&[groups, ("groupModulus", "4")]).unwrap().0, [4.0, 4.0, 10000.0]);
        assert!(moduli(&[("groups", "0 2 skin")]).is_err());
    }
}
