//! Cells across two axes, so that a sweep along the third looks at neighbors only.

use crate::collision::Aabb;

/// Fewer boxes than this are swept without cells.
const FEW: usize = 256;
/// Cells for each box at most.
const CELLS_PER_BOX: f64 = 2.0;

/// Columns along the axis of the sweep, side by side across the two other axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    axes: [usize; 2],
    origin: [f64; 2],
    /// Width of a cell along each of the two axes [m].
    width: [f64; 2],
    n: [usize; 2],
}

impl Grid {
    /// For boxes that are swept along an axis: cells of about the width of a box, or wider where these were too many.
    pub(super) fn around(boxes: &[Aabb], axis: usize) -> Self {
        let axes = [(axis + 1) % 3, (axis + 2) % 3];
        let one = Self { axes, origin: [0.0; 2], width: [1.0; 2], n: [1; 2] };
        if boxes.len() < FEW {
            return one;
        }
        let extent = |k: usize| {
            let finite = boxes.iter().filter(|b| b.min[k].is_finite() && b.max[k].is_finite());
            let (mut n, mut sum, mut low, mut high) = (0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY);
            for b in finite {
                (n, sum) = (n + 1.0, sum + (b.max[k] - b.min[k]));
                (low, high) = (f64::min(low, b.min[k]), f64::max(high, b.max[k]));
            }
            (low, high - low, sum / n)
        };
        let [a, b] = axes.map(extent);
        let cells = |(_, span, mean): (f64, f64, f64)| (span / mean).max(1.0);
        let (wanted, most) = (cells(a) * cells(b), CELLS_PER_BOX * boxes.len() as f64);
        let fewer = (wanted / most).max(1.0).sqrt();
        let n = [a, b].map(|e| ((cells(e) / fewer) as usize).max(1));
        let width = [a.1 / n[0] as f64, b.1 / n[1] as f64];
        if width.iter().any(|w| !w.is_finite() || *w <= 0.0) {
            return one;
        }
        Self { axes, origin: [a.0, b.0], width, n }
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.n[0] * self.n[1]
    }

    /// The cell of a box's lower corner across the axis of the sweep, along each of the two other axes.
    pub(super) fn lowest(&self, bounds: &Aabb) -> [usize; 2] {
        self.at(|k| bounds.min[k])
    }

    /// Calls `put` with each cell that a box reaches into.
    pub(super) fn for_each_cell(&self, bounds: &Aabb, mut put: impl FnMut(usize)) {
        let (from, to) = (self.lowest(bounds), self.at(|k| bounds.max[k]));
        for i in from[0]..=to[0] {
            (from[1]..=to[1]).for_each(|j| put(self.index([i, j])));
        }
    }

    /// The number of a cell.
    pub(super) fn index(&self, [i, j]: [usize; 2]) -> usize {
        i * self.n[1] + j
    }

    fn at(&self, coordinate: impl Fn(usize) -> f64) -> [usize; 2] {
        // A conversion keeps within the whole numbers, so what lies outside is taken to the border.
        [0, 1].map(|k| {
            let place = (coordinate(self.axes[k]) - self.origin[k]) / self.width[k];
            (place as usize).min(self.n[k] - 1)
        })
    }
}
