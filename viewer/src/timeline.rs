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
    /// Whether a good part of the cell is on the critical path, shape `[n_workers][CELLS]`.
    pub on_path: Vec<[bool; CELLS]>,
    /// Length of the critical path [s].
    pub path: f64,
    /// What one worker would have to do [s].
    pub work: f64,
}

/// Share of a cell from which on it counts as part of the critical path.
const GOOD_PART: f64 = 0.25;

/// Collects stretches of time into cells.
pub struct Collector {
    seconds: f64,
    /// Time of each kind in each cell [s], and time on the critical path, shape `[n_workers][CELLS][4]`.
    time: Vec<[[f64; 4]; CELLS]>,
}

/// The place of the critical path among the times of a cell.
const PATH: usize = 3;

impl Collector {
    /// For a step of so many workers and so long [s].
    pub fn new(n_workers: usize, seconds: f64) -> Self {
        Self { seconds, time: vec![[[0.0; 4]; CELLS]; n_workers] }
    }

    /// A worker did something from a time on for a while [s].
    pub fn add(&mut self, worker: usize, cell: Cell, start: f64, length: f64) {
        let kind = match cell {
            Cell::Idle => return,
            Cell::Task => 0,
            Cell::Reduction => 1,
            Cell::Wait => 2,
        };
        self.book(worker, kind, start, length);
    }

    /// What a worker did from a time on for a while [s] is on the critical path.
    pub fn mark(&mut self, worker: usize, start: f64, length: f64) {
        self.book(worker, PATH, start, length);
    }

    fn book(&mut self, worker: usize, kind: usize, start: f64, length: f64) {
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

    /// The step, whose critical path and whole work are so long [s].
    pub fn finish(self, step: u64, path: f64, work: f64) -> Timeline {
        let per_cell = self.seconds / CELLS as f64;
        let cell = |time: &[f64; 4]| {
            if time[..PATH].iter().sum::<f64>() < 0.5 * per_cell {
                return Cell::Idle;
            }
            let most = (0..PATH).max_by(|a, b| time[*a].total_cmp(&time[*b]));
            [Cell::Task, Cell::Reduction, Cell::Wait][most.unwrap_or(0)]
        };
        let workers = self.time.iter().map(|row| std::array::from_fn(|k| cell(&row[k]))).collect();
        let is_on_path = |time: &[f64; 4]| time[PATH] >= GOOD_PART * per_cell && time[PATH] > 0.0;
        let on_path = self.time.iter().map(|row| std::array::from_fn(|k| is_on_path(&row[k]))).collect();
        Timeline { step, seconds: self.seconds, workers, on_path, path, work }
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

    /// Stretches of a worker's row that are on the critical path: from which cell, how many.
    pub fn path_stretches(&self, worker: usize) -> impl Iterator<Item = (usize, usize)> {
        let row = self.on_path.get(worker).map_or(&[][..], |r| &r[..]);
        let mut at = 0;
        row.chunk_by(|a, b| a == b).filter_map(move |same| {
            let from = at;
            at += same.len();
            same[0].then_some((from, same.len()))
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
        collector.mark(1, 2.5, 0.25);
        collector.mark(0, 0.0, 0.001);
        let timeline = collector.finish(4, 1.5, 2.0);
        let first: Vec<_> = timeline.stretches(0).collect();
        assert_eq!(first, [(Cell::Task, 0, 100), (Cell::Wait, 100, 50), (Cell::Idle, 150, 150)]);
        let second: Vec<_> = timeline.stretches(1).collect();
        assert_eq!(second, [(Cell::Idle, 0, 250), (Cell::Reduction, 250, 50)]);
        assert_eq!(timeline.path_stretches(1).collect::<Vec<_>>(), [(250, 25)]);
        assert_eq!(timeline.path_stretches(0).count(), 0, "too short to be seen");
        assert!((timeline.busy(0) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((timeline.step, timeline.workers.len(), timeline.busy(9)), (4, 2, 0.0));
    }

    #[test]
    fn many_short_tasks_fill_the_cells_they_are_in() {
        let mut collector = Collector::new(1, 1.0);
        (0..30_000).for_each(|k| collector.add(0, Cell::Task, f64::from(k) / 30_000.0, 0.8 / 30_000.0));
        assert_eq!(collector.finish(0, 0.0, 0.0).stretches(0).collect::<Vec<_>>(), [(Cell::Task, 0, CELLS)]);
    }
}
