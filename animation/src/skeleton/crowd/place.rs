//! Models and parts of their meshes on workers.

use engine::data::ObjectId;
use engine::graph::Assignment;

use super::model::Model;

/// About how much each worker has to do in a frame in which all models are animated.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// By worker \[ns\].
    of: Vec<f64>,
    /// By object that is there.
    placed: Assignment,
}

impl Load {
    /// Of models in their order, so that each worker has about as much to do.
    pub fn of(models: &[Model], workers: u32) -> Self {
        let all: f64 = models.iter().flat_map(|model| &model.costs).map(|(_, cost)| cost).sum();
        let mut load = Self { of: vec![0.0; workers as usize], placed: Assignment::new(workers) };
        let mut before = 0.0;
        for &(object, cost) in models.iter().flat_map(|model| &model.costs) {
            let middle = (before + cost / 2.0) / all * f64::from(workers);
            load.put((object, cost), (middle as u32).min(workers - 1));
            before += cost;
        }
        load
    }

    fn put(&mut self, (object, cost): (ObjectId, f64), worker: u32) {
        self.placed.set(object, worker);
        self.of[worker as usize] += cost;
    }

    /// Where the objects are.
    pub fn placed(&self) -> &Assignment {
        &self.placed
    }

    /// Puts the objects of a model that comes where there is the least to do.
    pub fn add(&mut self, model: &Model) -> Vec<(ObjectId, u32)> {
        let mut placed = Vec::with_capacity(model.costs.len());
        for &of in &model.costs {
            let least = (0_u32..).zip(&self.of).min_by(|a, b| a.1.total_cmp(b.1));
            let worker = least.map_or(0, |(worker, _)| worker);
            self.put(of, worker);
            placed.push((of.0, worker));
        }
        placed
    }

    /// Takes away those of a model that goes.
    pub fn remove(&mut self, model: &Model) {
        for &(object, cost) in &model.costs {
            self.of[self.placed.worker(object) as usize] -= cost;
        }
    }

    /// Whether a worker has so much more to do than others that all should be placed anew. Just after that, and long after, it has not.
    pub fn is_uneven(&self, model: f64) -> bool {
        let mean = self.of.iter().sum::<f64>() / self.of.len() as f64;
        let most = self.of.iter().copied().fold(0.0, f64::max);
        most > UNEVEN * mean && most - mean > 2.0 * model
    }
}

/// How much more than the mean a worker may have to do after models have gone.
const UNEVEN: f64 = 1.25;
