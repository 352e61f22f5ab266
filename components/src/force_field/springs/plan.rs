//! In which order many springs are evaluated, and when the sums at their points are taken.

use sim_core::math::lane::BLOCK;

use super::incidence::Incidence;
use super::spring::Spring;

/// Springs that are evaluated before sums are taken.
pub(super) const GROUP: usize = 64;
/// Points whose sums may be taken after a group.
pub(super) const POINTS: usize = 80;
/// Forces that may be added to them.
pub(super) const TERMS: usize = 192;
/// How many springs' forces may be kept until they are added.
pub(super) const RINGS: [usize; 4] = [256, 512, 1024, 4096];
/// Fewer springs are not worth the trouble.
const LEAST: usize = 512;

/// A force at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The spring's place in the order of evaluation.
    pub place: u32,
    /// Whether the point is its second end, on which the negative acts.
    pub second: bool,
}

/// Some sums, one point after the other, in the recorded order of each point's springs.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    /// The points, and how many terms each has.
    pub points: Vec<(u32, u16)>,
    /// What is added to them.
    pub terms: Vec<Term>,
}

/// Order and sums.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The numbers of the springs, in the order of evaluation.
    pub order: Vec<u32>,
    /// The place of each spring in this order.
    pub place: Vec<u32>,
    /// The sums that are taken after each group of springs, and some after the last.
    pub sums: Vec<Sums>,
    /// How many forces are kept: a multiple of 8 up to the largest of [`RINGS`].
    pub ring: usize,
}

impl Plan {
    /// Visits the points in the order of their numbers, or in one that is found where springs are long in that. A spring is evaluated
    /// when its first visited end comes; its force waits for the other end. `None` where the springs are few, or wait too long in
    /// both orders.
    ///
    /// # Cost
    /// Linear in springs and points, but for sorting.
    pub fn new(springs: &[Spring]) -> Option<Self> {
        if springs.len() < LEAST {
            return None;
        }
        let n = springs.iter().map(|s| s.i.max(s.j)).max()? as usize + 1;
        let incidence = Incidence::new(springs, n);
        if (0..n).any(|p| incidence.at(p).len() > TERMS) {
            return None;
        }
        let numbers: Vec<u32> = (0..n as u32).collect();
        let mut plan = Self::visiting(&numbers, springs, &incidence);
        if plan.as_ref().is_none_or(|p| p.ring > RINGS[0]) {
            let found = Self::visiting(&incidence.short_order(springs), springs, &incidence);
            let ring = |p: &Option<Self>| p.as_ref().map_or(usize::MAX, |p| p.ring);
            if ring(&found) < ring(&plan) {
                plan = found;
            }
        }
        // What may be kept is cleared in each call.
        plan.filter(|p| RINGS.iter().any(|r| *r >= p.ring && springs.len() >= 2 * r))
    }

