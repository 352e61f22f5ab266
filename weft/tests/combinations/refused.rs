//! Which values of features are refused together, found by asking about whole cases.
//!
//! A case that is refused is changed factor by factor, to a few other values each, and to many of those factors whose values the words
//! name: where the words stay the same, the factor does not matter. What is left is never asked for again.

use super::covering::{Open, Problem, Random, Target};

/// How many other values of a factor show that it does not matter.
const ALTERNATIVES: usize = 3;
/// The same of one whose value the words name: most values may be refused alike, and few of them run.
const ALTERNATIVES_OF_NAMED: usize = 40;
/// How many cases with what was found to be refused are asked whether they run.
const CHECKS: usize = 12;

/// Values that were found to be refused together.
#[derive(Default)]
pub struct Refused {
    all: Vec<(Target, String)>,
    /// Which of them each value is in, by factor and value.
    of_value: Vec<Vec<Vec<usize>>>,
}

impl Refused {
    /// Keeps values, which are refused with these words.
    pub fn push(&mut self, problem: &Problem<'_>, core: Target, words: String) {
        self.of_value.resize_with(problem.sizes.len(), Vec::new);
        for (f, v) in &core {
            self.of_value[*f].resize_with(problem.sizes[*f], Vec::new);
            self.of_value[*f][*v].push(self.all.len());
        }
        self.all.push((core, words));
    }

    /// All that were found, with the words.
    pub fn into_all(self) -> Vec<(Target, String)> {
        self.all
    }

    /// Whether the value of a factor completes what is refused.
    pub fn meets(&self, case: &[Option<usize>], factor: usize) -> bool {
        let Some(value) = case[factor] else { return false };
        let known = self.of_value.get(factor).and_then(|of_factor| of_factor.get(value));
        let is_there = |k: &usize| self.all[*k].0.iter().all(|(f, v)| case[*f] == Some(*v));
        known.is_some_and(|known| known.iter().any(is_there))
    }
}

impl Problem<'_> {
    /// The values of a refused case for which it is refused: those of factors that may change without other words are left out.
    pub fn core(
        &self,
        case: &[usize],
        words: &str,
        open: &mut Open,
        (random, refused): (&mut Random, &Refused),
    ) -> Target {
        let says = |case: &[usize]| {
            let chosen: Vec<Option<usize>> = case.iter().map(|v| Some(*v)).collect();
            if (self.conflict)(&chosen) { None } else { Some((self.refusal)(case)) }
        };
        let named = (self.named)(case, words);
        let mut now = case.to_vec();
        // Values that matter, and those beside which no other one can be.
        let (mut core, mut bound) = (Vec::new(), Vec::new());
        for factor in self.order.iter().rev().copied() {
            let size = self.sizes[factor];
            let (mut tried, mut matters) = (0, false);
            let enough = if named.contains(&factor) { ALTERNATIVES_OF_NAMED } else { ALTERNATIVES };
            let mut last = now[factor];
            // In any order: values that stand beside each other are of one class.
            for value in random.order(size).into_iter().filter(|v| *v != case[factor]) {
                let mut other = now.clone();
                other[factor] = value;
                match says(&other) {
                    None => continue,
                    Some(Some(other)) if other == words => last = value,
                    Some(_) => matters = true,
                }
                tried += 1;
                if matters || tried == enough {
                    break;
                }
            }
            if matters {
                core.push((factor, case[factor]));
            } else if tried == 0 && size > 1 {
                bound.push((factor, case[factor]));
            } else {
                // Another value from here on, so that what is kept does not depend on this one.
                now[factor] = last;
            }
        }
        let mut running = |core: &Target| {
            (0..CHECKS).find_map(|_| {
                self.best_of_three(core, open, random, refused)
                    .filter(|other| (self.refusal)(other).is_none())
            })
        };
        if running(&core).is_some() {
            core.append(&mut bound);
        }
        // Where a case with all these values runs, something else matters, too: what lets it run on the way there.
        while let Some(other) = running(&core) {
            let mut way = case.to_vec();
            let found = self.order.iter().copied().find(|factor| {
                let is_new = way[*factor] != other[*factor];
                way[*factor] = other[*factor];
                is_new && says(&way) == Some(None)
            });
            let Some(factor) = found else { break };
            core.push((factor, case[factor]));
        }
        core.sort_unstable();
        core
    }
}
