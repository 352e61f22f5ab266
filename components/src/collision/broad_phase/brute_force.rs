//! `BruteForceBroadPhase`: SOFA's pairs in SOFA's order, found by a sweep along one axis.

use super::{BroadModel, ModelPair};
use crate::collision::Aabb;

/// Finds the pairs of models whose root boxes are near each other, and what changed since the last step.
///
/// # Cost
/// O(n log n) and the number of pairs that overlap along the axis in which the models spread most; no allocation once the lists have grown.
#[derive(Clone, Debug)]
pub struct BruteForceBroadPhase {
    models: Vec<BroadModel>,
    /// `alarmDistance` of the intersection method [m].
    alarm_distance: f64,
    /// Attribute `box`: models that miss it are ignored.
    region: Option<Aabb>,
    sweep: Vec<Swept>,
    /// Of each model in the sweep, its box with all margins: what the inner loop reads.
    grown: Vec<Aabb>,
    /// Scratch: those that one model's grown box meets.
    near: Vec<u32>,
    /// Scratch: pairs as the sweep finds them.
    found: Vec<ModelPair>,
    /// Scratch: where the pairs of each later model go.
    place: Vec<u32>,
    pairs: Vec<ModelPair>,
    previous: Vec<ModelPair>,
    added: Vec<ModelPair>,
    removed: Vec<ModelPair>,
}

/// One model in the sweep.
#[derive(Clone, Copy, Debug)]
struct Swept {
    /// Lower bound of its grown box along the axis.
    low: f64,
    /// Its box grown by its skin, and upward by the alarm distance.
    grown: Aabb,
    bounds: Aabb,
    skin: f64,
    model: u32,
}

/// The pairs of this step; all lists in the order of [`ModelPair`].
#[derive(Clone, Copy, Debug)]
pub struct PairChanges<'a> {
    /// All pairs.
    pub pairs: &'a [ModelPair],
    /// Those that the step before did not have.
    pub added: &'a [ModelPair],
    /// Those that only the step before had.
    pub removed: &'a [ModelPair],
}

impl BruteForceBroadPhase {
    /// A broad phase over models in the pipeline's order, with no pair yet.
    ///
    /// `alarm_distance` is the intersection method's [m], 0 for `DiscreteIntersection`.
    pub fn new(models: Vec<BroadModel>, alarm_distance: f64, region: Option<Aabb>) -> Self {
        Self {
            models,
            alarm_distance,
            region,
            sweep: Vec::new(),
            grown: Vec::new(),
            near: Vec::new(),
            found: Vec::new(),
            place: Vec::new(),
            pairs: Vec::new(),
            previous: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// One model more, the last in the pipeline's order.
    pub fn add(&mut self, model: BroadModel) {
        self.models.push(model);
    }

    /// Forgets the pairs of a model that has gone; its root box is empty from now on.
    pub fn forget(&mut self, model: u32) {
        self.pairs.retain(|pair| pair.later != model && pair.earlier != model);
    }

    /// Finds the pairs for these root boxes, one per model; a model with an empty box takes no part.
    pub fn update(&mut self, roots: &[Aabb]) -> PairChanges<'_> {
        std::mem::swap(&mut self.pairs, &mut self.previous);
        self.found.clear();
        let axis = self.fill_sweep(roots);
        self.find_pairs(axis);
        self.sort_pairs();
        subtract(&self.pairs, &self.previous, &mut self.added);
        subtract(&self.previous, &self.pairs, &mut self.removed);
        self.changes()
    }

    /// What the last update found.
    pub fn changes(&self) -> PairChanges<'_> {
        PairChanges { pairs: &self.pairs, added: &self.added, removed: &self.removed }
    }

