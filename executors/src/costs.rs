//! Measured time of kernels: sampled in three runs out of 64, per object and per pair.
//!
//! A thread that loses its core for a moment would make the object it was at look a hundred times heavier. So within a
//! run each task counts with its fastest execution, and of the last three samples the least counts.

use std::collections::BTreeMap;

use engine::data::ObjectId;
use engine::exec::Costs;
use engine::graph::Place;

/// Runs between two series of samples; the first series begins with the second run, which is warm.
const EVERY: u64 = 64;
/// Samples of a series.
const SERIES: usize = 3;

/// The last samples of a pair.
#[derive(Clone, Copy, Default)]
struct PairSamples {
    /// Times [ns].
    samples: [f64; SERIES],
    /// Samples for which it had no task: in the end it is forgotten.
    idle: usize,
}

/// The last samples for one plan; they outlive its rebuilding.
#[derive(Default)]
pub(crate) struct CostBook {
    runs: u64,
    samples: u64,
    /// Samples of each object [ns].
    objects: Vec<[f64; SERIES]>,
    /// Samples of each pair [ns].
    pairs: BTreeMap<(ObjectId, ObjectId), PairSamples>,
}

impl CostBook {
    /// Makes room for a pair that came, so that its first sample needs no memory.
    pub fn expect(&mut self, place: Place) {
        if let Place::Joint(a, b) = place {
            self.pairs.entry((a, b)).or_default();
        }
    }

    /// Counts a run; says whether it is to be sampled.
    pub fn is_due(&mut self) -> bool {
        self.runs += 1;
        (2..2 + SERIES as u64).contains(&(self.runs % EVERY))
    }

    /// Begins a sample, in place of the oldest one.
    pub fn begin(&mut self) {
        self.samples += 1;
        let at = self.at();
        self.objects.iter_mut().for_each(|o| o[at] = 0.0);
        self.pairs.retain(|_, pair| {
            pair.samples[at] = 0.0;
            pair.idle = if pair.samples.iter().any(|&ns| ns > 0.0) { 0 } else { pair.idle + 1 };
            pair.idle <= 2 * SERIES
        });
    }

    /// Adds the time of one of a task's instances to the sample. What is computed on both sides of a border counts once: if
    /// pairs looked heavier where they are cut, a partition that cuts others would always look better.
    pub fn add(&mut self, place: Place, ns: f64, n_instances: u32) {
        let (at, ns) = (self.at(), ns / f64::from(n_instances));
        match place {
            Place::Own(a) => {
                if self.objects.len() <= a.0 as usize {
                    self.objects.resize(a.0 as usize + 1, [0.0; SERIES]);
                }
                self.objects[a.0 as usize][at] += ns;
            }
            Place::Joint(a, b) => self.pairs.entry((a, b)).or_default().samples[at] += ns,
            Place::Replicated => {}
        }
    }

    /// What is known: nothing before the end of the first series.
    pub fn costs(&self) -> Costs {
        if self.samples < SERIES as u64 {
            return Costs::default();
        }
        let objects = self.objects.iter().map(least).collect();
        Costs {
            objects,
            pairs: self
                .pairs
                .iter()
                .map(|(pair, pair_samples)| (*pair, least(&pair_samples.samples)))
                .collect(),
        }
    }

    fn at(&self) -> usize {
        self.samples as usize % SERIES
    }
}

/// The least of the samples that were taken (a pair may be younger than the series); zero if none was.
fn least(samples: &[f64; SERIES]) -> f64 {
    let taken = samples.iter().copied().filter(|&ns| ns > 0.0);
    taken.reduce(f64::min).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_costs_the_same_whether_it_is_cut_or_not() {
        let pair = Place::Joint(ObjectId(0), ObjectId(1));
        let cost = |n_instances: u32| {
            let mut book = CostBook::default();
            for _ in 0..SERIES {
                book.begin();
                (0..n_instances).for_each(|_| book.add(pair, 700.0, n_instances));
            }
            book.costs().pairs
        };
        assert_eq!(cost(1), [((ObjectId(0), ObjectId(1)), 700.0)]);
        assert_eq!(cost(2), cost(1));
    }
}
