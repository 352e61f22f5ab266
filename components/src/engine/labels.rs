//! `SelectLabelROI` and `SelectConnectedLabelsROI`: points or cells chosen by their labels.

use std::collections::BTreeSet;

use sim_core::component::attributes::{Attributes, Lists};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;

use super::numbered::LabelLists;

/// The points or cells that have one of some labels.
#[derive(Attributes)]
#[attributes(ignored("indices"))]
struct Selected {
    /// labels of each point or cell, a list in brackets for each
    labels: Lists,
    /// labels that are looked for
    select_labels: Vec<i64>,
}

/// The points or cells whose labels of two sources are a pair.
#[derive(Attributes)]
#[attributes(ignored("indices"))]
struct Connected {
    /// how many sources of labels, at most 8
    #[attribute(default = "0")]
    nb_labels: i64,
    /// pairs of labels, one after the other, in any order
    connect_labels: Vec<i64>,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 2] = [
    ComponentDescription::new::<Selected>(Family::Engine, "SelectLabelROI", select),
    ComponentDescription::new::<(Connected, LabelLists)>(
        Family::Engine,
        "SelectConnectedLabelsROI",
        select_connected,
    ),
];

/// Labels are whole numbers; those of one character, as SOFA's `unsigned char`, are refused.
fn check_template(b: &Builder<'_>) -> Result<(), BuildError> {
    match b.attributes.template.as_deref() {
        None | Some("int" | "unsigned int" | "unsigned short" | "I" | "i" | "S") => Ok(()),
        Some(other) => Err(BuildError::attribute("template", format!("labels of `{other}` are not taken"))),
    }
}

/// The labels of an attribute; numbers without brackets are no lists, as in SOFA.
fn labels(b: &mut Builder<'_>, given: &Lists) -> Result<Vec<Vec<i64>>, BuildError> {
    if !given.has_lists() && !given.is_empty() {
        b.warn(Some(given.name()), "has no lists in brackets, `[0,1] [1]`, and is left out, as in SOFA");
    }
    given.of("label", |w| w.parse().ok())
}

fn select(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Selected::read(b)?;
    check_template(b)?;
    let wanted = BTreeSet::from_iter(s.select_labels);
    let all = labels(b, &s.labels)?;
    let has_one = |of: &Vec<i64>| of.iter().any(|label| wanted.contains(label));
    let chosen = (0..).zip(&all).filter(|(_, of)| has_one(of)).map(|(i, _)| i).collect();
    b.offer("indices", Value::Integers(chosen));
    Ok(())
}

/// **Source:** as SOFA's: there are as many points or cells as the first source has; a single source connects nothing.
fn select_connected(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, given) = (Connected::read(b)?, LabelLists::read(b)?);
    check_template(b)?;
    let (pairs, _) = s.connect_labels.as_chunks::<2>();
    let pairs: BTreeSet<[i64; 2]> = pairs.iter().flat_map(|[p, q]| [[*p, *q], [*q, *p]]).collect();
    let given = given.first(b, "nbLabels", s.nb_labels)?;
    let sources: Vec<Vec<Vec<i64>>> =
        given.iter().map(|lists| labels(b, lists)).collect::<Result<_, BuildError>>()?;
    let n = if sources.len() < 2 { 0 } else { sources[0].len() };
    for (lists, source) in given.iter().zip(&sources) {
        if source.len() < n {
            let text = format!("`{}` has labels of {} points, `labels1` of {n}", lists.name(), source.len());
            return Err(BuildError::attribute(lists.name(), text));
        }
    }
    let is_connected = |i: usize| {
        sources.iter().enumerate().any(|(k, first)| {
            let others = sources.iter().enumerate().filter(|(other, _)| *other != k);
            let of_others: Vec<i64> = others.flat_map(|(_, source)| &source[i]).copied().collect();
            first[i].iter().any(|p| of_others.iter().any(|q| pairs.contains(&[*p, *q])))
        })
    };
    let chosen = (0..n).filter(|i| is_connected(*i)).map(|i| i as i64).collect();
    b.offer("indices", Value::Integers(chosen));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn chosen(class: usize, attributes: &[(&'static str, &str)]) -> (Vec<i64>, Vec<String>) {
        let (value, warnings) = TestScene::offered(&ALL[class], attributes, "indices");
        (value.integers().unwrap(), warnings)
    }

    #[test]
    fn points_with_a_label_are_chosen() {
        let labels = ("labels", "[1,2] [] [3] [2]");
        assert_eq!(chosen(0, &[labels, ("selectLabels", "2 3")]).0, [0, 2, 3]);
        let (none, warnings) = chosen(0, &[("labels", "1 2"), ("selectLabels", "1")]);
        assert!(none.is_empty() && warnings[0].contains("brackets"), "{warnings:?}");
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&ALL[0], root, &[("template", "unsigned char")]).is_err());
    }

    #[test]
    fn points_whose_labels_are_a_pair_are_chosen() {
        let labels = [("labels1", "[1] [1] [2,5]"), ("labels2", "[7] [8] [9]")];
        let with = |more: &[(&'static str, &str)]| chosen(1, &[&labels[..], more].concat()).0;
        assert_eq!(with(&[("nbLabels", "2"), ("connectLabels", "7 1 5 9")]), [0, 2]);
        assert_eq!(with(&[("nbLabels", "2"), ("connectLabels", "1 1")]), [0; 0], "of one source");
        assert!(with(&[("nbLabels", "1"), ("connectLabels", "1 7")]).is_empty());
        let mut t = TestScene::new();
        let root = t.root();
        let fewer = [("nbLabels", "2"), ("labels1", "[1] [2]"), ("labels2", "[1]")];
        assert_eq!(t.add(&ALL[1], root, &fewer).unwrap_err().attribute.as_deref(), Some("labels2"));
    }
}
