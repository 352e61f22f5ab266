//! Which models are animated in a frame.

use load::Load;

mod load;

/// A model, as those who take turns see it.
#[derive(Clone, Debug)]
struct Turn {
    interval: u64,
    /// Its turn comes in frames n with (n + phase) mod interval = 0.
    phase: u64,
    priority: u32,
    is_visible: bool,
    /// The frame in which it was animated last; none if it was not since it came into view.
    last: Option<u64>,
    /// The frame in which its turn came, while it waits.
    since: Option<u64>,
    is_due: bool,
}

/// Who is animated in each frame. Each model has a phase among the frames of its interval k: that whose frames have the least to do when the
/// interval is set. If all have one interval, this is the model's number mod k. A model is also animated in the first frame in which it is
/// seen.
///
/// There may be fewer places in a frame than models whose turn has come. Then those come first that are urgent: a priority of p counts as
/// much as having waited for p frames. So a model waits at most as many frames as the highest priority is above its own, and then for those
/// that wait as it does.
///
/// **Source:** Intel, *Optimized skeletal animation*: intermittent updates, priority queues.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    all: Vec<Turn>,
    load: Load,
    /// Of models that have none of their own.
    interval: u64,
    /// Places in a frame.
    budget: usize,
    /// Those whose turn has come: memory of a frame.
    waiting: Vec<u32>,
}

impl Turns {
    /// Of so many models that are all visible.
    pub fn new(n: usize, interval: u64) -> Self {
        let (all, waiting) = (Vec::with_capacity(n), Vec::with_capacity(n));
        let mut made = Self { all, load: Load::default(), interval, budget: usize::MAX, waiting };
        (0..n).for_each(|_| made.add());
        made
    }

    /// Adds a model that is visible, of the interval that all have who have none of their own.
    pub fn add(&mut self) {
        let interval = self.interval;
        let phase = self.load.add(self.all.len(), interval);
        let (priority, is_visible) = (0, true);
        self.all.push(Turn { interval, phase, priority, is_visible, last: None, since: None, is_due: false });
        // A frame allocates nothing.
        self.waiting.clear();
        self.waiting.reserve(self.all.len());
    }

    /// Takes a model away; those after it have the number before theirs.
    pub fn remove(&mut self, model: usize) {
        let turn = self.all.remove(model);
        self.load.remove(turn.interval, turn.phase);
    }

    /// Sets how many may be animated in a frame.
    pub fn set_budget(&mut self, budget: usize) {
        self.budget = budget;
    }

    /// Sets a model's interval, which is at least one.
    pub fn set_interval(&mut self, model: usize, interval: u64) {
        let turn = &mut self.all[model];
        if turn.interval != interval {
            self.load.remove(turn.interval, turn.phase);
            (turn.interval, turn.phase) = (interval, self.load.add(model, interval));
        }
    }

    /// Sets a model's priority.
    pub fn set_priority(&mut self, model: usize, priority: u32) {
        self.all[model].priority = priority;
    }

    /// Says whether a model is in view.
    pub fn set_visible(&mut self, model: usize, is_visible: bool) {
        let turn = &mut self.all[model];
        if is_visible && !turn.is_visible {
            // What it showed when it was seen last is stale.
            turn.last = None;
        }
        turn.is_visible = is_visible;
    }

    /// Whether a model is in view.
    pub fn is_visible(&self, model: usize) -> bool {
        self.all[model].is_visible
    }

    /// Whether a model is animated in this frame.
    pub fn is_due(&self, model: usize) -> bool {
        self.all[model].is_due
    }

    /// Models whose turn has come and that found no place in this frame.
    pub fn n_waiting(&self) -> usize {
        self.all.iter().filter(|turn| turn.since.is_some()).count()
    }