    /// Fills the sweep and says along which axis it goes.
    fn fill_sweep(&mut self, roots: &[Aabb]) -> usize {
        let axis = widest_spread(roots);
        self.sweep.clear();
        for (i, (model, bounds)) in self.models.iter().zip(roots).enumerate() {
            let ordered = (0..3).all(|k| bounds.min[k] <= bounds.max[k]);
            if !ordered || self.region.is_some_and(|r| !r.is_near(bounds, 0.0)) {
                continue;
            }
            let mut grown = *bounds;
            for k in 0..3 {
                let (min, max) = (bounds.min[k], bounds.max[k]);
                // The sweep adds the margins in another order than the test proper: leave room for its rounding.
                let slack = 1e-12 * (min.abs() + max.abs() + self.alarm_distance + model.skin);
                grown.min[k] = min - model.skin - slack;
                grown.max[k] = max + model.skin + self.alarm_distance + slack;
            }
            let low = grown.min[axis];
            self.sweep.push(Swept { low, grown, bounds: *bounds, skin: model.skin, model: i as u32 });
        }
        self.sweep.sort_unstable_by(|a, b| a.low.total_cmp(&b.low));
        self.grown.clear();
        self.grown.extend(self.sweep.iter().map(|s| s.grown));
        self.near.resize(self.sweep.len(), 0);
        axis
    }

    /// Sorts what was found into `pairs`: into one bucket for each later model, and within these by comparing.
    fn sort_pairs(&mut self) {
        self.place.clear();
        self.place.resize(self.models.len() + 1, 0);
        for pair in &self.found {
            self.place[pair.later as usize + 1] += 1;
        }
        for i in 1..self.place.len() {
            self.place[i] += self.place[i - 1];
        }
        self.pairs.clear();
        self.pairs.resize(self.found.len(), ModelPair { later: 0, earlier: 0 });
        for pair in &self.found {
            let place = &mut self.place[pair.later as usize];
            self.pairs[*place as usize] = *pair;
            *place += 1;
        }
        for bucket in self.pairs.chunk_by_mut(|a, b| a.later == b.later) {
            bucket.sort_unstable();
        }
    }

    fn find_pairs(&mut self, axis: usize) {
        for (i, a) in self.sweep.iter().enumerate() {
            let model = &self.models[a.model as usize];
            if model.simulated && model.self_collision {
                self.found.push(ModelPair { later: a.model, earlier: a.model });
            }
            let after = &self.sweep[i + 1..];
            let n_reached = after.partition_point(|b| b.low <= a.grown.max[axis]);
            // Collecting them without a branch: which ones are near is as good as random.
            let mut n_near = 0;
            for (place, grown) in self.grown[i + 1..][..n_reached].iter().enumerate() {
                self.near[n_near] = place as u32;
                n_near += usize::from(a.grown.is_near(grown, 0.0));
            }
            for &place in &self.near[..n_near] {
                let b = &after[place as usize];
                let margin = self.alarm_distance + a.skin + b.skin;
                if a.bounds.is_near(&b.bounds, margin) && model.may_collide(&self.models[b.model as usize]) {
                    let (later, earlier) = (a.model.max(b.model), a.model.min(b.model));
                    self.found.push(ModelPair { later, earlier });
                }
            }
        }
    }
}

/// The axis along which the centers of the boxes vary most.
fn widest_spread(roots: &[Aabb]) -> usize {
    let (mut n, mut sum, mut squares) = (0.0, [0.0; 3], [0.0; 3]);
    for b in roots {
        let center = [0, 1, 2].map(|k| 0.5 * (b.min[k] + b.max[k]));
        if center.iter().all(|c| c.is_finite()) {
            n += 1.0;
            for k in 0..3 {
                sum[k] += center[k];
                squares[k] += center[k] * center[k];
            }
        }
    }
    let spread = [0, 1, 2].map(|k| squares[k] - sum[k] * sum[k] / n);
    let wider = |a, b| if spread[b] > spread[a] { b } else { a };
    wider(wider(0, 1), 2)
}

