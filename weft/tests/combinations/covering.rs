//! A covering array: few cases in which every pair of values occurs, and every triple of some factors.

use std::collections::BTreeSet;

/// Values of some factors that are to occur together.
pub type Target = Vec<(usize, usize)>;

/// What is to be covered.
pub struct Problem<'a> {
    /// Number of values of each factor.
    pub sizes: Vec<usize>,
    /// Triples of factors whose values are all to occur together.
    pub triples: Vec<[usize; 3]>,
    /// Whether what is chosen so far cannot be.
    pub conflict: &'a dyn Fn(&[Option<usize>]) -> bool,
}

/// The cases, and what cannot be covered.
pub struct Array {
    pub cases: Vec<Vec<usize>>,
    pub pairs: usize,
    pub triples: usize,
    pub impossible: Vec<Target>,
}

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

impl Problem<'_> {
    /// A greedy array: each case takes up something that is not covered yet, and as many other pairs as it can.
    pub fn cover(&self) -> Array {
        let n = self.sizes.len();
        let mut open: BTreeSet<Target> = BTreeSet::new();
        for [i, j, k] in &self.triples {
            for a in 0..self.sizes[*i] {
                for b in 0..self.sizes[*j] {
                    open.extend((0..self.sizes[*k]).map(|c| sorted(vec![(*i, a), (*j, b), (*k, c)])));
                }
            }
        }
        for i in 0..n {
            for j in i + 1..n {
                for a in 0..self.sizes[i] {
                    open.extend((0..self.sizes[j]).map(|b| vec![(i, a), (j, b)]));
                }
            }
        }
        let mut random = Random(7);
        let mut array = Array { cases: Vec::new(), pairs: 0, triples: 0, impossible: Vec::new() };
        // Triples first: they ask for most cases, and pairs come along.
        while let Some(target) = open.iter().max_by_key(|t| t.len()).cloned() {
            let mut best: Option<(usize, Vec<usize>)> = None;
            for _ in 0..3 {
                let mut case = vec![None; n];
                target.iter().for_each(|(f, v)| case[*f] = Some(*v));
                let mut order: Vec<usize> = (0..n).filter(|f| case[*f].is_none()).collect();
                for k in (1..order.len()).rev() {
                    order.swap(k, random.below(k + 1));
                }
                let mut effort = 3000;
                if (self.conflict)(&case) || !self.fill(&mut case, &order, &open, &mut random, &mut effort) {
                    break;
                }
                let case: Vec<usize> = case.into_iter().flatten().collect();
                let gain = self.covered(&case).filter(|t| open.contains(t)).count();
                if best.as_ref().is_none_or(|b| gain > b.0) {
                    best = Some((gain, case));
                }
            }
            match best {
                Some((_, case)) => {
                    for t in self.covered(&case) {
                        if open.remove(&t) {
                            *if t.len() == 2 { &mut array.pairs } else { &mut array.triples } += 1;
                        }
                    }
                    array.cases.push(case);
                }
                None => {
                    open.remove(&target);
                    array.impossible.push(target);
                }
            }
        }
        array
    }

    /// All targets that a case covers.
    fn covered<'c>(&'c self, case: &'c [usize]) -> impl Iterator<Item = Target> + 'c {
        let n = case.len();
        let pairs = (0..n).flat_map(move |i| (i + 1..n).map(move |j| vec![(i, case[i]), (j, case[j])]));
        pairs.chain(self.triples.iter().map(move |t| sorted(t.iter().map(|f| (*f, case[*f])).collect())))
    }

    /// Chooses the remaining values, those that cover most first; goes back where nothing fits.
    fn fill(
        &self,
        case: &mut Vec<Option<usize>>,
        order: &[usize],
        open: &BTreeSet<Target>,
        random: &mut Random,
        effort: &mut usize,
    ) -> bool {
        let Some((factor, rest)) = order.split_first() else { return true };
        let mut values: Vec<(usize, usize, usize)> = Vec::new();
        for value in 0..self.sizes[*factor] {
            case[*factor] = Some(value);
            if (self.conflict)(case) {
                continue;
            }
            let others = case.iter().enumerate().filter(|(f, _)| f != factor);
            let pairs = others.filter_map(|(f, v)| v.map(|v| sorted(vec![(f, v), (*factor, value)])));
            values.push((pairs.filter(|p| open.contains(p)).count(), random.below(1000), value));
        }
        values.sort_unstable_by(|a, b| b.cmp(a));
        for (_, _, value) in values {
            if *effort == 0 {
                break;
            }
            *effort -= 1;
            case[*factor] = Some(value);
            if self.fill(case, rest, open, random, effort) {
                return true;
            }
        }
        case[*factor] = None;
        false
    }
}

fn sorted(mut target: Target) -> Target {
    target.sort_unstable();
    target
}
