//! What the workers did in one step, cut into cells of equal length.

/// What a worker did for most of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// Nothing that was noted: between the graphs of a step.
    #[default]
    Idle,
    /// It computed.
    Task,
    /// It replayed logged additions.
    Reduction,
    /// It waited.
    Wait,
}

/// Cells of a step.
pub const CELLS: usize = 300;

/// One step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Number of the step.
    pub step: u64,
    /// Its length [s].
    pub seconds: f64,
    /// What each worker did, shape `[n_workers][CELLS]`.
    pub workers: Vec<[Cell; CELLS]>,
}

/// Collects stretches of time into cells.
pub struct Collector {
    seconds: f64,
    /// Time of each kind in each cell [s], shape `[n_workers][CELLS][3]`.
    time: Vec<[[f64; 3]; CELLS]>,
}

impl Collector {
    /// For a step of so many workers and so long [s].
    pub fn new(n_workers: usize, seconds: f64) -> Self {
        Self { seconds, time: vec![[[0.0; 3]; CELLS]; n_workers] }
    }

    /// A worker did something from a time on for a while [s].
    pub fn add(&mut self, worker: usize, cell: Cell, start: f64, length: f64) {
        let kind = match cell {
            Cell::Idle => return,
            Cell::Task => 0,
            Cell::Reduction => 1,
            Cell::Wait => 2,
        };
        let Some(row) = self.time.get_mut(worker) else { return };
        let per_cell = self.seconds / CELLS as f64;
        let mut from = start.clamp(0.0, self.seconds);
        let to = (start + length).clamp(0.0, self.seconds);
        let mut k = ((from / per_cell) as usize).min(CELLS - 1);
        while from < to {
            let end = if k + 1 == CELLS { to } else { to.min((k + 1) as f64 * per_cell) };
            row[k][kind] += end - from;
            from = end;
            k = (k + 1).min(CELLS - 1);
        }
    }

    /// The step.
    pub fn finish(self, step: u64) -> Timeline {
        let half = self.seconds / CELLS as f64 / 2.0;
        let cell = |time: &[f64; 3]| {
            if time.iter().sum::<f64>() < half {
                return Cell::Idle;
            }
            let most = (0..3).max_by(|a, b| time[*a].total_cmp(&time[*b]));
            [Cell::Task, Cell::Reduction, Cell::Wait][most.unwrap_or(0)]
        };
        let workers = self.time.iter().map(|row| std::array::from_fn(|k| cell(&row[k]))).collect();
        Timeline { step, seconds: self.seconds, workers }
    }
}

impl Timeline {
    /// Stretches of equal cells of a worker: what, from which cell, how many.
    pub fn stretches(&self, worker: usize) -> impl Iterator<Item = (Cell, usize, usize)> {
        let row = self.workers.get(worker).map_or(&[][..], |r| &r[..]);
        let mut at = 0;
        row.chunk_by(|a, b| a == b).map(move |same| {
            let from = at;
            at += same.len();
            (same[0], from, same.len())
        })
    }

    /// Share of the step in which a worker computed.
    pub fn busy(&self, worker: usize) -> f64 {
        let computes = |c: &&Cell| matches!(c, Cell::Task | Cell::Reduction);
        self.workers.get(worker).map_or(0.0, |r| r.iter().filter(computes).count() as f64 / CELLS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_keep_their_place_and_length() {
        let mut collector = Collector::new(2, 3.0);
        collector.add(0, Cell::Task, 0.0, 1.0);
        collector.add(0, Cell::Wait, 1.0, 0.5);
        collector.add(1, Cell::Reduction, 2.5, 9.0);
        collector.add(7, Cell::Task, 0.0, 1.0);
        let timeline = collector.finish(4);
        let first: Vec<_> = timeline.stretches(0).collect();
        assert_eq!(first, [(Cell::Task, 0, 100), (Cell::Wait, 100, 50), (Cell::Idle, 150, 150)]);
        let second: Vec<_> = timeline.stretches(1).collect();
        assert_eq!(second, [(Cell::Idle, 0, 250), (Cell::Reduction, 250, 50)]);
        assert!((timeline.busy(0) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((timeline.step, timeline.workers.len(), timeline.busy(9)), (4, 2, 0.0));
    }

    #[test]
    fn many_short_tasks_fill_the_cells_they_are_in() {
        let mut collector = Collector::new(1, 1.0);
        (0..30_000).for_each(|k| collector.add(0, Cell::Task, f64::from(k) / 30_000.0, 0.8 / 30_000.0));
        assert_eq!(collector.finish(0).stretches(0).collect::<Vec<_>>(), [(Cell::Task, 0, CELLS)]);
    }
}
