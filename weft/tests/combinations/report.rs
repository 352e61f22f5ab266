//! What is said of an array: its cases, what is refused, what differs, what no case proves.

use std::collections::{BTreeMap, BTreeSet};

use crate::covering::Array;
use crate::features::factor::*;
use crate::features::{Factor, Features, Joint};
use crate::run::{Outcome, without_place};
use crate::scene::SceneText;

/// A value of one factor, and one of another.
type Pair = [(usize, usize); 2];

/// What is said of an array.
pub struct Report<'a> {
    pub features: &'a Features,
    pub factors: &'a [Factor],
    pub array: &'a Array,
    pub outcomes: &'a BTreeMap<usize, Outcome>,
}

impl Report<'_> {
    fn describe(&self, values: &[(usize, usize)]) -> String {
        let words = values.iter().map(|(f, v)| {
            let Factor { name, values } = &self.factors[*f];
            format!("{name}: {}", values[*v])
        });
        words.collect::<Vec<_>>().join("; ")
    }

    pub fn describe_case(&self, k: usize) -> String {
        let values: Vec<(usize, usize)> = self.array.cases[k].iter().copied().enumerate().collect();
        self.describe(&values)
    }

    pub fn list(&self) {
        for (core, why) in &self.array.refused {
            println!("refused: {why}\t{}", self.describe(core));
        }
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        let reasons = self.reasons();
        for pair in self.unproven() {
            let why: Vec<&str> = reasons.get(&pair).into_iter().flatten().map(String::as_str).collect();
            println!("no case proves\t{}\t{}", self.describe(&pair), why.join(", "));
            *kinds.entry(why.join(", ")).or_default() += 1;
        }
        for (kind, pairs) in kinds {
            println!("{pairs} pairs are in no case that agrees, for: {kind}");
        }
    }

    /// Of each pair that stands in cases that do not agree, what came of these.
    fn reasons(&self) -> BTreeMap<Pair, BTreeSet<String>> {
        let mut reasons: BTreeMap<Pair, BTreeSet<String>> = BTreeMap::new();
        for (k, outcome) in self.outcomes {
            let why = match outcome {
                Outcome::Agrees { .. } => continue,
                Outcome::Refused(why) => why.split(": ").last().unwrap_or(why).to_owned(),
                Outcome::Undefined(why) => (*why).to_owned(),
                Outcome::Amplifies => "amplifies rounding".to_owned(),
                Outcome::Fails(_) => "differs".to_owned(),
            };
            self.pairs_of(*k).for_each(|pair| {
                reasons.entry(pair).or_default().insert(why.clone());
            });
        }
        reasons
    }

    fn pairs_of(&self, k: usize) -> impl Iterator<Item = Pair> {
        let case = &self.array.cases[k];
        let all = (0..case.len()).flat_map(|i| (i + 1..case.len()).map(move |j| (i, j)));
        all.map(|(i, j)| [(i, case[i]), (j, case[j])])
    }

    /// Pairs that stand in cases, and in none that agrees.
    fn unproven(&self) -> Vec<Pair> {
        let agrees = |k: &usize| matches!(self.outcomes[k], Outcome::Agrees { .. });
        let pairs_of = |k: usize| self.pairs_of(k);
        let proven: BTreeSet<_> = self.outcomes.keys().copied().filter(agrees).flat_map(pairs_of).collect();
        let there: BTreeSet<_> = self.outcomes.keys().copied().flat_map(pairs_of).collect();
        there.difference(&proven).copied().collect()
    }

    /// Prints the cases that fail, and what was refused during a step; gives back how many fail.
    pub fn failures(&self, with_text: bool) -> usize {
        let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
        let mut failed = 0;
        for (k, outcome) in self.outcomes {
            match outcome {
                Outcome::Refused(why) => *refusals.entry(without_place(why)).or_default() += 1,
                Outcome::Fails(why) => {
                    let case = self.describe_case(*k);
                    failed += 1;
                    println!("case {k} FAILS: {why}\n    {case}");
                    let values: Vec<String> = self.array.cases[*k].iter().map(usize::to_string).collect();
                    println!("    CASE_VALUES={}", values.join(","));
                    if with_text {
                        let text = SceneText::new(self.features, &self.array.cases[*k]);
                        println!("before: {}\nafter: {}", text.text(false), text.text(true));
                    }
                }
                _ => {}
            }
        }
        for (why, times) in &refusals {
            println!("refused {times} times: {why}");
        }
        failed
    }

    pub fn summary(&self) -> String {
        let count = |what: &dyn Fn(&Outcome) -> bool| self.outcomes.values().filter(|o| what(o)).count();
        let without_touch = self.outcomes.iter().filter(|(k, outcome)| {
            let contact = matches!(self.features.joints[self.array.cases[**k][JOINT]], Joint::Contact(_));
            contact && matches!(outcome, Outcome::Agrees { touched: false })
        });
        format!(
            "{} cases cover {} pairs and {} triples of {} factors ({} cannot be, for conflicts and {} sets of values that the program refuses): {} agree ({} with contacts that never touch), {} are refused in a step, {} define no motion, {} amplify rounding, {} fail; {} pairs are in no case that agrees",
            self.array.cases.len(),
            self.array.pairs,
            self.array.triples,
            self.factors.len(),
            self.array.impossible.len(),
            self.array.refused.len(),
            count(&|o| matches!(o, Outcome::Agrees { .. })),
            without_touch.count(),
            count(&|o| matches!(o, Outcome::Refused(_))),
            count(&|o| matches!(o, Outcome::Undefined(_))),
            count(&|o| matches!(o, Outcome::Amplifies)),
            count(&|o| matches!(o, Outcome::Fails(_))),
            self.unproven().len(),
        )
    }
}
