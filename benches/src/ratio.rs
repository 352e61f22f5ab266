//! Ratios of what was measured in the same round.

/// A ratio over the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The median.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

impl Ratio {
    /// Of values, at least one.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let (n, at) = (values.len(), |k: usize| values.get(k).copied().unwrap_or(f64::NAN));
        let median = if n % 2 == 1 { at(n / 2) } else { 0.5 * (at(n / 2) + at((n / 2).saturating_sub(1))) };
        Self { median, least: at(0), greatest: at(n.saturating_sub(1)) }
    }
}
