//! How many batches the thinking of a flock is cut into, and where.

use std::ops::Range;

/// What decides the number of batches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batching {
    /// The cost of an entity without neighbours \[ns\].
    pub entity: f64,
    /// The cost of each neighbour \[ns\].
    pub neighbour: f64,
    /// What a batch should cost \[ns\].
    pub preferred: f64,
}

impl Default for Batching {
    /// As measured on one core, and batches of 30 us, which are long beside what it takes to give out a task.
    fn default() -> Self {
        Self { entity: 250.0, neighbour: 12.0, preferred: 30_000.0 }
    }
}

impl Batching {
    /// The estimated weight of so many entities that have so many neighbours together \[ns\].
    pub fn weight(&self, entities: usize, neighbours: usize) -> f64 {
        self.entity * entities as f64 + self.neighbour * neighbours as f64
    }

    /// The number of batches for a weight: the weight over the preferred one, rounded up to a multiple of the workers, and at most one for
    /// each piece. One worker has one batch.
    ///
    /// **Source:** Zettersten 2010, section 3.4.1.
    pub fn count(&self, weight: f64, pieces: usize, workers: usize) -> usize {
        if workers <= 1 || pieces == 0 {
            return pieces.min(1);
        }
        // A weight that is no number counts as a small one.
        let count = (weight / self.preferred).ceil().max(1.0).min(pieces as f64) as usize;
        count.next_multiple_of(workers).min(pieces)
    }

    /// Cuts pieces of the given weights \[ns\] into batches of about the same weight.
    pub fn cut(&self, weights: &[f64], workers: usize, into: &mut Vec<Range<usize>>) {
        into.clear();
        let all: f64 = weights.iter().sum();
        let count = self.count(all, weights.len(), workers);
        let (mut begin, mut done) = (0, 0.0);
        for batch in 1..=count {
            let (goal, mut end) = (all * batch as f64 / count as f64, begin);
            // Each batch has a piece, and leaves one for each batch that follows. A piece goes where most of it lies.
            while end < weights.len() - (count - batch)
                && (end == begin || batch == count || done + weights[end] / 2.0 <= goal)
            {
                done += weights[end];
                end += 1;
            }
            into.push(begin..end);
            begin = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_number_follows_weight_and_workers() {
        let batching = Batching { preferred: 1000.0, ..Batching::default() };
        assert_eq!(batching.count(50_000.0, 99, 1), 1, "one worker: no batches");
        assert_eq!(batching.count(100.0, 99, 2), 2);
        assert_eq!(batching.count(5_500.0, 99, 4), 8);
        assert_eq!(batching.count(1e9, 33, 4), 33);
        assert_eq!((batching.count(0.0, 0, 4), batching.count(f64::NAN, 5, 2)), (0, 2));
    }

    proptest! {
        #[test]
        fn batches_cover_all_pieces_in_order_and_none_is_empty(
            weights in prop::collection::vec(0.0_f64..1e5, 0..60),
            workers in 1_usize..9,
        ) {
            let mut batches = Vec::new();
            let batching = Batching::default();
            batching.cut(&weights, workers, &mut batches);
            prop_assert!(batches.iter().all(|batch| !batch.is_empty()));
            let covered: Vec<usize> = batches.iter().cloned().flatten().collect();
            prop_assert_eq!(covered, (0..weights.len()).collect::<Vec<_>>());
            // No batch is heavier than its share and one piece more.
            let all: f64 = weights.iter().sum();
            let heaviest = weights.iter().copied().fold(0.0, f64::max);
            for batch in &batches {
                let weight: f64 = weights[batch.clone()].iter().sum();
                let spare = weights.len() > batches.len();
                prop_assert!(!spare || weight <= all / batches.len() as f64 + 2.0 * heaviest + 1e-6);
            }
        }
    }
}