    /// Begins a frame; how many models are animated in it.
    pub fn begin(&mut self, frame: u64) -> usize {
        let Self { all, budget, waiting, .. } = self;
        waiting.clear();
        for (k, turn) in (0_u32..).zip(&mut *all) {
            turn.is_due = false;
            let comes = turn.last.is_none() || frame.wrapping_add(turn.phase).is_multiple_of(turn.interval);
            if !turn.is_visible {
                turn.since = None;
            } else if comes || turn.since.is_some() {
                turn.since.get_or_insert(frame);
                waiting.push(k);
            }
        }
        if waiting.len() > *budget {
            waiting.sort_unstable_by_key(|k| {
                let turn = &all[*k as usize];
                let waited = frame.saturating_sub(turn.since.unwrap_or(frame));
                (std::cmp::Reverse(u64::from(turn.priority).saturating_add(waited)), *k)
            });
            waiting.truncate(*budget);
        }
        for k in &*waiting {
            let turn = &mut all[*k as usize];
            (turn.is_due, turn.since, turn.last) = (true, None, Some(frame));
        }
        waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Turns {
        fn last(&self, model: usize) -> Option<u64> {
            self.all[model].last
        }
    }

    /// Most to mean of the models that are animated in a frame, of intervals that are given in turns.
    fn spread(n: usize, intervals: &[u64]) -> f64 {
        let mut turns = Turns::new(n, 1);
        (0..n).for_each(|m| turns.set_interval(m, intervals[m % intervals.len()]));
        turns.begin(0);
        let counts: Vec<usize> = (1..=840).map(|frame| turns.begin(frame)).collect();
        let mean = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
        let rates: f64 = (0..n).map(|m| 1.0 / intervals[m % intervals.len()] as f64).sum();
        assert!((mean - rates).abs() < 1e-9, "{mean} {rates}");
        counts.into_iter().max().unwrap_or(0) as f64 / mean
    }

    #[test]
    fn mixed_intervals_spread_the_work() {
        for n in [24, 60, 100, 1000] {
            for intervals in [&[1, 2][..], &[2, 4], &[1, 2, 3, 6], &[6, 3, 2, 1], &[4]] {
                let spread = spread(n, intervals);
                assert!(spread <= 1.1, "{n} models of {intervals:?}: {spread}");
            }
        }
        // All frames' remainders meet: few models cannot be spread.
        let spread = spread(1000, &[5, 7, 3]);
        assert!(spread <= 1.02, "{spread}");
    }

    #[test]
    fn intervals_that_have_no_common_round_still_come() {
        let mut turns = Turns::new(3, 1);
        [4999, 5003, u64::MAX].into_iter().enumerate().for_each(|(m, k)| turns.set_interval(m, k));
        turns.begin(0);
        let mut counts = [0; 3];
        for frame in 1..30_000 {
            turns.begin(frame);
            (0..3).filter(|m| turns.is_due(*m)).for_each(|m| counts[m] += 1);
        }
        assert_eq!(counts, [6, 5, 0]);
        turns.set_interval(2, 1);
        assert_eq!((turns.begin(30_000), turns.is_due(2)), (1, true));
    }

    #[test]
    fn immediate_models_come_first_and_nobody_starves() {
        // Twelve models, four places: those of high priority in each second frame.
        let mut turns = Turns::new(12, 1);
        turns.set_budget(4);
        (0..4).for_each(|m| turns.set_priority(m, 5));
        let mut counts = [0; 12];
        for frame in 0..240 {
            assert_eq!(turns.begin(frame), 4);
            (0..12).filter(|m| turns.is_due(*m)).for_each(|m| counts[m] += 1);
        }
        assert!(counts[..4].iter().all(|n| *n > 120), "{counts:?}");
        assert!(counts[4..].iter().all(|n| *n > 20), "{counts:?}");
        assert_eq!(turns.n_waiting(), 8);
    }

    #[test]
    fn intervals_of_their_own() {
        let mut turns = Turns::new(3, 1);
        turns.set_interval(1, 2);
        turns.set_interval(2, 6);
        let mut counts = [0; 3];
        for frame in 0..61 {
            turns.begin(frame);
            (0..3).filter(|m| turns.is_due(*m)).for_each(|m| counts[m] += 1);
        }
        assert_eq!(counts, [61, 31, 11]);
    }

    proptest! {
        #[test]
        fn waiting_has_a_bound(
            of in prop::collection::vec((1_u64..5, 0_u32..7), 1..20), budget in 1_usize..6, seed in any::<u64>(),
        ) {
            let mut turns = Turns::new(of.len(), 1);
            turns.set_budget(budget);
            for (m, (interval, priority)) in of.iter().enumerate() {
                turns.set_interval(m, *interval);
                turns.set_priority(m, *priority);
            }
            // The spread of priorities, all others once, and the interval.
            let bound = 6 + of.len().div_ceil(budget) as u64 + 4 + 6;
            let (mut random, mut seen_since) = (seed | 1, vec![0; of.len()]);
            for frame in 0..200_u64 {
                for (m, since) in seen_since.iter_mut().enumerate() {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if random >> 60 == 0 {
                        let is_visible = !turns.is_visible(m);
                        turns.set_visible(m, is_visible);
                        *since = frame;
                    }
                }
                prop_assert!(turns.begin(frame) <= budget);
                for m in (0..of.len()).filter(|m| turns.is_visible(*m)) {
                    let since = turns.last(m).unwrap_or(seen_since[m]);
                    prop_assert!(frame - since <= bound, "model {} waited {} of {}", m, frame - since, bound);
                }
            }
        }
    }
}
