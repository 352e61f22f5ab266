//! Measured time of kernels: sampled every 64th run, averaged per object and per pair.

use sim_core::data::ObjectId;
use sim_core::exec::Costs;
use sim_core::graph::{Place, Program};

/// Runs between two samples; the first sample is the second run, which is warm.
const EVERY: u64 = 64;

/// Averages for one plan; they outlive its rebuilding.
#[derive(Default)]
pub(crate) struct CostBook {
    costs: Costs,
    runs: u64,
    /// Sums of the run that is being sampled.
    objects: Vec<f64>,
    pairs: Vec<f64>,
}

impl CostBook {
    /// Makes room for a program's objects and pairs; what is known stays.
    pub fn prepare(&mut self, program: &Program) {
        let mut pairs: Vec<(ObjectId, ObjectId)> = Vec::new();
        let mut n_objects = 0;
        for task in &program.tasks {
            match task.place {
                Place::Own(a) => n_objects = n_objects.max(a.0 as usize + 1),
                Place::Joint(a, b) => pairs.push((a, b)),
                Place::Replicated => {}
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let known = std::mem::take(&mut self.costs.pairs);
        let average = |pair| known.binary_search_by_key(&pair, |k| k.0).map_or(0.0, |i| known[i].1);
        self.costs.pairs = pairs.into_iter().map(|pair| (pair, average(pair))).collect();
        let n_objects = n_objects.max(self.costs.objects.len());
        self.costs.objects.resize(n_objects, 0.0);
        self.objects.resize(n_objects, 0.0);
        self.pairs.resize(self.costs.pairs.len(), 0.0);
    }

    /// Counts a run; says whether it is to be sampled.
    pub fn is_due(&mut self) -> bool {
        self.runs += 1;
        self.runs % EVERY == 2
    }

    /// Begins a sample.
    pub fn begin(&mut self) {
        self.objects.fill(0.0);
        self.pairs.fill(0.0);
    }

    /// Adds the time of a task.
    pub fn add(&mut self, place: Place, ns: f64) {
        match place {
            Place::Own(a) => self.objects[a.0 as usize] += ns,
            Place::Joint(a, b) => {
                if let Ok(i) = self.costs.pairs.binary_search_by_key(&(a, b), |p| p.0) {
                    self.pairs[i] += ns;
                }
            }
            Place::Replicated => {}
        }
    }

    /// Ends a sample: exponential averages.
    pub fn end(&mut self) {
        let average = |old: &mut f64, new: f64| *old = if *old == 0.0 { new } else { 0.5 * (*old + new) };
        self.costs.objects.iter_mut().zip(&self.objects).for_each(|(old, &new)| average(old, new));
        self.costs.pairs.iter_mut().zip(&self.pairs).for_each(|((_, old), &new)| average(old, new));
    }

    /// What is known.
    pub fn costs(&self) -> Costs {
        self.costs.clone()
    }
}