    fn visiting(points: &[u32], springs: &[Spring], incidence: &Incidence) -> Option<Self> {
        let mut rank = vec![0; points.len()];
        points.iter().enumerate().for_each(|(k, p)| rank[*p as usize] = k);
        let mut order: Vec<u32> = (0..springs.len() as u32).collect();
        let begins = |s: &u32| {
            let Spring { i, j, .. } = springs[*s as usize];
            rank[i as usize].min(rank[j as usize])
        };
        order.sort_by_key(begins);
        let mut place = vec![0; springs.len()];
        order.iter().enumerate().for_each(|(k, s)| place[*s as usize] = k as u32);
        let (mut sums, mut open) = (Vec::new(), Sums::default());
        let mut longest = 0;
        for p in points {
            let terms = incidence.at(*p as usize);
            let places = || terms.iter().map(|end| place[end.spring as usize] as usize);
            let (Some(first), Some(last)) = (places().min(), places().max()) else { continue };
            while sums.len() < last / GROUP
                || open.points.len() == POINTS
                || open.terms.len() + terms.len() > TERMS
            {
                sums.push(std::mem::take(&mut open));
            }
            let evaluated = ((sums.len() + 1) * GROUP).min(springs.len().next_multiple_of(GROUP));
            longest = longest.max(evaluated - first);
            open.points.push((*p, terms.len() as u16));
            open.terms
                .extend(terms.iter().map(|e| Term { place: place[e.spring as usize], second: e.second }));
        }
        sums.push(open);
        (longest <= RINGS[3]).then_some(Self { order, place, sums, ring: longest.next_multiple_of(BLOCK) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::Random;

    /// The edges and diagonals of a sheet of `n` by `n` points, whose numbers are those of `names`.
    fn sheet(n: u32, names: &[u32]) -> Vec<Spring> {
        let at = |i: u32, k: u32| names[(i + n * k) as usize];
        let mut springs = Vec::new();
        let mut add = |i, j| {
            springs.push(Spring { i, j, stiffness: 1.0, damping: 0.0, length: 1.0, elongation_only: false });
        };
        for k in 0..n {
            for i in 0..n {
                if i + 1 < n {
                    add(at(i, k), at(i + 1, k));
                }
                if k + 1 < n {
                    add(at(i, k), at(i, k + 1));
                }
            }
        }
        for k in 0..n - 1 {
            for i in 0..n - 1 {
                add(at(i, k), at(i + 1, k + 1));
                add(at(i + 1, k), at(i, k + 1));
            }
        }
        springs
    }

    fn names(n: u32) -> Vec<u32> {
        (0..n * n).collect()
    }

    #[test]
    fn every_force_is_there_when_it_is_added_and_in_recorded_order() {
        for (springs, most) in [(sheet(32, &names(32)), 256), (sheet(100, &names(100)), 640)] {
            let plan = Plan::new(&springs).expect("they are many, and short");
            let ring = plan.ring;
            assert!(ring <= most && ring.is_multiple_of(BLOCK), "{ring}");
            let mut seen = vec![Vec::new(); springs.len()];
            for (group, sums) in plan.sums.iter().enumerate() {
                assert!(sums.points.len() <= POINTS && sums.terms.len() <= TERMS);
                let evaluated = ((group + 1) * GROUP).min(springs.len().next_multiple_of(GROUP));
                let mut terms = sums.terms.iter();
                for (point, count) in &sums.points {
                    let own: Vec<&Term> = terms.by_ref().take(usize::from(*count)).collect();
                    let numbers: Vec<u32> = own.iter().map(|t| plan.order[t.place as usize]).collect();
                    assert!(numbers.is_sorted(), "{numbers:?}");
                    for (term, spring) in own.into_iter().zip(numbers) {
                        let place = term.place as usize;
                        assert!(place < evaluated && evaluated - place <= ring);
                        let s = &springs[spring as usize];
                        assert_eq!(*point, if term.second { s.j } else { s.i });
                        seen[spring as usize].push(term.second);
                    }
                }
            }
            seen.iter_mut().for_each(|ends| ends.sort_unstable());
            assert!(seen.iter().all(|ends| *ends == [false, true]));
        }
    }

    #[test]
    fn an_order_is_found_where_numbers_say_nothing() {
        let mut random = Random::new(1);
        let mut shuffled = names(40);
        for k in (1..shuffled.len()).rev() {
            shuffled.swap(k, ((random.real().abs() * 1e6) as usize) % (k + 1));
        }
        let springs = sheet(40, &shuffled);
        let plan = Plan::new(&springs).expect("a sheet has a short order");
        assert!(plan.ring <= 1024, "{}", plan.ring);
    }

    #[test]
    fn few_long_or_crowded_springs_have_no_plan() {
        assert!(Plan::new(&sheet(8, &names(8))).is_none());
        let spring = sheet(2, &names(2))[0];
        let star: Vec<Spring> = (1..1000).map(|j| Spring { j, ..spring }).collect();
        assert!(Plan::new(&star).is_none());
        let mut random = Random::new(2);
        let mut point = || ((random.real().abs() * 1e6) as u32) % 9000;
        let tangle: Vec<Spring> = (0..30_000).map(|_| Spring { i: point(), j: point(), ..spring }).collect();
        assert!(Plan::new(&tangle).is_none());
    }
}