/// `out` := what is in the sorted list `a` and not in the sorted list `b`.
fn subtract(a: &[ModelPair], b: &[ModelPair], out: &mut Vec<ModelPair>) {
    out.clear();
    let mut rest = b.iter().peekable();
    for pair in a {
        while rest.next_if(|other| *other < pair).is_some() {}
        if rest.peek() != Some(&pair) {
            out.push(*pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn model(node: u32) -> BroadModel {
        BroadModel { node, simulated: true, self_collision: false, group: Vec::new(), skin: 0.0 }
    }

    fn unit_box(x: f64, y: f64) -> Aabb {
        Aabb { min: [x, y, 0.0], max: [x + 1.0, y + 1.0, 1.0] }
    }

    /// SOFA's procedure as it is written down: each new model against all earlier ones.
    fn oracle(models: &[BroadModel], alarm: f64, roots: &[Aabb]) -> Vec<ModelPair> {
        let mut pairs = Vec::new();
        for later in 0..models.len() {
            let b = &models[later];
            if b.simulated && b.self_collision {
                pairs.push(ModelPair { later: later as u32, earlier: later as u32 });
            }
            for earlier in 0..later {
                let a = &models[earlier];
                if a.may_collide(b) && roots[later].is_near(&roots[earlier], alarm + a.skin + b.skin) {
                    pairs.push(ModelPair { later: later as u32, earlier: earlier as u32 });
                }
            }
        }
        pairs
    }

    #[test]
    fn pairs_come_and_go() {
        let mut phase = BruteForceBroadPhase::new((0..3).map(model).collect(), 0.25, None);
        let pair = |later, earlier| ModelPair { later, earlier };
        let c = phase.update(&[unit_box(0.0, 0.0), unit_box(1.25, 0.0), unit_box(9.0, 9.0)]);
        assert_eq!((c.pairs, c.added, c.removed), (&[pair(1, 0)][..], &[pair(1, 0)][..], &[][..]));
        let c = phase.update(&[unit_box(0.0, 0.0), unit_box(1.3, 0.0), unit_box(0.1, 1.1)]);
        assert_eq!(c.pairs, [pair(2, 0), pair(2, 1)]);
        assert_eq!((c.added, c.removed), (&[pair(2, 0), pair(2, 1)][..], &[pair(1, 0)][..]));
        let c = phase.update(&[unit_box(0.0, 0.0), Aabb::EMPTY, unit_box(0.0, 1.1)]);
        assert_eq!((c.added, c.removed), (&[][..], &[pair(2, 1)][..]));
    }

    #[test]
    fn models_outside_the_region_are_ignored() {
        let region = Some(Aabb { min: [0.0; 3], max: [0.5, 0.5, 0.5] });
        let mut phase = BruteForceBroadPhase::new((0..3).map(model).collect(), 0.0, region);
        let c = phase.update(&[unit_box(0.0, 0.0), unit_box(0.25, 0.0), unit_box(0.75, 0.0)]);
        assert_eq!(c.pairs, [ModelPair { later: 1, earlier: 0 }]);
    }

    #[test]
    fn a_box_that_is_not_a_number_meets_nothing() {
        let mut phase = BruteForceBroadPhase::new((0..2).map(model).collect(), 1.0, None);
        let nan = Aabb { min: [f64::NAN; 3], max: [f64::NAN; 3] };
        assert!(phase.update(&[unit_box(0.0, 0.0), nan]).pairs.is_empty());
    }

    proptest! {
        #[test]
        fn the_sweep_finds_what_all_against_all_finds(
            bodies in prop::collection::vec((0u32..6, any::<bool>(), any::<bool>(), 0i32..8, prop::array::uniform6(0.0..4.0f64)), 1..40),
            alarm in 0.0..0.5f64,
        ) {
            let models: Vec<BroadModel> = bodies.iter().map(|&(node, simulated, self_collision, group, c)| BroadModel {
                node, simulated, self_collision, group: if group < 4 { vec![group] } else { vec![] }, skin: c[5] * 0.05,
            }).collect();
            // Quarters, so that boxes that just touch are frequent.
            let q = |v: f64| (v * 4.0).round() / 4.0;
            let roots: Vec<Aabb> = bodies.iter().map(|(_, _, _, _, c)| {
                let min = [q(c[0]), q(c[1]), q(c[2])];
                Aabb { min, max: [min[0] + q(c[3] * 0.3), min[1] + q(c[4] * 0.3), min[2] + 0.25] }
            }).collect();
            let expected = oracle(&models, alarm, &roots);
            let mut phase = BruteForceBroadPhase::new(models, alarm, None);
            prop_assert_eq!(phase.update(&roots).pairs, &expected[..]);
            let again = phase.update(&roots);
            prop_assert!(again.added.is_empty() && again.removed.is_empty());
        }
    }
}
