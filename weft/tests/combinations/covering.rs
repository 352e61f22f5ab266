//! A covering array: few cases in which every pair of values occurs, and every triple of some factors.
//!
//! What is refused is found on the way: see [`Refused`].

use super::refused::Refused;

/// Values of some factors that are to occur together.
pub type Target = Vec<(usize, usize)>;

/// What is to be covered.
pub struct Problem<'a> {
    /// Where the numbers begin that choose between cases which cover as much.
    pub seed: u64,
    /// Number of values of each factor.
    pub sizes: Vec<usize>,
    /// Triples of factors whose values are all to occur together.
    pub triples: Vec<[usize; 3]>,
    /// Of each factor, whether triples ask for a value: pairs ask for all.
    pub in_triples: Vec<Vec<bool>>,
    /// The factors in the order in which they are chosen: those first that decide most.
    pub order: Vec<usize>,
    /// Whether what is chosen so far cannot be.
    pub conflict: &'a dyn Fn(&[Option<usize>]) -> bool,
    /// Why a case without conflict is refused all the same.
    pub refusal: &'a dyn Fn(&[usize]) -> Option<String>,
    /// The factors whose values in a case such words name.
    pub named: &'a dyn Fn(&[usize], &str) -> Vec<usize>,
}

/// The cases, and what cannot be covered.
pub struct Array {
    pub cases: Vec<Vec<usize>>,
    pub pairs: usize,
    pub triples: usize,
    pub impossible: Vec<Target>,
    /// Values that are refused together, whatever is beside them, with the words.
    pub refused: Vec<(Target, String)>,
}

impl Array {
    /// One case.
    pub fn of(case: Vec<usize>) -> Self {
        Self { cases: vec![case], pairs: 0, triples: 0, impossible: Vec::new(), refused: Vec::new() }
    }
}

/// How many cases are tried for what is to be covered.
const ATTEMPTS: usize = 30;

/// Numbers that look random, the same in every run.
pub struct Random(u64);

impl Random {
    /// One of the numbers below this one.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }

    /// The numbers below this one in any order.
    pub fn order(&mut self, n: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|k| all.swap(k, self.below(k + 1)));
        all
    }
}

/// What is still to be covered.
pub struct Open {
    /// Where each factor's values begin among all values.
    first: Vec<usize>,
    n_values: usize,
    /// By two values, the smaller first.
    pairs: Vec<bool>,
    /// For each triple of factors, by their values.
    triples: Vec<Vec<bool>>,
}

impl Open {
    fn new(problem: &Problem<'_>) -> Self {
        let mut first = Vec::new();
        let mut n_values = 0;
        for size in &problem.sizes {
            first.push(n_values);
            n_values += size;
        }
        // By the last factor's values fastest, as `triple` counts.
        let of = |t: &[usize; 3]| {
            t.iter().fold(vec![true], |open, f| {
                let asks = &problem.in_triples[*f];
                open.iter().flat_map(|o| asks.iter().map(move |a| *o && *a)).collect()
            })
        };
        let triples = problem.triples.iter().map(of).collect();
        Self { first, n_values, pairs: vec![true; n_values * n_values], triples }
    }

    fn pair(&mut self, a: (usize, usize), b: (usize, usize)) -> &mut bool {
        let (a, b) = (self.first[a.0] + a.1, self.first[b.0] + b.1);
        &mut self.pairs[a.min(b) * self.n_values + a.max(b)]
    }

    fn triple(&mut self, problem: &Problem<'_>, k: usize, value: impl Fn(usize) -> usize) -> &mut bool {
        let index = problem.triples[k].iter().fold(0, |index, f| index * problem.sizes[*f] + value(*f));
        &mut self.triples[k][index]
    }

    /// How many pairs and triples a case would newly cover; with `take` they are covered from now on.
    fn count(&mut self, problem: &Problem<'_>, case: &[usize], take: bool) -> (usize, usize) {
        let mut found = (0, 0);
        for i in 0..case.len() {
            for j in i + 1..case.len() {
                let open = self.pair((i, case[i]), (j, case[j]));
                found.0 += usize::from(*open);
                *open &= !take;
            }
        }
        for k in 0..problem.triples.len() {
            let open = self.triple(problem, k, |f| case[f]);
            found.1 += usize::from(*open);
            *open &= !take;
        }
        found
    }
}

