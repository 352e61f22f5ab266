//! Statistics of many steps.

pub use super::mean_max::MeanMax;
use super::solver_report::SolverStatistics;
use crate::simulation::{PlanChange, StepReport};

/// Smallest, middle, high and greatest of some values.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spread {
    /// Smallest.
    pub min: f64,
    /// Middle.
    pub median: f64,
    /// What 95 of 100 do not exceed.
    pub p95: f64,
    /// Greatest.
    pub max: f64,
}

impl Spread {
    /// Of any number of values; all zero of none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut v: Vec<f64> = values.into_iter().collect();
        v.sort_by(f64::total_cmp);
        let Some(last) = v.last().copied() else { return Self::default() };
        let p95 = v[(v.len() * 95).div_ceil(100) - 1];
        Self { min: v[0], median: middle(&v), p95, max: last }
    }
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { 0.5 * (sorted[half - 1] + sorted[half]) }
}

/// The middle of some values; 0 of none.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    Spread::of(values).median
}

const MS: f64 = 1e-6;

/// The steps of one simulation.
#[derive(Clone, Debug, Default)]
pub struct StepHistory {
    steps: Vec<StepReport>,
    from: usize,
    solvers: SolverStatistics,
}

impl StepHistory {
    /// An empty one, whose statistics are of the steps from `from` on.
    pub fn new(from: u64) -> Self {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Self { steps: Vec::new(), from, solvers: SolverStatistics::default() }
    }
    /// Adds a step. What its solvers say is added up, and not kept: they may be many.
    pub fn push(&mut self, mut step: StepReport) {
        if self.steps.len() >= self.from {
            self.solvers.add(&step);
        }
        step.solvers = Vec::new();
        self.steps.push(step);
    }
    /// How solvers have converged.
    pub fn solvers(&self) -> &SolverStatistics {
        &self.solvers
    }
    /// All steps.
    pub fn all(&self) -> &[StepReport] {
        &self.steps
    }
    /// The steps that statistics are of: those from the given one on.
    pub fn chosen(&self) -> &[StepReport] {
        self.steps.get(self.from..).unwrap_or_default()
    }
    /// Milliseconds of a step.
    pub fn step_ms(&self) -> Spread {
        Spread::of(self.chosen().iter().map(|s| s.total_ns as f64 * MS))
    }
    /// Middle of milliseconds of a phase of a step.
    pub fn phase_ms(&self, phase: impl Fn(&StepReport) -> u64) -> f64 {
        median(self.chosen().iter().map(|s| phase(s) as f64 * MS))
    }
    /// How many steps did this to their plan.
    pub fn n_plans(&self, change: PlanChange) -> usize {
        self.steps.iter().filter(|s| s.plan == change).count()
    }
    /// Middle of the milliseconds spent on plans in steps that did this to theirs.
    pub fn plan_ms(&self, change: PlanChange) -> f64 {
        median(self.steps.iter().filter(|s| s.plan == change).map(|s| s.graph_ns as f64 * MS))
    }
    /// Pairs that came or went in all steps.
    pub fn pairs_changed(&self) -> usize {
        self.steps.iter().map(|s| s.pairs_changed).sum()
    }
    /// Iterations of the linear system of a step that took most, over groups that solve several, and steps; none without such.
    pub fn linear_iterations(&self) -> Option<MeanMax> {
        let all = || self.chosen().iter().flat_map(|s| s.linear_iterations.iter().map(|n| f64::from(*n)));
        all().next().map(|_| MeanMax::of(all()))
    }
    /// Sweeps that multipliers took, over steps; none without constraints.
    pub fn constraint_sweeps(&self) -> Option<MeanMax> {
        let mut sweeps = self.chosen().iter().filter_map(|s| s.constraint_sweeps).map(f64::from).peekable();
        sweeps.peek().is_some().then(|| MeanMax::of(sweeps))
    }
    /// What the sweeps of multipliers have left, over steps, and in how many of these they had as many as they may; none without
    /// constraints.
    pub fn constraint_error(&self) -> Option<(MeanMax, usize)> {
        let errors = || self.chosen().iter().filter_map(|s| s.constraint_error);
        let at_limit = errors().filter(|e| !e.is_reached).count();
        errors().next().map(|_| (MeanMax::of(errors().map(|e| e.remaining)), at_limit))
    }
    /// Contact points of a step.
    pub fn contacts(&self) -> MeanMax {
        MeanMax::of(self.chosen().iter().map(|s| s.contacts as f64))
    }
    /// Greatest penetration [m].
    pub fn max_penetration(&self) -> f64 {
        self.chosen().iter().map(|s| s.max_penetration).fold(0.0, f64::max)
    }
    /// Mean share of the time of graph runs that each worker was busy.
    pub fn worker_busy(&self) -> Vec<f64> {
        let n = self.chosen().iter().map(|s| s.worker_busy.len()).max().unwrap_or(0);
        let of = |w: usize| self.chosen().iter().filter_map(move |s| s.worker_busy.get(w).copied());
        (0..n).map(|w| MeanMax::of(of(w)).mean).collect()
    }
}

/// A number as it is shown with so many digits behind the point: what rounds to zero has no sign.
pub fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads() {
        let s = Spread::of((1..=100).map(f64::from));
        assert_eq!((s.min, s.median, s.p95, s.max), (1.0, 50.5, 95.0, 100.0));
        assert_eq!(Spread::of([3.0]), Spread { min: 3.0, median: 3.0, p95: 3.0, max: 3.0 });
        assert_eq!(Spread::of([]), Spread::default());
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(MeanMax::of([1.0, 2.0]), MeanMax { mean: 1.5, max: 2.0 });
    }
}
