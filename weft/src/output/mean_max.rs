//! Mean and greatest of values.

/// Mean and greatest.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct MeanMax {
    /// Mean.
    pub mean: f64,
    /// Greatest.
    pub max: f64,
}

impl MeanMax {
    /// Of any number of values; zero of none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut running = Running::default();
        values.into_iter().for_each(|v| running.add(v));
        running.mean_max()
    }
}

/// Mean and greatest of values that come one by one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Running {
    n: u64,
    sum: f64,
    max: f64,
}

impl Running {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.n += 1;
        self.sum += value;
        self.max = self.max.max(value);
    }

    /// Whether any has come.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Of those that have come; zero of none.
    pub fn mean_max(&self) -> MeanMax {
        if self.n == 0 {
            MeanMax::default()
        } else {
            MeanMax { mean: self.sum / self.n as f64, max: self.max }
        }
    }
}