impl Problem<'_> {
    /// A greedy array: each case takes up something that is not covered yet, and as many other pairs as it can.
    pub fn cover(&self) -> Array {
        let mut open = Open::new(self);
        let mut random = Random(self.seed);
        let mut array =
            Array { cases: Vec::new(), pairs: 0, triples: 0, impossible: Vec::new(), refused: Vec::new() };
        let mut refused = Refused::default();
        // Triples first: they ask for most cases, and pairs come along.
        for target in self.targets() {
            let is_open = match target[..] {
                [a, b] => *open.pair(a, b),
                _ => {
                    let factors = |t: &[usize; 3]| target.iter().all(|(f, _)| t.contains(f));
                    let k = self.triples.iter().position(factors).unwrap_or(0);
                    let value = |f: usize| target.iter().find(|t| t.0 == f).map_or(0, |t| t.1);
                    *open.triple(self, k, value)
                }
            };
            if !is_open {
                continue;
            }
            let mut found = None;
            // Each time that a case is refused, something is learned.
            for _ in 0..ATTEMPTS {
                let Some(case) = self.best_of_three(&target, &mut open, &mut random, &refused) else { break };
                let Some(words) = (self.refusal)(&case) else {
                    found = Some(case);
                    break;
                };
                let core = self.core(&case, &words, &mut open, (&mut random, &refused));
                refused.push(self, core, words);
            }
            match found {
                Some(case) => {
                    let (pairs, triples) = open.count(self, &case, true);
                    (array.pairs, array.triples) = (array.pairs + pairs, array.triples + triples);
                    array.cases.push(case);
                }
                None => array.impossible.push(target),
            }
        }
        array.refused = refused.into_all();
        array
    }

    /// Of three cases with these values the one that covers most; none if there is none.
    pub fn best_of_three(
        &self,
        target: &Target,
        open: &mut Open,
        random: &mut Random,
        refused: &Refused,
    ) -> Option<Vec<usize>> {
        let mut best: Option<((usize, usize), Vec<usize>)> = None;
        for _ in 0..3 {
            let mut case = vec![None; self.sizes.len()];
            target.iter().for_each(|(f, v)| case[*f] = Some(*v));
            let rest: Vec<usize> = self.order.iter().copied().filter(|f| case[*f].is_none()).collect();
            let mut effort = 600;
            if (self.conflict)(&case)
                || target.iter().any(|(f, _)| refused.meets(&case, *f))
                || !self.fill(&mut case, &rest, open, (random, refused, &mut effort))
            {
                break;
            }
            let case: Vec<usize> = case.into_iter().flatten().collect();
            let gain = open.count(self, &case, false);
            if best.as_ref().is_none_or(|b| gain > b.0) {
                best = Some((gain, case));
            }
        }
        best.map(|(_, case)| case)
    }

    /// All that is to be covered, triples first.
    fn targets(&self) -> Vec<Target> {
        let mut all = Vec::new();
        let asked = |factor: usize| (0..self.sizes[factor]).filter(move |v| self.in_triples[factor][*v]);
        for [i, j, k] in &self.triples {
            for a in asked(*i) {
                for b in asked(*j) {
                    all.extend(asked(*k).map(|c| vec![(*i, a), (*j, b), (*k, c)]));
                }
            }
        }
        for i in 0..self.sizes.len() {
            for j in i + 1..self.sizes.len() {
                for a in 0..self.sizes[i] {
                    all.extend((0..self.sizes[j]).map(|b| vec![(i, a), (j, b)]));
                }
            }
        }
        all
    }

    /// Chooses the remaining values, those that cover most first; goes back where nothing fits.
    fn fill(
        &self,
        case: &mut Vec<Option<usize>>,
        rest: &[usize],
        open: &mut Open,
        (random, refused, effort): (&mut Random, &Refused, &mut usize),
    ) -> bool {
        let Some((factor, rest)) = rest.split_first() else { return true };
        let mut values: Vec<(usize, usize, usize)> = Vec::new();
        for value in 0..self.sizes[*factor] {
            case[*factor] = Some(value);
            if !(self.conflict)(case) && !refused.meets(case, *factor) {
                let others = case.iter().enumerate().filter(|(f, _)| f != factor);
                let chosen = others.filter_map(|(f, v)| v.map(|v| (f, v)));
                let new = chosen.filter(|other| *open.pair(*other, (*factor, value))).count();
                values.push((new, random.below(1000), value));
            }
        }
        values.sort_unstable_by(|a, b| b.cmp(a));
        for (_, _, value) in values {
            if *effort == 0 {
                break;
            }
            *effort -= 1;
            case[*factor] = Some(value);
            if self.fill(case, rest, open, (random, refused, effort)) {
                return true;
            }
        }
        case[*factor] = None;
        false
    }
}
