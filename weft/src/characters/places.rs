//! Where models stand.

/// How far models stand apart, in widths of one.
const APART: f64 = 1.25;

/// Rows and columns on the plane of x and z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    columns: usize,
    apart: f64,
}

impl Grid {
    /// For so many models, as far apart as one with these points is wide.
    pub fn of(n: usize, points: impl Iterator<Item = [f32; 3]>) -> Self {
        let mut bounds = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
        for [x, _, z] in points {
            for (k, x) in [x, z].map(f64::from).into_iter().enumerate() {
                bounds[0][k] = bounds[0][k].min(x);
                bounds[1][k] = bounds[1][k].max(x);
            }
        }
        let width = [0, 1].map(|k| bounds[1][k] - bounds[0][k]).into_iter().fold(0.0, f64::max);
        let columns = (n as f64).sqrt().ceil().max(1.0) as usize;
        let apart = if width.is_finite() && width > 0.0 { APART * width } else { 1.0 };
        Self { columns, apart }
    }

    /// The place of a model.
    pub fn place(&self, model: usize) -> [f64; 3] {
        let (column, row) = (model % self.columns, model / self.columns);
        [column as f64 * self.apart, 0.0, -(row as f64 * self.apart)]
    }
}
