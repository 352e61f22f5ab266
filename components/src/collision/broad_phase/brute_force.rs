//! `BruteForceBroadPhase`: SOFA's pairs in SOFA's order, found by sweeps along one axis.

use super::grid::Grid;
use super::{BroadModel, ModelPair};
use crate::collision::Aabb;

/// Finds the pairs of models whose root boxes are near each other, and what changed since the last step.
///
/// # Cost
/// O(n log n) where boxes are of similar size: many of them are swept column by column, along the axis in which they spread most.
/// No allocation once the lists have grown.
#[derive(Clone, Debug)]
pub struct BruteForceBroadPhase {
    models: Vec<BroadModel>,
    /// `alarmDistance` of the intersection method [m].
    alarm_distance: f64,
    /// Attribute `box`: models that miss it by more than the alarm distance are ignored.
    region: Option<Aabb>,
    sweep: Vec<Swept>,
    /// Of each model in the sweep, its box with all margins.
    grown: Vec<Aabb>,
    /// The places in the sweep of the boxes that reach into a column, column after column.
    in_columns: Vec<u32>,
    /// Their boxes: what the inner loop reads.
    grown_in_columns: Vec<Aabb>,
    /// Where each column begins.
    columns: Vec<u32>,
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
            in_columns: Vec::new(),
            grown_in_columns: Vec::new(),
            columns: Vec::new(),
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
        let grid = Grid::around(&self.grown, axis);
        self.fill_columns(&grid);
        self.find_pairs(axis, &grid);
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
            let margin = self.alarm_distance + model.skin;
            if !ordered || self.region.is_some_and(|r| !r.is_near(bounds, margin)) {
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
            self.sweep.push(Swept { grown, bounds: *bounds, skin: model.skin, model: i as u32 });
        }
        self.sweep.sort_unstable_by(|a, b| a.grown.min[axis].total_cmp(&b.grown.min[axis]));
        self.grown.clear();
        self.grown.extend(self.sweep.iter().map(|s| s.grown));
        self.near.resize(self.sweep.len(), 0);
        axis
    }

    /// Sorts what is swept into columns, in the order of the sweep within each.
    fn fill_columns(&mut self, grid: &Grid) {
        let Self { grown, in_columns, grown_in_columns, columns, .. } = self;
        columns.clear();
        columns.resize(grid.len() + 1, 0);
        for bounds in &*grown {
            grid.for_each_cell(bounds, |cell| columns[cell + 1] += 1);
        }
        for i in 1..columns.len() {
            columns[i] += columns[i - 1];
        }
        let n = columns[grid.len()] as usize;
        in_columns.resize(n, 0);
        grown_in_columns.resize(n, Aabb::EMPTY);
        for (place, bounds) in (0..).zip(&*grown) {
            grid.for_each_cell(bounds, |cell| {
                let next = &mut columns[cell];
                (in_columns[*next as usize], grown_in_columns[*next as usize]) = (place, *bounds);
                *next += 1;
            });
        }
        // Each begin has moved to its end, which is the begin of the next.
        columns.rotate_right(1);
        columns[0] = 0;
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

    fn find_pairs(&mut self, axis: usize, grid: &Grid) {
        for a in &self.sweep {
            let model = &self.models[a.model as usize];
            if model.simulated && model.self_collision {
                self.found.push(ModelPair { later: a.model, earlier: a.model });
            }
        }
        for cell in 0..grid.len() {
            self.sweep_column(axis, grid, cell);
        }
    }

    /// Finds the pairs of a column that are in no column before it.
    fn sweep_column(&mut self, axis: usize, grid: &Grid, cell: usize) {
        let column = self.columns[cell] as usize..self.columns[cell + 1] as usize;
        let (places, boxes) = (&self.in_columns[column.clone()], &self.grown_in_columns[column]);
        for (i, grown) in boxes.iter().enumerate() {
            let (a, after) = (&self.sweep[places[i] as usize], &boxes[i + 1..]);
            let n_reached = after.partition_point(|b| b.min[axis] <= grown.max[axis]);
            // Collecting them without a branch: which ones are near is as good as random.
            let mut n_near = 0;
            for (k, other) in (0..).zip(&after[..n_reached]) {
                self.near[n_near] = k;
                n_near += usize::from(grown.is_near(other, 0.0));
            }
            let lowest = grid.lowest(grown);
            for &k in &self.near[..n_near] {
                let b = &self.sweep[places[i + 1 + k as usize] as usize];
                // Both reach into the column of the lower corner of what they have in common.
                let other = grid.lowest(&b.grown);
                if grid.index([0, 1].map(|k| lowest[k].max(other[k]))) != cell {
                    continue;
                }
                let margin = self.alarm_distance + a.skin + b.skin;
                let may_collide = self.models[a.model as usize].may_collide(&self.models[b.model as usize]);
                if may_collide && a.bounds.is_near(&b.bounds, margin) {
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

    /// Enough boxes for columns: a heap, a large one below it, and some that are unbounded or flat.
    fn heap(n: u32, seed: [f64; 3]) -> Vec<Aabb> {
        let at = |i: u32, k: usize| (f64::from(i + 1) * (0.618 + 0.1 * seed[k]) * (k + 2) as f64).fract();
        let body = |i: u32| {
            let min = [0, 1, 2].map(|k| 9.0 * at(i, k));
            Aabb { min, max: [0, 1, 2].map(|k| min[k] + 0.4 + at(i, (k + 1) % 3)) }
        };
        let mut boxes: Vec<Aabb> = (0..n).map(body).collect();
        boxes.push(Aabb { min: [-1.0, -1.0, -1.0], max: [11.0, 0.5, 11.0] });
        boxes.push(Aabb { min: [f64::NEG_INFINITY, 3.0, 2.0], max: [f64::INFINITY, 3.0, f64::INFINITY] });
        boxes.push(Aabb { min: [4.0, 4.0, -500.0], max: [4.0, 4.0, 500.0] });
        boxes
    }

    proptest! {
        #[test]
        fn columns_find_what_all_against_all_finds(seed in prop::array::uniform3(0.0..1.0f64), n in 300u32..600) {
            let roots = heap(n, seed);
            let models: Vec<BroadModel> = (0..roots.len() as u32).map(model).collect();
            let expected = oracle(&models, 0.1, &roots);
            let mut phase = BruteForceBroadPhase::new(models, 0.1, None);
            prop_assert_eq!(phase.update(&roots).pairs, &expected[..]);
            prop_assert!(phase.columns.len() > 20 && expected.len() > 100, "{} {}", phase.columns.len(), expected.len());
        }

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
